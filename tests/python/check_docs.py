# SPDX-License-Identifier: Apache-2.0
"""Checks the examples of the package's docstring and of docs/python.md.

check_docs.py SOURCE
"""

import doctest
import os
import pathlib
import re
import sys
import tempfile

import gossamer

source = pathlib.Path(sys.argv[1])
failed, tried = doctest.testmod(gossamer)
assert tried >= 5 and failed == 0, (tried, failed)

page = (source / "docs/python.md").read_text()
os.chdir(tempfile.mkdtemp())
first = re.search(r"```python\n(.*?)```", page, re.S).group(1)
names = {}
checked = 0
for line in first.splitlines():
    code, _, says = line.partition("#")
    if not code.strip():
        continue
    try:
        value = eval(code, names)
    except SyntaxError:
        exec(code, names)
        continue
    if re.match(r" [('\d]", says) and (wanted := re.match(r" (\(.*?\)|'.*?'|\d+)", says)):
        assert repr(value) == wanted.group(1), f"{code.strip()} is {value!r}, not {wanted.group(1)}"
        checked += 1
assert checked == 4, checked
for name in re.findall(r"^\| `(\w+)\(", page, re.M):
    assert callable(getattr(gossamer, name)), name
print(f"{tried} lines of docstrings, {checked} values of the page")
