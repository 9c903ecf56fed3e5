#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that only a machine's own folders, and planners for it, refer to the machine.

  check_machines.py SOURCE    the source tree; exit status 1 and one line per place
  check_machines.py --broken  the check finds each kind of such a place in trees made for that

The machines are the folders of sw/src/machines. A machine's own folders have its name, in every tree.
Planners fill the program of a machine: they may name the machine and its types, and may ask whose
program another planner's plan has. All other code of sw, systemc, tb and python is the core, except
examples, each of which shows one machine. In its code, without comments, there is none of these:
  - a header of a machine,
  - a type that such a header declares,
  - a text that is the name of a machine, except where it names something else (OTHER_MEANINGS),
  - the question which program a plan has (the page of `gossamer view` is exempt, since it simulates streams
    itself, and so is compose, a machine of its own that executes the programs of all others), or a decision by the name of an algorithm (comparisons of algorithms are exempt).
"""
import pathlib
import re
import sys
import tempfile

TREES = ("sw", "systemc", "tb", "python")
PLANNERS = ("sw/src/collectives", "sw/include/gossamer/collectives", "sw/src/planner",
            "sw/include/gossamer/planner", "sw/src/foreign", "sw/include/gossamer/foreign")
HEADERS = ("sw/include/gossamer/machines/", "systemc/include/gossamer/systemc/", "tb/include/gossamer/tb/")
# Places where the name of a machine has another meaning: file, text, meaning.
OTHER_MEANINGS = {
    ("sw/apps/gossamer/compare_command.cpp", "elastic"): "the command `compare elastic`",
    ("sw/src/compare/elastic.cpp", "elastic"): "the option --elastic",
    ("python/src/module.cpp", "ring"): "an option of the format ranks",
    ("sw/src/wormhole/unicasts.cpp", "ring"): "an order of the conventional network's messages",
    ("sw/apps/gossamer/view_command.cpp", "stream"): "the machine that the page itself simulates",
    ("sw/apps/gossamer/synth/synth.py", "relay"): "a port of the RTL",
    ("python/gossamer/sweep.py", "elastic"): "the option --elastic",
}
ASKS = re.compile(r"program(?:\.|->)(?:is|as|edit)<|dynamic_cast<(?:const )?\w*Program\s*[&*]|"
                  r"machine\(\)\.name\(\) (?:!=|==)")
MAY_ASK = ("sw/apps/gossamer/view_command.cpp", "sw/src/compose/")
ASKS_ALGORITHM = re.compile(r"algorithm (?:!=|==) \"")
MAY_ASK_ALGORITHM = ("sw/src/compare/",)
TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
DECLARES = re.compile(r"^(?:class|struct|enum class|using) (\w+)(?= final|\s*[:;={]|$)", re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def machines_of(root):
    return sorted(path.name for path in (root / "sw/src/machines").iterdir() if path.is_dir())


def files(root, endings):
    for tree in TREES:
        for file in sorted((root / tree).rglob("*")):
            path = str(file.relative_to(root))
            if file.suffix in endings and "/examples/" not in path:
                yield file, path


def is_machines(path, machines):
    return any(part in machines for part in path.split("/")[:-1])


def types_of(root, machines):
    """Type -> machine, of all headers of machines."""
    types = {}
    for path, name in files(root, (".hpp",)):
        for machine in machines:
            if any(name.startswith(f"{headers}{machine}/") for headers in HEADERS):
                for declared in DECLARES.findall(path.read_text()):
                    types[declared] = machine
    return types


def without_comments(path, text):
    if path.endswith(".py"):
        return re.sub(r'"""[\s\S]*?"""|#[^\n]*', "", text)
    return COMMENT.sub("", text)


def problems(root):
    machines = machines_of(root)
    types = types_of(root, machines)
    names = re.compile(r'"(' + "|".join(machines) + r')"')
    type_names = re.compile(r"\b(" + "|".join(sorted(types) + ["NoTypes"]) + r")\b")
    header = re.compile(r'#\s*include\s*"(gossamer/(?:machines/|\w+/(?:' + "|".join(machines) + r')/)[^"]*)"')
    found, used = [], set()
    for file, path in files(root, (".cpp", ".hpp", ".in", ".py")):
        if is_machines(path, machines) or any(path.startswith(planners + "/") for planners in PLANNERS):
            continue
        code = without_comments(path, file.read_text())
        found += [f"{path} includes {name}" for name in header.findall(code)]
        is_cpp = not path.endswith(".py")
        if is_cpp:
            found += [f"{path} uses {name}, a type of the machine {types[name]}"
                      for name in sorted(set(type_names.findall(TEXT.sub("", code))))]
        for name in sorted(set(names.findall(code))):
            if (path, name) in OTHER_MEANINGS:
                used.add((path, name))
            else:
                found.append(f'{path} names the machine "{name}"')
        for question, may_ask in ((ASKS, MAY_ASK), (ASKS_ALGORITHM, MAY_ASK_ALGORITHM)):
            if is_cpp and not path.startswith(may_ask):
                found += [f"{path} asks about a plan: {text}" for text in question.findall(code)]
    found += [f'{path}: "{name}" is not there: remove it from OTHER_MEANINGS'
              for path, name in sorted(set(OTHER_MEANINGS) - used) if (root / path).exists()]
    return found


def broken():
    """Trees with one fault each, and the expected message of the check."""
    header = {"sw/src/machines/red/a.cpp": "", "sw/include/gossamer/machines/red/a.hpp": "struct RedProgram {\n};\n",
              "systemc/include/gossamer/systemc/red/a.hpp": "class RedRouter : public Router {\n};\n"}
    cases = [
        ({}, None),
        ({"sw/src/sim/a.cpp": '#include "gossamer/machines/red/a.hpp"'}, "includes"),
        ({"systemc/src/a.cpp": '#include "gossamer/systemc/red/a.hpp"'}, "includes"),
        ({"sw/src/sim/a.cpp": "plan.program.is<Unknown>()"}, "asks"),
        ({"sw/src/sim/a.cpp": 'if (plan.algorithm == "tree")'}, "asks"),
        ({"sw/src/sim/a.cpp": 'if (plan.machine().name() == kMine)'}, "asks"),
        ({"sw/src/sim/a.cpp": "const RedProgram& program"}, "type"),
        ({"tb/src/a.cpp": "RedRouter router;"}, "type"),
        ({"sw/src/sim/a.cpp": 'text = "red";'}, "names"),
        ({"python/a.py": 'machine == "red"'}, "names"),
        ({"sw/src/sim/a.cpp": '/// What a RedProgram is: "red".'}, None),
        ({"tb/src/red/a.cpp": 'plan.program.as<RedProgram>()'}, None),
        ({"sw/src/collectives/all_gather/a.cpp": 'plan.program.as<RedProgram>()'}, None),
    ]
    for case, expected in cases:
        with tempfile.TemporaryDirectory() as work:
            root = pathlib.Path(work)
            for name, text in {**header, **case}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n")
            found = problems(root)
            right = not found if expected is None else any(expected in line for line in found)
            if not right:
                raise SystemExit(f"{case}: expected {expected}, found {found}")


def main():
    if sys.argv[1:] == ["--broken"]:
        broken()
        return
    found = problems(pathlib.Path(sys.argv[1]))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
