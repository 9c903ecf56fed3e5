#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_elastic.py GOSSAMER WORK_DIRECTORY CASE: an emitted elastic network in Icarus or Verilator agrees in every
cycle with the recursion (elastic_reference.py), with and without stalls, and so does the fast engine; or (numbers) the
recursion gives its known numbers; or (stopped) an element that stops forever is named."""
import json
import os
import re
import subprocess
import sys

from elastic_reference import Network, Stalls, run

GOSSAMER, WORK, CASE = sys.argv[1:]
EVEN = (192, 192, 192)
os.makedirs(WORK, exist_ok=True)


def call(*command, cwd=WORK):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def planned(directory, algorithm, dims, chunk, rounds, slots, *options, kind="torus", latency="1",
            collective="gossip"):
    """Plans into the directory; returns the network."""
    os.makedirs(os.path.join(WORK, directory), exist_ok=True)
    plan = os.path.join(WORK, directory, "plan.json")
    chunks = ["--chunk", str(chunk)] if collective == "gossip" else []
    call(GOSSAMER, "plan", collective, "--algorithm", algorithm, "--topology", kind, "--dims", dims, "--elastic",
         "--flits", str(chunk * rounds), *chunks, "--slots", str(slots), "--link-latency", latency, *options, "-o", plan)
    with open(plan, encoding="utf-8") as file:
        return Network(json.load(file))


def figures(rows):
    return max((row[0] for row in rows), default=None), sum(row[0] for row in rows), len(rows)


def emitted(directory, *changes, name=""):
    """Emits the directory's plan; `changes` are constants of the package, NAME=VALUE."""
    path = os.path.join(WORK, directory)
    call(GOSSAMER, "emit", "plan.json", "--format", "sv", *(["--name", name] if name else []), "-o", ".", cwd=path)
    package = os.path.join(path, f"{name or 'gsm'}_plan_pkg.sv")
    with open(package, encoding="ascii") as file:
        text = file.read()
    for change in changes:
        constant, value = change.split("=")
        before = [line for line in text.splitlines() if line.startswith(f"  localparam int {constant} = ")]
        assert len(before) == 1, (constant, before)
        text = text.replace(before[0], f"  localparam int {constant} = {value};")
    with open(package, "w", encoding="ascii") as file:
        file.write(text)
    if changes:
        # The testbench must not compare the constants with the emitted ones.
        changed.add(path)
    return path


changed = set()


def simulate(path, tool, *plusargs):
    """The figures of PASS, and the rows of the first run."""
    text = call("make", "-s", tool, "OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0", "VM_PARALLEL_BUILDS=0",
                f"PLUSARGS=+trace=trace.csv {'+unchecked=1 ' * (path in changed)}{' '.join(plusargs)}", cwd=path)
    passed = [line for line in text.splitlines() if line.startswith("PASS ")]
    assert len(passed) == 1, text
    with open(os.path.join(path, "trace.csv"), encoding="ascii") as file:
        assert file.readline() == "cycle,from,port,packet,flit\n"
        rows = [tuple(map(int, line.split(","))) for line in file]
    return dict(word.split("=") for word in passed[0].split() if "=" in word), rows


def traced(directory, stalls, engine="fast"):
    """The rows of an engine's trace of the directory's plan."""
    path = os.path.join(WORK, directory)
    script = f"random:{stalls.seed}:{','.join(map(str, stalls.rates))}:{stalls.skew or 1}"
    call(GOSSAMER, "simulate", "plan.json", "--engine", engine, "--trace", "trace.csv", "--stall", script, cwd=path)
    with open(os.path.join(path, "trace.csv"), encoding="ascii") as file:
        file.readline()
        return [tuple(map(int, line.split(","))) for line in file]


def five_messages(directory, tool):
    """Runs the testbench without plusargs, which compares with the fast engine."""
    simulate(os.path.join(WORK, directory), tool)


def compare(directory, network, *scripts, tools=("icarus",), changes=(), name="", cosim=False):
    path = emitted(directory, *changes, name=name)
    if cosim:
        call(GOSSAMER, "cosim", "plan.json", cwd=path)
    for tool in tools:
        if tool in ("lint", "yosys"):
            call("make", "-s", tool, cwd=path)
            continue
        for stalls in (Stalls(), *scripts):
            plusargs = [f"+seed={stalls.seed}", f"+skew={stalls.skew}",
                        *(f"+{kind}={rate}" for kind, rate in zip("smv", stalls.rates))]
            _, rows = simulate(path, tool, *plusargs)
            right = run(network, stalls)
            assert sorted(rows) == right, (directory, tool, stalls.seed)
            print(f"{directory}, {tool}: {len(rows)} handshakes, the last in cycle {rows[-1][0]}", flush=True)
            assert traced(directory, stalls) == right, directory


HAMILTONIAN = "hamiltonian"
# For the tile that copies, and for both that add: other networks of these tiles show tools nothing new.
ALL_TOOLS = ("icarus", "verilator", "lint", "yosys")


