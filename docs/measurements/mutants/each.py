"""Changes code in one place at a time, in a copy, undoes each change, and prints a row of a table for it."""

import subprocess
import sys
from pathlib import Path


def each(folder, heading, tried, absent):
    """Reads COPY [NUMBER...] from the command line, and mutants.txt of folder, which has a change a line: file, what stands there, what comes in its place.

    tried(test, name) says what finds the change of a file; test(*arguments) runs go test in the copy with some arguments. absent(number, name, was) says
    what is so of one whose text is not there, if anything.
    """
    copy, only = Path(sys.argv[1]), [int(n) for n in sys.argv[2:]]
    print(f"| # | file | was | becomes | {heading} |\n|--:|:--|:--|:--|" + ("--:|" if heading.startswith("answers") else ":--|"))
    cell = lambda code: "`" + code.replace("|", "\\|") + "`"

    def test(*arguments):
        done = subprocess.run(["go", "test", "-vet=off", "-count=1", *arguments], cwd=copy, capture_output=True, text=True)
        if "build failed" in done.stdout + done.stderr:
            raise RuntimeError(f"it does not compile\n{done.stdout}{done.stderr}")
        return done

    for number, line in enumerate((Path(folder) / "mutants.txt").read_text().splitlines(), 1):
        if only and number not in only:
            continue
        name, was, becomes = line.split(" ;; ")
        path = copy / name
        text = path.read_text() if path.exists() else ""
        if was not in text:
            found = absent(number, name, was)
        else:
            path.write_text(text.replace(was, becomes, 1))
            try:
                found = tried(test, name)
            except RuntimeError as fault:
                sys.exit(f"{number}: {fault}")
            finally:
                path.write_text(text)
        print(f"| {number} | {name} | {cell(was)} | {cell(becomes)} | {found} |", flush=True)
