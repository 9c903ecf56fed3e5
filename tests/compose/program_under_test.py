# SPDX-License-Identifier: Apache-2.0
"""What the checks of groups, compositions, contexts and products share: the program, which is their first argument,
refusals, and damaged documents."""
import json
import subprocess
import sys

GOSSAMER = sys.argv[1]


def run(*arguments, status=0):
    made = subprocess.run([GOSSAMER, *map(str, arguments)], capture_output=True, text=True)
    assert made.returncode == status, f"{arguments}: status {made.returncode}\n{made.stdout}{made.stderr}"
    return made


def refused(folder, status, words, *parts):
    made = run(*words, status=status)
    assert made.stderr.count("\n") == 1 and not made.stdout, made
    for part in parts:
        assert part in made.stderr, f"{part!r} is not in {made.stderr!r}"
    assert not (folder / "out.json").exists(), "leaves a file"


def numbers_in(value):
    """The places of all whole numbers in a part of a document: the list or object, and the index or key."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, (dict, list)):
            yield from numbers_in(item)
        elif isinstance(item, int) and not isinstance(item, bool):
            yield value, key


def fate(document, folder, what):
    """Writes a damaged document and runs it, with the trace trace.csv in the folder: "refused" by the reader, "caught"
    by the proof or the run, or "ran"."""
    mutant = folder / "mutant.json"
    mutant.write_text(json.dumps(document))
    made = subprocess.run([GOSSAMER, "simulate", str(mutant), "--trace", str(folder / "trace.csv"), "--report", "-"],
                          capture_output=True, text=True)
    assert made.returncode in (0, 1, 2), f"{what}: status {made.returncode}: {made.stderr}"
    if made.returncode == 2:
        assert made.stderr.count("\n") == 1, made.stderr
        return "refused"
    proof = subprocess.run([GOSSAMER, "verify", str(mutant)], capture_output=True, text=True)
    assert proof.returncode in (0, 1), proof.stderr
    # Proofs also refuse tables that combine without an arrival.
    assert proof.returncode == 1 or made.returncode == 0, (
        f"{what}: proof {proof.returncode}, run {made.returncode}: {made.stderr}")
    return "caught" if made.returncode == 1 or proof.returncode == 1 else "ran"
