#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The worked examples of docs/extending.md. Patches a copy of the sources as each example says, compiles
it without optimisation, runs the example's test, and holds the page to what was really touched.

    check_worked.py SOURCE BUILD WORK COMPILER LIBRARY...
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys

SOURCE, BUILD, WORK, COMPILER, *LIBRARIES = sys.argv[1:]
HERE = os.path.join(SOURCE, "tests/worked")
# All that plans, proves and runs, by folders that compile as one: their names differ.
TOGETHER = (("verify",), ("gossip",), ("plan",), ("hardware", "report", "sim"),
            ("broadcast", "exchange", "partial"), ("reduction", "planner", "compare"),
            ("util", "topology", "bounds", "wormhole"))


def run(*command, **options):
    ran = subprocess.run(command, capture_output=True, text=True, **options)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def touched(example):
    """What an example adds, as rows of the page's table: file, lines."""
    rows = {}
    for directory, _, names in os.walk(os.path.join(HERE, example)):
        for name in names:
            path = os.path.join(directory, name)
            file = os.path.relpath(path, os.path.join(HERE, example))
            if file == "edits.patch":
                for line in lines(path):
                    if line.startswith("+++ b/"):
                        file = line.removeprefix("+++ b/")
                        rows[file] = 0
                    elif line.startswith("+"):
                        rows[file] += 1
            elif file == "check.cpp":
                rows["a test"] = len(lines(path))
            else:
                rows[f"{file} (new)"] = len(lines(path))
    return rows


def check_page(example):
    page = os.path.join(SOURCE, "docs/extending.md")
    rows = touched(example)
    wanted = ["| file | lines |", "| --- | --- |"]
    wanted += [f"| `{file}` | {count} |" if "." in file else f"| {file} | {count} |"
               for file, count in sorted(rows.items())]
    wanted += [f"| {len(rows)} files | {sum(rows.values())} |"]
    if "\n".join(wanted) not in "\n".join(lines(page)):
        sys.exit(f"{page}: what the {example} touches is this:\n" + "\n".join(wanted))


def compile_one(job):
    source, target = job
    run(*os.environ.get("OBJCACHE", "").split(), COMPILER, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{WORK}/sw/include",
        f"-I{BUILD}/sw/include", "-c", source, "-o", target)
    return target


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    for part in ("sw/include", "sw/src", "docs"):
        shutil.copytree(os.path.join(SOURCE, part), os.path.join(WORK, part))
    shutil.copy(os.path.join(SOURCE, "sw/CMakeLists.txt"), os.path.join(WORK, "sw"))
    examples = ("collective", "discipline")
    for example in examples:
        run("patch", "-p1", "-s", "--no-backup-if-mismatch", "-i", os.path.join(HERE, example, "edits.patch"), cwd=WORK)
        if os.path.isdir(os.path.join(HERE, example, "sw")):
            shutil.copytree(os.path.join(HERE, example, "sw"), os.path.join(WORK, "sw"), dirs_exist_ok=True)
        check_page(example)

    # Each new source is one that CMake builds, and each source that CMake builds exists.
    built = {line.strip() for line in lines(os.path.join(WORK, "sw/CMakeLists.txt"))}
    jobs = [(os.path.join(HERE, example, "check.cpp"), f"{WORK}/check_{example}.o") for example in examples]
    for folders in TOGETHER:
        sources = sorted(f"src/{folder}/{name}" for folder in folders
                         for name in os.listdir(f"{WORK}/sw/src/{folder}") if name.endswith(".cpp"))
        for source in sources:
            if source not in built:
                sys.exit(f"sw/CMakeLists.txt: {source} is missing")
        together = f"{WORK}/{folders[0]}.cpp"
        with open(together, "w", encoding="utf-8") as file:
            file.writelines(f'#include "{WORK}/sw/{source}"\n' for source in sources)
        jobs.append((together, f"{WORK}/{folders[0]}.o"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, jobs))
    for example in examples:
        program = f"{WORK}/check_{example}"
        others = [at for at in objects if not os.path.basename(at).startswith("check_")]
        run(COMPILER, f"{program}.o", *others, *LIBRARIES, "-o", program)
        print(run(program), end="")


main()
