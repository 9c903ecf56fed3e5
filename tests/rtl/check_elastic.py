#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_elastic.py GOSSAMER WORK_DIRECTORY: emitted elastic networks in Icarus and Verilator do in every
cycle what the recursion (elastic_reference.py) says, with and without stalls, and so does the fast engine;
the recursion gives its known numbers; an element that stops for ever is named."""
import json
import os
import subprocess
import sys

from elastic_reference import Network, Stalls, run

GOSSAMER, WORK = sys.argv[1:]
EVEN = (192, 192, 192)
os.makedirs(WORK, exist_ok=True)


def call(*command, cwd=WORK):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def planned(directory, algorithm, dims, chunk, rounds, slots, *options, kind="torus", latency="1"):
    """Plans into the directory; the network."""
    os.makedirs(os.path.join(WORK, directory), exist_ok=True)
    plan = os.path.join(WORK, directory, "plan.json")
    call(GOSSAMER, "plan", "gossip", "--algorithm", algorithm, "--topology", kind, "--dims", dims, "--elastic",
         "--flits", str(chunk * rounds), "--chunk", str(chunk), "--slots", str(slots), "--link-latency", latency,
         *options, "-o", plan)
    with open(plan, encoding="utf-8") as file:
        return Network(json.load(file))


def figures(rows):
    return max((row[0] for row in rows), default=None), sum(row[0] for row in rows), len(rows)


def emitted(directory, *changes, name=""):
    """Emits the directory's plan; `changes` are constants of the package, NAME=VALUE."""
    path = os.path.join(WORK, directory)
    call(GOSSAMER, "emit", "plan.json", "--format", "sv", *(["--name", name] if name else []), "-o", ".", cwd=path)
    package = os.path.join(path, f"{name or 'gsm'}_pkg.sv")
    with open(package, encoding="ascii") as file:
        text = file.read()
    for change in changes:
        constant, value = change.split("=")
        before = [line for line in text.splitlines() if line.startswith(f"  localparam int {constant} = ")]
        assert len(before) == 1, (constant, before)
        text = text.replace(before[0], f"  localparam int {constant} = {value};")
    with open(package, "w", encoding="ascii") as file:
        file.write(text)
    return path


def simulate(path, tool, *plusargs):
    """What PASS says, and the rows of the first run."""
    text = call("make", "-s", tool, "OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0", "VM_PARALLEL_BUILDS=0",
                f"PLUSARGS=+trace=trace.csv {' '.join(plusargs)}", cwd=path)
    passed = [line for line in text.splitlines() if line.startswith("PASS ")]
    assert len(passed) == 1, text
    with open(os.path.join(path, "trace.csv"), encoding="ascii") as file:
        assert file.readline() == "cycle,from,port,packet,flit\n"
        rows = [tuple(map(int, line.split(","))) for line in file]
    return dict(word.split("=") for word in passed[0].split() if "=" in word), rows


def compare(directory, network, *scripts, tools=("icarus",), changes=(), name=""):
    path = emitted(directory, *changes, name=name)
    for tool in tools:
        if tool in ("lint", "yosys"):
            call("make", "-s", tool, cwd=path)
            continue
        for stalls in (None, *scripts):
            plusargs = [] if stalls is None else [
                f"+seed={stalls.seed}", f"+skew={stalls.skew}",
                *(f"+{kind}={rate}" for kind, rate in zip("smv", stalls.rates))]
            _, rows = simulate(path, tool, *plusargs)
            right = run(network, stalls or Stalls())
            assert sorted(rows) == right, (directory, tool, stalls and stalls.seed)
            print(f"{directory}, {tool}: {len(rows)} handshakes, the last in cycle {rows[-1][0]}", flush=True)
            script = [] if stalls is None else [
                "--stall", f"random:{stalls.seed}:{','.join(map(str, stalls.rates))}:{stalls.skew or 1}"]
            call(GOSSAMER, "simulate", "plan.json", "--trace", "fast.csv", *script, cwd=path)
            with open(os.path.join(path, "fast.csv"), encoding="ascii") as file:
                file.readline()
                assert [tuple(map(int, line.split(","))) for line in file] == right, directory


