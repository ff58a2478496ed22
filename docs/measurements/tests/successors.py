#!/usr/bin/env python3
"""successors.py COMMIT: what became of each test that a commit had and HEAD lacks, as a table in Markdown.

A test goes in one commit. The tests that this commit adds or changes, in the same package if there are any, are where its claim went, those with the most
similar names first; its subject is the reason.
"""
import collections
import difflib
import os
import re
import subprocess
import sys

TEST = re.compile(r"func (Test\w+|Fuzz\w+)\(")


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True, errors="replace").stdout


def tests(commit):
    """The tests of a commit, each with its packages."""
    found = collections.defaultdict(set)
    for line in git("grep", "-E", r"^func (Test|Fuzz)\w+\(", commit, "--", "*_test.go").splitlines():
        _, path, text = line.split(":", 2)
        found[TEST.match(text)[1]].add(os.path.dirname(path))
    return found


def changes(commit):
    """Of each commit since, oldest first: hash, subject, and by file the tests that it takes out, adds and changes."""
    one = None
    for line in git("log", "--reverse", "--no-renames", "--format=commit %h %s", "-p", "-U0", "--function-context", f"{commit}..HEAD", "--", "*_test.go").splitlines():
        if line.startswith("commit "):
            if one:
                yield one
            _, name, subject = line.split(" ", 2)
            one, folder, inside = (name, subject, {"out": {}, "in": {}, "touched": {}}), "", ""
        elif line.startswith(("--- ", "+++ ")):
            if line[4:] != "/dev/null":
                folder = os.path.dirname(line[6:])
        elif line.startswith("@@"):
            inside = ""
        elif match := TEST.match(line[1:]):
            inside = match[1]
            kind = {"-": "out", "+": "in"}.get(line[0])
            if kind:
                one[2][kind].setdefault(inside, folder)
        elif line[:1] in "+-" and inside:
            one[2]["touched"].setdefault(inside, folder)
    if one:
        yield one


def main():
    before, after = tests(sys.argv[1]), tests("HEAD")
    gone = {name: folders for name, folders in before.items() if name not in after}
    went = {}
    for name, subject, of in changes(sys.argv[1]):
        for test in gone.keys() & of["out"].keys():
            if test not in of["in"]:
                near = [(t, folder) for kind in ("in", "touched") for t, folder in of[kind].items() if t in after and (t not in of["out"] or t in of["in"])]
                near = [t for t, folder in near if folder == of["out"][test]] or [t for t, _ in near]
                went[test] = (name, subject, sorted(dict.fromkeys(near), key=lambda t: -difflib.SequenceMatcher(None, t, test).ratio()))
    print(f"{len(before)} names of tests then, {len(after)} now, {len(gone)} of those then are gone.\n")
    print("| test | of | tests that the commit added or changed | the commit that took it out |\n|:--|:--|:--|:--|")
    for test in sorted(gone):
        name, subject, near = went.get(test, ("", "not found", []))
        shown = ", ".join(near[:3]) + (f" and {len(near) - 3} more" if len(near) > 3 else "")
        print(f"| {test} | {' '.join(sorted(gone[test]))} | {shown} | `{name}` {subject.replace('|', '/')} |")


main()
