#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""damaged_constants.py GOSSAMER DIRECTORY PLAN_ARGUMENT...

Emits a plan's network, and damages each constant of its package in turn: with one damage Icarus does not compile the
network, or its testbench does not pass.
"""
import re
import subprocess
import sys
from pathlib import Path

gossamer, directory, *plan = sys.argv[1:]
where = Path(directory)
where.mkdir(parents=True, exist_ok=True)
CONSTANT = re.compile(r"^  localparam (?:int|logic \[.*\]) (\w+) = (.*);$", re.MULTILINE)


def called(*command):
    return subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=120)


def passes():
    """Runs the testbench with the present package."""
    built = called("iverilog", "-g2012", "-c", "gsm_fabric.f", "-s", "gsm_fabric_tb", "-o", "run.vvp", "gsm_fabric_tb.sv")
    if built.returncode != 0:
        return False
    run = called("vvp", "-n", "run.vvp")
    return run.returncode == 0 or "PASS" in run.stdout


def damaged(value):
    """The nearest different value."""
    if value.isdigit():
        return str(int(value) - 1 if int(value) > 0 else 1)
    if value == "'0":
        return "'b1"
    if value.startswith('"'):
        return '"none"'
    return value[:-1] + format(int(value[-1], 16) ^ 1, "x")


for step in (["plan", *plan, "-o", "plan.json"], ["emit", "plan.json", "--format", "sv", "-o", "."]):
    done = called(gossamer, *step)
    if done.returncode != 0:
        sys.exit(done.stderr)
package = where / "gsm_plan_pkg.sv"
whole = package.read_text()
if not passes():
    sys.exit("the whole network fails")
survived = []
found = list(CONSTANT.finditer(whole))
if len(found) != whole.count("\n  localparam "):
    sys.exit("a constant is written in a way that this test does not know")
for constant in found:
    package.write_text(whole[: constant.start(2)] + damaged(constant[2]) + whole[constant.end(2) :])
    if passes():
        survived.append(f"{constant[1]} = {damaged(constant[2])} for {constant[2]}")
package.write_text(whole)
if survived:
    sys.exit("passes with " + ", ".join(survived))
print(f"{len(found)} constants, each needed")
