# SPDX-License-Identifier: Apache-2.0
"""Whatever `gossamer list --json` names is explained: collectives, disciplines and engines in the
glossary, algorithms and formats in some page. And the glossary explains no word twice.

    check_words.py GOSSAMER SOURCE
"""
import glob
import json
import os
import re
import subprocess
import sys

# Under which keys of the list names stand, and where they have to be explained.
GLOSSARY = ("collective", "discipline", "engine")
PAGES = ("algorithm", "format")


def named(value, kind=None):
    """(kind, name) of everything in the list: {"name": ..} below "engines", {"collective": ..}, .."""
    if isinstance(value, dict):
        for key, below in value.items():
            one = key[:-1] if key.endswith("s") else key
            if isinstance(below, str) and key in GLOSSARY:
                yield key, below
            elif isinstance(below, str) and key == "field_name" and below:
                yield kind, below
            elif isinstance(below, str) and key == "name":
                yield kind, below
            else:
                yield from named(below, one if one in GLOSSARY + PAGES else kind)
    elif isinstance(value, list):
        for below in value:
            if isinstance(below, str):
                yield kind, below
            else:
                yield from named(below, kind)


def words_of(glossary):
    """The words that the glossary explains, one for each name of a row's first cell."""
    for row in re.findall(r"^\| (?!word |---)([^|]+?) \|", glossary, re.MULTILINE):
        for word in re.split(r", | \(|\)", row.replace("`", "")):
            if word.strip():
                yield word.strip()


def main():
    program, source = sys.argv[1:]
    with open(os.path.join(source, "docs/glossary.md"), encoding="utf-8") as file:
        explained = list(words_of(file.read()))
    text = ""
    for page in glob.glob(os.path.join(source, "docs/**/*.md"), recursive=True):
        with open(page, encoding="utf-8") as file:
            text += file.read()
    listed = json.loads(subprocess.run([program, "list", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    # "stream/frames": a discipline and what is special about its program.
    names = sorted({(kind, name.partition("/")[0] if kind == "discipline" else name)
                    for kind, name in named(listed) if kind in GLOSSARY + PAGES})
    wrong = [f"{word} is explained twice" for word in sorted(set(explained)) if explained.count(word) > 1]
    for kind, name in names:
        if kind in GLOSSARY and name not in explained:
            wrong.append(f"{kind} {name}: not in docs/glossary.md")
        if kind in PAGES and f"`{name}`" not in text:
            wrong.append(f"{kind} {name}: in no page")
    print("\n".join(wrong))
    counts = {kind: sum(one == kind for one, _ in names) for kind in GLOSSARY + PAGES}
    print(", ".join(f"{kind}: {count}" for kind, count in counts.items()), f"words: {len(explained)}")
    return 1 if wrong or not (counts["collective"] and counts["algorithm"] and counts["engine"]) else 0


sys.exit(main())
