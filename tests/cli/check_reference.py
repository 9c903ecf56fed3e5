# SPDX-License-Identifier: Apache-2.0
"""Holds docs/commands against the program: every command has a page, every long option of its --help
is on that page, and every option at the head of a row of the page's tables is one of the command's.

    check_reference.py GOSSAMER DIRECTORY
"""
import os
import re
import subprocess
import sys

# Pages of more than one command, and commands that share one.
PAGES = {"completion": "shell", "man": "shell"}


def help_text(program, path):
    return subprocess.run([program, *path, "--help"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def children(text):
    """The names of the commands below, from the last section of a help text."""
    _, _, below = text.partition("\nSubcommands:\n")
    return re.findall(r"^  ([\w-]+)", below.partition("\n\n")[0], re.MULTILINE)


def options(text):
    """The long options that a help text defines."""
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.MULTILINE)) - {"--help", "--version"}


def all_options(program, path):
    """Those of a command and of all commands below."""
    text = help_text(program, path)
    return options(text).union(*(all_options(program, [*path, name]) for name in children(text)))


def problems(program, directory):
    by_page = {}
    for command in children(help_text(program, [])):
        page = PAGES.get(command, command)
        by_page.setdefault(page, set()).update(all_options(program, [command]))
    for page, defined in sorted(by_page.items()):
        try:
            with open(os.path.join(directory, page + ".md"), encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            yield f"{page}.md is missing"
            continue
        told = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))
        for option in sorted(defined - told):
            yield f"{page}.md: nothing about {option}"
        heads = re.findall(r"^\| (`-[^|]*)\|", text, re.MULTILINE)
        for option in re.findall(r"--[a-z][\w-]*", " ".join(heads)):
            if option not in defined:
                yield f"{page}.md: {option} is no option of the command"
    print(f"{len(by_page)} pages, {sum(map(len, by_page.values()))} options")
    if not any(by_page.values()):
        yield "no options were found at all"


def main():
    found = list(problems(os.path.abspath(sys.argv[1]), sys.argv[2]))
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
