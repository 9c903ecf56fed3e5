#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that nothing includes what is above it.

  check_layers.py SOURCE    the source tree SOURCE; exit 1 and a line for each include that climbs
  check_layers.py --broken  the check finds a climb, a cycle and an escape in trees made for that

The layers are those of sw/CMakeLists.txt: gossamer_layer(NAME ABOVE LAYER SOURCES src/DIRECTORY/...).
A directory's headers (sw/include/gossamer/DIRECTORY) belong to the layer of its sources. Within a
layer, directories must not include each other in a circle. Above the layers stand systemc, then tb,
then the program and the tests; what the engines of systemc and tb have no use for, the layers above
"engines", they must not include either.
"""
import collections
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def read_layers(cmake):
    """Layer -> layer below it, and directory -> layer, in the order of the file."""
    below, layer_of = {}, {}
    for name, body in re.findall(r"^gossamer_layer\((\w+)(.*?)^\)", cmake, re.M | re.S):
        above = re.search(r"ABOVE (\w+)", body)
        below[name] = above.group(1) if above else None
        for directory in re.findall(r"^\s+src/(\w+)/", body, re.M):
            if layer_of.setdefault(directory, name) != name:
                raise SystemExit(f"{directory} has sources in the layers {layer_of[directory]} and {name}")
    return below, layer_of


def reach(below, layer):
    """The layer and all below it."""
    layers = []
    while layer is not None:
        layers.append(layer)
        layer = below[layer]
    return layers


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp", ".in"))


def problems(root):
    below, layer_of = read_layers((root / "sw/CMakeLists.txt").read_text())
    found = []
    edges = collections.defaultdict(set)

    def check(path, allowed, own):
        """`allowed`: first directories behind gossamer/ that `path` may include."""
        for name in INCLUDE.findall(path.read_text()):
            where = path.relative_to(root)
            parts = pathlib.PurePosixPath(name).parts
            if ".." in parts:
                found.append(f"{where} includes {name}: leaves its directory")
            elif parts[0] == "gossamer" and len(parts) > 2:
                if parts[1] not in allowed:
                    found.append(f"{where} includes {name}: climbs")
                elif own is not None and parts[1] != own:
                    edges[own].add(parts[1])

    for directory, layer in layer_of.items():
        allowed = {d for d, l in layer_of.items() if l in reach(below, layer)}
        for folder in (root / "sw/src" / directory, root / "sw/include/gossamer" / directory):
            for path in sources(folder):
                check(path, allowed, directory)
    for folder in (root / "sw/include/gossamer").iterdir():
        if folder.is_dir() and folder.name not in layer_of:
            found.append(f"{folder.relative_to(root)}: in no layer of sw/CMakeLists.txt")

    engines = {d for d, l in layer_of.items() if l in reach(below, "engines")}
    for folder, also in (("systemc", {"systemc"}), ("tb", {"systemc", "tb"})):
        for path in sources(root / folder / "include") + sources(root / folder / "src"):
            check(path, engines | also, None)
    found += circles(edges)
    return found


def circles(edges):
    """A line for each circle of directories that a search from each one meets first."""
    found = []
    done = set()

    def visit(at, trail):
        if at in trail:
            found.append("include each other in a circle: " + " -> ".join(trail[trail.index(at):] + [at]))
        elif at not in done:
            for to in sorted(edges[at]):
                visit(to, trail + [at])
            done.add(at)

    for start in sorted(edges):
        visit(start, [])
    return found


def broken():
    """Trees with one fault each, and what the check has to say about it."""
    cmake = ("gossamer_layer(low SOURCES\n  src/low/a.cpp\n)\n"
             "gossamer_layer(engines ABOVE low SOURCES\n  src/high/a.cpp\n  src/other/a.cpp\n)\n")
    cases = [
        ({}, None),
        ({"sw/src/low/a.cpp": "high/a.hpp"}, "climbs"),
        ({"sw/include/gossamer/low/a.hpp": "other/a.hpp"}, "climbs"),
        ({"sw/src/high/a.cpp": "other/a.hpp", "sw/src/other/a.cpp": "high/a.hpp"}, "circle"),
        ({"systemc/src/a.cpp": "tb/a.hpp"}, "climbs"),
        ({"tb/src/a.cpp": "systemc/a.hpp"}, None),
        ({"sw/src/high/a.cpp": "../low/a.hpp"}, "leaves"),
        ({"sw/include/gossamer/stray/a.hpp": "low/a.hpp"}, "no layer"),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as work:
            root = pathlib.Path(work)
            (root / "sw/include/gossamer").mkdir(parents=True)
            (root / "sw/CMakeLists.txt").write_text(cmake)
            for name, include in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                quoted = include if include.startswith("..") else "gossamer/" + include
                path.write_text(f'#include "{quoted}"\n')
            found = problems(root)
            right = not found if expected is None else any(expected in line for line in found)
            if not right:
                raise SystemExit(f"{files}: expected {expected}, found {found}")


def main():
    if sys.argv[1:] == ["--broken"]:
        broken()
        return
    root = pathlib.Path(sys.argv[1])
    found = problems(root)
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
