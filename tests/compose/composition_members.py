# SPDX-License-Identifier: Apache-2.0
"""What the checks of compositions and of contexts share: the schema, the part to check, and members.
Arguments of both: GOSSAMER SCHEMA PART."""
import json
import pathlib
import sys

import jsonschema

from group_judge import Groups, judge

SCHEMA, PART = sys.argv[2:]
VALIDATOR = jsonschema.Draft202012Validator(json.loads(pathlib.Path(SCHEMA).read_text()))


class Member:
    """A member's demand: `k` packets per node, or `m` words or packets of a group."""

    def __init__(self, collective, shape, k=None, m=None, stride=None, root=0, first=1):
        self.collective, self.shape, self.stride = collective, shape, stride or [1] * len(shape)
        self.k, self.m, self.root, self.first = k, m, root, first

    def words(self, dims, network):
        words = ["plan", self.collective, *network, "--dims", "x".join(map(str, dims))]
        if self.shape != dims:
            words += ["--groups", "x".join(map(str, self.shape))]
        if max(self.stride) > 1:
            words += ["--group-stride", "x".join(map(str, self.stride))]
        if self.k is not None and self.collective != "all-to-all":
            words += ["--packets", self.k]
        if self.m is not None:
            words += ["--packets" if self.collective == "broadcast" else "--words", self.m]
        if self.collective in ("broadcast", "reduce"):
            at, rank = [], self.root
            for side in self.shape:
                at.append(str(rank % side))
                rank //= side
            words += ["--source", ",".join(at)]
        return words

    def judge(self, network, trace):
        groups = Groups(network, self.shape, self.stride)
        rooted = self.collective == "broadcast"
        packets = self.m if rooted else self.k
        return judge(self.collective, network, groups, trace, packets=packets,
                     words=None if rooted else self.m, root=self.root)


TORUS, MESH = ["--topology", "torus"], ["--topology", "mesh"]
