#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_liberty.py GOSSAMER LIBRARIES WORK_DIRECTORY: gossamer synth with cell libraries: areas are sums over cells of the
libraries, computed here a second time; the clock is that of path and flip-flop; two files, packed or not, map as
one; a tile of every machine maps; libraries that cannot map a tile are one line."""
import gzip
import json
import os
import re
import subprocess
import sys

gossamer, libraries, work = sys.argv[1:4]
os.makedirs(work, exist_ok=True)
os.chdir(work)


def run(*arguments, status=0):
    result = subprocess.run([gossamer, *arguments], capture_output=True, text=True)
    assert result.returncode == status, (arguments, result.returncode, result.stderr)
    if status:
        assert result.stderr.count("\n") == 1 and result.stdout == "", result
    return result


def text_of(name):
    with open(os.path.join(libraries, name), encoding="ascii") as file:
        return file.read()


GATES, FLOPS = text_of("gates.lib"), text_of("flops.lib")
AREAS = {name: float(area) for name, area in re.findall(r"cell \((\w+)\) \{\s*area : ([\d.]+);", GATES + FLOPS)}
assert len(AREAS) == 11
for name, text in (("gates.lib", GATES), ("flops.lib", FLOPS)):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)
with gzip.open("flops.lib.gz", "wt", encoding="ascii") as file:
    file.write(FLOPS)
# The flip-flops in nanoseconds: other units than the gates'.
with open("nano.lib", "w", encoding="ascii") as file:
    file.write(FLOPS.replace('"1ps"', '"1ns"'))
# The templates' names mean something else in this file.
with open("moved.lib", "w", encoding="ascii") as file:
    file.write(FLOPS.replace("5, 20, 80", "6, 21, 81"))


def write(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def without(text, *cells):
    for name in cells:
        text = re.sub(rf"  cell \({name}\) \{{.*?\n  \}}\n", "", text, flags=re.S)
    return text


def measured(plan, *arguments):
    return json.loads(run("synth", plan, *arguments, "--json").stdout)


PLANS = {
    "stream": ["all-gather", "--dims", "3"],
    "ring": ["reduce-scatter", "--dims", "3"],
    "elastic": ["all-gather", "--dims", "3", "--elastic"],
    "timetable": ["all-gather", "--dims", "3x3", "--algorithm", "scheduled"],
    "relay": ["broadcast", "--topology", "mesh", "--dims", "2"],
    "queued": ["prefix", "--topology", "mesh", "--dims", "2", "--active", "random:1:1"],
}
for name, arguments in PLANS.items():
    run("plan", *arguments, "-o", f"{name}.json")
BOTH = ("--liberty", "gates.lib", "flops.lib.gz")

stream = measured("stream.json", "--width", "4", *BOTH)
assert stream["library"] == {"files": ["gates.lib", "flops.lib.gz"], "cells": 11} and stream["network"] is None
assert sum(entry["nodes"] for entry in stream["classes"]) == 3
for entry in stream["classes"]:
    # Two output registers of valid and 4 bits, the error flag, and a small counter.
    assert 2 * 5 < entry["flip_flops"] <= 2 * 5 + 12
    assert entry["area_um2"] == entry["sequential_um2"] + entry["combinational_um2"]
    # Plain flip-flops of 6 um2 and ones with reset of 7.
    assert 6 * entry["flip_flops"] <= entry["sequential_um2"] <= 7 * entry["flip_flops"]
    gates = entry["cells"] - entry["flip_flops"]
    assert gates <= entry["combinational_um2"] <= 3.5 * gates
    assert entry["path"] and all(step["cell"] in AREAS for step in entry["path"])
    arrivals = [step["arrival_ps"] for step in entry["path"]]
    assert arrivals == sorted(arrivals) and abs(arrivals[-1] - entry["path_ps"]) < 0.1
    # DFFR with a load of 4 fF and the fastest edges: 20 + 1.5 * 4 + 0.2 * 5; setup 12.
    assert abs(entry["flip_flop_ps"] - (20 + 6 + 1 + 12)) < 1e-6, entry["flip_flop_ps"]
    assert abs(entry["clock_mhz"] * (entry["path_ps"] + entry["flip_flop_ps"]) - 1e6) < 1

# The same library split differently, and a file with template names that another file has too.
write("one.lib", GATES[:GATES.rindex("}")] + FLOPS[FLOPS.index("  cell ("):])
for files in (["one.lib"], ["flops.lib", "gates.lib"], ["gates.lib", "moved.lib"]):
    again = measured("stream.json", "--width", "4", "--liberty", *files)
    assert [entry["area_um2"] for entry in again["classes"]] == [entry["area_um2"] for entry in stream["classes"]]
    assert again["classes"][0]["path_ps"] == stream["classes"][0]["path_ps"], files

# The table is the JSON; a wider tile is larger; a network is at most its tiles and has their flip-flops.
table = run("synth", "stream.json", "--width", "4", *BOTH).stdout
for entry in stream["classes"]:
    assert re.search(rf"class {entry['class']}, {entry['nodes']} tiles +{entry['area_um2']:.1f} ", table), table
assert "longest path" in table
wide = measured("stream.json", "--width", "8", *BOTH)
assert wide["classes"][0]["flip_flops"] == stream["classes"][0]["flip_flops"] + 2 * 4
network = measured("stream.json", "--width", "4", *BOTH, "--top", "network")["network"]
assert 3 * 2 * 5 < network["flip_flops"] <= 3 * stream["classes"][0]["flip_flops"]

# A clock that is easy to reach costs no more area than the shortest path.
slow = measured("ring.json", "--width", "4", *BOTH, "--clock", "100MHz")
fast = measured("ring.json", "--width", "4", *BOTH)
assert slow["classes"][0]["area_um2"] <= fast["classes"][0]["area_um2"]
# The vector's memory, 3 words of 4 bits, is left out.
assert fast["classes"][0]["cells"] < 400

for name in ("elastic", "timetable", "relay", "queued"):
    width = "12" if name in ("relay", "queued") else "4"
    tile = measured(f"{name}.json", "--width", width, *BOTH)
    assert tile["classes"] and all(entry["clock_mhz"] > 100 for entry in tile["classes"]), name
# Without a library these have generic cells, as whole tiles.
for name in ("elastic", "timetable"):
    tile = measured(f"{name}.json", "--width", "4")
    assert all(entry["with_interface"]["flip_flops"] > 0 for entry in tile["classes"]) and tile["network"] is None

write("no_gate.lib", without(GATES, "NAND2", "NOR2", "AOI21", "OAI21"))
write("no_inverter.lib", without(GATES, "INV"))
write("no_reset.lib", without(FLOPS, "DFFR", "DFFS"))
write("broken.lib", GATES.replace("  cell (NAND2) {", "  cell (NAND2) { area : ;", 1))
write("short.lib", GATES[:2000])
write("other.txt", "module x;\n")
with open("flops.lib.gz", "rb") as file:
    packed = file.read()
with open("short.lib.gz", "wb") as file:
    file.write(packed[:200])
broken_line = GATES[:GATES.index("cell (NAND2)")].count("\n") + 1
for files, said in ((["gates.lib"], "no flip-flop"), (["no_gate.lib", "flops.lib"], "no two-input gate"),
                    (["no_inverter.lib", "flops.lib"], "no inverter"), (["missing.lib"], "missing.lib: No such file"),
                    (["broken.lib", "flops.lib"], f"broken.lib:{broken_line}: a value is expected"),
                    (["short.lib", "flops.lib"], "short.lib:"), (["other.txt"], "other.txt:1: "),
                    (["short.lib.gz"], "short.lib.gz: damaged gzip file"),
                    (["gates.lib", "gates.lib"], "cell INV is in two files"),
                    (["gates.lib", "nano.lib"], "nano.lib: time_unit is 1ns, but 1ps in gates.lib"),
                    (["gates.lib", "no_reset.lib"], "yosys: ")):
    refused = run("synth", "stream.json", "--liberty", *files, status=2)
    assert said in refused.stderr, (files, refused.stderr)
run("synth", "stream.json", "--clock", "1GHz", status=2)
# Too large a network is refused at once, and so is a tile that takes longer than it may.
run("plan", "all-gather", "--dims", "16x16", "-o", "large.json")
refused = run("synth", "large.json", "--width", "64", "--top", "network", *BOTH, status=3)
assert "nearest feasible: --top tile" in refused.stderr
run("plan", "all-to-all", "--dims", "8x8", "-o", "slow.json")
refused = run("synth", "slow.json", "--width", "256", *BOTH, "--timeout", "1", status=3)
assert "not done after 1 s" in refused.stderr and "--top" not in refused.stderr
