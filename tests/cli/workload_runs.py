# SPDX-License-Identifier: Apache-2.0
"""The program, the examples and their network, for the tests of workloads: TEST GOSSAMER SOURCE CASE."""
import json
import pathlib
import subprocess
import sys

GOSSAMER, SOURCE = sys.argv[1:3]
EXAMPLES = pathlib.Path(SOURCE) / "examples" / "workloads"
LINKS = ["--link-bits", "256", "--clock", "1GHz"]
NETWORK = ["--dims", "8x8", *LINKS]
UNITS = {"KiB": 2**10, "MiB": 2**20, "us": 1000, "ms": 10**6}


def run(*arguments, text=None):
    return subprocess.run([GOSSAMER, *map(str, arguments)], input=text, text=True, capture_output=True, check=False)


def answer(*arguments, text=None):
    done = run(*arguments, text=text)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def number(text):
    """Bytes, or nanoseconds."""
    return next(int(text.removesuffix(unit)) * size for unit, size in UNITS.items() if text.endswith(unit))
