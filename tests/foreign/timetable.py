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


def own_piece(demand, nodes, node, slot):
    """The piece in a slot at the start, None for none."""
    if demand["from"] == "root":
        return slot if node == demand["root"] else None
    if demand["operation"] != "copy":
        return slot
    return node * demand["pieces"] * (nodes if demand["to"] == "each-node" else 1) + slot


def wanted(demand, nodes):
    """{(node, piece): Counter} of everything that has to be somewhere in the end."""
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


def play(plan):
    """Returns (steps, trace rows without header); raises Wrong for a table that is not right."""
    demand, program = plan["demand"], plan["program"]
    network = Network(plan["topology"])
    nodes, slots = network.nodes, program["slots"]
    memory, open_wants = {}, wanted(demand, nodes)
    for node in range(nodes):
        for slot in range(program["packets_per_node"]):
            piece = own_piece(demand, nodes, node, slot)
            if piece is None:
                continue
            memory[node, slot] = piece, Counter({(node, piece): 1})
            if open_wants.get((node, piece)) == memory[node, slot][1]:
                del open_wants[node, piece]
    rows = [tuple(row) for row in program["table"]]
    if rows != sorted(rows) or len({row[:3] for row in rows}) != len(rows):
        raise Wrong("rows do not ascend, or a link carries two words in a step")
    steps, trace, at = 0, [], 0
    while at < len(rows):
        step, arrivals = rows[at][0], []
        if not open_wants:
            raise Wrong("rows behind the end")
        while at < len(rows) and rows[at][0] == step:
            _, source, port, packet, read, write, mode = rows[at]
            if (source, read) not in memory or memory[source, read][0] != packet:
                raise Wrong(f"row {at} sends something else")
            if not (0 <= read < slots and -1 <= write < slots and 0 <= mode <= 3):
                raise Wrong(f"row {at}: out of range")
            to = network.neighbour(source, port)
            piece, terms = memory[source, read]
            trace.append((step, 0, source, port, piece, sum(terms.values())))
            arrivals.append((to, port ^ 1, write, mode, piece, terms))
            at += 1
        arrivals.sort(key=lambda a: a[:2])
        stored = set()
        for to, _, write, mode, piece, terms in arrivals:
            if write < 0:
                if mode != 2:
                    raise Wrong("an arrival that goes nowhere")
            elif mode % 2 == 0:
                if (to, write) in stored:
                    raise Wrong("two stores to one slot")
                stored.add((to, write))
                memory[to, write] = piece, terms
        for to, _, write, mode, piece, terms in arrivals:
            if mode % 2:
                if (to, write) not in memory or memory[to, write][0] != piece:
                    raise Wrong("added to something else")
                memory[to, write] = piece, memory[to, write][1] + terms
        for to, _, write, mode, piece, terms in arrivals:
            if mode < 2:
                continue
            piece, terms = (piece, terms) if write < 0 else memory[to, write]
            if open_wants.get((to, piece)) != terms:
                raise Wrong(f"node {to} is handed something that it does not want")
            del open_wants[to, piece]
            if not open_wants:
                steps = step
    if open_wants:
        raise Wrong(f"{len(open_wants)} outputs are never handed over")
    return steps, trace
