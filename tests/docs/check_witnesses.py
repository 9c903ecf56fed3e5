# SPDX-License-Identifier: Apache-2.0
"""Checks the independence that docs/architecture.md ("Independent checks") claims: no file includes
a header of a way that it is independent of.

    check_witnesses.py SOURCE
"""
import glob
import os
import re
import sys

# (who: files, what they must not include, why the table depends on it). "*" stands for any name.
INDEPENDENT = [
    ("the proofs run no engine and ask no judge",
     ["sw/src/verify/*.cpp", "sw/src/verify/*.hpp", "sw/src/machines/*/*proof*", "sw/src/machines/*/*lattice*"], [],
     r"gossamer/(sim/(?!run\.hpp)|systemc/|tb/)|engine\.hpp"),
    ("the fast engines know no closed form and no proof",
     ["sw/src/sim/*engine*.cpp", "sw/src/machines/*/*engine*", "sw/src/machines/queued/exchange.*"], [],
     r"gossamer/(bounds|verify|systemc|tb)/|proof"),
    ("the judge knows neither engines nor planners nor formulas",
     ["sw/src/sim/judge*"], [], r"gossamer/(bounds|verify|collectives|systemc|tb)/|sim/engines\.hpp"),
    ("the SystemC routers know no engine's stepping",
     ["systemc/src/*/router*.cpp", "systemc/include/gossamer/systemc/*/router*.hpp",
      "systemc/*/out_port.*", "systemc/include/gossamer/systemc/out_port.hpp"], [],
     r"gossamer/(bounds|verify|tb)/|gossamer/sim/(judge|observers|run)\.hpp"),
    ("Verilated routers do not contain the model's",
     ["tb/src/verilated_*", "tb/src/*/verilated_*", "tb/src/*/model.hpp", "tb/include/gossamer/tb/verilated_*",
      "tb/include/gossamer/tb/*/verilated_*"], [],
     r"gossamer/systemc/(out_port|(stream|relay)/router)\.hpp"),
    ("formulas simulate nothing",
     ["sw/src/bounds/*.cpp", "sw/include/gossamer/bounds/*.hpp"], [], r"gossamer/(sim|verify|systemc|tb)/"),
]


def included(path):
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^#include ["<]([^">]+)[">]', file.read(), re.MULTILINE)


def main():
    source = sys.argv[1]
    wrong = looked_at = 0
    for claim, patterns, exempt, forbidden in INDEPENDENT:
        paths = sorted({path for pattern in patterns for path in glob.glob(os.path.join(source, pattern))}
                       - {os.path.join(source, path) for path in exempt})
        if not paths:
            wrong += 1
            print(f"{claim}: there are no such files")
        for path in paths:
            looked_at += 1
            for header in included(path):
                if re.search(forbidden, header):
                    wrong += 1
                    print(f"{claim}: {os.path.relpath(path, source)} includes {header}")
    print(f"{looked_at} files, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