def torus_4x4():
    compare("torus", planned("torus", HAMILTONIAN, "4x4", 1, 4, 2), Stalls(1, EVEN), tools=ALL_TOOLS)
    five_messages("torus", "icarus")


def torus_3x5():
    compare("odd", planned("odd", HAMILTONIAN, "3x5", 3, 2, 4, latency="2"), Stalls(1, EVEN))
    five_messages("odd", "icarus")


def numbers():
    def even(*shape, **options):
        return planned("plan", HAMILTONIAN, "4x4", *shape, **options)

    torus, chunks = even(1, 4, 2), even(2, 2, 4)
    odd = planned("plan", HAMILTONIAN, "3x3", 1, 4, 2)
    cube = planned("plan", HAMILTONIAN, "3x3x3", 1, 2, 2)
    mesh = planned("plan", "array", "4x4", 1, 4, 2, kind="mesh")
    wraps = "x=1,y=1,wrap-x=3,wrap-y=3"
    for network, stalls, right in [
            (even(1, 1, 2), Stalls(), (8, 2048, 480)),
            (torus, Stalls(), (32, 29888, 1920)),
            (even(2, 2, 3), Stalls(), (33, 31808, 1920)),
            (even(4, 1, 5), Stalls(), (35, 35648, 1920)),
            (even(2, 2, 2), Stalls(), (None, 0, 0)),
            (even(1, 4, 2, latency="2"), Stalls(), (61, 56896, 1920)),
            (even(2, 2, 2, latency="2"), Stalls(), (33, 31808, 1920)),
            (even(1, 1, 2, latency=wraps), Stalls(), (12, 3072, 480)),
            (even(1, 4, 2, latency=wraps), Stalls(), (48, 43392, 1920)),
            (even(2, 2, 3, latency=wraps), Stalls(), (34, 32288, 1920)),
            (odd, Stalls(), (16, 4896, 576)),
            (cube, Stalls(), (26, 56862, 4212)),
            (mesh, Stalls(), (32, 14944, 960)),
            (planned("plan", "zigzag", "8x6", 1, 1, 2, "--packets", "1"), Stalls(), (14, 20160, 2688)),
            (torus, Stalls(1, EVEN), (89, 76965, 1920)),
            (torus, Stalls(2, EVEN), (86, 75757, 1920)),
            (torus, Stalls(3, EVEN), (94, 77459, 1920)),
            (chunks, Stalls(1, (128, 160, 200), 20), (106, 103844, 1920)),
            (chunks, Stalls(2, (128, 160, 200), 20), (103, 102446, 1920)),
            (odd, Stalls(1, EVEN), (46, 12167, 576)),
            (cube, Stalls(1, EVEN), (78, 145527, 4212)),
            (mesh, Stalls(1, EVEN), (79, 35798, 960)),
            (planned("plan", HAMILTONIAN, "4x5", 2, 2, 2, latency="2"), Stalls(1, EVEN), (92, 130758, 3040))]:
        assert figures(run(network, stalls)) == right, (network.shape, figures(run(network, stalls)), right)
    # Queues of one slot, which no RTL supports; engines agree with the recursion.
    single = planned("single", HAMILTONIAN, "4x4", 1, 4, 1, latency="2")
    for stalls in (Stalls(), Stalls(3, EVEN, 7)):
        for engine in ("fast", "rtl"):
            assert traced("single", stalls, engine) == run(single, stalls), (engine, stalls.seed)


def crossings():
    """Every register that the constraints of the crossings name exists, in every link."""
    planned("crossings", HAMILTONIAN, "3x3", 1, 1, 2)
    path = emitted("crossings")
    with open(os.path.join(path, "gsm_fabric.sdc"), encoding="ascii") as file:
        text = file.read()
    assert "{$n < 9}" in text and text.count("*u_crossing*") == 6, text
    names = re.search(r"foreach {from to} {(.*)}", text).group(1).split() + ["data_q"]
    assert len(set(names)) == 5, names
    with open(os.path.join(path, "gsm_fabric.f"), encoding="ascii") as file:
        sources = " ".join(line for line in file.read().split() if line.endswith(".sv"))
    open(os.path.join(path, "counts.txt"), "w", encoding="ascii").close()
    counts = "; ".join(f"tee -a counts.txt select -count w:*u_crossing.{name}* m:*u_crossing.{name}*" for name in names)
    call("yosys", "-q", "-p", f"read_verilog -sv -I. {sources}; chparam -set Crossings 1 gsm_fabric; hierarchy -check "
         f"-top gsm_fabric; proc; flatten; {counts}", cwd=path)
    with open(os.path.join(path, "counts.txt"), encoding="ascii") as file:
        found = [int(line.split()[0]) for line in file if line.strip()]
    assert len(found) == len(names) and min(found) >= 36, found
    call("make", "-s", "yosys", cwd=path)


