#!/usr/bin/env python3
"""A short search live among candidates that are base in disguise: disguise.py PERFGATE [CANDIDATES] [cuda]

Each is a kernel with another number in its code that changes no time: the planted kernel of measurements/tune, or with cuda that of newton/, where one candidate
has 5 % less work as well, some of those after it are that one in disguise, and the last has 10 % more and is looked at with --profile. Prints the verdict of
each, what keeping the fastest reading would have kept, and how many were declared better.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = """version: 1
device: cpu
kernels:
  - name: planted
    adapter: planted.pg.cc
    sources: [planted.cc]
    flags: [-O2]
    params: {n: {values: [4000]}}
    cache: hot
    parity: {cases: 1, atol: 0, rtol: 0}
gate: {tolerance: 1.5%, budget: 60s}
"""


def planted(folder, name, _steps):
    """The kernel of a CPU, in whose code a name changes nothing."""
    shutil.copytree(HERE.parent / "tune" / "kernels", folder)
    (folder / "perfgate.yaml").write_text(CONFIG)
    put(folder / "planted.cc", "#define NAME 1", f"#define NAME {name}")
    return folder


def newton(folder, name, steps):
    shutil.copytree(HERE / "newton", folder)
    put(folder / "newton.cu", "#define NAME 0", f"#define NAME {name}")
    put(folder / "newton.cu", "#define STEPS 40", f"#define STEPS {steps}")
    return folder


def put(file, before, after):
    text = file.read_text()
    if before not in text:
        sys.exit(f"{file} has no {before}")
    file.write_text(text.replace(before, after))


def steps_of(kind, n, count):
    """Of the work of candidate n: all of a CPU's are base in disguise; on a GPU the one in the middle has less, and the last more."""
    if kind == "cpu" or n < count // 2:
        return 40
    return 44 if n == count - 1 else 38


def main():
    perfgate, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 24
    kind = "cuda" if "cuda" in sys.argv[3:] else "cpu"
    lay = {"cpu": planted, "cuda": newton}[kind]
    verdicts, fastest, rounds, seconds = collections.Counter(), 1.0, 0, 0.0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        base = lay(work / "base", 1, 40)
        for n in range(count):
            steps = steps_of(kind, n, count)
            candidate = lay(work / f"c{n}", n + 2, steps)
            profile = "always" if steps > 40 else "never"
            done = subprocess.run([perfgate, "judge", candidate, "--base", base, "--ledger", work / "ledger", "--profile", profile], capture_output=True, text=True, cwd=base)
            if not done.stdout:
                sys.exit(done.stderr)
            answer = json.loads(done.stdout)
            ratio = answer.get("ratio", {}).get("ratio", 1.0)
            verdicts[answer["verdict"]] += 1
            fastest, rounds, seconds = min(fastest, ratio), rounds + answer["rounds"], seconds + answer["seconds"]
            print(f"{n:3} {f'{steps} steps ' if kind == 'cuda' else ''}{answer['verdict']:7} {ratio:.4f} {answer['rounds']:3} rounds {answer['seconds']:5.1f} s", flush=True)
            for case in answer.get("cases") or []:
                for cause in case.get("causes") or []:
                    print(f"    because {cause['title']} (on {cause['side']}, {cause['share']:.0%})", flush=True)
    print(f"{dict(verdicts)}; the fastest reading was {100 * (fastest - 1):+.2f} % of base's time; {rounds} rounds, {seconds:.0f} s")


if __name__ == "__main__":
    main()
