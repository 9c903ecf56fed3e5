#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The collective of docs/extending.md: applies its patch to a copy of the sources, compiles the
libraries that the patch changes, and links and runs the example's test.

    check_worked.py SOURCE BUILD WORK COMPILER LIBRARY...

LIBRARY... are the archives gossamer_LAYER, lowest first, and then the shared libraries they need.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

SOURCE, BUILD, WORK, COMPILER, *LIBRARIES = sys.argv[1:]
EXAMPLE = os.path.join(SOURCE, "tests/worked/collective")


def run(*command, **options):
    ran = subprocess.run(command, capture_output=True, text=True, **options)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def changed_layers(patch):
    """Name and folders of each gossamer_layer() below sw that has a file in the patch."""
    cmake = read(SOURCE, "sw/CMakeLists.txt")
    touched = set(re.findall(r"^\+\+\+ b/sw/src/(.*)/[^/]*\.cpp$", patch, re.M))
    layers = {}
    for name, body in re.findall(r"^gossamer_layer\((\w+)(.*?)\)", cmake, re.M | re.S):
        folders = re.search(r"FOLDERS ([^A-Z]*)", body).group(1).split()
        if touched & set(folders):
            layers[name] = folders
            touched -= set(folders)
    if touched or not layers:
        sys.exit(f"the patch changes files that belong to no layer: {touched}")
    return layers


def compile_one(job):
    source, target = job
    run(*os.environ.get("OBJCACHE", "").split(), COMPILER, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror",
        f"-I{WORK}/sw/include", f"-I{BUILD}/sw/include", "-c", source, "-o", target)
    return target


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    for part in ("sw/include", "sw/src", "docs"):
        shutil.copytree(os.path.join(SOURCE, part), os.path.join(WORK, part))
    patch = os.path.join(EXAMPLE, "edits.patch")
    run("patch", "-p1", "-s", "--no-backup-if-mismatch", "-i", patch, cwd=WORK)

    layers = changed_layers(read(patch))
    jobs = [(os.path.join(EXAMPLE, "check.cpp"), f"{WORK}/check.o")]
    for layer, folders in layers.items():
        # The names in a layer's sources differ, so that they compile as one.
        together = f"{WORK}/{layer}.cpp"
        with open(together, "w", encoding="utf-8") as file:
            for folder in folders:
                file.writelines(f'#include "{WORK}/sw/src/{folder}/{name}"\n'
                                for name in sorted(os.listdir(f"{WORK}/sw/src/{folder}")) if name.endswith(".cpp"))
        jobs.append((together, f"{WORK}/{layer}.o"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, jobs))

    replaced = {f"libgossamer_{layer}.a" for layer in layers}
    kept = [library for library in LIBRARIES if os.path.basename(library) not in replaced]
    # Machines register themselves: their archives are linked as a whole.
    archives = [library for library in kept if library.endswith(".a")]
    shared = [library for library in kept if not library.endswith(".a")]
    program = f"{WORK}/check"
    run(COMPILER, *objects, "-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive", *shared, "-o", program)
    print(run(program), end="")


main()
