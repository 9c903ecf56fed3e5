#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the subjects of all commits since BASE, merges excepted.

  check_commits.py SOURCE     exit status 1 and one line per wrong subject
  check_commits.py --broken   the check finds each kind of wrong subject

A subject has at most 72 characters, names its components first and continues with a verb in the imperative:
"verify: prove trail plans in closed form", "docs, tests: ...". It does not end with a period. Of other forms of
verbs the check recognizes -ing, -ed and -s.

A checkout without history, or without BASE in its history (a shallow clone), has no commits to check.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

#: The last commit before the rule.
BASE = "6e49693a46d23c1387b468c93b65b80a454d744a"
LONGEST = 72
FORM = re.compile(r"[\w./+-]+(?:, [\w./+-]+)*: (?P<verb>[a-z][a-z-]*)(?: .*)?[^.\s]")
#: Verbs in the imperative that end like other forms.
IMPERATIVES = {"alias", "bias", "breed", "bring", "canvas", "cling", "embed", "exceed", "feed", "fling", "focus", "heed",
               "need", "proceed", "ring", "seed", "shed", "shred", "sing", "speed", "spring", "sting", "string", "succeed",
               "swing", "wed", "weed"}


def problem(subject):
    """The error of a subject; None if it is correct."""
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, at most {LONGEST} are allowed"
    if re.fullmatch(r'Revert ".*"', subject):
        return None
    if subject.endswith("."):
        return "it ends with a period"
    form = FORM.fullmatch(subject)
    if not form:
        return 'it has not the form "component: verb ..." with a verb in lower case'
    verb = form["verb"]
    if verb not in IMPERATIVES and re.search(r"(?:ing|ed|[^s]s)$", verb):
        return f'"{verb}" is not in the imperative'
    return None


def git(source, *arguments):
    """The output of git; None if it fails."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-C", source, *arguments], capture_output=True, text=True, env=environment)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def check(source, base):
    """The wrong commits since `base`, a line each, and the number of commits; None if `base` is not in the history."""
    if git(source, "merge-base", "--is-ancestor", base, "HEAD") is None:
        return None
    lines = (git(source, "log", "--no-merges", "--format=%h %s", f"{base}..HEAD") or "").splitlines()
    wrong = []
    for line in lines:
        commit, _, subject = line.partition(" ")
        if why := problem(subject):
            wrong.append(f'{commit} "{subject}": {why}')
    return wrong, len(lines)


def broken():
    right = ["verify: prove trail plans in closed form", "docs, tests: name tests by their behaviour",
             "README: shorten the first page", "tests/rtl: pass the seed on", "elastic: feed two ports",
             'Revert "verify: prove trail plans in closed form"', "a: " + "b" * 69]
    wrong = {"a: " + "b" * 70: "at most 72", "verify: prove trail plans.": "period", "prove trail plans": "form",
             "verify: Prove trail plans": "form", "verify:prove trail plans": "form", "verify: proved trail plans": "imperative",
             "verify: proving trail plans": "imperative", "verify: proves trail plans": "imperative"}
    for subject in right:
        assert problem(subject) is None, (subject, problem(subject))
    for subject, why in wrong.items():
        assert why in (problem(subject) or ""), (subject, problem(subject))
    with tempfile.TemporaryDirectory() as directory:
        assert check(directory, BASE) is None, "a checkout without history"
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        source = os.path.join(directory, "source")
        for arguments in (("init", "-q", "source"), ("-C", "source", *name, "commit", "-q", "--allow-empty", "-m", "Old one."),
                          ("-C", "source", *name, "commit", "-q", "--allow-empty", "-m", right[0]),
                          ("-C", "source", *name, "commit", "-q", "--allow-empty", "-m", "Fixed it.")):
            assert git(directory, *arguments) is not None, arguments
        found, commits = check(source, "HEAD~2")
        assert commits == 2 and len(found) == 1 and '"Fixed it.": it ends with a period' in found[0], found
        assert check(source, BASE) is None, "a history without the base"
        assert git(directory, "clone", "-q", "--depth", "1", pathlib.Path(source).as_uri(), "shallow") is not None
        assert check(os.path.join(directory, "shallow"), "HEAD~2") is None, "a shallow clone"
    print(f"{len(right)} right subjects, {len(wrong)} wrong ones, and four checkouts")


def main():
    if sys.argv[1:] == ["--broken"]:
        return broken()
    checked = check(sys.argv[1], BASE)
    if checked is None:
        return print(f"no history since {BASE[:8]}: nothing to check")
    wrong, commits = checked
    for line in wrong:
        print(line)
    print(f"{commits} commits, {len(wrong)} with a wrong subject")
    sys.exit(1 if wrong else 0)


main()
