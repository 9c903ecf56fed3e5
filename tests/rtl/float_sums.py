# SPDX-License-Identifier: Apache-2.0
"""float_sums.py PROGRAM DIRECTORY [FACTOR]: sums of floats on RTL and SystemC in lock step, every bit of every word
compared with the other side and with the summation tree, for all algorithms whose nodes share their trees. Vectors
are FACTOR times as long as in the test; 64 makes more than a million words."""

import json
import os
import re
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
FACTOR = int(sys.argv[3]) if len(sys.argv) > 3 else 1
os.makedirs(sys.argv[2], exist_ok=True)
os.chdir(sys.argv[2])

# Numbers in braces grow with FACTOR.
PLANS = (
    "all-reduce --dims 4x4 --algorithm hamiltonian --words {70}",
    "all-reduce --dims 3x5 --algorithm hamiltonian --packets {3}",
    "reduce-scatter --dims 4x4 --algorithm hamiltonian --packets {3}",
    "all-reduce --dims 3x3 --algorithm rings --words {20}",
    "all-reduce --topology mesh --dims 4x4 --algorithm array --packets {2}",
    "all-reduce --topology mesh --dims 3x3 --algorithm folded --packets {2}",
    "all-reduce --topology mesh --dims 4x5 --algorithm lines --words {6}",
    "all-reduce --topology mesh --dims 4x5 --algorithm tree --words {6}",
    "all-reduce --topology mesh --dims 4x5 --algorithm three-trees --words {9}",
    "all-reduce --dims 3x3 --algorithm packing --frame 1 --words {7}",
    "all-reduce --dims 4x4 --algorithm scheduled --packets 1",
    "all-reduce --dims 4x4 --algorithm eye --flits {2}",
    "all-reduce --dims 4x4 --algorithm eye-exchange --flits {3}",
    "all-reduce --dims 4x4 --algorithm partners --flits {1}",
    "all-reduce --dims 3x5 --algorithm min-tcd --flits {1}",
    "reduce --dims 4x4 --algorithm line-sum --source 1,2",
    "reduce --dims 4x4 --algorithm disjoint-trees --words {9}",
    "all-reduce --dims 4x4 --elastic --algorithm hamiltonian --packets 2 --flits {1}",
    "all-reduce --dims 3x3 --elastic --algorithm hamiltonian --packets 1 --flits {4}",
    "all-reduce --dims 5x5 --algorithm degraded --dead-link 1,1:x+ --packets {2}",
    "all-reduce --dims 4x4 --algorithm hamiltonian --packets {2} --flits 1 --adder-cycles 1",
    "all-reduce --dims 4x4 --algorithm hamiltonian --packets {2} --flits 3 --adder-cycles 2",
    "all-reduce --dims 3x3 --algorithm hamiltonian --packets {3} --flits 7 --adder-cycles 3",
    "reduce-scatter --dims 3x5 --algorithm hamiltonian --packets {1} --flits 2 --adder-cycles 3",
    "all-reduce --dims 3x3 --algorithm rings --words {50} --flits 5 --adder-cycles 2",
    "all-reduce --dims 4x4 --algorithm eye --flits {2} --adder-cycles 1",
    "all-reduce --dims 4x4 --algorithm partners --flits {1} --adder-cycles 3",
)
TYPES = ("float32", "float16 --accumulate float32", "bfloat16")


def must(words):
    done = subprocess.run([PROGRAM, *words.split()], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


# Contributions of nodes. Short vectors have several runs (sim/value_judge.cpp).
summed = 0
for plan in PLANS:
    plan = re.sub(r"\{(\d+)\}", lambda number: str(int(number[1]) * FACTOR), plan)
    for kind in TYPES:
        must(f"plan {plan} --type {kind} -o p.json")
        report = json.loads(must("cosim p.json --report -"))
        assert report["complete"], plan
        pieces = report["packets"]
        flits = int(re.search(r"--flits (\d+)|$", plan)[1] or 1)
        summed += report["nodes"] * pieces * flits * max(1, min(16, 64 // pieces))
assert summed > 10_000 * FACTOR, summed

# The larger or the smaller word has no order. A machine each, with specials of the type.
for plan in (
    "all-reduce --dims 4x4 --algorithm hamiltonian --packets 3 --type bfloat16 --operation max",
    "all-reduce --dims 4x4 --algorithm hamiltonian --flits 3 --adder-cycles 2 --type float64 --operation min",
    "all-reduce --topology mesh --dims 4x4 --algorithm tree --words 9 --type float16 --operation min",
    "all-reduce --dims 4x4 --algorithm leaders --flits 5 --type float32 --operation max",
    "all-reduce --dims 4x4 --elastic --algorithm hamiltonian --type bfloat16 --accumulate float32 --operation min",
):
    must(f"plan {plan} -o p.json")
    must("cosim p.json")

must("plan all-reduce --dims 4x4 --type float64 -o p.json")
for engine in ("fast", "systemc", "rtl"):
    must(f"simulate p.json --engine {engine} --trace {engine}.csv")
assert open("fast.csv", "rb").read() == open("rtl.csv", "rb").read() == open("systemc.csv", "rb").read()

print(f"{summed} words")
