# SPDX-License-Identifier: Apache-2.0
"""Runs every command of the pages' console blocks and compares the output with the page.

A block is fenced with ```console. A line "$ command" (with its continuations after a backslash) is
run by bash in a separate directory, in which `build` is the build directory (also on the PATH), and `docs`, `examples`, `rtl` and `tests`
are those of the source tree. The lines after it must occur in the output (both streams), in this order. Several blanks
match one, and "..." matches any text. A last line "[status N]" is the exit status, by default 0.

A block fenced with ```LANGUAGE FILE is a file of that directory, from this place of the page on. In a
block fenced with ```sh run every line is a command that only has to succeed.

    check_commands.py BUILD PAGE...
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def blocks(page):
    """(line number of the first line, words after the fence, lines) of each fenced block."""
    found, fence = [], None
    for number, line in enumerate(page.splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence = (number + 1, line[3:].split(), [])
        elif line == "```" and fence is not None:
            found.append(fence)
            fence = None
        elif fence is not None:
            fence[2].append(line)
    return found


def console_commands(first, lines):
    """(line number, command, expected lines, expected status) of each command of a block."""
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            found.append((number, line[2:], [], 0))
        elif found and not found[-1][2] and found[-1][1].endswith("\\"):
            found[-1] = (found[-1][0], found[-1][1][:-1] + line, [], 0)
        elif found:
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


def check(number, command, expected, status, silent, directory, build):
    """The error of a command, with its output; None if the command is correct."""
    why, output = problem(command, expected, status, directory, build)
    if why is None and not expected and not silent:
        why = "the page says nothing about its output"
    return (number, command, why, output) if why else None


def wrong_commands(page, build):
    """The number of commands of the page, and the number of those with other output."""
    with open(page, encoding="utf-8") as file:
        found = blocks(file.read())
    count, wrong = 0, []
    with tempfile.TemporaryDirectory() as directory:
        os.symlink(build, os.path.join(directory, "build"))
        for folder in ("docs", "examples", "rtl", "tests"):
            os.symlink(os.path.join(SOURCE, folder), os.path.join(directory, folder))
        for first, words, lines in found:
            if words == ["console"]:
                asked, silent = console_commands(first, lines), False
            elif words == ["sh", "run"]:
                asked, silent = [(first + i, line, [], 0) for i, line in enumerate(lines) if line], True
            else:
                asked, silent = [], True
                if len(words) == 2:
                    with open(os.path.join(directory, words[1]), "w", encoding="utf-8") as file:
                        file.write("\n".join(lines) + "\n")
            count += len(asked)
            wrong += filter(None, [check(*one, silent, directory, build) for one in asked])
    for number, command, why, output in wrong:
        print(f"{page}:{number}: $ {command}\n  {why}\n{output}")
    print(f"{page}: {count} commands, {len(wrong)} wrong")
    return count, len(wrong)


def main():
    build = os.path.abspath(sys.argv[1])
    results = [wrong_commands(page, build) for page in sys.argv[2:]]
    # A page without commands would prove nothing.
    return 0 if results and all(found and not wrong for found, wrong in results) else 1


sys.exit(main())
