#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_formats.py GOSSAMER SOURCE_DIRECTORY WORK_DIRECTORY

Emits plans in the formats that other tools read and checks them with readers that are independent of Gossamer: XML,
JSON Schema, YAML and line parsers, the C++ compiler. The tables from a reader are executed here by a separate simulation, and must complete the collective in the planned
steps; the SystemC network must write the trace of the fast engine.
"""
import csv
import filecmp
import json
import math
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import jsonschema
import yaml

gossamer, source, work = sys.argv[1:4]
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)

SHAPES = {
    "torus": ["gossip", "--dims", "4x6"],
    "torus3": ["gossip", "--dims", "3x4x3"],
    "switch": ["gossip", "--dims", "6x5", "--algorithm", "two-packet"],
    "mesh": ["gossip", "--topology", "mesh", "--dims", "4x3", "--algorithm", "array"],
    "odd": ["gossip", "--topology", "mesh", "--dims", "3x3", "--algorithm", "array"],
    "line": ["gossip", "--topology", "mesh", "--dims", "6", "--algorithm", "array"],
    "scheduled": ["gossip", "--dims", "4x4", "--algorithm", "scheduled"],
    "elastic": ["gossip", "--dims", "3x3", "--elastic", "--flits", "4", "--chunk", "2", "--link-latency", "2"],
    "folded": ["gossip", "--topology", "mesh", "--dims", "3x3", "--algorithm", "folded"],
    "folded_lists": ["gossip", "--topology", "mesh", "--dims", "4x4", "--algorithm", "folded",
                     "--torus-algorithm", "zigzag", "--packets", "2"],
    "timetable": ["gossip", "--wrap", "x", "--dims", "4x3", "--algorithm", "scheduled"],
    "exchange": ["all-to-all", "--dims", "3x3"],
    "dead": ["gossip", "--dims", "4x4", "--dead-node", "1,1"],
    "reduced": ["all-reduce", "--dims", "4x3"],
    "short": ["line-broadcast", "--dims", "6", "--counts", "2,0,1,0,3,1"],
    "partial": ["partial-broadcast", "--dims", "4x4", "--active", "random:5:1"],
    "broadcast": ["broadcast", "--dims", "8x8"],
    "trees": ["all-reduce", "--topology", "mesh", "--dims", "4x4", "--algorithm", "three-trees"],
    "copied": ["broadcast", "--dims", "4x4", "--algorithm", "disjoint-trees", "--packets", "5"],
    "counted": ["prefix", "--dims", "3x3", "--active", "random:4:1"],
    "summed": ["reduce", "--dims", "4x4", "--algorithm", "eye"],
    "corner": ["broadcast", "--topology", "mesh", "--dims", "4x4x4", "--timing", "self"],
    "lists": ["broadcast", "--topology", "mesh", "--dims", "7x9", "--source", "3,1",
              "--algorithm", "min-tcd"],
    "copies": ["broadcast", "--topology", "mesh", "--dims", "5x4", "--algorithm", "tree"],
    # Groups at a distance: frames of two and three steps, and one program of all nodes.
    "across": ["gossip", "--dims", "8x8", "--groups", "4x4", "--group-stride", "2", "--packets", "2",
               "--algorithm", "hamiltonian"],
    "across_switch": ["gossip", "--dims", "12x10", "--groups", "6x5", "--group-stride", "2", "--algorithm", "two-packet"],
    "across_mesh": ["gossip", "--topology", "mesh", "--dims", "8x6", "--groups", "4x3", "--group-stride", "2x2",
                    "--algorithm", "array"],
    "across_unequal": ["gossip", "--wrap", "x", "--dims", "9x4", "--groups", "3x2", "--group-stride", "3x1",
                       "--algorithm", "array"],
    "across_rows": ["gossip", "--topology", "mesh", "--dims", "6x2", "--groups", "3x1", "--group-stride", "2",
                    "--algorithm", "scheduled"],
    "across_exchange": ["all-to-all", "--topology", "mesh", "--dims", "6x6", "--groups", "3x2", "--group-stride", "2x3"],
    "across_lines": ["all-reduce", "--topology", "mesh", "--dims", "8x4", "--groups", "4x4", "--group-stride", "2x1",
                     "--algorithm", "lines", "--words", "3"],
    "lines": ["all-reduce", "--topology", "mesh", "--dims", "4x4", "--algorithm", "lines", "--words", "3"],
    "lattice": ["gossip", "--dims", "4x8", "--groups", "2x8", "--group-stride", "2x1"],
    "lattice_exchange": ["all-to-all", "--dims", "8x4", "--groups", "2x4", "--group-stride", "4x1"],
    "lattice_scatter": ["reduce-scatter", "--dims", "4x6", "--groups", "2x6", "--group-stride", "2x1", "--packets", "1"],
    "lattice_reduce": ["all-reduce", "--dims", "4x8", "--groups", "2x8", "--group-stride", "2x1", "--packets", "1"],
    "far": ["gossip", "--dims", "16x16", "--groups", "2x2", "--group-stride", "8", "--algorithm", "hamiltonian"],
    "cylinder": ["gossip", "--wrap", "y", "--dims", "3x4", "--algorithm", "array"],
    "other_cylinder": ["gossip", "--wrap", "x", "--dims", "3x4", "--algorithm", "array"],
    "cylinder_sends": ["broadcast", "--wrap", "x", "--dims", "4x3", "--source", "1,1", "--algorithm", "tree"],
}


def run(*arguments, status=0):
    result = subprocess.run([gossamer, *arguments], capture_output=True, text=True)
    assert result.returncode == status, (arguments, result.returncode, result.stderr)
    return result


def emit(plan, form):
    """Emits twice, compares, and returns the directory."""
    directory = f"{plan}_{form}"
    shutil.rmtree(directory, ignore_errors=True)
    run("emit", f"{plan}.json", "--format", form, "-o", directory)
    run("emit", f"{plan}.json", "--format", form, "-o", "again")
    names = sorted(os.listdir(directory))
    assert names and names == sorted(os.listdir("again")), (plan, form)
    match = filecmp.cmpfiles(directory, "again", names, shallow=False)
    assert sorted(match[0]) == names, (plan, form, match)
    shutil.rmtree("again")
    return directory


def opposite(port):
    return port[:-1] + ("-" if port[-1] == "+" else "+")


def simulate(nodes, packets, links, out, frame=1, steps=None):
    """Steps until all nodes have all packets; given a number of steps, the rows of their trace.

    links: (node, out-port) -> (neighbour, in-port); out: the same key -> (feed, early feed, switch
    step, preload). In frames ports are port/slot. The machine of docs/plan-format.md, written down
    a second time."""
    queue = {key: [key[0] * packets + c for c in told[3]] for key, told in out.items()}
    known = {node: set(range(node * packets, node * packets + packets)) for node in range(nodes)}
    trace = set()
    for step in range(1, 10 * nodes * packets if steps is None else steps + 1):
        arrived = {}
        for key, line in queue.items():
            if line and (frame == 1 or int(key[1].split("/")[1]) == (step - 1) % frame):
                trace.add((step, key[0], port_order(key[1].split("/")[0]), line[0]))
                arrived[links[key]] = line.pop(0)
        for (node, _), packet in arrived.items():
            known[node].add(packet)
        if steps is None and all(len(mine) == nodes * packets for mine in known.values()):
            return step
        for (node, port), told in out.items():
            for in_port in sorted(told[0] if step >= told[2] else told[1], key=port_order):
                if (node, in_port) in arrived:
                    queue[node, port].append(arrived[node, in_port])
    assert steps is not None, "never complete"
    return trace


def port_order(port):
    if "/" in port:
        port, slot = port.split("/")
        return 8 * port_order(port) + int(slot)
    dim = "xyzw".find(port[0]) if port[0] != "d" else int(port[1:-1])
    return 2 * dim + (port[-1] == "+")


def graph(directory):
    """Node count and links of a GraphML file, with the attributes checked."""
    root = xml.etree.ElementTree.parse(f"{directory}/network.graphml").getroot()
    space = "{http://graphml.graphdrawing.org/xmlns}"
    keys = {key.get("id"): key.get("for") for key in root.findall(space + "key")}
    net = root.find(space + "graph")
    coordinates = {}
    for node in net.findall(space + "node"):
        coordinates[node.get("id")] = [int(data.text) for data in node.findall(space + "data")]
        assert all(keys[data.get("key")] == "node" for data in node.findall(space + "data"))
    sides = [max(axis) + 1 for axis in zip(*coordinates.values())]
    links, cycles = {}, {}
    for edge in net.findall(space + "edge"):
        data = {entry.get("key"): entry.text for entry in edge.findall(space + "data")}
        assert all(keys[key] == "edge" for key in data)
        at, to = coordinates[edge.get("source")], coordinates[edge.get("target")]
        dim, step = int(data["dimension"]), int(data["direction"])
        expected = list(at)
        expected[dim] = (at[dim] + step) % sides[dim]
        assert to == expected and (data["wraps"] == "true") == (not 0 <= at[dim] + step < sides[dim])
        key = int(edge.get("source")[1:]), data["port"]
        assert key not in links
        links[key] = int(edge.get("target")[1:]), opposite(data["port"])
        cycles[key] = int(data["cycle"])
    return len(coordinates), links, cycles


def check_graphml(plan, document):
    directory = emit(plan, "graphml")
    nodes, links, cycles = graph(directory)
    out = {key: [set(), set(), 0, []] for key in links}
    with open(f"{directory}/routing.csv", encoding="ascii") as file:
        for row in csv.DictReader(file):
            node = int(row["router"])
            for port in row["out_ports"].split():
                if row["in_port"] != "local":
                    assert row["local"] == "1"
                    out[node, port][0].add(row["in_port"])
            for port in row["early_out_ports"].split():
                out[node, port][1].add(row["in_port"])
    tables = {(router["node"], port["port"]): port
              for router in document["routers"] for port in router["out"]}
    assert {key: cycles[key] for key in tables} == {k: v["cycle"] for k, v in tables.items()}
    for key, port in tables.items():
        assert (port["to"], port["in_port"]) == links[key]
        assert out[key][:2] == [set(port["feed"]), set(port["early_feed"])], (plan, key)
    if plan.startswith("torus"):
        # One class per dimension, each a Hamiltonian cycle in both directions.
        for cycle in set(cycles.values()):
            mine = [key for key, number in cycles.items() if number == cycle]
            assert len(mine) == 2 * nodes and len({key[0] for key in mine}) == nodes
    return nodes, links, tables


def topology_of(plan):
    with open(f"{plan}.json", encoding="utf-8") as file:
        return json.load(file)["topology"]


def validated(plan, form, name):
    """The document that a format writes for the plan, checked with its schema in docs; for the plan's network."""
    with open(f"{emit(plan, form)}/{name}.json", encoding="utf-8") as file:
        document = json.load(file)
    with open(f"{source}/docs/{name}.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    topology = topology_of(plan)
    said = document["topology"], document["dims"], document.get("wrap")
    assert said == (topology["kind"], topology["dims"], topology.get("wrap")), (plan, said)
    return document


def wraps_of(topology):
    """By dimension, whether it wraps."""
    return [topology["kind"] == "torus" or name in topology.get("wrap", ())
            for name in "xyzw"[:len(topology["dims"])]]


def rows_of(path):
    with open(path, encoding="ascii") as file:
        return list(csv.DictReader(file))


def words_of(path):
    """The words of a $readmemh image."""
    with open(path, encoding="ascii") as file:
        return [int(line, 16) for line in file if not line.startswith("//")]


def neighbors(plan):
    """(node, port number) -> its neighbour, for a plan without faults."""
    topology = topology_of(plan)
    dims, wraps = topology["dims"], wraps_of(topology)
    found, stride = {}, 1
    for dim, side in enumerate(dims):
        for node in range(math.prod(dims)):
            at = node // stride % side
            for port, to in ((2 * dim, at - 1), (2 * dim + 1, at + 1)):
                if wraps[dim] or 0 <= to < side:
                    found[node, port] = node + (to % side - at) * stride
        stride *= side
    return found


def check_frames(plan):
    """The tables of a framed plan, as JSON and CSV, complete the all-gather in the planned steps, and write the trace of
    the fast engine."""
    document = validated(plan, "json", "tables")
    tables = {(router["node"], port["port"]): port
              for router in document["routers"] for port in router["out"]}
    rows = {(int(row["node"]), row["out_port"]): row
            for row in rows_of(f"{emit(plan, 'csv')}/tables.csv")}
    assert tables.keys() == rows.keys()
    for key, port in tables.items():
        assert rows[key]["feed"] == " ".join(port["feed"]), (plan, key)
        assert rows[key]["preload"] == " ".join(map(str, port["preload"])), (plan, key)
    facts = {row["name"]: row["value"] for row in rows_of(f"{plan}_csv/network.csv")}
    assert int(facts["frame"]) == document["frame"] == (3 if plan == "across_unequal" else 2)
    assert document["steps"] == int(facts["steps"]), plan
    network = (len(document["routers"]), document["packets_per_node"],
               {key: (port["to"], port["in_port"]) for key, port in tables.items()},
               {key: (port["feed"], port["early_feed"], port["switch_step"], port["preload"])
                for key, port in tables.items()}, document["frame"])
    run("simulate", f"{plan}.json", "--trace", f"{plan}.csv")
    expected = {tuple(int(row[key]) for key in ("step", "from", "port", "packet")) for row in rows_of(f"{plan}.csv")}
    assert simulate(*network, steps=document["steps"]) == expected, plan
    if not plan.startswith("across"):
        assert simulate(*network) == document["steps"], plan
    # Images: a word for each column, borders included.
    columns = 2 * len(document["dims"]) * document["frame"]
    feed = words_of(f"{emit(plan, 'memh')}/feed.memh")
    assert len(feed) == len(document["routers"]) * columns
    names = [f"{'xyzw'[p // 2]}{'-+'[p % 2]}/{slot}" for p in range(2 * len(document["dims"])) for slot in range(document["frame"])]
    for (node, name), port in tables.items():
        word = feed[node * columns + names.index(name)]
        assert [names[q] for q in range(columns) if word >> q & 1] == port["feed"], (plan, node, name)


def check_schedule(plan):
    """The ROMs of a schedule as JSON, CSV and image are the same, and executed from the JSON their
    transfers are those of the fast engine; marked results are those that the node needs."""
    document = validated(plan, "json", "schedule")
    ports = list(document["roms"][0][0])
    directory = emit(plan, "csv")
    for row in rows_of(f"{directory}/roms.csv"):
        entry = document["roms"][int(row["rom"])][int(row["step"]) - 1][row["port"]]
        send = "" if entry["send"] is None else " ".join(map(str, *entry["send"].items()))
        store = "" if entry["store"] is None else f"slot {entry['store']}"
        assert (row["send"], row["store"]) == (send, store), (plan, row)
        add = entry.get("add")
        assert row.get("add", "") == ("" if add is None else " ".join(map(str, *add.items()))), (plan, row)
        assert ("deliver" in row, row.get("deliver") == "1") == ("deliver" in entry, entry.get("deliver", False)), row
    roms = [int(row["rom"]) for row in rows_of(f"{directory}/routers.csv")]
    assert roms == document["routers"] == words_of(f"{emit(plan, 'memh')}/routers.memh")
    own, slots = document["packets_per_node"], document["slots"]
    send_bits, store_bits = (own + slots).bit_length(), slots.bit_length()
    one = document["roms"][0][0][ports[0]]
    add_bits, deliver_bits = send_bits * ("add" in one), int("deliver" in one)
    in_bits = add_bits + store_bits + deliver_bits

    def code_of(source):
        return 0 if source is None else source["own"] + 1 if "own" in source else own + 1 + source["slot"]
    words = words_of(f"{plan}_memh/roms.memh")
    assert len(words) == len(document["roms"]) * document["steps"]
    for index, word in enumerate(words):
        entries = document["roms"][index // document["steps"]][index % document["steps"]]
        for p, port in enumerate(ports):
            assert word >> p * send_bits & (1 << send_bits) - 1 == code_of(entries[port]["send"])
            at = len(ports) * send_bits + p * in_bits
            store = entries[port]["store"]
            assert word >> at & (1 << add_bits) - 1 == code_of(entries[port].get("add"))
            assert word >> at + add_bits & (1 << store_bits) - 1 == (0 if store is None else store + 1)
            assert word >> at + add_bits + store_bits & (1 << deliver_bits) - 1 == int(entries[port].get("deliver", 0))

    # Words are packets, in reductions the number of their contributions.
    sums = document["collective"] in ("all-reduce", "reduce-scatter", "reduce")
    links, trace = neighbors(plan), set()
    buffers = {node: {} for node in range(len(roms))}
    delivered = {node: [] for node in range(len(roms))}

    def word_of(node, source):
        if source is None or "slot" in source:
            return None if source is None else buffers[node].get(source["slot"])
        return 1 if sums else node * own + source["own"]
    for step in range(1, document["steps"] + 1):
        arrived = {}
        for (node, port), to in links.items():
            packet = word_of(node, document["roms"][roms[node]][step - 1][ports[port]]["send"])
            if packet is not None:
                trace.add((step, node, port, packet))
                arrived[to, port ^ 1] = packet
        for (node, port), packet in sorted(arrived.items()):
            entry = document["roms"][roms[node]][step - 1][ports[port]]
            packet += word_of(node, entry.get("add")) or 0
            if entry["store"] is not None:
                buffers[node][entry["store"]] = packet
            if entry.get("deliver"):
                delivered[node].append(packet)
    check_delivered(plan, delivered, deliver_bits, sums, own)
    run("simulate", f"{plan}.json", "--trace", f"{plan}.csv")
    expected = {tuple(int(row[key]) for key in ("step", "from", "port", "terms" if sums else "packet"))
                for row in rows_of(f"{plan}.csv")}
    # In a total exchange an own packet's number in the ROM is not that of the node that it is for.
    columns = 3 if document["collective"] == "all-to-all" else 4
    assert {row[:columns] for row in trace} == {row[:columns] for row in expected}, plan


def check_delivered(plan, delivered, marked, sums, own):
    """Marked results: all words of the other members, or sums of all members for each word of the node."""
    if not marked:
        return
    with open(f"{plan}.json", encoding="utf-8") as file:
        document = json.load(file)
    dims, pieces = document["topology"]["dims"], document["demand"]["pieces"]
    groups = document.get("groups", {"shape": dims, "stride": [1] * len(dims)})
    members = math.prod(groups["shape"])

    def group_of(node):
        found = []
        for side, shape, stride in zip(dims, groups["shape"], groups["stride"]):
            found += [node % side // (shape * stride), node % side % stride]
            node //= side
        return found

    for node, words in delivered.items():
        if document["collective"] == "all-to-all":
            origins = [word // own for word in words]
            assert sorted(origins) == [other for other in delivered if other != node and group_of(other) == group_of(node)]
        elif sums:
            owned = pieces // members if document["demand"]["to"] == "owner" else pieces
            whole = [terms for terms in words if terms == members]
            assert len(whole) == owned, (plan, node, words)
        else:
            assert sorted(words) == [other * pieces + c for other in delivered for c in range(pieces)
                                     if other != node and group_of(other) == group_of(node)], (plan, node)


def check_arrivals(plan):
    """The arrival contract as CSV, JSON, image and package: each row of the trace, at the far end of its link."""
    run("simulate", f"{plan}.json", "--trace", f"{plan}.csv")
    links = neighbors(plan)
    expected = {}
    for row in rows_of(f"{plan}.csv"):
        node, port = int(row["from"]), int(row["port"])
        expected[links[node, port], port ^ 1, int(row["step"])] = int(row["packet"])
    document = validated(plan, "arrivals", "arrivals")
    directory = f"{plan}_arrivals"
    steps, ports = document["steps"], 2 * len(document["dims"])
    rows = {(int(row["node"]), port_order(row["in_port"]), int(row["step"])): int(row["packet"])
            for row in rows_of(f"{directory}/arrivals.csv")}
    assert rows == expected and rows, plan
    image = {(at // ports // steps, at % ports, at // ports % steps + 1): word - 1
             for at, word in enumerate(words_of(f"{directory}/arrivals.memh")) if word}
    assert image == expected, plan

    # By cycle: the same ports and packets, in the same order; a step of one cycle has its number.
    assert document["arrival_columns"] == ["cycle", "port", "packet"]
    assert [entry["node"] for entry in document["nodes"]] == list(range(math.prod(document["dims"])))
    said, first = [], {}
    for entry in document["nodes"]:
        assert entry["arrivals"] == sorted(entry["arrivals"], key=lambda row: (row[0], port_order(row[1])))
        said += [(entry["node"], port_order(port), cycle, packet) for cycle, port, packet in entry["arrivals"]]
        for cycle, _, packet in reversed(entry["arrivals"]):
            first[entry["node"], packet] = cycle
        assert entry["first_cycles"] == [[packet, first[node, packet]] for node, packet in sorted(first)
                                         if node == entry["node"]], plan
    by_step = sorted((node, port, step, packet) for (node, port, step), packet in expected.items())
    assert [row[:2] + row[3:] for row in sorted(said)] == [row[:2] + row[3:] for row in by_step], plan
    if document["cycles"] == steps:
        assert sorted(said) == by_step, plan
    assert max(row[2] for row in said) <= document["cycles"] >= steps, plan
    check_arrivals_package(plan, said, first)
    check_contract(plan, f"{directory}/arrivals.json")


def check_arrivals_package(plan, said, first):
    """Icarus asks the package for every entry, and for as many packets and cycles that do not come."""
    directory = f"{plan}_arrivals"
    asked = [f"    if (p::arrival({node}, {cycle}, {port}) !== {{1'b1, W'({packet})}}) $fatal(1);"
             for node, port, cycle, packet in said[:400]]
    asked += [f"    if (p::arrival({node}, {cycle}, {port}) !== '0) $fatal(1);"
              for node, port, cycle in sorted({(n, p, c + 1) for n, p, c, _ in said} - {row[:3] for row in said})[:100]]
    asked += [f"    if (p::first_cycle({node}, W'({packet})) !== {cycle}) $fatal(1);"
              for (node, packet), cycle in sorted(first.items())[:400]]
    absent = {(node, packet) for node, _ in first for _, packet in first} - set(first)
    asked += [f"    if (p::first_cycle({node}, W'({packet})) !== 0) $fatal(1);" for node, packet in sorted(absent)[:100]]
    bench = "module bench;\n  localparam int W = p::PacketBits;\n  initial begin\n" + "\n".join(asked) + \
        "\n    $display(\"asked\");\n  end\nendmodule\n"
    with open(f"{directory}/bench.sv", "w", encoding="ascii") as file:
        file.write(bench.replace("p::", "gsm_arrivals_pkg::"))
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", f"{directory}/bench", f"{directory}/gsm_arrivals_pkg.sv",
                    f"{directory}/bench.sv"], check=True)
    assert subprocess.run([f"{directory}/bench"], capture_output=True, text=True, check=True).stdout == "asked\n", plan


def check_contract(plan, path):
    """verify accepts the contract; one changed entry is named in one line, and other files are refused."""
    run("verify", f"{plan}.json", "--arrivals", path)
    with open(path, encoding="ascii") as file:
        document = json.load(file)
    changed = f"{plan}_changed.json"

    def verify(edit, status, *words):
        other = json.loads(json.dumps(document))
        edit(other)
        with open(changed, "w", encoding="ascii") as file:
            json.dump(other, file)
        message = run("verify", f"{plan}.json", "--arrivals", changed, status=status).stderr
        assert (message.count("\n") == 1) == (status != 0), message
        assert all(word in message for word in words), (message, words)

    busy = [i for i, entry in enumerate(document["nodes"]) if entry["arrivals"]]
    node, last = busy[len(busy) // 2], busy[-1]

    def packet(other):
        other["nodes"][node]["arrivals"][0][2] += 1

    def cycle(other):
        other["nodes"][last]["arrivals"][-1][0] += 1

    def inverse(other):
        other["nodes"][node]["first_cycles"][-1][1] += 1

    def dropped(other):
        other["nodes"][node]["arrivals"].pop()

    def moved(other):
        other["nodes"][node]["node"] += 1

    verify(lambda other: None, 0)
    verify(packet, 1, f"node {node}: arrivals: entry 0 is")
    verify(cycle, 1, f"node {last}: arrivals: entry {len(document['nodes'][last]['arrivals']) - 1} is")
    verify(inverse, 1, f"node {node}: first_cycles: entry")
    verify(dropped, 1, f"node {node}: arrivals: entry", "no entry")
    verify(moved, 1, f"node {node}:")
    verify(lambda other: other.update(steps=document["steps"] + 1), 1, "steps")
    verify(lambda other: other["nodes"].pop(), 1, f"node {len(document['nodes']) - 1}:")
    for edit, words in (
            (lambda other: other.update(version=1), "version"),
            (lambda other: other.update(more=1), "more"),
            (lambda other: other.pop("cycles"), "cycles"),
            (lambda other: other["nodes"][node]["arrivals"][0].pop(), "a row of 3"),
            (lambda other: other["nodes"][node]["arrivals"][0].__setitem__(1, "q+"), "not a port"),
            (lambda other: other["nodes"][node]["first_cycles"][0].__setitem__(0, -1), "first_cycles"),
            (lambda other: other["nodes"][node].__setitem__("arrivals", 3), "arrivals")):
        verify(edit, 2, words)
    with open(changed, "w", encoding="ascii") as file:
        file.write('{"format": "gossamer-arrivals", ')
    message = run("verify", f"{plan}.json", "--arrivals", changed, status=2).stderr
    assert changed in message and message.count("\n") == 1, message


def check_sends(plan):
    """The sends of a broadcast as CSV and JSON agree, inform every node once, along paths with the right
    ends that share no link in a step; their total length is that of the report."""
    document = validated(plan, "json", "sends")
    with open(f"{emit(plan, 'csv')}/sends.csv", encoding="ascii") as file:
        rows = [(int(row["node"]), int(row["step"]), int(row["to"]), int(row["hops"]), row["path"])
                for row in csv.DictReader(file)]
    assert rows == [(send["node"], send["step"], send["to"], send["hops"],
                     " ".join(f"{part['port']}{part['hops']}" for part in send["path"]))
                    for send in document["sends"]]
    with open(f"{emit(plan, 'dot')}/network.dot", encoding="ascii") as file:
        assert file.read().count(" -> ") == len(rows)

    dims, wraps = document["dims"], wraps_of(topology_of(plan))
    informed, steps, length = {document["source"]: 0}, set(), 0
    for node, step, to, hops, path in sorted(rows, key=lambda row: row[1]):
        assert informed[node] < step and to not in informed, (plan, node, step)
        informed[to] = step
        at, taken = node, 0
        for part in path.split():
            port, links = part[:2], int(part[2:])
            dim, way = "xyzw".find(port[0]), 1 if port[1] == "+" else -1
            stride = 1
            for side in dims[:dim]:
                stride *= side
            for _ in range(links):
                assert (step, at, port) not in steps, (plan, step, at, port)
                steps.add((step, at, port))
                x = at // stride % dims[dim]
                assert wraps[dim] or 0 <= x + way < dims[dim], (plan, node, step)
                at += ((x + way) % dims[dim] - x) * stride
                taken += 1
        assert (at, taken) == (to, hops), (plan, node, step)
        length += hops
    nodes = 1
    for side in dims:
        nodes *= side
    assert len(informed) == nodes and max(informed.values()) == document["steps"]
    report = json.loads(run("simulate", f"{plan}.json", "--report", "-").stdout)
    assert (length, document["steps"]) == (report["link_transfers"], report["steps"]), plan
    assert document["cycles"] == report["cycles"]


def check_systemc(plan):
    directory = emit(plan, "systemc")
    result = subprocess.run(["make", "-s", "-C", directory, "TRACE=trace.csv", f"CXX={os.environ.get('OBJCACHE', '')} c++",
                             "CXXFLAGS=-O0 -Wall -Wextra -Wpedantic -Werror"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    report = run("simulate", f"{plan}.json", "--trace", f"{plan}.csv", "--report", "-").stdout
    assert f"PASS steps={json.loads(report)['steps']}\n" in result.stdout
    assert filecmp.cmp(f"{plan}.csv", f"{directory}/trace.csv", shallow=False), plan


def check_phases():
    """A prefix is the same network for every order of its phases in the list."""
    run("plan", "prefix", "--dims", "3x3", "--active", "random:4:1", "-o", "phases.json")
    with open("phases.json", encoding="utf-8") as file:
        plan = json.load(file)
    listed = plan["program"]["phases"]
    by_start = sorted(listed, key=lambda phase: phase["start"])
    assert by_start != listed
    plan["program"]["phases"] = by_start
    with open("by_start.json", "w", encoding="utf-8") as file:
        json.dump(plan, file)
    right, other = emit("phases", "sv"), emit("by_start", "sv")
    names = os.listdir(right)
    assert filecmp.cmpfiles(right, other, names, shallow=False)[0] == names


def check_fusesoc(plan, core_names):
    directory = emit(plan, "fusesoc")
    with open(f"{directory}/gossamer_network.core", encoding="ascii") as file:
        assert file.readline() == "CAPI=2:\n"
        core = yaml.safe_load(file)
    assert re.fullmatch(r"\w+:\w+:[\w-]+:\d+\.\d+\.\d+", core["name"])
    assert core["name"] not in core_names, (plan, core["name"])
    core_names.add(core["name"])
    files = {}
    for name, fileset in core["filesets"].items():
        assert fileset["file_type"] == "systemVerilogSource"
        files[name] = [entry if isinstance(entry, str) else next(iter(entry))
                       for entry in fileset["files"]]
        for entry in files[name]:
            assert os.path.isfile(f"{directory}/{entry}"), entry
    assert {"default", "lint", "sim", "synth"} <= set(core["targets"])
    for target in core["targets"].values():
        assert set(target["filesets"]) <= set(files)
        assert set(target.get("parameters", [])) <= set(core["parameters"])
    # The targets as FuseSoC would run them: these files, this top, these options.
    def sources(target):
        return [name for part in core["targets"][target]["filesets"] for name in files[part]
                if name.endswith(".sv")]
    lint = core["targets"]["lint"]
    subprocess.run(["verilator", "--lint-only", *lint["tools"]["verilator"]["verilator_options"],
                    "--top-module", lint["toplevel"], "-I.", *sources("lint")],
                   cwd=directory, check=True)
    sim = core["targets"]["sim"]
    subprocess.run(["iverilog", *sim["tools"]["icarus"]["iverilog_options"], "-I.", "-s",
                    sim["toplevel"], "-o", "sim.vvp", *sources("sim")], cwd=directory, check=True)
    result = subprocess.run(["vvp", "-n", "sim.vvp"], cwd=directory, capture_output=True, text=True)
    assert "PASS" in result.stdout, result.stdout


for plan, request in SHAPES.items():
    run("plan", *request, "-o", f"{plan}.json")

formats = [entry["name"] for entry in json.loads(run("list", "--json").stdout)["formats"]]
assert len(formats) >= 12, formats
for plan in ("torus", "torus3", "switch", "mesh", "odd", "line", "cylinder"):
    document = validated(plan, "json", "tables")
    nodes, links, tables = check_graphml(plan, document)
    steps = simulate(nodes, document["packets_per_node"], links,
                     {key: (port["feed"], port["early_feed"], port["switch_step"], port["preload"])
                      for key, port in tables.items()})
    assert steps == document["steps"], (plan, steps, document["steps"])
for plan in ("torus", "switch", "mesh", "folded", "folded_lists", "scheduled", "timetable", "dead"):
    check_systemc(plan)
for plan in ("folded", "folded_lists", "across", "across_switch", "across_mesh", "across_unequal"):
    check_frames(plan)
for plan in ("scheduled", "timetable", "exchange", "lines", "across_rows", "across_exchange", "across_lines", "lattice",
             "lattice_exchange", "lattice_scatter", "lattice_reduce"):
    check_schedule(plan)
for plan in ("torus3", "switch", "odd", "folded", "scheduled", "timetable", "exchange", "reduced",
             "short", "partial", "broadcast", "lists", "copies", "trees", "copied", "counted", "summed",
             "cylinder_sends"):
    check_arrivals(plan)
for plan in ("broadcast", "corner", "lists", "copies", "cylinder_sends"):
    check_sends(plan)
check_phases()
core_names = set()
for plan in ("torus", "scheduled", "elastic", "broadcast", "lists", "summed", "reduced", "partial", "cylinder",
             "other_cylinder"):
    check_fusesoc(plan, core_names)
facts = {row["name"]: row["value"] for row in rows_of(f"{emit('cylinder', 'csv')}/network.csv")}
assert (facts["topology"], facts["wrap"]) == ("grid", "y"), facts
for form in formats:
    if form not in ("sv-rule", "sv-rank", "sv-stream", "astra-sim"):
        emit("torus", form)
emit("scheduled", "sv-stream")

# Plans that a format cannot express are rejected in one line, and no files are left.
for plan, form, words in (
        ("mesh", "sv-rule", "2-D tori"),
        ("torus3", "sv-rule", "2-D tori"), ("switch", "sv-rule", "hamiltonian"), ("torus", "sv-rank", "use sv"),
        ("torus", "sv-stream", "stream routers"), ("scheduled", "dot", "use sv"),
        ("far", "csv", "--dims 2x2"), ("across_rows", "sv-stream", "frames"),
        ("torus", "astra-sim", "--dims is required"), ("counted", "systemc", "counts")):
    message = run("emit", f"{plan}.json", "--format", form, "-o", "refused", status=2).stderr
    assert words in message and message.count("\n") == 1, message
    assert not os.path.exists("refused")
print("all formats read back")
