# SPDX-License-Identifier: Apache-2.0
"""The reference of a SystemVerilog module, as Markdown, from the comments and declarations of its source.

A comment above the module is its description. A comment above a parameter or a port belongs to it and to all that follow
without a comment. The texts of `GSM_ASSERT and `GSM_PARAMETER are its assertions.
"""

import re

ASSERTION = re.compile(r"`GSM_(ASSERT|PARAMETER)\(\s*(\w+),(.*?)\"((?:[^\"\\]|\\.)*)\"\s*\)", re.S)


def escaped(text):
    return re.sub(r"<(?=\w)", "&lt;", text.replace("*", "\\*"))


def code(text):
    return "`" + " ".join(text.split()).replace("|", "\\|") + "`"


def prose(text):
    return escaped(" ".join(text.split()).replace("|", "\\|")) or "as the line above"


def items(text):
    """(comment, declaration) of each entry of a list of parameters or ports."""
    comment, declaration, fresh = [], "", True
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("//"):
            if fresh:
                comment, fresh = [], False
            comment.append(line[2:].strip())
            continue
        fresh = True
        # A comma ends a declaration when no bracket is open.
        declaration = f"{declaration} {line}".strip()
        if declaration and declaration.count("(") + declaration.count("{") + declaration.count("[") == declaration.count(
            ")") + declaration.count("}") + declaration.count("]"):
            if declaration.endswith(","):
                yield " ".join(comment), declaration[:-1]
                comment, declaration = [], ""
    if declaration:
        yield " ".join(comment), declaration


def balanced(text, start):
    """The end of the parenthesis that opens at `start`, comments aside."""
    depth, i = 0, start
    while i < len(text):
        if text.startswith("//", i):
            i = text.index("\n", i)
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
        i += 1
    raise ValueError("a parenthesis does not end")


def parts(source):
    """Description, parameters, ports and assertions of the first module of a source."""
    head = re.search(r"((?:^//[^\n]*\n)*)module\s+(\w+)\s*(?:import[^;]*;\s*)?", source, re.M)
    about = "\n".join(line[2:].removeprefix(" ") for line in head.group(1).splitlines() if "SPDX" not in line).strip()
    at, parameters = head.end(), ""
    if source.startswith("#", at):
        end = balanced(source, source.index("(", at))
        parameters = source[source.index("(", at) + 1 : end]
        at = source.index("(", end)
    ports = source[at + 1 : balanced(source, at)]
    return about, list(items(parameters)), list(items(ports)), ASSERTION.findall(source)


def reference(source, description=True):
    about, parameters, ports, assertions = parts(source)
    lines = [escaped(about), ""] if description else []

    def table(title, heads, rows):
        if rows:
            lines.extend([f"## {title}", "", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"])
            lines.extend([*(f"| {' | '.join(row)} |" for row in rows), ""])

    rows = []
    for comment, text in parameters:
        # Local parameters follow from the others.
        found = re.match(r"parameter\s+(.*?)(\w+)\s*=\s*(.*)$", text, re.S)
        if found:
            rows.append((code(found.group(2)), code(found.group(1) or "-"), code(found.group(3)), prose(comment)))
    table("Parameters", ("name", "type", "default", "meaning"), rows)
    rows = []
    for comment, text in ports:
        found = re.match(r"(input|output|inout)\s+(?:logic|wire)?\s*(\[.*\])?\s*(\w+)$", text.strip(), re.S)
        if not found:
            raise ValueError(f"no port: {text}")
        bits = " ".join((found.group(2) or "1").split()).replace("[ ", "[")
        rows.append((code(found.group(3)), found.group(1), code(bits), prose(comment)))
    table("Ports", ("name", "direction", "bits", "meaning"), rows)
    rows = [(code(name), prose(text) + (" (elaboration)" if kind == "PARAMETER" else "")) for kind, name, _, text in assertions]
    table("Assertions", ("name", "message"), rows)
    return "\n".join(lines).strip() + "\n"
