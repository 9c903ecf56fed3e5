# SPDX-License-Identifier: Apache-2.0
"""The reference of a SystemVerilog module, as Markdown, from its source.

A comment above the module is its description. A comment above a parameter or a port belongs to it and to all that follow
without a comment. The texts of `GSM_ASSERT and `GSM_PARAMETER are its assertions.
"""

import re

from pyslang import parsing, syntax

ASSERTION = re.compile(r"`GSM_(ASSERT|PARAMETER)\(\s*(\w+),(.*?)\"((?:[^\"\\]|\\.)*)\"\s*\)", re.S)


def escaped(text):
    return re.sub(r"<(?=\w)", "&lt;", text.replace("*", "\\*"))


def words(node):
    """The source of a syntax node on one line, without comments."""
    lines = (line for line in str(node).splitlines() if not line.lstrip().startswith("//"))
    return " ".join(" ".join(lines).split()).replace("[ ", "[")


def code(text):
    return "`" + text.replace("|", "\\|") + "`"


def prose(text):
    return escaped(" ".join(text.split()).replace("|", "\\|")) or "as the line above"


def comment(node):
    """The line comments directly above a syntax node."""
    lines, ends = [], 0
    for trivia in node.getFirstToken().trivia:
        ends = ends + 1 if trivia.kind == parsing.TriviaKind.EndOfLine else ends
        if trivia.kind == parsing.TriviaKind.LineComment:
            if ends > 1:
                lines = []
            lines.append(trivia.getRawText().removeprefix("//").removeprefix(" "))
            ends = 0
    return "\n".join(lines)


def module_of(source):
    """The syntax of the first module of a source."""
    root = syntax.SyntaxTree.fromText(source).root
    if root.kind == syntax.SyntaxKind.ModuleDeclaration:
        return root
    return next(member for member in root.members if member.kind == syntax.SyntaxKind.ModuleDeclaration)


def parameter_rows(header):
    for declaration in header.parameters.declarations if header.parameters else ():
        # Local parameters follow from the others.
        if declaration.kind == syntax.SyntaxKind.ParameterDeclaration and declaration.keyword.rawText == "parameter":
            for declarator in declaration.declarators:
                value = words(declarator.initializer).removeprefix("= ")
                yield code(declarator.name.rawText), code(words(declaration.type) or "-"), code(value), prose(comment(declaration))


def port_rows(header):
    for port in header.ports.ports:
        if port.kind != syntax.SyntaxKind.ImplicitAnsiPort:
            continue
        bits = " ".join(words(dimension) for dimension in port.header.dataType.dimensions)
        yield code(port.declarator.name.rawText), port.header.direction.rawText, code(bits or "1"), prose(comment(port))


def reference(source, description=True):
    module = module_of(source)
    lines = [escaped(comment(module)), ""] if description else []

    def table(title, heads, rows):
        rows = list(rows)
        if rows:
            lines.extend([f"## {title}", "", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"])
            lines.extend([*(f"| {' | '.join(row)} |" for row in rows), ""])

    table("Parameters", ("name", "type", "default", "meaning"), parameter_rows(module.header))
    table("Ports", ("name", "direction", "bits", "meaning"), port_rows(module.header))
    rows = ((code(name), prose(text) + (" (elaboration)" if kind == "PARAMETER" else "")) for kind, name, _, text in ASSERTION.findall(source))
    table("Assertions", ("name", "message"), rows)
    return "\n".join(lines).strip() + "\n"
