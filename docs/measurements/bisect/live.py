#!/usr/bin/env python3
"""Searches for a planted loss with the real harness: live.py PERFGATE SEARCHES [LOSS, such as 0.10 [FIRST SEED]]

Each search has a repository of its own: 64 commits after the good one. One in seven does not build, one in four touches nothing that the
kernel reads, every other one changes the built code without changing its speed, and one of them plants the loss. Prints a line a search.
"""
import json, os, random, subprocess, sys, tempfile, time

COMMITS = 64
CONFIG = """version: 1
device: cpu
kernels:
  - name: spin
    adapter: bench/spin.pg.cc
    sources: [csrc/spin.cc]
    flags: [-O2, -Icsrc]
    params: {n: {values: [4000]}}
    parity: {cases: 2}
gate: {tolerance: 3%, budget: 3m}
"""
ADAPTER = """#include "perfgate.h"
extern "C" void spin(const float *x, float *y, long n);
int pg_spec(const pg_case *c, pg_tensor *t, int) {
  t[0] = PG_TENSOR("x", PG_F32, PG_IN, pg_param(c, "n"));
  t[1] = PG_TENSOR("y", PG_F32, PG_OUT, pg_param(c, "n"));
  return 2;
}
int pg_launch(const pg_case *c, void *const *data, void *, void *) { spin((const float *)data[0], (float *)data[1], pg_param(c, "n")); return 0; }
int pg_reference(const pg_case *c, double *const *data, void *) { for (long i = 0; i < pg_param(c, "n"); i++) data[1][i] = 2 * data[0][i]; return 0; }
"""
SOURCE = """#include "work.h"
extern "C" void spin(const float *x, float *y, long n) {
  for (long i = 0; i < n; i++) {
    unsigned a = (unsigned)i;
    for (int k = 0; k < WORK; k++) a = a * 1664525u + 1013904223u;
    __asm__ volatile("" : : "r"(a));
    y[i] = 2 * x[i];
  }
}
"""


def write(root, name, text):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def git(root, *args):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *args], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def commit(root, message):
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


def plant(root, loss, seed):
    draw = random.Random(seed)
    at = draw.randint(1, COMMITS)
    git(root, "init", "-q", "-b", "main")
    write(root, "perfgate.yaml", CONFIG)
    write(root, "bench/spin.pg.cc", ADAPTER)
    write(root, "csrc/spin.cc", SOURCE)
    work, ids = 200, []
    for i in range(COMMITS + 1):
        broken = i not in (0, at, at - 1, COMMITS) and draw.random() < 1 / 7
        idle = i not in (0, at) and draw.random() < 1 / 4
        if i == at:
            work = round(work * (1 + loss))
        if idle and not broken:
            write(root, "NOTES.md", f"{i}\n")
        else:
            error = "#error does not build\n" if broken else ""
            write(root, "csrc/work.h", f'#define WORK {work}\n{error}extern "C" int version{i}() {{ return {i}; }}\n')
        ids.append(commit(root, f"commit {i}"))
    return ids, at


def main():
    perfgate, searches = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    loss = float(sys.argv[3]) if len(sys.argv) > 3 else 0.10
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    right = 0
    for seed in range(first, first + searches):
        with tempfile.TemporaryDirectory() as root:
            ids, at = plant(root, loss, seed)
            began = time.time()
            done = subprocess.run([perfgate, "bisect", ids[0], "HEAD", "--format=json", "--out", os.path.join(root, "out")], cwd=root, capture_output=True, text=True)
            took = time.time() - began
            if done.returncode not in (0, 1, 3) or not done.stdout:
                sys.exit(done.stderr[-2000:])
            found = json.loads(done.stdout)
            ok = found.get("first") == ids[at] or ids[at] in found.get("among", [])
            right += ok
            processes = sum(4 * step.get("rounds", 0) for step in found["steps"])
            sure = found.get("confirm") or found["ends"]
            print(f"search {seed}: planted at {at:2}, {'right' if ok else 'WRONG'}, {found['kind']}, {100 * (sure['ratio'] - 1):+.1f} % "
                  f"({100 * (sure['low'] - 1):+.1f} to {100 * (sure['high'] - 1):+.1f}), {found['candidates']} candidates, {len(found['steps'])} steps, "
                  f"{sum(s['answer'] == 'skip' for s in found['steps'])} skipped, {processes} processes, {took:.0f} s", flush=True)
    print(f"{right} of {searches} right at +{100 * loss:.0f} %")


main()
