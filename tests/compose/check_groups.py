#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks plans of groups: check_groups.py GOSSAMER table|engines|emit|compare|refusals|mutants [COUNT]

table: the rows of the specification on proof and fast, with a judge that reads the trace alone;
engines: systemc, rtl and cosim give the same traces; emit: the testbench of emitted SystemVerilog writes
them, too; compare: the rows of gossamer compare are those of the plans; refusals: bad input; mutants: COUNT damaged
plans are refused or their runs differ."""
import collections
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from group_judge import Groups, Network, judge, lower_bound
from program_under_test import fate, numbers_in, run

PART = sys.argv[2]

# dims, network, shape, stride, collective, options, algorithm (None: the default), steps, bound.
# With the default algorithm, fewer steps than those of the specification's plan are also right.
ROWS = """
4x4 torus 4x1 - all-gather k=1 hamiltonian 2 2
4x4 torus 4x1 - all-gather k=2 hamiltonian 3 3
5x5 torus 5x1 - all-gather k=1 hamiltonian 2 2
5x5 torus 5x1 - all-gather k=2 hamiltonian 4 4
8x8 torus 8x1 - all-gather k=1 hamiltonian 4 4
8x8 torus 8x1 - all-gather k=2 hamiltonian 7 7
8x8 torus 1x8 - reduce-scatter k=1 hamiltonian 4 4
8x8 torus 1x8 - reduce-scatter k=2 hamiltonian 7 7
8x8 torus 8x1 - all-reduce k=1 hamiltonian 7 7
8x8 torus 8x1 - all-reduce k=2 hamiltonian 14 14
8x8 torus 8x1 - all-to-all k=1 parity 8 8
9x6 torus 9x1 - all-to-all k=1 isotropic 10 10
9x6 torus 1x6 - all-gather k=1 hamiltonian 3 3
9x6 torus 9x1 - reduce-scatter k=1 hamiltonian 4 4
16x16 torus 16x1 - all-gather k=1 hamiltonian 8 8
16x16 torus 1x16 - reduce-scatter k=1 hamiltonian 8 8
8x8 mesh 8x1 - all-gather k=1 array 7 7
8x8 mesh 8x1 - all-gather k=2 array 14 14
8x8 mesh 4x1 - all-gather k=1 array 3 3
4x4x4 torus 4x4x1 - all-gather k=2 hamiltonian 8 8
4x4x4 torus 4x4x1 - reduce-scatter k=2 hamiltonian 8 8
4x4x4 torus 4x4x1 - all-reduce k=2 hamiltonian 15 15
4x4x4 torus 1x4x4 - all-to-all k=1 isotropic 8 8
4x4x4 torus 1x1x4 - all-gather k=1 hamiltonian 2 2
8x8 mesh 4x4 - all-gather k=1 scheduled 8 8
8x8 mesh 4x4 - all-gather k=2 array 15 15
8x8 torus 4x4 - all-gather k=1 scheduled 8 8
8x8 torus 4x4 - all-gather k=2 array 15 15
8x8 torus 4x4 - reduce-scatter k=1 array 8 8
8x8 torus 4x4 - all-reduce m=6 lines 8 8
8x8 torus 4x4 - all-reduce m=16 array 15 13
8x8 torus 4x4 - all-to-all k=1 scheduled 17 16
8x8 torus 4x4 - broadcast m=8,root=0 disjoint-trees 9 7
8x8 torus 2x4 - all-gather k=2 array 7 7
9x9 torus 3x3 - all-gather k=1 scheduled 4 4
9x9 torus 3x3 - all-gather k=2 array 12 8
8x8 torus 4x8 - all-gather k=3 scheduled 31 31
8x8 wrap-x 8x4 - all-gather k=3 scheduled 31 31
8x8 torus 4x4 2x2 all-gather k=1 scheduled 8 8
8x8 torus 4x4 2x2 all-gather k=2 hamiltonian 16 15
8x8 torus 4x4 2x2 all-gather k=4 hamiltonian 30 30
8x8 torus 4x4 2x2 reduce-scatter k=4 hamiltonian 30 30
8x8 torus 4x4 2x2 all-reduce k=2 hamiltonian 30 30
8x8 torus 4x4 2x2 all-to-all k=1 isotropic 16 16
9x9 torus 3x3 3x3 all-gather k=2 hamiltonian 12 12
9x9 torus 3x3 3x3 reduce-scatter k=2 hamiltonian 12 12
9x9 torus 3x3 3x3 all-reduce k=2 hamiltonian 24 24
9x9 torus 3x3 3x3 all-to-all k=1 isotropic 9 9
12x6 torus 4x2 3x3 all-to-all k=1 isotropic 12 12
10x10 torus 5x5 2x2 all-gather k=2 hamiltonian 24 24
16x16 torus 4x4 4x4 all-gather k=4 hamiltonian 60 60
16x16 torus 2x2 8x8 all-gather k=4 hamiltonian 24 24
16x16 torus 16x1 - all-reduce k=1 hamiltonian 15 15
16x8 torus 4x1 4x1 all-gather k=1 hamiltonian 8 8
16x8 torus 4x1 4x1 all-gather k=2 hamiltonian 12 12
16x8 torus 4x1 4x1 all-reduce k=1 hamiltonian 12 12
8x8 mesh 4x4 2x2 all-gather k=2 array 30 30
8x8 torus 4x8 2x1 all-gather k=2 hamiltonian 32 21
12x12 torus 4x6 3x2 all-gather k=2 hamiltonian 36 28
8x8 torus 8x1 - broadcast m=1,root=3 disjoint-trees 7 4
8x8 torus 8x1 - broadcast m=8,root=3 disjoint-trees 10 7
9x9 torus 3x3 - all-gather k=2 folded 8 8
9x9 torus 3x3 - reduce-scatter k=1 scheduled 4 4
12x8 wrap-x 12x4 - all-gather k=3 scheduled 47 47
8x8 torus 2x2 - all-to-all k=1 scheduled 2 2
8x8 torus 4x4 - broadcast m=6,root=5 disjoint-trees 6 5
8x8 torus 4x4 - reduce m=6,root=5 disjoint-trees 6 5
8x8 torus 8x1 - reduce m=1,root=3 line-sum 4 4
8x8 torus 8x1 - all-reduce m=1 line-sum 4 4
8x8 torus 4x4 - all-reduce m=1 line-sum 6 6
8x8 torus 4x4 2x2 all-reduce m=1 line-sum 8 8
8x8 mesh 4x4 - broadcast m=8,root=0 disjoint-trees 9 9
8x8 mesh 4x4 - broadcast m=6,root=5 disjoint-trees 6 6
8x8 mesh 4x4 - reduce m=6,root=5 disjoint-trees 6 6
"""
# One program of all nodes (section 3.3). All-reduces are not in the specification's table.
LATTICE_ROWS = """
8x8 torus 4x4 2x2 all-gather k=1 - 8 8
8x8 torus 4x4 2x2 all-gather k=2 - 16 15
8x8 torus 4x8 2x1 all-gather k=1 - 11 11
8x8 torus 4x8 2x1 all-gather k=2 - 21 21
8x8 torus 4x2 2x4 all-gather k=2 - 10 10
12x12 torus 4x6 3x2 all-gather k=2 - 28 28
16x16 torus 8x4 2x4 all-gather k=1 - 22 21
12x8 torus 6x8 2x1 all-gather k=3 - 48 47
8x8 torus 4x2 2x4 all-to-all k=1 isotropic 8 8
8x8 torus 4x4 2x2 all-to-all k=1 - 16 16
12x12 torus 4x6 3x2 all-to-all k=1 - 36 36
9x6 torus 3x3 3x2 all-to-all k=1 - 9 9
8x8 torus 4x8 2x1 reduce-scatter k=2 - 21 21
12x12 torus 4x6 3x2 reduce-scatter k=2 - 28 28
8x8 torus 4x2 2x4 all-reduce k=2 - 20 -
8x8x3 wrap-x,y 4x2x1 2x4x1 all-gather k=2 - 10 10
8x8x3 wrap-x,y 4x2x1 2x4x1 all-to-all k=1 - 8 8
"""
# Not in the specification: unequal strides whose short axis ends early, sides of 1, barriers.
MORE_ROWS = """
8x8 torus 4x2 1x4 all-to-all k=1 - - 8
8x1x6 torus 4x1x3 2x1x1 all-gather k=2 - - -
6x6 torus 3x2 - barrier - - - -
6x6 torus 3x2 2x3 barrier - - - -
8x8 torus 8x1 - broadcast m=8,root=3 hamiltonian 7 7
8x8 torus 8x1 - reduce m=8,root=3 hamiltonian 7 7
8x4 mesh 2x2 4x1 reduce m=3,root=2 - - -
6x4 wrap-y 3x4 2x1 broadcast m=5,root=7 - - -
6x4 torus 2x2 - all-gather k=1 - - -
3x3 torus 3x1 - broadcast m=4,root=2 - - -
4x3 torus 4x3 - reduce m=4,root=2 - - -
"""


class Row:
    def __init__(self, line):
        dims, network, shape, stride, self.collective, options, algorithm, steps, bound = line.split()
        numbers = lambda text: [int(n) for n in text.split("x")]
        self.line, self.dims, self.network_name = line, dims, network
        sides, self.shape = numbers(dims), numbers(shape)
        self.stride = numbers(stride) if stride != "-" else [1] * len(sides)
        wraps = {"torus": [True] * len(sides), "mesh": [False] * len(sides)}.get(
            network, [name in network.removeprefix("wrap-").split(",") for name in "xyz"[:len(sides)]])
        self.network = Network(sides, wraps)
        self.groups = Groups(self.network, self.shape, self.stride)
        given = dict(pair.split("=") for pair in options.split(",")) if options != "-" else {}
        self.k = int(given["k"]) if "k" in given else None
        self.m = int(given["m"]) if "m" in given else None
        self.root = int(given.get("root", 0))
        self.algorithm = None if algorithm == "-" else algorithm
        self.steps = None if steps == "-" else int(steps)
        self.bound = None if bound == "-" else int(bound)

    def demand(self):
        words = self.m if self.collective in ("all-reduce", "reduce", "barrier") else None
        packets = self.k if self.k is not None else self.m if self.collective == "broadcast" else None
        return {"packets": packets, "words": words, "root": self.root}

    def request(self, algorithm):
        name = self.network_name
        network = ["--wrap", name.removeprefix("wrap-")] if name.startswith("wrap-") else ["--topology", name]
        words = ["plan", self.collective, *network, "--dims", self.dims, "--groups", "x".join(map(str, self.shape))]
        if max(self.stride) > 1:
            words += ["--group-stride", "x".join(map(str, self.stride))]
        demand = self.demand()
        if demand["packets"] is not None and self.collective != "all-to-all":
            words += ["--packets", demand["packets"]]
        if demand["words"] is not None and self.collective != "barrier":
            words += ["--words", demand["words"]]
        if self.collective in ("broadcast", "reduce"):
            at, rank = [], self.root
            for side in self.shape:
                at.append(str(rank % side))
                rank //= side
            words += ["--source", ",".join(at)]
        return words + (["--algorithm", algorithm] if algorithm else [])


def rows(text):
    return [Row(line) for line in text.splitlines() if line]


def report(*arguments):
    return json.loads(run(*arguments).stdout)


def report_of_failure(*arguments):
    return json.loads(run(*arguments, "--report", "-", status=1).stdout)


FIGURES = ["steps", "analytic_steps", "lower_bound_steps", "cycles", "link_transfers", "link_conflicts", "duplicates",
           "complete", "groups", "group_nodes", "packets", "packets_per_node"]


def check_row(row, folder, algorithm):
    plan, trace = folder / "plan.json", folder / "trace.csv"
    run(*row.request(algorithm), "-o", plan)
    proof = report("verify", plan, "--report", "-")
    fast = report("simulate", plan, "--engine", "fast", "--trace", trace, "--report", "-")
    for figure in FIGURES:
        assert proof[figure] == fast[figure], f"{row.line}: {figure}: {proof[figure]} proved, {fast[figure]} run"
    assert fast["complete"] and fast["groups"] * fast["group_nodes"] == row.network.nodes
    bound = lower_bound(row.collective, row.network, row.groups, **row.demand())
    if row.bound is not None:
        assert bound == row.bound, f"{row.line}: the test's own bound is {bound}"
    assert fast["lower_bound_steps"] == bound, f"{row.line}: bound {fast['lower_bound_steps']}, not {bound}"
    last = judge(row.collective, row.network, row.groups, trace.read_text(), **row.demand())
    copies = row.collective in ("all-gather", "all-to-all", "broadcast")
    assert last == fast["steps"] if copies else last <= fast["steps"], f"{row.line}: {last}, not {fast['steps']}"
    lines = trace.read_text().count("\n") - 1
    assert lines == fast["link_transfers"], f"{row.line}: {lines} rows, {fast['link_transfers']} transfers"
    return fast["steps"]


def check_table(folder):
    failed = 0
    for row in rows(ROWS + LATTICE_ROWS + MORE_ROWS):
        for algorithm in {row.algorithm, None}:
            try:
                steps = check_row(row, folder, algorithm)
                if row.steps is not None and algorithm is not None:
                    assert steps == row.steps, f"{row.line}: {steps} steps"
                if row.steps is not None:
                    assert steps <= row.steps, f"{row.line}: the default takes {steps} steps"
            except AssertionError as error:
                failed += 1
                print(f"{row.line} [{algorithm or 'default'}]: {error}")
    assert failed == 0, f"{failed} rows failed"


ENGINE_ROWS = """
4x4 torus 4x1 - all-gather k=2 hamiltonian 3 3
4x4 mesh 2x4 - all-gather k=2 - - -
4x4 torus 1x4 - reduce-scatter k=1 - - -
4x4 torus 2x2 2x2 all-reduce k=2 - - -
6x4 torus 3x2 - all-reduce m=5 - - -
4x4 torus 2x2 2x2 all-to-all k=1 - - -
4x4 torus 4x2 1x2 all-gather k=2 - - -
4x6 torus 2x3 - broadcast m=4,root=3 - - -
4x4 mesh 2x4 - reduce m=2,root=5 - - -
4x4 torus 2x2 - barrier - - - -
4x8 torus 2x8 2x1 all-gather k=2 - - -
4x6 torus 2x3 2x2 reduce-scatter k=2 - - -
4x8 torus 2x8 2x1 all-reduce k=1 - - -
8x4 torus 4x2 2x2 all-gather k=1 - - -
8x4 torus 2x4 4x1 all-to-all k=1 - - -
"""


def check_engines(folder):
    for row in rows(ENGINE_ROWS):
        plan = folder / "plan.json"
        run(*row.request(row.algorithm), "-o", plan)
        traces = []
        for engine in ("fast", "systemc", "rtl"):
            trace = folder / f"{engine}.csv"
            run("simulate", plan, "--engine", engine, "--trace", trace, "--report", "-")
            traces.append(trace.read_bytes())
        assert traces[0] == traces[1] == traces[2], f"{row.line}: traces differ"
        run("cosim", plan)


# Frames of two and three steps, lines and rings, copies and sums; then lattice programs.
EMIT_ROWS = """
4x4 torus 2x2 2x2 all-gather k=2 hamiltonian - -
6x4 torus 2x2 3x2 all-reduce k=2 - - -
6x4 mesh 3x2 1x2 all-gather k=1 - - -
4x8 torus 2x8 2x1 all-gather k=1 scheduled - -
4x6 torus 2x6 2x1 reduce-scatter k=1 scheduled - -
"""


# Tables that are computed, loaded, and loaded where the group's ports are not the network's first; ranks that nodes find.
VARIANT_ROWS = {
    "6x6 torus 3x3 2x2 all-gather k=2 hamiltonian - -": "sv-rule",
    "6x4 torus 3x4 2x1 all-gather k=2 hamiltonian - -": "sv-table",
    "3x8 torus 1x4 1x2 all-gather k=2 hamiltonian - -": "sv-table",
    "4x4 torus 2x2 2x2 all-reduce k=2 hamiltonian - -": "sv-rank",
}


def check_emit(folder):
    variants = {Row(line): form for line, form in VARIANT_ROWS.items()}
    for i, row in enumerate([*rows(EMIT_ROWS), *variants]):
        plan, trace, emitted = folder / "plan.json", folder / "trace.csv", folder / f"sv{i}"
        run(*row.request(row.algorithm), "-o", plan)
        run("simulate", plan, "--trace", trace, "--report", "-")
        form = variants.get(row, "sv")
        run("emit", plan, "--format", form, "-o", emitted)
        shown = emitted / "trace.csv"
        image = ""
        if form == "sv-table":
            # The tables come from the image: those of reset send nothing.
            image = "+table=tables.memh"
            package = emitted / "gsm_member_plan_pkg.sv"
            text = package.read_text()
            package.write_text(re.sub(r"(      \d+: feed = \d+'h)[0-9a-f]+;", r"\g<1>0;", text))
            assert package.read_text() != text
        make = ["make", "icarus", f"PLUSARGS=+trace={shown} +rounds=2 {image}"]
        made = subprocess.run(make, cwd=emitted, capture_output=True, text=True)
        assert made.returncode == 0 and "\nPASS" in made.stdout, f"{row.line}: {made.stdout}{made.stderr}"
        assert shown.read_text() == trace.read_text(), f"{row.line}: another trace"
        if i in (1, 3) or form == "sv-table":
            lint = subprocess.run(["make", "lint"], cwd=emitted, capture_output=True, text=True)
            assert lint.returncode == 0, f"{row.line}: {lint.stdout}{lint.stderr}"
        # The testbench finds packets that pass in the wrong step.
        tile = emitted / "gsm_tile.sv"
        text = tile.read_text()
        if i != 0:
            continue
        tile.write_text(text.replace("slot == SlotBits'(0) ? out_valid", "slot == SlotBits'(1) ? out_valid", 1))
        made = subprocess.run(["make", "icarus"], cwd=emitted, capture_output=True, text=True)
        assert made.returncode != 0 and "FAIL" in made.stdout, f"{row.line}: {made.stdout}{made.stderr}"


def check_compare(folder):
    size = ["--bytes", 256, "--link-bits", 128]
    for words in (["--groups", "x"], ["--groups", "4x8", "--group-stride", "2x1"], ["--groups", "4x4"]):
        asked = ["--dims", "8x8", *words]
        made = report("compare", "all-gather", *asked, *size, "--algorithm", "hamiltonian", "scheduled", "--json")
        assert made["groups"] in ("8x1", "4x8", "4x4") and made["lower_bound_cycles"]
        accepted = [row for row in made["rows"] if row["refusal"] is None]
        assert any(row["algorithm"].startswith("wormhole") for row in accepted)
        for row in accepted:
            assert row["cycles"] >= made["lower_bound_cycles"], row
            if row["algorithm"].startswith("wormhole"):
                continue
            plan = folder / "plan.json"
            run("plan", "all-gather", *asked, *size, "--algorithm", row["algorithm"], "--packets", row["packets_per_node"],
                "-o", plan)
            assert report("verify", plan, "--report", "-")["cycles"] == row["cycles"], row
    made = report("compare", "reduce", "--dims", "8x8", "--groups", "4x4", "--source", "3,1", "--words", 6, "--json")
    assert any(row["steps"] for row in made["rows"])
    for words, part in ((["all-gather"], "requires --bytes"), (["broadcast"], "requires --bytes"),
                        (["all-reduce", "--words", 4], "does not divide")):
        made = run("compare", *words, "--dims", "8x8", "--groups", "3x1" if part[0] == "d" else "x",
                   status=3 if part[0] == "d" else 2)
        assert part in made.stderr and made.stderr.count("\n") == 1, made.stderr


REFUSALS = [
    (2, "neither a shape nor axes", "--groups 4y4"),
    (2, "dimension", "--groups 4x4x4"),
    (2, "no dimension z", "--groups z"),
    (2, "names dimension x twice", "--groups x,x"),
    (2, "--group-stride: requires --groups", "--group-stride 2"),
    (2, "not a stride", "--groups x --group-stride a"),
    (2, "dimension", "--groups x --group-stride 1x1x1"),
    (2, "neither a shape nor axes", "--groups 0x4"),
    (3, "--groups: 3 times stride 2 does not divide side 8 (x); nearest feasible: --groups 4x1 --group-stride 2x1",
     "--groups 3x1 --group-stride 2"),
    (3, "at least two nodes", "--groups 1x1"),
    (3, "faults", "--groups x --dead-link 0,0:x+"),
    (3, "--elastic", "--groups x --elastic"),
    (3, "the network of a group, a 4x1", "--groups 4x1 --algorithm two-packet"),
]


def check_refusals(folder):
    plan = folder / "none.json"
    for status, text, words in REFUSALS:
        text = text.replace("a 4x1", "a 4")
        made = run("plan", "all-gather", "--dims", "8x8", *words.split(), "-o", plan, status=status)
        assert text in made.stderr and made.stderr.count("\n") == 1, f"{words}: {made.stderr}"
        assert not plan.exists(), f"{words}: leaves a file"
    made = run("plan", "partial-broadcast", "--dims", "8x8", "--active", "0,0;1,1", "--groups", "x", "-o", plan, status=3)
    assert "partial-broadcast" in made.stderr and made.stderr.count("\n") == 1
    run("plan", "broadcast", "--dims", "8x8", "--groups", "4x4", "--source", "4,0", "--packets", 4, "-o", plan, status=2)
    run("plan", "broadcast", "--dims", "8x8", "--groups", "x", "--algorithm", "eye", "-o", plan, status=3)
    # Root: coordinates in every dimension, or along the groups' axes.
    for source in ("3,0", "3"):
        run("plan", "broadcast", "--dims", "8x8", "--groups", "x", "--source", source, "--packets", 4, "-o", plan)
        document = json.loads(plan.read_text())
        assert document["parameters"]["source"] == "3,0" and document["demand"]["root"] == 3
    run("plan", "all-gather", "--dims", "8x8", "--groups", "4x4", "--group-stride", "2", "-o", plan)
    for emitted in ("csv", "json", "memh", "dot", "graphml", "msccl-xml", "chakra-et", "arrivals", "fusesoc", "systemc"):
        run("emit", plan, "--format", emitted, "-o", folder / f"at-a-distance-{emitted}")
    # A program of the network for groups that are no rings, or of a machine that knows no groups.
    run("plan", "all-gather", "--dims", "8x8", "--groups", "4x8", "--group-stride", "2x1", "--packets", 2, "-o", plan)
    document = json.loads(plan.read_text())
    assert document["program"]["scope"] == "network" and document["algorithm"] == "scheduled"
    exchange = folder / "exchange.json"
    run("plan", "all-to-all", "--dims", "8x8", "--groups", "4x2", "--group-stride", "2x4", "-o", exchange)
    for emitted in ("msccl-xml", "chakra-et"):
        made = run("emit", exchange, "--format", emitted, "-o", folder / "lattice", status=2)
        assert "turn at nodes of others" in made.stderr and made.stderr.count("\n") == 1
    for shape, stride in (([2, 8], [2, 1]), ([4, 8], [1, 1])):
        document["groups"] = {"shape": shape, "stride": stride}
        plan.write_text(json.dumps(document))
        made = run("verify", plan, status=2)
        assert "rings along all axes" in made.stderr and made.stderr.count("\n") == 1, made.stderr
    document["program"]["program"]["machine"] = "stream"
    plan.write_text(json.dumps(document))
    assert "one program for all groups" in run("verify", plan, status=2).stderr
    run("plan", "all-gather", "--dims", "8x8", "--groups", "x", "-o", plan)
    # A damaged link affects one group only.
    made = report_of_failure("simulate", plan, "--break", "link:0,0:x+")
    assert made["complete"] is False
    for emitted in ("sv", "csv", "arrivals"):
        run("emit", plan, "--format", emitted, "-o", folder / emitted)
    document = json.loads(plan.read_text())
    assert document["groups"] == {"shape": [8, 1], "stride": [1, 1]}
    run("plan", "all-gather", "--dims", "8x8", "--groups", "x", "-o", folder / "plan.cbor")
    run("verify", folder / "plan.cbor")
    del document["groups"]
    plan.write_text(json.dumps(document))
    made = run("verify", plan, status=2)
    assert "groups" in made.stderr and made.stderr.count("\n") == 1


def damaged(document, random):
    """A change of shape or stride, of the numbering of words, of root or pieces, or of a number of the program."""
    other = copy.deepcopy(document)
    kind = random.choice(["groups", "groups", "exchange", "demand", "program"])
    if kind == "exchange":
        groups = other["groups"]
        part = random.choice(["shape", "stride", "both", "ids"])
        if part == "ids":
            if groups.pop("ids", None) is None:
                groups["ids"] = "node"
        elif part == "both":
            groups["shape"], groups["stride"] = groups["stride"], groups["shape"]
        else:
            groups[part].reverse()
        return other, f"{part} of the groups: {groups}"
    places = list(numbers_in(other[kind])) or list(numbers_in(other["groups"]))
    value, key = random.choice(places)
    before = value[key]
    value[key] = random.choice([value[key] + 1, value[key] - 1, value[key] * 2, value[key] // 2,
                                random.randint(0, 8)])
    return other, f"{kind}: {before} is {value[key]}"


def check_mutants(folder, count):
    seeded = random.Random(47)
    plan, trace = folder / "plan.json", folder / "trace.csv"
    fates = collections.Counter()
    all_rows = rows(ENGINE_ROWS)
    documents = []
    for row in all_rows:
        run(*row.request(row.algorithm), "-o", plan)
        documents.append(json.loads(plan.read_text()))
    for i in range(count):
        row, document = all_rows[i % len(all_rows)], documents[i % len(all_rows)]
        other, kind = damaged(document, seeded)
        if other == document:
            continue
        ended = fate(other, folder, f"{row.line}: {kind}")
        fates[ended] += 1
        # An accepted run follows the changed document.
        if ended != "ran":
            continue
        told = copy.copy(row)
        told.shape, told.stride = other["groups"]["shape"], other["groups"]["stride"]
        told.groups = Groups(row.network, told.shape, told.stride)
        demand = row.demand()
        pieces = other["demand"]["pieces"]
        if "root" in other["demand"]:
            demand["root"] = other["demand"]["root"]
        share = pieces // told.groups.size
        if row.collective in ("all-gather", "broadcast"):
            demand["packets"] = pieces
        elif row.collective == "reduce-scatter" or "ids" in other["groups"]:
            demand["packets"], demand["words"] = share, None
        elif row.collective != "all-to-all":
            demand["words"] = pieces
        judge(row.collective, row.network, told.groups, trace.read_text(), **demand)
    print(dict(fates), "no false accept")
    assert fates["refused"] + fates["caught"] > count // 2


with tempfile.TemporaryDirectory() as name:
    {"table": check_table, "engines": check_engines, "emit": check_emit, "compare": check_compare,
     "refusals": check_refusals,
     "mutants": lambda folder: check_mutants(folder, int((sys.argv + [300])[3]))}[PART](pathlib.Path(name))
