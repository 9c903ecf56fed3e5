# SPDX-License-Identifier: Apache-2.0
"""The cycles of elastic networks by the recursion, flit by flit: an independent computation of the behaviour
of a network of valid/ready routers, without any of Gossamer's code. Reads a plan's JSON."""
import collections
import json

MASK = 0xFFFFFFFF


def mix(x):
    x ^= x >> 16
    x = x * 0x7FEB352D & MASK
    x ^= x >> 15
    x = x * 0x846CA68B & MASK
    return x ^ x >> 16


class Stalls:
    """Seeded gates; rates are open cycles of 256 for own flits, elements and links."""

    def __init__(self, seed=0, rates=(256, 256, 256), skew=0):
        self.seed, self.rates, self.skew = seed, rates, skew

    def start(self, node):
        return mix(mix(self.seed ^ 0x5EED) + node & MASK) % self.skew if self.skew else 0

    def first_open(self, kind, node, port, cycle):
        if self.rates[kind] >= 256:
            return cycle
        base = mix(mix(self.seed + 0x9E3779B9 * (kind + 1) & MASK) + 16 * node + port & MASK)
        while mix(base + cycle & MASK) >> 24 >= self.rates[kind]:
            cycle += 1
        return cycle


class Network:
    """Wiring, feeds and own packets of a stream plan without fan-in, one own packet per out-port."""

    def __init__(self, plan):
        topology = plan["topology"]
        self.dims = topology["dims"]
        self.torus = topology["kind"] == "torus"
        self.ports = 2 * len(self.dims)
        self.nodes = 1
        for side in self.dims:
            self.nodes *= side
        self.dead_nodes = set(topology.get("dead_nodes", []))
        # Both directions of a dead link.
        self.dead_arcs = set()
        for node, port in topology.get("dead_links", []):
            self.dead_arcs |= {(node, port), (self.neighbor(node, port), port ^ 1)}
        self.dead_arcs |= set(map(tuple, topology.get("dead_arcs", [])))
        program = plan["program"]
        self.packets = program["packets_per_node"]
        elastic = program["elastic"]
        self.shape = elastic["chunk"], elastic["rounds"], elastic["slots"]
        name = [axis + sign for axis in "xyzw" for sign in "-+"]
        self.feed, self.own = [], []
        # By link, as the node and out-port at its start: chunks per round, and cycles.
        self.carries, self.latency = {}, {}
        for node, row in enumerate(program["table"]):
            ports = [program["ports"][i] for i in row]
            exists = [self.is_alive(node, p) for p in range(self.ports)]
            feeds = [[name.index(q) for q in port["feed"] if exists[name.index(q)]] for port in ports]
            assert all(len(f) <= 1 and len(port["preload"]) <= 1 for f, port in zip(feeds, ports))
            self.feed.append([f[0] if f and e else None for f, e in zip(feeds, exists)])
            first = 0 if plan["collective"] == "broadcast" else node * self.packets
            self.own.append([first + port["preload"][0] if port["preload"] and e else None
                             for port, e in zip(ports, exists)])
            for p, port in enumerate(ports):
                if exists[p]:
                    self.carries[node, p] = port.get("carries", 0)
                    self.latency[node, p] = self.cycles(elastic["link_latency"], node, p)

    def neighbor(self, node, port):
        stride = 1
        for side in self.dims[:port // 2]:
            stride *= side
        side = self.dims[port // 2]
        at = node // stride % side
        to = at + (1 if port % 2 else -1)
        if not 0 <= to < side and not self.torus:
            return None
        return node + (to % side - at) * stride

    def is_alive(self, node, port):
        """There is a live link at the node's out-port."""
        to = self.neighbor(node, port)
        return to is not None and (node, port) not in self.dead_arcs and not {node, to} & self.dead_nodes

    def cycles(self, latency, node, port):
        if "table" in latency:
            return latency["table"][node][port]
        if "dimension" in latency:
            return latency["wrap" if self.wraps(node, port) else "dimension"][port // 2]
        return latency["uniform"]

    def wraps(self, node, port):
        stride = 1
        for side in self.dims[:port // 2]:
            stride *= side
        return node // stride % self.dims[port // 2] == (self.dims[port // 2] - 1 if port % 2 else 0)


def run(network, stalls=Stalls()):
    """(cycle, from, port, packet, flit) of every acceptance, sorted. Ends early when nothing can move."""
    chunk, rounds, slots = network.shape
    carries, latency = network.carries, network.latency
    pushed = collections.defaultdict(list)   # link: cycle
    content = collections.defaultdict(list)  # link: (packet, flit)
    took = collections.defaultdict(list)     # link: cycle
    sent_own = collections.defaultdict(list)
    fed = {(n, q): [p for p in range(network.ports) if network.feed[n][p] == q]
           for n in range(network.nodes) for q in range(network.ports)}
    has_own = {(n, p): network.own[n][p] is not None for n, p in carries}
    links = [link for link in carries if carries[link]]

    def room(link, number):
        """First cycle for push `number` (from 1) that the queue allows; None: not known yet."""
        stages = latency[link]
        capacity = slots + 2 * (stages - 1)
        # A queue of one slot must be emptied before it takes the next flit.
        earliest = pushed[link][number - 2] + (2 if slots == 1 else 1) if number > 1 else 0
        if number > capacity:
            if len(took[link]) < number - capacity:
                return None
            earliest = max(earliest, took[link][number - capacity - 1] + stages)
        return earliest

    def push_own(link):
        if not has_own[link]:
            return False
        number = len(pushed[link]) + 1
        turn, place = divmod(number - 1, carries[link] * chunk)
        if turn >= rounds or place >= chunk:
            return False
        earliest = room(link, number)
        if earliest is None:
            return False
        node, port = link
        previous = sent_own[link]
        offer = max(stalls.start(node), previous[-1] + 1 if previous else 0)
        cycle = max(stalls.first_open(0, node, port, offer), earliest)
        previous.append(cycle)
        pushed[link].append(cycle)
        content[link].append((network.own[node][port], len(previous) - 1))
        return True

    def take(link):
        node, port = link
        to, back = network.neighbor(node, port), port ^ 1
        number = len(took[link]) + 1
        if len(pushed[link]) < number:
            return False
        earliest = max(pushed[link][number - 1] + latency[link], took[link][-1] + 1 if took[link] else 0)
        earliest = stalls.first_open(2, to, back, earliest)
        turn, place = divmod(number - 1, carries[link] * chunk)
        targets = []
        for p in fed[to, back]:
            out = (to, p)
            own = 1 if has_own[out] else 0
            if place // chunk >= carries[out] - own:
                continue
            there = (turn * carries[out] + own) * chunk + place + 1
            if len(pushed[out]) != there - 1:
                return False
            free = room(out, there)
            if free is None:
                return False
            earliest = max(earliest, free)
            targets.append(out)
        cycle = stalls.first_open(1, to, back, earliest)
        took[link].append(cycle)
        for out in targets:
            pushed[out].append(cycle)
            content[out].append(content[link][number - 1])
        return True

    moved = True
    while moved:
        moved = False
        for link in links:
            while push_own(link):
                moved = True
            while take(link):
                moved = True
    return sorted((cycle, *link, *content[link][i]) for link in links
                  for i, cycle in enumerate(took[link]))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
