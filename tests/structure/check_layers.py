#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no file includes a header of a library above its own.

  check_layers.py SOURCE LIBRARIES   the source tree, and the list that CMake writes (libraries.json);
                                     exit status 1 and one line per wrong include
  check_layers.py --broken           the check finds each kind of wrong include in trees made for that

A library may include its own headers and those of the libraries that it links, directly or not.
Folders that include each other must not form a circle. Below `systemc` and `tb`, a machine has a
folder of its name. A file there may include the machine's own headers; no other file of systemc and
tb includes headers of a machine, or anything above the machines. A private header (#include "../..")
belongs to its folder.
"""
import collections
import json
import os
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SW = "sw/src/"


def read_libraries(file):
    """Folder -> library, and library -> libraries that it may use."""
    rows = {row["name"]: row for row in json.loads(pathlib.Path(file).read_text())}

    def reach(name):
        names = {name}
        for link in rows[name]["links"]:
            if link in rows:
                names |= reach(link)
        return names

    return ({folder: row["name"] for row in rows.values() for folder in row["folders"]},
            {name: reach(name) for name in rows})


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp", ".in"))


def folder_of(path, folders):
    """The longest of the folders that contains the path; empty if none does."""
    return max((f for f in folders if path.startswith(f + "/")), key=len, default="")


class Tree:
    def __init__(self, root, libraries):
        self.root = root
        self.library_of, self.reach = read_libraries(libraries)
        self.machines = {f.rsplit("/", 1)[1] for f in self.library_of if f.startswith(SW + "machines/")}
        # The machines `groups` and `composition`.
        self.machines |= {"compose"} & set(self.library_of.values())
        # systemc and tb may include the same headers as machines.
        self.engines = set.union(set(), *(self.reach[m] for m in self.machines)) - self.machines
        self.found = []
        self.edges = collections.defaultdict(set)

    def target(self, path, name):
        """The file that `path` includes as `name`, as a path in the tree of sources; None for other headers."""
        if "/" not in name:
            return None
        if not name.startswith("gossamer/"):
            return os.path.normpath(os.path.join(os.path.dirname(path), name))
        rest = name.removeprefix("gossamer/")
        if "/" not in rest:
            return None
        for tree in ("systemc", "tb"):
            if rest.startswith(tree + "/"):
                return f"{tree}/src/{rest.removeprefix(tree + '/')}"
        return SW + rest

    def check(self, folder, own, allowed, may_circle=False):
        """`own`: the folder of sources to which the files in `folder` belong."""
        for file in sources(self.root / folder):
            path = str(file.relative_to(self.root))
            for name in INCLUDE.findall(file.read_text()):
                target = self.target(path.replace(folder, own, 1), name)
                if target is None:
                    continue
                at = folder_of(target, self.library_of)
                if not allowed(target, at):
                    self.found.append(f"{path} includes {name}: climbs")
                elif at != own and not may_circle:
                    self.edges[own].add(at)

    def check_all(self):
        for folder, library in self.library_of.items():
            if not folder.startswith(SW):
                continue
            may_use = self.reach[library]
            for place in (folder, folder.replace("sw/src", "sw/include/gossamer", 1)):
                self.check(place, folder, lambda target, at: self.library_of.get(at) in may_use)
        headers = self.root / "sw/include/gossamer"
        for path in sources(headers):
            place = SW + str(path.relative_to(headers))
            if path.parent != headers and not folder_of(place, self.library_of):
                self.found.append(f"{path.relative_to(self.root)}: its folder belongs to no library")
        for tree, trees in (("systemc", {"systemc"}), ("tb", {"systemc", "tb"})):
            for place in (f"{tree}/include/gossamer/{tree}", f"{tree}/src"):
                self.check_tree(place, f"{tree}/src", {f"{t}/src" for t in trees})
        self.found += circles(self.edges)
        return self.found

    def check_tree(self, place, own, trees):
        """A tree of systemc or tb: each machine's folder, and the rest."""
        for file in sources(self.root / place):
            inside = file.relative_to(self.root / place).parts
            machine = inside[0] if inside[0] in self.machines else None

            def allowed(target, at):
                if at.startswith(SW):
                    library = self.library_of[at]
                    return library in self.engines or library == machine
                part = target.removeprefix(at + "/").split("/")[0]
                return at in trees and (part not in self.machines or part == machine)

            path = str(file.relative_to(self.root))
            for name in INCLUDE.findall(file.read_text()):
                target = self.target(path.replace(place, own, 1), name)
                if target is None:
                    continue
                at = folder_of(target, set(self.library_of) | {"systemc/src", "tb/src"})
                at = "tb/src" if at.startswith("tb/src") else at
                if not allowed(target, at):
                    self.found.append(f"{path} includes {name}: climbs")


def circles(edges):
    """A line for the first circle of folders that a search from each folder finds."""
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
    """Trees with one fault each, and the expected message of the check."""
    rows = [("low", ["sw/src/low"], []), ("emit", ["sw/src/high", "sw/src/other"], ["low"]),
            ("red", ["sw/src/machines/red"], ["emit"]), ("blue", ["sw/src/machines/blue"], ["emit"]),
            ("top", ["sw/src/top"], ["red", "blue"]), ("systemc", ["systemc/src"], ["top"]),
            ("tb", ["tb/src"], ["systemc"])]
    cases = [
        ({}, None),
        ({"sw/src/low/a.cpp": "high/a.hpp"}, "climbs"),
        ({"sw/include/gossamer/low/a.hpp": "other/a.hpp"}, "climbs"),
        ({"sw/src/high/a.cpp": "other/a.hpp", "sw/src/other/a.cpp": "high/a.hpp"}, "circle"),
        ({"sw/src/high/a.cpp": "../low/a.hpp"}, None),
        ({"sw/src/low/a.cpp": "../high/a.hpp"}, "climbs"),
        ({"sw/include/gossamer/stray/a.hpp": "low/a.hpp"}, "no library"),
        ({"sw/src/high/a.cpp": "machines/red/a.hpp"}, "climbs"),
        ({"sw/src/machines/red/a.cpp": "machines/blue/a.hpp"}, "climbs"),
        ({"sw/src/machines/red/a.cpp": "../../high/a.hpp"}, None),
        ({"sw/src/top/a.cpp": "machines/blue/a.hpp"}, None),
        ({"systemc/src/a.cpp": "tb/a.hpp"}, "climbs"),
        ({"systemc/src/a.cpp": "top/a.hpp"}, "climbs"),
        ({"systemc/src/a.cpp": "machines/red/a.hpp"}, "climbs"),
        ({"systemc/src/red/a.cpp": "machines/red/a.hpp"}, None),
        ({"systemc/src/red/a.cpp": "systemc/blue/a.hpp"}, "climbs"),
        ({"systemc/include/gossamer/systemc/red/a.hpp": "systemc/a.hpp"}, None),
        ({"tb/src/red/a.cpp": "../models/a.hpp"}, None),
        ({"tb/src/a.cpp": "systemc/red/a.hpp"}, "climbs"),
        ({"tb/src/a.cpp": "systemc/a.hpp"}, None),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as work:
            root = pathlib.Path(work)
            (root / "libraries.json").write_text(json.dumps(
                [{"name": name, "folders": folders, "links": links} for name, folders, links in rows]))
            for name, include in files.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                quoted = include if include.startswith("..") else "gossamer/" + include
                path.write_text(f'#include "{quoted}"\n')
            found = Tree(root, root / "libraries.json").check_all()
            right = not found if expected is None else any(expected in line for line in found)
            if not right:
                raise SystemExit(f"{files}: expected {expected}, found {found}")


def main():
    if sys.argv[1:] == ["--broken"]:
        broken()
        return
    found = Tree(pathlib.Path(sys.argv[1]), sys.argv[2]).check_all()
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
