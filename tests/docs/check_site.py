# SPDX-License-Identifier: Apache-2.0
"""Checks that the site is built without a warning, has the help of every command and no dead link, and that an inserted dead link is found.

check_site.py SOURCE WORK
"""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys

source, work = map(pathlib.Path, sys.argv[1:])
subprocess.run([source / "scripts/site", work], check=True)

loader = importlib.machinery.SourceFileLoader("site_builder", str(source / "scripts/site"))
builder = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_builder", loader))
sys.dont_write_bytecode = True
loader.exec_module(builder)

# The pages have the help of every command, and that of plan has the help of every collective.
for command in builder.subcommands():
    text = (work / f"html/commands/{builder.COMMANDS.get(command, command)}/index.html").read_text()
    called = [command, *(f"{command} {below}" for below in builder.subcommands(command) or builder.values_with_help(command))]
    missing = [call for call in called if f"Options of gossamer {call}<" not in text or f"Usage: gossamer {call} " not in text]
    assert not missing, missing
assert len(builder.values_with_help("plan")) > 10
page = work / "html/quickstart/index.html"
text = page.read_text()
for broken, told in (
    ('<a href="../nowhere/">', "quickstart/index.html: ../nowhere/"),
    ('<img src="../figures/none.svg">', "quickstart/index.html: ../figures/none.svg"),
    ('<a href="../glossary/#no-such-word">', "quickstart/index.html: ../glossary/#no-such-word: the page has no such place"),
):
    page.write_text(text.replace("<p>", f"{broken}<p>", 1))
    dead, _, _ = builder.dead_links(work / "html")
    assert dead == [told], dead
page.write_text(text)
