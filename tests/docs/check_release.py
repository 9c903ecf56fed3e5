# SPDX-License-Identifier: Apache-2.0
"""Checks that CITATION.cff is valid and has the required fields, and that it, the change log and the build have the
same version and date.

    check_release.py SOURCE VERSION
"""
import datetime
import os
import re
import sys

import yaml

# Fields that the Citation File Format 1.2.0 requires, and further fields of this project.
REQUIRED = {"cff-version", "message", "title", "authors", "version", "date-released", "license", "references"}
REFERENCE = {"type", "title", "authors", "year"}
PAPERS = ("Time-Independent Gossiping", "Minimizing Total Communication Distance",
          "Time-Step Optimal Broadcasting in 3-D", "Partial Multinode Broadcast")


def problems(citation, changes, version):
    for key in sorted(REQUIRED - set(citation)):
        yield f"CITATION.cff: no {key}"
        return
    released = re.search(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", changes, re.MULTILINE)
    if released is None:
        yield "CHANGELOG.md: no dated version"
        return
    for what, found, wanted in (
            ("CITATION.cff: version", str(citation["version"]), version),
            ("CHANGELOG.md: first version", released[1], version),
            ("CITATION.cff: date", citation["date-released"], datetime.date.fromisoformat(released[2])),
            ("CITATION.cff: format", str(citation["cff-version"]), "1.2.0"),
            ("CITATION.cff: license", citation["license"], "Apache-2.0")):
        if found != wanted:
            yield f"{what} is {found}, not {wanted}"
    for reference in citation["references"]:
        for key in sorted(REFERENCE - set(reference)):
            yield f"CITATION.cff: {reference.get('title')}: no {key}"
    for paper in PAPERS:
        if sum(str(r.get("title", "")).startswith(paper) for r in citation["references"]) != 1:
            yield f"CITATION.cff: {paper} is not there once"


def main():
    source, version = sys.argv[1:]
    with open(os.path.join(source, "CITATION.cff"), encoding="utf-8") as file:
        citation = yaml.safe_load(file)
    with open(os.path.join(source, "CHANGELOG.md"), encoding="utf-8") as file:
        found = list(problems(citation, file.read(), version))
    print("\n".join(found) or f"version {version}")
    return 1 if found else 0


sys.exit(main())
