#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_elastic.py GOSSAMER SOURCE_DIRECTORY WORK_DIRECTORY: elastic networks in Icarus and Verilator do in
every cycle what the recursion says (elastic_reference.py), with and without stalls; the recursion gives
its known numbers; an element that stops for ever is named."""
import json
import os
import subprocess
import sys

import elastic_network
from elastic_reference import Network, Stalls, run

GOSSAMER, SOURCE, WORK = sys.argv[1:]
EVEN = (192, 192, 192)


def planned(algorithm, kind, dims, packets):
    text = subprocess.run([GOSSAMER, "plan", "gossip", "--algorithm", algorithm, "--topology", kind, "--dims",
                           dims, "--packets", str(packets), "-o", "-"], check=True, capture_output=True, text=True)
    return Network(json.loads(text.stdout))


class Case:
    """A network with chunk, rounds, slots and latencies."""

    def __init__(self, network, chunk, rounds, slots, latency=1, wrap=None):
        self.network, self.shape = network, (chunk, rounds, slots)
        self.carries = network.ring_carries()
        self.latency = {link: wrap if wrap and network.wraps(*link) else latency for link in self.carries}

    def rows(self, stalls=Stalls()):
        return run(self.network, self.carries, *self.shape, self.latency, stalls)

    def figures(self, stalls=Stalls()):
        rows = self.rows(stalls)
        return max((row[0] for row in rows), default=None), sum(row[0] for row in rows), len(rows)


def call(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name, case, tool="icarus", tile=""):
    """Writes and compiles the network; returns the directory and the command that simulates it."""
    directory = os.path.join(WORK, name)
    os.makedirs(directory, exist_ok=True)
    rows = case.rows()
    order = {}
    for _, node, port, packet, flit in rows:
        order.setdefault((node, port), []).append((packet, flit))
    tiles, _ = elastic_network.write(directory, case.network, case.carries, order, *case.shape, case.latency,
                                     rows[-1][0], tile)
    rtl = os.path.join(SOURCE, "rtl")
    sources = ["gsm_pkg.sv", *(f"{rtl}/gsm_elastic_{part}.sv" for part in ("queue", "link", "router", "tile")),
               *tiles, "gsm_network.sv", f"{SOURCE}/tb/sv/gsm_network_tb.sv"]
    if tool == "icarus":
        call("iverilog", "-g2012", "-I", rtl, "-s", "gsm_network_tb", "-o", "simulation.vvp", *sources, cwd=directory)
        return directory, ["vvp", "-n", "simulation.vvp"]
    call("verilator", "--binary", "-j", "2", "--assert", "-Wno-WIDTH", "-Wno-fatal", f"-I{rtl}", *sources, "--top-module",
         "gsm_network_tb", "-o", "simulation", cwd=directory)
    return directory, ["obj_dir/simulation"]


def simulate(directory, command, *plusargs):
    """What PASS says, and the rows of the first run."""
    text = call(*command, "+trace=trace.csv", *plusargs, cwd=directory)
    passed = [line for line in text.splitlines() if line.startswith("PASS ")]
    assert len(passed) == 1, text
    with open(os.path.join(directory, "trace.csv"), encoding="ascii") as file:
        assert file.readline() == "cycle,from,port,packet,flit\n"
        rows = [tuple(map(int, line.split(","))) for line in file]
    return dict(word.split("=") for word in passed[0].split() if "=" in word), rows


def compare(name, case, *scripts, tool="icarus", tile=""):
    directory, command = build(name, case, tool, tile)
    for stalls in (None, *scripts):
        plusargs = [] if stalls is None else [
            f"+seed={stalls.seed}", f"+skew={stalls.skew}",
            *(f"+{kind}={rate}" for kind, rate in zip("smv", stalls.rates))]
        _, rows = simulate(directory, command, *plusargs)
        assert sorted(rows) == case.rows(stalls or Stalls()), (name, stalls and stalls.seed)
        print(f"{name}: {len(rows)} handshakes, the last in cycle {max(row[0] for row in rows)}")


torus = planned("hamiltonian", "torus", "4x4", 2)
odd = planned("hamiltonian", "torus", "3x3", 2)
mesh = planned("array", "mesh", "4x4", 1)
oblong = planned("hamiltonian", "torus", "4x5", 2)

for case, stalls, figures in [
        (Case(torus, 1, 1, 2), Stalls(), (8, 2048, 480)),
        (Case(torus, 1, 4, 2), Stalls(), (32, 29888, 1920)),
        (Case(torus, 2, 2, 3), Stalls(), (33, 31808, 1920)),
        (Case(torus, 4, 1, 5), Stalls(), (35, 35648, 1920)),
        (Case(torus, 2, 2, 2), Stalls(), (None, 0, 0)),
        (Case(torus, 1, 4, 2, 2), Stalls(), (61, 56896, 1920)),
        (Case(torus, 2, 2, 2, 2), Stalls(), (33, 31808, 1920)),
        (Case(torus, 1, 1, 2, 1, 3), Stalls(), (12, 3072, 480)),
        (Case(torus, 1, 4, 2, 1, 3), Stalls(), (48, 43392, 1920)),
        (Case(torus, 2, 2, 3, 1, 3), Stalls(), (34, 32288, 1920)),
        (Case(odd, 1, 4, 2), Stalls(), (16, 4896, 576)),
        (Case(mesh, 1, 4, 2), Stalls(), (32, 14944, 960)),
        (Case(torus, 1, 4, 2), Stalls(1, EVEN), (89, 76965, 1920)),
        (Case(torus, 1, 4, 2), Stalls(2, EVEN), (86, 75757, 1920)),
        (Case(torus, 1, 4, 2), Stalls(3, EVEN), (94, 77459, 1920)),
        (Case(torus, 2, 2, 4), Stalls(1, (128, 160, 200), 20), (106, 103844, 1920)),
        (Case(torus, 2, 2, 4), Stalls(2, (128, 160, 200), 20), (103, 102446, 1920)),
        (Case(odd, 1, 4, 2), Stalls(1, EVEN), (46, 12167, 576)),
        (Case(mesh, 1, 4, 2), Stalls(1, EVEN), (79, 35798, 960)),
        (Case(oblong, 2, 2, 2, 2), Stalls(1, EVEN), (92, 130758, 3040))]:
    assert case.figures(stalls) == figures, (case.shape, case.figures(stalls), figures)

compare("torus_4x4", Case(torus, 1, 4, 2), Stalls(1, EVEN), Stalls(2, EVEN))
compare("torus_4x4_chunks", Case(torus, 2, 2, 4), Stalls(1, (128, 160, 200), 20), tile=".Mark(1'b1), .Parity(1'b1)")
compare("torus_4x4_wrap", Case(torus, 2, 2, 3, 1, 3), Stalls(5, (200, 256, 128), 7))
compare("torus_3x3", Case(odd, 1, 4, 2), Stalls(1, EVEN))
compare("mesh_4x4", Case(mesh, 1, 4, 2), Stalls(1, EVEN))
compare("torus_3x3_verilator", Case(odd, 3, 2, 4), Stalls(1, EVEN), tool="verilator")

# An element that never offers nor accepts, and one that stops later: the others stop, and the flag of that
# tile alone says whose fault it is.
directory, command = build("stopped", Case(torus, 1, 1, 2), tile=".Stall(6)")
words, _ = simulate(directory, command, "+stop=0")
assert words["flits"] == "228" and words["cycles"] == "8", words
assert int(words["stall_here"], 16) == 1 << 0 and int(words["stall"], 16) != 0, words
directory, command = build("stopped_later", Case(odd, 1, 4, 2), tile=".Stall(6)")
words, _ = simulate(directory, command, "+stop=4", "+after=7")
assert int(words["flits"]) < 576 and int(words["stall_here"], 16) == 1 << 4, words
print("who stops is named")