def stopped():
    """An element that never offers nor accepts, and ones that stop later, for copies and for sums: the others stop,
    only the flag of that tile is raised, and after it continues every flit arrives (the testbench compares them)."""
    # Only this element stalls, for six cycles until its flag rises.
    patience = ("+patience=200",)
    planned("never", HAMILTONIAN, "4x4", 1, 1, 2)
    words, _ = simulate(emitted("never", "Stall=6"), "icarus", *patience, "+stop=0")
    assert words["flits"] == "228" and words["cycles"] == "8", words
    assert int(words["stall_here"], 16) == 1 << 0 and int(words["stall"], 16) != 0, words
    planned("later", HAMILTONIAN, "3x3", 1, 4, 2)
    words, _ = simulate(emitted("later", "Stall=6"), "icarus", *patience, "+stop=4", "+after=7")
    assert int(words["flits"]) < 576 and int(words["stall_here"], 16) == 1 << 4, words
    reduce = os.path.join("sums", "plan.json")
    os.makedirs(os.path.join(WORK, "sums"), exist_ok=True)
    call(GOSSAMER, "plan", "all-reduce", "--dims", "3x4", "--elastic", "--flits", "4", "--chunk", "2", "-o", reduce)
    path = emitted("sums", "Stall=6")
    for node, after in ((7, 14), (11, 30)):
        words, _ = simulate(path, "icarus", *patience, f"+stop={node}", f"+after={after}")
        assert int(words["stall_here"], 16) == 1 << node and int(words["stall"], 16) != 0, (node, after, words)


def sums(directory, collective, dims, tools, *options, changes=()):
    """Emitted reductions: five messages whose sums are compared, and under a stall script every delivery in the
    cycle in which the fast engine's trace has it."""
    os.makedirs(os.path.join(WORK, directory), exist_ok=True)
    call(GOSSAMER, "plan", collective, "--dims", dims, "--elastic", *options, "-o", os.path.join(directory, "plan.json"))
    path = emitted(directory, *changes)
    for tool in tools:
        if tool in ("lint", "yosys"):
            call("make", "-s", tool, cwd=path)
            continue
        simulate(path, tool)
        stalls = Stalls(3, (200, 180, 220), 9)
        words, rows = simulate(path, tool, "+seed=3", "+s=200", "+m=180", "+v=220", "+skew=9")
        right = traced(directory, stalls)
        assert len(rows) == int(words["flits"]) and set(rows) <= set(right), directory
        assert max(rows)[0] == right[-1][0], directory
        print(f"{directory}, {tool}: {len(rows)} deliveries, the last in cycle {right[-1][0]}", flush=True)


CASES = {
    "numbers": numbers,
    "stopped": stopped,
    "crossings": crossings,
    "torus_4x4": torus_4x4,
    "torus_3x5": torus_3x5,
    "chunks_4x4": lambda: compare("chunks", planned("chunks", HAMILTONIAN, "4x4", 2, 2, 4),
                                  Stalls(1, (128, 160, 200), 20), changes=("Mark=1", "Parity=1", "LinkExtra=3"), name="noc"),
    "wrap_4x4": lambda: compare("wrap", planned("wrap", HAMILTONIAN, "4x4", 2, 2, 3,
                                                latency="x=1,y=1,wrap-x=3,wrap-y=3"), Stalls(5, (200, 256, 128), 7)),
    "mesh_4x4": lambda: compare("mesh", planned("mesh", "array", "4x4", 1, 4, 2, kind="mesh"), Stalls(1, EVEN)),
    "zigzag_8x6": lambda: compare("zigzag", planned("zigzag", "zigzag", "8x6", 1, 1, 2, "--packets", "1"),
                                  Stalls(1, EVEN)),
    "broadcast_4x3": lambda: compare("trees", planned("trees", "disjoint-trees", "4x3", 1, 6, 2, "--source", "1,2",
                                                      latency="x=1,y=3", collective="broadcast"),
                                     Stalls(1, EVEN), tools=ALL_TOOLS, changes=("Parity=1", "LinkExtra=1"), cosim=True),
    "sums_3x4": lambda: sums("sums", "all-reduce", "3x4", ALL_TOOLS, "--flits", "4", "--chunk", "2",
                             "--operation", "signed-saturating-sum", "--link-bits", "24", "--word-bits", "12",
                             changes=("Mark=1", "Parity=1", "LinkExtra=3")),
    "scatter_3x3": lambda: sums("scatter", "reduce-scatter", "3x3", ALL_TOOLS, "--flits", "3", "--packets", "1",
                                "--link-latency", "x=1,y=2,wrap-x=3"),
    "floats_3x3": lambda: sums("floats", "all-reduce", "3x3", ("icarus",), "--flits", "2", "--packets", "1",
                               "--type", "float64", changes=("Parity=1", "LinkExtra=1")),
    # Around a dead link and a dead node: sends towards them are not handshakes of the recursion.
    "faults_5x4": lambda: compare("faults", planned("faults", "whole-cycles", "5x4", 2, 2, 4, "--dead-link", "2,3:x+",
                                                    "--dead-node", "0,2", latency="x=1,y=3"), Stalls(2, EVEN),
                                  cosim=True),
    "torus_3x3x3": lambda: compare("cube", planned("cube", HAMILTONIAN, "3x3x3", 1, 2, 2), Stalls(1, EVEN)),
}
CASES[CASE]()
print(f"{CASE}: right")