ham = "hamiltonian"
torus = planned("torus_4x4", ham, "4x4", 1, 4, 2)
chunks = planned("torus_4x4_chunks", ham, "4x4", 2, 2, 4)
wrapped = planned("torus_4x4_wrap", ham, "4x4", 2, 2, 3, latency="x=1,y=1,wrap-x=3,wrap-y=3")
odd = planned("torus_3x3", ham, "3x3", 1, 4, 2)
mesh = planned("mesh_4x4", "array", "4x4", 1, 4, 2, kind="mesh")
zigzag = planned("zigzag_8x6", "zigzag", "8x6", 1, 1, 2, "--packets", "1")
cube = planned("torus_3x3x3", ham, "3x3x3", 1, 2, 2)
single = planned("stopped", ham, "4x4", 1, 1, 2)

for network, stalls, right in [
        (single, Stalls(), (8, 2048, 480)),
        (torus, Stalls(), (32, 29888, 1920)),
        (planned("a", ham, "4x4", 2, 2, 3), Stalls(), (33, 31808, 1920)),
        (planned("a", ham, "4x4", 4, 1, 5), Stalls(), (35, 35648, 1920)),
        (planned("a", ham, "4x4", 2, 2, 2), Stalls(), (None, 0, 0)),
        (planned("a", ham, "4x4", 1, 4, 2, latency="2"), Stalls(), (61, 56896, 1920)),
        (planned("a", ham, "4x4", 2, 2, 2, latency="2"), Stalls(), (33, 31808, 1920)),
        (wrapped, Stalls(), (34, 32288, 1920)),
        (odd, Stalls(), (16, 4896, 576)),
        (cube, Stalls(), (26, 56862, 4212)),
        (mesh, Stalls(), (32, 14944, 960)),
        (zigzag, Stalls(), (14, 20160, 2688)),
        (torus, Stalls(1, EVEN), (89, 76965, 1920)),
        (torus, Stalls(2, EVEN), (86, 75757, 1920)),
        (torus, Stalls(3, EVEN), (94, 77459, 1920)),
        (chunks, Stalls(1, (128, 160, 200), 20), (106, 103844, 1920)),
        (chunks, Stalls(2, (128, 160, 200), 20), (103, 102446, 1920)),
        (odd, Stalls(1, EVEN), (46, 12167, 576)),
        (cube, Stalls(1, EVEN), (78, 145527, 4212)),
        (mesh, Stalls(1, EVEN), (79, 35798, 960)),
        (planned("a", ham, "4x5", 2, 2, 2, latency="2"), Stalls(1, EVEN), (92, 130758, 3040))]:
    assert figures(run(network, stalls)) == right, (network.shape, figures(run(network, stalls)), right)
print("the recursion gives its known numbers", flush=True)

compare("torus_4x4", torus, Stalls(1, EVEN), tools=("icarus", "lint", "yosys"))
compare("torus_4x4_chunks", chunks, Stalls(1, (128, 160, 200), 20), changes=("Mark=1", "Parity=1"), name="noc")
compare("torus_4x4_wrap", wrapped, Stalls(5, (200, 256, 128), 7))
compare("torus_3x3", odd, Stalls(1, EVEN), tools=("verilator",))
compare("mesh_4x4", mesh, Stalls(1, EVEN), tools=("icarus", "lint"))
compare("zigzag_8x6", zigzag, Stalls(1, EVEN), tools=("icarus", "lint"))
compare("torus_3x3x3", cube, Stalls(1, EVEN))

# An element that never offers nor accepts, and one that stops later: the others stop, and the flag of that
# tile alone says whose fault it is.
path = emitted("stopped", "Stall=6")
words, _ = simulate(path, "icarus", "+stop=0")
assert words["flits"] == "228" and words["cycles"] == "8", words
assert int(words["stall_here"], 16) == 1 << 0 and int(words["stall"], 16) != 0, words
path = emitted("torus_3x3", "Stall=6")
words, _ = simulate(path, "icarus", "+stop=4", "+after=7")
assert int(words["flits"]) < 576 and int(words["stall_here"], 16) == 1 << 4, words
print("who stops is named")
