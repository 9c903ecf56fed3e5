# SPDX-License-Identifier: Apache-2.0
"""A model of ASTRA-sim with its analytical network, for exports of `emit --format astra-sim`: it reads the files that
ASTRA-sim reads, and nothing else. A rank runs one computation and one collective at a time, of ready nodes that of the
lowest id. A custom collective issues all ready nodes at once. A link sends one message at a time; a message arrives
after its bytes over the bandwidth and the latency, which ends its send and its receive. A computation of a
custom collective takes 1 ns."""

import collections
import heapq
import json
import pathlib

import yaml

import chakra

KEYS = {0: "all-reduce", 2: "all-gather", 6: "all-to-all", 7: "reduce-scatter"}


def nodes_of(path):
    """By id: type, nodes that it waits for, microseconds, attributes."""
    nodes = {}
    for node in list(chakra.messages(path))[1:]:
        values, after, at = dict(node), [], 0
        while at < len(values.get(5, b"")):
            one, at = chakra.read_varint(values[5], at)
            after.append(one)
        attributes = {name.decode(): value for name, value in
                      (tuple(value for _, value in chakra.fields(each)) for field, each in node if field == 10)}
        nodes[values.get(1, 0)] = (values[3], after, values.get(7, 0), attributes)
    return nodes


class Graph:
    """The nodes of a trace that are ready, waiting or done."""

    def __init__(self, nodes):
        self.nodes, self.left = nodes, len(nodes)
        self.open = {number: len(node[1]) for number, node in nodes.items()}
        self.followers = collections.defaultdict(list)
        for number, node in nodes.items():
            for before in node[1]:
                self.followers[before].append(number)
        self.ready = sorted(number for number, count in self.open.items() if not count)

    def finish(self, number):
        self.left -= 1
        for follower in self.followers[number]:
            self.open[follower] -= 1
            if not self.open[follower]:
                self.ready.append(follower)
        self.ready.sort()


class Simulation:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.system = json.loads(self.read("system.json"))
        per_node = self.system.get("per-node-custom-implementation")
        self.per_node = yaml.safe_load(self.read(per_node)) if per_node else {}
        groups = self.directory / "workload.json"
        self.groups = json.loads(groups.read_text()) if groups.exists() else {}
        network = yaml.safe_load(self.read("network.yml"))
        assert network["topology"] == ["FullyConnected"]
        self.ranks = range(network["npus_count"][0])
        self.latency, self.bytes_per_ns = network["latency"][0], network["bandwidth"][0] * 2**30 / 1e9
        self.now, self.events, self.order = 0, [], 0
        self.free_at = collections.defaultdict(float)
        self.arrived, self.awaited = (collections.defaultdict(collections.deque) for _ in range(2))
        self.traces = {}
        self.work = [Graph(self.nodes(f"workload.{rank}.et")) for rank in self.ranks]
        self.busy = [{chakra.COMP: False, chakra.COMM_COLL: False} for _ in self.ranks]

    def read(self, name):
        return (self.directory / name).read_text()

    def nodes(self, name):
        if name not in self.traces:
            self.traces[name] = nodes_of(self.directory / name)
        return self.traces[name]

    def at(self, time, action):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, action))

    def run(self):
        """The end in nanoseconds, when all nodes of all ranks have run."""
        for rank in self.ranks:
            self.issue(rank)
        while self.events:
            self.now, _, action = heapq.heappop(self.events)
            action()
        assert not any(graph.left for graph in self.work), "nodes that never run"
        return self.now

    def issue(self, rank):
        graph = self.work[rank]
        for number in list(graph.ready):
            kind, _, micros, attributes = graph.nodes[number]
            if self.busy[rank][kind]:
                continue
            self.busy[rank][kind] = True
            graph.ready.remove(number)
            ended = lambda number=number, kind=kind: self.ended(rank, number, kind)
            if kind == chakra.COMP:
                self.at(self.now + 1000 * micros, ended)
            else:
                self.begin(rank, number, attributes, ended)

    def ended(self, rank, number, kind):
        self.busy[rank][kind] = False
        self.work[rank].finish(number)
        self.issue(rank)

    def begin(self, rank, number, attributes, ended):
        ranks = self.groups[attributes["pg_name"].decode()] if "pg_name" in attributes else list(self.ranks)
        key = f"{KEYS[attributes['comm_type']]}-implementation-custom"
        name = self.per_node[number] if number in self.per_node else self.system[key][0]
        graph = Graph(self.nodes(f"{name}.{ranks.index(rank)}.et"))
        self.advance(graph, rank, ranks, ended)

    def advance(self, graph, rank, ranks, ended):
        for number in graph.ready[:]:
            kind, _, _, attributes = graph.nodes[number]
            graph.ready.remove(number)

            def done(number=number):
                graph.finish(number)
                self.advance(graph, rank, ranks, ended)
                if not graph.left:
                    ended()

            if kind == chakra.COMP:
                self.at(self.now + 1, done)
            elif kind == chakra.COMM_SEND:
                self.send(rank, ranks[attributes["comm_dst"]], attributes, done)
            else:
                way = ranks[attributes["comm_src"]], rank, attributes["comm_tag"]
                if self.arrived[way]:
                    self.arrived[way].popleft()
                    self.at(self.now, done)
                else:
                    self.awaited[way].append(done)

    def send(self, source, target, attributes, done):
        begin = max(self.now, self.free_at[source, target])
        self.free_at[source, target] = begin + attributes["comm_size"] / self.bytes_per_ns
        way = source, target, attributes["comm_tag"]

        def arrive():
            done()
            if self.awaited[way]:
                self.awaited[way].popleft()()
            else:
                self.arrived[way].append(None)

        self.at(self.free_at[source, target] + self.latency, arrive)
