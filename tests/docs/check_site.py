# SPDX-License-Identifier: Apache-2.0
"""Checks that the site is built without a warning and has no dead link, and that an inserted dead link is found.

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
