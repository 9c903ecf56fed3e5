#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks of `gossamer emit --format systemc` that are made of the library's routers: one of each machine
and kind is compiled and run, its cycles are the plan's, and damaged ones fail.

check_emitted.py GOSSAMER SOURCE BUILD WORK"""
import csv
import json
import math
import os
import shutil
import subprocess
import sys

gossamer, source, build, work = sys.argv[1:]

# Machine, and the request.
PLANS = {
    "ring": ("ring", ["all-reduce", "--dims", "4x3", "--operation", "max"]),
    "packets": ("ring", ["all-reduce", "--dims", "3x4", "--flits", "2", "--type", "float32"]),
    "floats": ("timetable", ["all-reduce", "--topology", "mesh", "--dims", "3x4", "--algorithm", "three-trees",
                             "--type", "float16", "--accumulate", "float32", "--link-bits", "128"]),
    "exchange": ("timetable", ["all-to-all", "--dims", "3x3"]),
    "message": ("relay", ["broadcast", "--topology", "mesh", "--dims", "4x5", "--flits", "3"]),
    "sum": ("relay", ["reduce", "--dims", "4x4", "--algorithm", "eye", "--flits", "3"]),
    "scattered": ("elastic", ["reduce-scatter", "--dims", "3x3", "--elastic", "--flits", "2"]),
    "partial": ("queued", ["partial-broadcast", "--dims", "4x4", "--active", "random:5:1"]),
    "elastic": ("elastic", ["all-gather", "--dims", "3x3", "--elastic", "--flits", "4", "--chunk", "2",
                            "--link-latency", "2"]),
    "copies": ("stream", ["broadcast", "--topology", "mesh", "--dims", "4x4", "--algorithm", "disjoint-trees",
                          "--packets", "3"]),
    # Groups whose members are not neighbours: frames, and one program of all nodes.
    "across": ("groups", ["all-reduce", "--dims", "4x8", "--groups", "2x4", "--group-stride", "2", "--packets", "2"]),
    "across_copies": ("groups", ["all-gather", "--dims", "6x6", "--groups", "3x3", "--group-stride", "2", "--packets", "2",
                                 "--algorithm", "hamiltonian"]),
    "across_root": ("groups", ["reduce", "--topology", "mesh", "--dims", "8x4", "--groups", "2x2", "--group-stride", "4x1",
                               "--words", "3", "--source", "0,1"]),
    "across_message": ("groups", ["broadcast", "--wrap", "y", "--dims", "6x4", "--groups", "3x4", "--group-stride", "2x1",
                                  "--source", "1,2", "--packets", "5"]),
    "lattice": ("groups", ["reduce-scatter", "--dims", "4x6", "--groups", "2x6", "--group-stride", "2x1", "--packets", "1"]),
    "lattice_sums": ("groups", ["all-reduce", "--dims", "4x8", "--groups", "2x8", "--group-stride", "2x1", "--packets", "1"]),
    "lattice_copies": ("groups", ["all-gather", "--dims", "4x8", "--groups", "2x8", "--group-stride", "2x1"]),
    "lattice_exchange": ("groups", ["all-to-all", "--dims", "8x4", "--groups", "2x4", "--group-stride", "4x1"]),
}


def run(*command, status=0, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert result.returncode == status, (command, result.returncode, result.stdout + result.stderr)
    return result.stdout


def output(*command):
    return run(*command, env={**os.environ, "PKG_CONFIG_PATH": build}).strip()


def make(folder, *targets, status=0):
    return run("make", "-s", "-j2", "-C", folder, f"CXX={os.environ.get('OBJCACHE', '')} c++",
               "CXXFLAGS=-O0 -Wall -Wextra -Wpedantic -Werror",
               f"GOSSAMER_CFLAGS=-I{source}/systemc/include {output('pkg-config', '--cflags', 'gossamer-systemc')}",
               f"GOSSAMER_LIBS=-L{build}/systemc -L{build}/sw {output('pkg-config', '--libs', 'gossamer-systemc')}",
               *targets, status=status)


def check_words(name, plan):
    """Compares the words that nodes receive with the plan's demand, where a few lines can express it."""
    with open(f"all/{name}.csv", encoding="ascii") as file:
        rows = [[int(value) for value in row] for row in list(csv.reader(file))[1:]]
    nodes = 1
    for side in plan["topology"]["dims"]:
        nodes *= side
    received = {}
    for _, node, _, number, *words in rows:
        received.setdefault(node, {})[number] = words
    if name == "ring":
        # All nodes end with the same vector.
        assert len(received) == nodes
        assert all(words == received[0] for words in received.values())
        assert sorted(received[0]) == list(range(plan["demand"]["pieces"]))
    elif name == "floats":
        assert all(words == received[0] and len(words[0]) == 4 for words in received.values())
        assert all(word < 1 << 16 for words in received[0].values() for word in words)
    elif name == "sum":
        assert sorted(received[0]) == [0, 1, 2]
    elif name == "exchange":
        assert all(len(words) == nodes - 1 and all(number % nodes == node for number in words)
                   for node, words in received.items())
    elif name == "elastic":
        assert all(len(words) == (nodes - 1) * 8 for words in received.values())
    elif "groups" in plan:
        check_groups(name, plan, nodes, received)
    elif name == "copies":
        assert {node for node, words in received.items() if len(words) == 3} >= set(range(1, nodes))


