# SPDX-License-Identifier: Apache-2.0
"""An interpreter of MSCCL XML for the tests: by brute force, from docs/spec/foreign-schedules.md
alone, sharing nothing with the checker. It runs the instructions in random orders and keeps the
whole happens-before relation, so it is for schedules of some hundred steps."""

import random
import re
import xml.parsers.expat
from collections import Counter, defaultdict

# receives, reads source, reads destination, writes destination, sends
USES = {"s": (0, 1, 0, 0, 1), "r": (1, 0, 0, 1, 0), "rcs": (1, 0, 0, 1, 1), "rrs": (1, 1, 0, 0, 1),
        "rrc": (1, 1, 0, 1, 0), "rrcs": (1, 1, 0, 1, 1), "cpy": (0, 1, 0, 1, 0),
        "re": (0, 1, 1, 1, 0), "nop": (0, 0, 0, 0, 0)}
WHOLE = re.compile(r"-?[0-9]{1,9}\Z")


class Malformed(Exception):
    pass


class Found(Exception):
    """A defect: the smallest (line, kind) of those that a check found."""

    def __init__(self, defects):
        super().__init__(defects)
        self.line, self.kind = min(defects)


class Step:
    def __init__(self, line, block, values):
        self.line, self.block = line, block
        self.__dict__.update(values)


class Block:
    def __init__(self, line, rank, values):
        self.line, self.rank, self.steps = line, rank, []
        self.__dict__.update(values)


