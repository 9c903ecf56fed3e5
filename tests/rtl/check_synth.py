#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_synth.py GOSSAMER WORK_DIRECTORY: gossamer synth on an all-gather and a reduction of rings and a broadcast along
a line, with flits of 4 and 9 bits (rtl_area has the cells of their routers at 32 bits, and the README runs synth on
a 16x16 torus at 32). The all-gather's router has exactly the flip-flops of its out registers and its error flag;
the network is at most the sum of its parts; table and JSON agree; errors are one line."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

gossamer, work = sys.argv[1:3]
os.makedirs(work, exist_ok=True)
os.chdir(work)


def run(*arguments):
    return subprocess.run([gossamer, *arguments], capture_output=True, text=True)


assert run("plan", "gossip", "--dims", "3", "-o", "plan.json").returncode == 0
result = run("synth", "plan.json", "--width", "4", "--report", "synth.json")
print(result.stdout + result.stderr)
assert result.returncode == 0
with open("synth.json", encoding="utf-8") as file:
    document = json.load(file)
assert document["dims"] == [3] and document["width"] == 4
assert sum(entry["nodes"] for entry in document["classes"]) == 3
for entry in document["classes"]:
    assert entry["forwarding"]["cells"] <= entry["router"]["cells"] <= 40
    assert entry["router"]["flip_flops"] == 2 * 5 + 1
    assert entry["router"]["cells"] <= entry["with_interface"]["cells"]
    assert entry["router"]["lut4"] > 0 and entry["fmax_mhz"] > 50
    for name in ("forwarding", "router", "with_interface"):
        assert f" {entry[name]['cells']} " in result.stdout
network = document["network"]
# One packet per node in a shift register, and at most one register for three bits of the parity.
frame = 3 * 4 + 3 * 2 * 5 // 3 + 10
assert 3 * 2 * 5 < network["flip_flops"] <= 3 * document["classes"][0]["with_interface"]["flip_flops"] + frame
assert network["fmax_mhz"] > 50

# A reduction in both directions around an even number of nodes: adders and crossing logic, and no state in the
# router except the out registers.
assert run("plan", "reduce-scatter", "--dims", "4", "-o", "reduction.json").returncode == 0
result = run("synth", "reduction.json", "--width", "4", "--report", "reduction-synth.json")
print(result.stdout + result.stderr)
assert result.returncode == 0
with open("reduction-synth.json", encoding="utf-8") as file:
    document = json.load(file)
assert sum(entry["nodes"] for entry in document["classes"]) == 4
for entry in document["classes"]:
    assert 2 * entry["forwarding"]["cells"] < entry["router"]["cells"] <= 100
    assert entry["router"]["flip_flops"] == entry["forwarding"]["flip_flops"] == 2 * 5
    # The interface's counters, of any width.
    assert 0 < entry["with_interface"]["cells"] - entry["router"]["cells"] < 200
    assert entry["fmax_mhz"] > 20

# A broadcast of 3 flits along a line: the source has them as inputs, the next node stores them, the last receives.
assert run("plan", "broadcast", "--topology", "mesh", "--dims", "3", "--flits", "3", "-o",
           "broadcast.json").returncode == 0
result = run("synth", "broadcast.json", "--width", "9", "--report", "broadcast-synth.json")
print(result.stdout + result.stderr)
assert result.returncode == 0
with open("broadcast-synth.json", encoding="utf-8") as file:
    document = json.load(file)
assert [entry["nodes"] for entry in document["classes"]] == [1, 1, 1]
memories = sorted(entry["with_interface"]["flip_flops"] - entry["router"]["flip_flops"]
                  for entry in document["classes"])
# A tile counts its cycles and stores its error in about ten more bits.
assert 0 < memories[0] and memories[1] <= 10, memories
assert 3 * 9 < memories[2] <= 3 * 9 + 12, memories
for entry in document["classes"]:
    # Two registers of valid, head and data.
    assert 2 * 11 < entry["router"]["flip_flops"] and entry["router"]["cells"] <= 350
    assert entry["forwarding"] is None and entry["fmax_mhz"] > 50
assert document["network"]["fmax_mhz"] > 50

# A wide tile is measured in generic cells and not placed: the whole command takes seconds, where placing took minutes.
started = os.times()
result = run("synth", "plan.json", "--width", "256", "--report", "wide.json")
assert result.returncode == 0 and "not done" not in result.stderr
spent = os.times()
assert spent.children_user - started.children_user < 60
with open("wide.json", encoding="utf-8") as file:
    document = json.load(file)
for entry in document["classes"]:
    assert entry["router"]["flip_flops"] == 2 * 257 + 1 and entry["fmax_mhz"] is None

for arguments, status in ((("broadcast.json", "--width", "2"), 2), (("plan.json", "--width", "0"), 2),
                          (("missing.json",), 2)):
    refused = run("synth", *arguments)
    assert refused.returncode == status and refused.stderr.count("\n") == 1, refused
    assert refused.stdout == ""

# After a kill no tool keeps running in its directory.
def at_work(directory):
    """Names of the processes whose working directory is below."""
    names = set()
    for link in glob.glob("/proc/[0-9]*/cwd"):
        try:
            if os.path.realpath(link).startswith(directory + "/"):
                with open(os.path.dirname(link) + "/comm", encoding="ascii") as comm:
                    names.add(comm.read().strip())
        except OSError:
            pass
    return names


def wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(at_work(directory))


assert run("plan", "gossip", "--dims", "4x4", "-o", "larger.json").returncode == 0
with tempfile.TemporaryDirectory() as directory:
    directory = os.path.realpath(directory)
    process = subprocess.Popen([gossamer, "synth", "larger.json"], stdout=subprocess.DEVNULL,
                               env={**os.environ, "TMPDIR": directory})
    wait_for(lambda: "yosys" in at_work(directory))
    process.kill()
    process.wait()
    wait_for(lambda: not at_work(directory))