def check_groups(name, plan, nodes, received):
    """Each node receives the own words of its group, or their sums; computed from the testbench's words."""
    with open(f"all/{name}_plan.hpp", encoding="utf-8") as file:
        own = [int(word.strip(" U\n")) for word in file.read().split("kTestWords[] = {")[1].split("}")[0].split(",")[:-1]]
    dims, shape, stride = plan["topology"]["dims"], plan["groups"]["shape"], plan["groups"]["stride"]
    members, pieces, to = math.prod(shape), plan["demand"]["pieces"], plan["demand"]["to"]

    def place(node):
        group, number, rank, weight, scale = [], 0, 0, 1, 1
        for side, size, far in zip(dims, shape, stride):
            x, node = node % side, node // side
            group.append((x // (size * far), x % far))
            rank, weight = rank + x // far % size * weight, weight * size
            number, scale = number + (x // (size * far) * far + x % far) * scale, scale * side // size
        return tuple(group), rank, number

    places = [place(node) for node in range(nodes)]
    root, is_message = plan["demand"].get("root"), plan["collective"] == "broadcast"
    # Only the root receives the result of a reduce; nothing has to come back to that of a broadcast.
    expected = {node for node in range(nodes)
                if to != "root" and not is_message or (places[node][1] == root) == (to == "root")}
    assert expected <= set(received) and (is_message or expected == set(received)), name
    for node, words in received.items():
        group, rank, number = places[node]
        others = [other for other in range(nodes) if places[other][0] == group]
        assert len(others) == members
        if plan["demand"]["operation"] == "sum":
            assert len(own) == nodes * pieces
            each = pieces // members
            wanted = range(rank * each, rank * each + each) if to == "owner" else range(pieces)
            for word in wanted:
                assert words[word] == [sum(own[other * pieces + word] for other in others) % 2 ** 32], (name, node, word)
            continue
        if is_message:
            expected = {number * pieces + piece for piece in range(pieces)}
        elif plan["collective"] == "all-to-all":
            expected = {(other * nodes + node) * pieces + piece for other in others if other != node for piece in range(pieces)}
        else:
            expected = {other * pieces + piece for other in others for piece in range(pieces)}
        # Own packets may come back.
        missing = expected - set(words)
        assert set(words) <= expected and all(
            rank == root if is_message else plan["collective"] == "gossip" and piece // pieces == node
            for piece in missing), (name, node, missing)
        assert all(data == [own[piece]] for piece, data in words.items()), (name, node)


def damaged(name, old, new):
    """The network with a change in its plan fails."""
    shutil.rmtree("damaged", ignore_errors=True)
    os.makedirs("damaged")
    for file in (f"{name}_network.hpp", f"{name}_network_main.cpp", "Makefile"):
        shutil.copy(f"all/{file}", "damaged")
    with open(f"all/{name}_plan.hpp", encoding="utf-8") as file:
        text = file.read()
    assert text.count(old) >= 1, (name, old)
    with open(f"damaged/{name}_plan.hpp", "w", encoding="utf-8") as file:
        file.write(text.replace(old, new, 1))
    make("damaged", f"{name}_network_main")
    return run(f"damaged/{name}_network_main", status=1)


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
os.chdir(work)
for name, (machine, request) in PLANS.items():
    run(gossamer, "plan", *request, "-o", f"{name}.json")
    run(gossamer, "emit", f"{name}.json", "--format", "systemc", "--name", name, "-o", "all")
make("all", *(f"{name}_network_main" for name in PLANS))
for name, (machine, request) in PLANS.items():
    with open(f"{name}.json", encoding="utf-8") as file:
        plan = json.load(file)
    assert plan["program"]["machine"] == machine, (name, plan["program"]["machine"])
    said = run(f"all/{name}_network_main", f"all/{name}.csv")
    report = json.loads(run(gossamer, "simulate", f"{name}.json", "--engine", "systemc", "--report", "-"))
    # Valid/ready routers count from cycle 0.
    cycles = report["cycles"] + (1 if machine == "elastic" else 0)
    steps = "" if machine == "elastic" else f"steps={report['steps']} "
    assert said == f"PASS {steps}cycles={cycles}\n", (name, said, steps, cycles)
    check_words(name, plan)
# A contribution, the wiring of a router, the length of a round, and the document.
assert "other words" in damaged("sum", "kTestWords[] = {\n    ", "kTestWords[] = {\n    1 + ")
assert "other words" in damaged("copies", "[0,1,0,4]", "[0,1,0,0]")
assert "FAIL" in damaged("ring", "kCycles = 11;", "kCycles = 10;")
assert "FAIL: plan: version" in damaged("elastic", '"version": 3', '"version": 9')
print("all networks run as planned")
