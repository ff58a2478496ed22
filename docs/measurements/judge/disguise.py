#!/usr/bin/env python3
"""A short search live among candidates that are base in disguise: disguise.py PERFGATE [CANDIDATES]

Each is the planted kernel of measurements/tune with another number in its code that changes no time. Prints the verdict of each, what keeping the
fastest reading would have kept, and how many were declared better.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "tune" / "kernels"
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


def lay(folder, name):
    shutil.copytree(KERNELS, folder)
    (folder / "perfgate.yaml").write_text(CONFIG)
    code = folder / "planted.cc"
    code.write_text(code.read_text().replace("#define NAME 1", f"#define NAME {name}"))
    return folder


def main():
    perfgate, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 24
    verdicts, fastest, rounds, seconds = collections.Counter(), 1.0, 0, 0.0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        base = lay(work / "base", 1)
        for n in range(count):
            candidate = lay(work / f"c{n}", n + 2)
            done = subprocess.run([perfgate, "judge", candidate, "--base", base, "--ledger", work / "ledger", "--profile", "never"], capture_output=True, text=True, cwd=base)
            if not done.stdout:
                sys.exit(done.stderr)
            answer = json.loads(done.stdout)
            ratio = answer.get("ratio", {}).get("ratio", 1.0)
            verdicts[answer["verdict"]] += 1
            fastest, rounds, seconds = min(fastest, ratio), rounds + answer["rounds"], seconds + answer["seconds"]
            print(f"{n:3} {answer['verdict']:7} {ratio:.4f} {answer['rounds']:3} rounds {answer['seconds']:5.1f} s", flush=True)
    print(f"{dict(verdicts)}; the fastest reading was {100 * (fastest - 1):+.2f} % of base's time; {rounds} rounds, {seconds:.0f} s")


if __name__ == "__main__":
    main()
