# SPDX-License-Identifier: Apache-2.0
"""Plays the timetable of a plan document, from docs/plan-format.md alone: every word is a multiset of
contributions (node, piece). Shares nothing with the program."""

from collections import Counter


class Wrong(Exception):
    pass


class Network:
    def __init__(self, topology):
        self.sides = topology["dims"]
        kind = topology["kind"]
        self.wraps = [kind == "torus" or (kind == "grid" and "xyzw"[d] in topology.get("wrap", ()))
                      for d in range(len(self.sides))]
        self.nodes = 1
        for side in self.sides:
            self.nodes *= side

    def neighbour(self, node, port):
        dim, stride = port // 2, 1
        if not 0 <= dim < len(self.sides):
            raise Wrong(f"there is no port {port}")
        for side in self.sides[:dim]:
            stride *= side
        x = node // stride % self.sides[dim]
        to = x + (1 if port % 2 else -1)
        if not 0 <= to < self.sides[dim]:
            if not self.wraps[dim]:
                raise Wrong(f"node {node} has no port {port}")
            to %= self.sides[dim]
        return node + (to - x) * stride


def own_piece(demand, nodes, node, word):
    """The piece of an own word; None if there is no such piece."""
    if demand["from"] == "root":
        return word if node == demand["root"] else None
    if demand["operation"] != "copy":
        return word
    return node * demand["pieces"] * (nodes if demand["to"] == "each-node" else 1) + word


def wanted(demand, nodes):
    """{(node, piece): Counter} of all required final words."""
    result, pieces = {}, demand["pieces"]
    combined = demand["operation"] != "copy"
    for node in range(nodes):
        if demand["to"] == "each-node":
            for origin in range(nodes):
                for c in range(pieces):
                    piece = (origin * nodes + node) * pieces + c
                    result[node, piece] = Counter({(origin, piece): 1})
            continue
        if demand["to"] == "root" and node != demand["root"]:
            continue
        count = pieces if combined or demand["from"] == "root" else pieces * nodes
        for piece in range(count):
            if demand["to"] == "owner" and piece // (pieces // nodes) != node:
                continue
            origins = range(nodes) if combined else [
                demand["root"] if demand["from"] == "root" else piece // pieces]
            result[node, piece] = Counter({(origin, piece): 1 for origin in origins})
    return result


class Rows:
    """The rows of one ROM by step: sources by out-port, and by in-port (with, slot, delivered)."""

    def __init__(self, program, ports, rows):
        self.steps = {}
        marked, combines = program["delivery"] == "marked", program.get("combines", False)
        for row in rows:
            step, row = row[0], row[1:]
            if len(row) != ports * (2 + combines + marked):
                raise Wrong("a row of another length")
            sources, row = row[:ports], row[ports:]
            width = combines + 1 + marked
            entries = [row[port * width:(port + 1) * width] for port in range(ports)]
            arrivals = [((entry[0] if combines else 0), entry[combines], entry[-1] if marked else None)
                        for entry in entries]
            self.steps[step] = sources, arrivals


def play(plan):
    """Returns (steps, trace rows without header); raises Wrong for an incorrect table."""
    demand, program = plan["demand"], plan["program"]
    if program.get("relative") or "period" in program:
        raise Wrong("a program that imported schedules do not have")
    network = Network(plan["topology"])
    nodes, own, slots, ports = network.nodes, program["own_words"], program["slots"], 2 * len(network.sides)
    open_wants = wanted(demand, nodes)
    own_words = {}
    for node in range(nodes):
        for word in range(own):
            piece = own_piece(demand, nodes, node, word)
            if piece is None:
                continue
            own_words[node, word] = piece, Counter({(node, piece): 1})
            if open_wants.get((node, piece)) == own_words[node, word][1]:
                del open_wants[node, piece]
    table = program["table"]
    if any(one[:2] >= next_one[:2] for one, next_one in zip(table, table[1:])) and "roms" in program:
        raise Wrong("rows do not ascend")
    roms = program.get("roms", 1)
    rows = [[] for _ in range(roms)]
    for row in table:
        if "roms" in program:
            if not 0 <= row[0] < roms:
                raise Wrong("no such ROM")
            rows[row[0]].append(row[1:])
        else:
            rows[0].append(row)
    for one in rows:
        if any(first[0] >= second[0] for first, second in zip(one, one[1:])):
            raise Wrong("steps do not ascend")
    roms = [Rows(program, ports, one) for one in rows]
    rom_of = [row[0] for row in program["classes"]] if "classes" in program else [0] * nodes
    last = max((row[0] for one in rows for row in one), default=0)
    memory = {}

    def word(node, source):
        if not 0 <= source <= own + slots:
            raise Wrong("no such source")
        if source <= own:
            return own_words.get((node, source - 1))
        return memory.get((node, source - own))

    steps, trace = 0, []
    for step in range(1, last + 1):
        if not open_wants:
            raise Wrong("rows after the end")
        arrivals = []
        for node in range(nodes):
            sources, _ = roms[rom_of[node]].steps.get(step, ([0] * ports, None))
            for port, source in enumerate(sources):
                if source == 0:
                    continue
                sent = word(node, source)
                if sent is None:
                    raise Wrong(f"node {node} sends a word that it does not have")
                to = network.neighbour(node, port)
                trace.append((step, 0, node, port, sent[0], sum(sent[1].values())))
                arrivals.append((to, port ^ 1, *sent))
        stored = set()
        for to, port, piece, terms in sorted(arrivals, key=lambda arrival: arrival[:2]):
            _, entries = roms[rom_of[to]].steps.get(step, (None, [(0, 0, 0)] * ports))
            with_word, slot, mark = entries[port]
            if with_word:
                other = word(to, with_word)
                if other is None or other[0] != piece:
                    raise Wrong("added to something else")
                terms = other[1] + terms
            if not 0 <= slot <= slots:
                raise Wrong("no such slot")
            if slot:
                if with_word != own + slot:
                    if (to, slot) in stored:
                        raise Wrong("two stores to one slot")
                    stored.add((to, slot))
                memory[to, slot] = piece, terms
            handed_over = {"all": True, "unstored": not slot, "marked": mark == 1}[program["delivery"]]
            if mark not in (None, 0, 1):
                raise Wrong("no such mark")
            if not handed_over:
                if not slot:
                    raise Wrong("an arrival that goes nowhere")
                continue
            if open_wants.get((to, piece)) != terms:
                raise Wrong(f"node {to} is handed something that it does not want")
            del open_wants[to, piece]
            if not open_wants:
                steps = step
    if open_wants:
        raise Wrong(f"{len(open_wants)} outputs are never handed over")
    return steps, trace
