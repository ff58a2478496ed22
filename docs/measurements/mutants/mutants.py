"""Changes what guards a run in one place at a time, in a copy, and says which test of the changed package finds it: python3 mutants.py COPY [NUMBER...]

COPY is a copy of this repository; each change is undone. mutants.txt has a change a line, as that of the corpus: file, what stands there, what
comes in its place.
"""

import re
import subprocess
import sys
from pathlib import Path

copy, only = Path(sys.argv[1]), [int(n) for n in sys.argv[2:]]
lines = (Path(__file__).parent / "mutants.txt").read_text().splitlines()
print("| # | file | was | becomes | found by |\n|--:|:--|:--|:--|:--|")
for number, line in enumerate(lines, 1):
    if only and number not in only:
        continue
    name, was, becomes = line.split(" ;; ")
    path = copy / name
    text = path.read_text() if path.exists() else ""
    found = "not there"
    if was in text:
        path.write_text(text.replace(was, becomes, 1))
        try:
            test = ["go", "test", "-vet=off", "-count=1", "-failfast", "-timeout=5m", "./" + str(Path(name).parent)]
            done = subprocess.run(test, cwd=copy, capture_output=True, text=True)
        finally:
            path.write_text(text)
        said = done.stdout + done.stderr
        if "build failed" in said:
            sys.exit(f"{number}: it does not compile\n{said}")
        failed = re.search(r"--- FAIL: (\w+)", said)
        found = failed[1] if failed else "it ends" if done.returncode else "**none**"
    cell = lambda code: "`" + code.replace("|", "\\|") + "`"
    print(f"| {number} | {name} | {cell(was)} | {cell(becomes)} | {found} |", flush=True)
