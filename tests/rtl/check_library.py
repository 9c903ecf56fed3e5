#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_library.py RTL_DIRECTORY VERSION: gossamer.f, Bender.yml and gossamer.core list exactly the
modules that do not depend on a plan, each after those that it instantiates. The file list causes no message in Verilator
(with the waivers of gossamer.vlt, each of which has a reason and is needed) and in Icarus."""
import glob
import os
import re
import subprocess
import sys

import yaml

os.chdir(sys.argv[1])
version = sys.argv[2]
texts = {}
for name in sorted(glob.glob("*/gsm_*.sv")):
    with open(name, encoding="ascii") as file:
        texts[name] = file.read()
for name, text in texts.items():
    assert "\n`default_nettype none\n" in text and text.endswith("\n`default_nettype wire\n"), name
# Icarus 11 wakes all processes of this kind when one is due (CONTRIBUTING.md).
processes = {name for name, text in texts.items() if "always_comb" in text}
assert processes == {"common/gsm_fabric.sv", "queued/gsm_prefix_unit.sv"}, processes
library = {name for name, text in texts.items() if "gsm_plan_pkg" not in text}
assert set(texts) - library == {"common/gsm_fabric.sv"}, set(texts) - library


def check_order(names, what):
    assert set(names) == library, (what, set(names) ^ library)
    assert len(names) == len(library), what
    for at, name in enumerate(names):
        for module in re.findall(r"^ +(gsm_\w+) (?:#\(|u_)", texts[name], re.M):
            assert any(before.endswith(f"/{module}.sv") for before in names[:at + 1]), (what, name, module)


with open("gossamer.f", encoding="ascii") as file:
    check_order([line.strip() for line in file if line.strip().endswith(".sv")], "gossamer.f")
with open("Bender.yml", encoding="ascii") as file:
    bender = yaml.safe_load(file)
assert bender["package"]["name"] == "gossamer" and bender["export_include_dirs"] == ["common"]
check_order(bender["sources"], "Bender.yml")
with open("gossamer.core", encoding="ascii") as file:
    assert file.readline() == "CAPI=2:\n"
    core = yaml.safe_load(file)
assert core["name"] == f"gossamer:library:rtl:{version}", core["name"]
listed = core["filesets"]["rtl"]["files"]
assert listed[0] == {"common/gsm_assert.svh": {"is_include_file": True}}
check_order(listed[1:], "gossamer.core")
lint = core["targets"]["lint"]
assert any(name.endswith(f"/{lint['toplevel']}.sv") for name in library) and lint["filesets"] == ["lint", "rtl"]


def messages(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout + result.stderr


with open("gossamer.vlt", encoding="ascii") as file:
    waivers = file.read()
assert re.search(r"^lint_off", waivers, re.M)
for block in waivers.split("\n\n")[1:]:
    assert "lint_off" not in block or block.startswith("//"), f"a waiver without a reason: {block}"
options = lint["tools"]["verilator"]["verilator_options"]
verilator = ["verilator", "--lint-only", *options, "-f", "gossamer.f"]
assert messages(*verilator, "gossamer.vlt") == ""
assert "%Warning-MULTITOP" in messages(*verilator)
assert messages("iverilog", "-g2012", "-Wall", "-c", "gossamer.f", "-o", os.devnull) == ""
print(f"{len(library)} modules, listed three times")
