# SPDX-License-Identifier: Apache-2.0
"""Runs every command of the pages' console blocks and compares the output with the page.

A block is fenced with ```console. A line "$ command" (with its continuations after a backslash) is
run by bash in an empty directory where `build` is the build directory, with `build` also on the PATH;
the lines behind it must occur in the output (both streams), in this order. Blanks count as one, and
"..." stands for anything. A last line "[status N]" is the exit status, 0 where there is none.

    check_commands.py BUILD PAGE...
"""
import os
import re
import subprocess
import sys
import tempfile


def commands(page):
    """(line number, command, expected lines, expected status) of each command."""
    found, inside = [], False
    for number, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside and line == "```console"
        elif inside and line.startswith("$ "):
            found.append((number, line[2:], [], 0))
        elif inside and found and not found[-1][2] and found[-1][1].endswith("\\"):
            found[-1] = (found[-1][0], found[-1][1][:-1] + line, [], 0)
        elif inside and found:
            status = re.fullmatch(r"\[status (\d)\]", line)
            if status:
                found[-1] = (*found[-1][:3], int(status[1]))
            else:
                found[-1][2].append(line)
    return found


def squeezed(line):
    return " ".join(line.split())


def matches(expected, line):
    parts = [re.escape(part) for part in squeezed(expected).split("...")]
    return re.fullmatch(".*".join(parts), squeezed(line)) is not None


def problem(command, expected, status, directory, build):
    path = build + os.pathsep + os.environ["PATH"]
    run = subprocess.run(["bash", "-c", command], cwd=directory, env={**os.environ, "PATH": path},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=280)
    if run.returncode != status:
        return f"exit status {run.returncode}, not {status}", run.stdout
    lines = iter(run.stdout.splitlines())
    for wanted in expected:
        if not any(matches(wanted, line) for line in lines):
            return f"no line: {wanted}", run.stdout
    return None, run.stdout


def wrong_commands(page, build):
    """How many commands of the page there are, and how many do not do what it says."""
    with open(page, encoding="utf-8") as file:
        found = commands(file.read())
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(build, os.path.join(directory, "build"))
        for number, command, expected, status in found:
            why, output = problem(command, expected, status, directory, build)
            if why is None and not expected:
                why = "the page says nothing about its output"
            if why:
                wrong += 1
                print(f"{page}:{number}: $ {command}\n  {why}\n{output}")
    print(f"{page}: {len(found)} commands, {wrong} wrong")
    return len(found), wrong


def main():
    build = os.path.abspath(sys.argv[1])
    results = [wrong_commands(page, build) for page in sys.argv[2:]]
    # A page without commands would prove nothing.
    return 0 if results and all(found and not wrong for found, wrong in results) else 1


sys.exit(main())
