# SPDX-License-Identifier: Apache-2.0
"""lanes.py PROGRAM DIRECTORY: reductions on links with several words, on SystemC and RTL in lock step: every bit of
every lane is compared with the other side and with the sum."""

import json
import os
import subprocess
import sys

PROGRAM = os.path.abspath(sys.argv[1])
os.makedirs(sys.argv[2], exist_ok=True)
os.chdir(sys.argv[2])

PLANS = (
    "reduce-scatter --topology mesh --dims 4x4 --link-bits 256",
    "all-reduce --topology mesh --dims 4x4 --algorithm packing --bytes 1KiB --link-bits 256",
    "all-reduce --dims 4x4 --algorithm partners --flits 2 --link-bits 512 --word-bits 16",
    "all-reduce --dims 4x4 --elastic --algorithm hamiltonian --packets 2 --link-bits 128",
    "all-reduce --topology mesh --dims 4x4 --algorithm tree --words 4 --type bfloat16 --link-bits 256",
)


def must(words):
    done = subprocess.run([PROGRAM, *words.split()], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


for plan in PLANS:
    must(f"plan {plan} -o p.json")
    assert json.loads(must("verify p.json --json"))["buildable"] is True, plan
    for engine in ("fast", "systemc"):
        must(f"simulate p.json --engine {engine}")
    assert json.loads(must("cosim p.json --report -"))["complete"], plan
