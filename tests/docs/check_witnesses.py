# SPDX-License-Identifier: Apache-2.0
"""Compares the table of witnesses in docs/architecture.md with the sources: the files that it calls independent
includes nothing of the other.

    check_witnesses.py SOURCE
"""
import glob
import os
import re
import sys

# (the claim, the files that it concerns, the headers that they must not include)
INDEPENDENT = [
    ("the proofs run no engine and ask no judge",
     ["sw/src/verify/*.[ch]pp", "sw/src/machines/*/*proof*.[ch]pp", "sw/src/machines/stream/broadcast_streams.cpp",
      "sw/src/machines/stream/translation_lattice.*", "sw/src/machines/stream/link_classes.*"],
     r"gossamer/(sim/(?!run\.hpp|run_facts\.hpp)|systemc/|tb/)|(^|/)engine\.hpp"),
    ("the fast engines know no closed form and no proof",
     ["sw/src/sim/*engine*", "sw/src/machines/*/engine.[ch]pp"], r"gossamer/(bounds|verify|systemc|tb)/|proof"),
    ("the judge knows neither engines nor planners nor formulas",
     ["sw/src/sim/judge*"], r"gossamer/(bounds|verify|collectives|systemc|tb)/|sim/engines\.hpp|(^|/)engine\.hpp"),
    ("the SystemC routers know no engine's stepping",
     ["systemc/src/*/router*.cpp", "systemc/src/elastic/element.cpp", "systemc/src/queued/prefix_unit.cpp",
      "systemc/include/gossamer/systemc/*/router*.hpp", "systemc/*/out_port.*",
      "systemc/include/gossamer/systemc/out_port.hpp"],
     r"gossamer/(bounds|verify|tb)/|gossamer/sim/(judge|observers|run)\.hpp"),
    ("Verilated routers do not contain the model's",
     ["tb/src/*/verilated_*", "tb/src/verilated_*", "tb/include/gossamer/tb/*/verilated_*",
      "tb/include/gossamer/tb/verilated_*"],
     r"gossamer/systemc/(out_port|\w+/router)\.hpp"),
    ("formulas simulate nothing",
     ["sw/src/bounds/*.cpp", "sw/include/gossamer/bounds/*.hpp"], r"gossamer/(sim|verify|systemc|tb)/"),
]


def included(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^#include ["<]([^">]+)[">]', file.read(), re.MULTILINE)


def main():
    source = sys.argv[1]
    wrong = looked_at = 0
    for claim, patterns, forbidden in INDEPENDENT:
        found = {pattern: glob.glob(os.path.join(source, pattern)) for pattern in patterns}
        for pattern in [pattern for pattern, paths in found.items() if not paths]:
            wrong += 1
            print(f"{claim}: there is no file {pattern}")
        paths = sorted({path for matched in found.values() for path in matched})
        for path in paths:
            looked_at += 1
            for header in included(path):
                if re.search(forbidden, header):
                    wrong += 1
                    print(f"{claim}: {os.path.relpath(path, source)} includes {header}")
    print(f"{looked_at} files, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
