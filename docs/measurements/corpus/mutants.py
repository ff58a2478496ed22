"""Changes the rule in one place at a time, in a copy, and counts the answers of the corpus that change: python3 mutants.py COPY [NUMBER...]

A change that no answer shows is tried on the other tests of the rule, of rounds and of results.

COPY is a copy of this repository; each change is undone. mutants.txt has a change a line: file, what stands there, what comes in its place.
"""

import subprocess
import sys
from pathlib import Path


def tested(tests, *packages):
    return subprocess.run(["go", "test", "-vet=off", "-count=1", "-run", tests, *packages], cwd=copy, capture_output=True, text=True)


copy, only = Path(sys.argv[1]), [int(n) for n in sys.argv[2:]]
lines = (Path(__file__).parent / "mutants.txt").read_text().splitlines()
print("| # | file | was | becomes | answers that change |\n|--:|:--|:--|:--|--:|")
for number, line in enumerate(lines, 1):
    if only and number not in only:
        continue
    name, was, becomes = line.split(" ;; ")
    path = copy / name
    text = path.read_text()
    if was not in text:
        sys.exit(f"{number}: {name} has no {was}")
    path.write_text(text.replace(was, becomes, 1))
    try:
        done = tested("^TestCorpus$", "./gate/rule")
        other = done.returncode == 0 and tested(".", "./gate/rule", "./gate/measure", "./gate/result").returncode != 0
    finally:
        path.write_text(text)
    said = done.stdout + done.stderr
    found = said.count(" differences:")
    if "build failed" in said:
        sys.exit(f"{number}: it does not compile\n{said}")
    cell = lambda code: "`" + code.replace("|", "\\|") + "`"
    print(f"| {number} | {name} | {cell(was)} | {cell(becomes)} | {found or ('it ends' if done.returncode else 'another test' if other else '**0**')} |", flush=True)
