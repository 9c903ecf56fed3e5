# SPDX-License-Identifier: Apache-2.0
"""Holds the table of witnesses in docs/architecture.md to the sources: what it calls independent
includes nothing of the other.

    check_witnesses.py SOURCE
"""
import glob
import os
import re
import sys

# (who: files, what they must not include, why the table depends on it). "*" stands for any name.
INDEPENDENT = [
    ("the proofs run no engine and ask no judge",
     ["sw/src/verify/*.cpp", "sw/src/verify/*.hpp"], [],
     r"gossamer/(sim/(?!run\.hpp)|systemc/|tb/)"),
    ("the fast engine knows no closed form and no proof",
     ["sw/src/sim/*engine*.cpp", "sw/src/sim/*engine*.hpp"], [],
     r"gossamer/(bounds|verify|systemc|tb)/"),
    ("the judge knows neither engines nor planners nor formulas",
     ["sw/src/sim/judge*"], [], r"gossamer/(bounds|verify|gossip|broadcast|systemc|tb)/|fast_engines"),
    ("the SystemC routers know no engine's stepping",
     ["systemc/src/*router*.cpp", "systemc/include/gossamer/systemc/*router*.hpp", "systemc/*/out_port.*",
      "systemc/include/gossamer/systemc/stream/out_port.hpp"], [],
     r"gossamer/(bounds|verify|tb)/|gossamer/sim/(judge|observers|run)\.hpp"),
    ("Verilated routers do not contain the model's",
     ["tb/src/verilated_*", "tb/include/gossamer/tb/verilated_*"], [],
     r"gossamer/systemc/(out_port|stream_router|relay_router)\.hpp"),
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