class Machine:
    def __init__(self, text):
        self.gpus, self.blocks, self.steps, self.algo = {}, [], [], None
        self.open = []
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self.start
        parser.EndElementHandler = lambda _: self.open.pop()
        parser.CharacterDataHandler = self.characters
        self.parser = parser
        try:
            parser.Parse(text, True)
        except xml.parsers.expat.ExpatError:
            raise Malformed() from None
        if set(self.gpus) != set(range(self.algo["ngpus"])):
            raise Malformed()
        self.p, self.c = self.algo["ngpus"], self.algo["nchunksperloop"]
        self.k = self.c // self.p
        self.root = self.algo.get("root", 0)
        self.inputs = self.k if self.algo["coll"] == "allgather" else self.c
        self.outputs = self.k if self.algo["coll"] == "reduce_scatter" else self.c

    def characters(self, data):
        if data.strip():
            raise Malformed()

    @staticmethod
    def number(attributes, name, low, high=999999999):
        if not WHOLE.match(attributes.get(name, "")) or not low <= int(attributes[name]) <= high:
            raise Malformed()
        return int(attributes[name])

    def start(self, name, attributes):
        if [name] != [{0: "algo", 1: "gpu", 2: name, 3: "step"}.get(len(self.open))]:
            raise Malformed()
        self.open.append(name)
        line, number = self.parser.CurrentLineNumber, self.number
        if name == "algo":
            self.algo = {"coll": attributes["coll"], "ngpus": number(attributes, "ngpus", 1, 65536),
                         "nchunksperloop": number(attributes, "nchunksperloop", 1),
                         "inplace": number(attributes, "inplace", 0, 1)}
            self.algo["outofplace"] = (number(attributes, "outofplace", 0, 1)
                                       if "outofplace" in attributes else 1 - self.algo["inplace"])
            if "root" in attributes:
                self.algo["root"] = number(attributes, "root", 0, self.algo["ngpus"] - 1)
        elif name == "gpu":
            rank = number(attributes, "id", 0, self.algo["ngpus"] - 1)
            if rank in self.gpus:
                raise Malformed()
            self.rank = rank
            self.gpus[rank] = {"line": line, "copies": [], "ids": {},
                               **{b: number(attributes, b + "_chunks", 0) for b in "ios"}}
        elif name == "copy":
            self.gpus[self.rank]["copies"].append(
                (line, number(attributes, "i_off", 0), number(attributes, "o_off", 0)))
        elif name == "tb":
            values = {"send": number(attributes, "send", -1, self.algo["ngpus"] - 1),
                      "recv": number(attributes, "recv", -1, self.algo["ngpus"] - 1),
                      "chan": number(attributes, "chan", 0), "id": number(attributes, "id", 0)}
            if self.rank in (values["send"], values["recv"]) or values["id"] in self.gpus[self.rank]["ids"]:
                raise Malformed()
            block = Block(line, self.rank, values)
            self.gpus[self.rank]["ids"][values["id"]] = block
            self.blocks.append(block)
        elif name == "step" and self.open[2] == "tb":
            block = self.blocks[-1]
            if attributes.get("type") not in USES or number(attributes, "s", 0) != len(block.steps):
                raise Malformed()
            values = {key: number(attributes, key, -1) for key in ("srcoff", "dstoff", "depid", "deps")}
            values["cnt"] = number(attributes, "cnt", 0 if attributes["type"] == "nop" else 1)
            values["hasdep"] = number(attributes, "hasdep", 0, 1)
            for key in ("srcbuf", "dstbuf"):
                if attributes.get(key) not in ("i", "o", "s"):
                    raise Malformed()
                values[key] = attributes[key]
            if (values["depid"] < 0) != (values["deps"] < 0):
                raise Malformed()
            step = Step(line, block, {"type": attributes["type"], "use": USES[attributes["type"]], **values})
            step.number, step.index = len(self.steps), len(block.steps)
            self.steps.append(step)
            block.steps.append(step)
        else:
            raise Malformed()

    # ---- the checks, in their order

    def check(self, seed=0):
        """Raises Found; returns what `gossamer check` is to report of a correct schedule."""
        places = [p for p in ("inplace", "outofplace") if self.algo[p]]
        for place in places:
            self.check_form(place)
        self.match()
        self.run_orders(seed)
        for place in places:
            self.place = place
            self.check_races()
            self.check_values()
        return {"depth": self.depth(), "link_transfers": sum(s.cnt for s in self.steps if s.use[4])}

    def ranges(self, step):
        """(buffer, offset, writes) of what a step reads or writes."""
        if step.use[1]:
            yield step.srcbuf, step.srcoff, False
        if step.use[3]:
            yield step.dstbuf, step.dstoff, True

    def check_form(self, place):
        found = []
        for gpu in self.gpus.values():
            if gpu["i"] not in (0, self.inputs) or gpu["o"] not in (0, self.outputs):
                found.append((gpu["line"], "chunks"))
            for line, i, o in gpu["copies"]:
                if i >= gpu["i"] or o >= gpu["o"]:
                    found.append((line, "bounds"))
        users = {}
        for block in self.blocks:
            for way, peer in ((4, block.send), (0, block.recv)):
                if any(step.use[way] for step in block.steps) and peer >= 0:
                    key = block.rank, peer, block.chan, way
                    if users.setdefault(key, block) is not block:
                        found.append((block.line, "shared-connection"))
        for step in self.steps:
            gpu = self.gpus[step.block.rank]
            for buffer, offset, writes in self.ranges(step):
                if offset < 0 or offset + step.cnt > gpu[buffer]:
                    found.append((step.line, "bounds"))
                if writes and buffer == "i" and place == "outofplace":
                    found.append((step.line, "input-written"))
            if (step.use[4] and step.block.send < 0) or (step.use[0] and step.block.recv < 0):
                found.append((step.line, "no-peer"))
            if step.depid >= 0:
                target = gpu["ids"].get(step.depid)
                if target is None or step.deps >= len(target.steps):
                    found.append((step.line, "dependence"))
        if found:
            raise Found(found)

    def match(self):
        queues = defaultdict(lambda: ([], []))
        for step in self.steps:
            if step.use[4]:
                queues[step.block.rank, step.block.send, step.block.chan][0].append(step)
            if step.use[0]:
                queues[step.block.recv, step.block.rank, step.block.chan][1].append(step)
        found = []
        self.message = {}
        for sends, receives in queues.values():
            for send, receive in zip(sends, receives):
                self.message[receive] = send
                if send.cnt != receive.cnt:
                    found.append((receive.line, "count"))
            found += [(step.line, "unreceived") for step in sends[len(receives):]]
            found += [(step.line, "unsent") for step in receives[len(sends):]]
        if found:
            raise Found(found)

    def waits(self, step):
        """The direct dependencies of a step; None represents a flag that is never raised."""
        if step.index:
            yield step.block.steps[step.index - 1]
        if step.depid >= 0:
            target = self.gpus[step.block.rank]["ids"][step.depid]
            raising = [y for y in target.steps[step.deps:] if y.hasdep and y.type != "nop"]
            yield raising[0] if raising else None
        if step in self.message:
            yield self.message[step]

    def run_orders(self, seed):
        """Runs all enabled steps, in a random order; records the happens-before relation as bit sets."""
        chance = random.Random(seed)
        self.order, self.before, ran = [], {}, set()
        left = list(self.steps)
        while True:
            able = [s for s in left if all(w is not None and w in ran for w in self.waits(s))]
            if not able:
                break
            step = chance.choice(able)
            left.remove(step)
            ran.add(step)
            self.order.append(step)
            bits = 0
            for other in self.waits(step):
                bits |= self.before[other] | 1 << other.number
            self.before[step] = bits
        if left:
            raise Found([(s.line, "deadlock") for s in left
                         if s.index == 0 or s.block.steps[s.index - 1] in ran])

    def where(self, rank, buffer, offset):
        """The memory of a location: in place input and output are one."""
        if self.place == "outofplace" or buffer == "s":
            return rank, buffer, offset
        coll = self.algo["coll"]
        if (coll, buffer) in (("allgather", "i"), ("reduce_scatter", "o")):
            offset += rank * self.k
        return rank, "both", offset

    def check_races(self):
        users = defaultdict(list)
        for step in self.steps:
            for buffer, offset, writes in self.ranges(step):
                for j in range(step.cnt):
                    users[self.where(step.block.rank, buffer, offset + j)].append((step, writes))
        found = []
        for accesses in users.values():
            for a, writes_a in accesses:
                for b, writes_b in accesses:
                    ordered = self.before[a] >> b.number & 1 or self.before[b] >> a.number & 1
                    if a.number < b.number and (writes_a or writes_b) and not ordered:
                        found.append((b.line, "race"))
        if found:
            raise Found(found)

    def check_values(self):
        memory = {}
        for rank in range(self.p):
            if self.algo["coll"] != "broadcast" or rank == self.root:
                for offset in range(self.inputs):
                    memory[self.where(rank, "i", offset)] = Counter({(rank, offset): 1})
        start = dict(memory)
        for rank, gpu in self.gpus.items():
            for _, i, o in gpu["copies"]:
                memory[self.where(rank, "o", o)] = start.get(self.where(rank, "i", i))
        found, sent, writer = [], {}, {}
        nothing = object()  # made of nothing, named already
        for step in self.order:
            rank, results = step.block.rank, []
            for j in range(step.cnt):
                parts = []
                if step.use[0]:
                    parts.append(sent[self.message[step]][j])
                for use, buffer, offset in ((1, step.srcbuf, step.srcoff), (2, step.dstbuf, step.dstoff)):
                    if step.use[use]:
                        value = memory.get(self.where(rank, buffer, offset + j))
                        if value is None:
                            found.append((step.line, "undefined"))
                            value = nothing
                        parts.append(value)
                if any(part is nothing for part in parts):
                    results.append(nothing)
                else:
                    results.append(sum(parts, Counter()))
            for j, value in enumerate(results):
                if step.use[3]:
                    memory[self.where(rank, step.dstbuf, step.dstoff + j)] = value
                    writer[self.where(rank, step.dstbuf, step.dstoff + j)] = step
            sent[step] = results
        if found:
            raise Found(found)
        for rank in range(self.p):
            for q in range(self.outputs):
                wanted = self.wanted(rank, q)
                at = self.where(rank, "o", q)
                value = memory.get(at)
                line = writer[at].line if at in writer else self.gpus[rank]["line"]
                if wanted is None or value == wanted:
                    continue
                if value is None:
                    raise Found([(line, "unwritten")])
                raise Found([(line, "extra" if value - wanted else "missing")])

    def wanted(self, rank, q):
        everyone = lambda chunk: Counter({(u, chunk): 1 for u in range(self.p)})
        return {"allgather": lambda: Counter({(q // self.k, q % self.k): 1}),
                "allreduce": lambda: everyone(q),
                "reduce_scatter": lambda: everyone(rank * self.k + q),
                "alltoall": lambda: Counter({(q // self.k, rank * self.k + q % self.k): 1}),
                "broadcast": lambda: Counter({(self.root, q): 1}),
                "reduce": lambda: everyone(q) if rank == self.root else None}[self.algo["coll"]]()

    def depth(self):
        deep = {}
        for step in self.order:
            deep[step] = max([deep[w] + (w is self.message.get(step)) for w in self.waits(step)], default=0)
        return max(deep.values(), default=0)
