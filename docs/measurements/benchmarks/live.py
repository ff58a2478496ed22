#!/usr/bin/env python3
"""Whole runs of the gate on benchmark scripts of Triton's tutorials, unchanged and with a planted loss, on a machine with a GPU, PyTorch and Triton.

usage: live.py [--seconds N] PERFGATE TUTORIALS OUT RUN...      TUTORIALS has 01-vector-add.py, 02-fused-softmax.py, 03-matrix-multiplication.py, 06-fused-attention.py

RUN is NAME, NAME:TIMES or NAME+PERCENT[:TIMES] (softmax:10, softmax+3, matmul+10:2), or init-NAME, which is perfgate init --bench of that script. NAME is vector, softmax,
matmul or attention, each at one size of its own. "+3" has the kernel of head do about 3 % of its work once more: rows of softmax, and steps along K of matmul. All run
without the sandbox, one after the other. With --seconds no run begins after so many, and what has not ended by then is ended. OUT gets a folder for each run.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

SCRIPTS = {  # file, case, what plants a loss: a line of the kernel, and what stands there then
    "vector": ("01-vector-add.py", "vector-add-performance/size=134217728,provider=triton", None),
    "softmax": ("02-fused-softmax.py", "softmax-performance/N=8576,provider=triton,*", (
        "    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):\n",
        "    for row_again in tl.range(row_start, n_rows + n_rows * {} // 100, row_step, num_stages=num_stages):\n        row_idx = row_again % n_rows\n")),
    "matmul": ("03-matrix-multiplication.py", "matmul-performance-fp16/M=4096,N=4096,K=4096,provider=triton,*", (
        "    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):\n", "    for k in range(0, tl.cdiv(K * {} // 100 + K, BLOCK_SIZE_K)):\n")),
    "attention": ("06-fused-attention.py", "fused-attention-batch4-head32-d64-fwd-causal=True-warp_specialize=False/N_CTX=4096,provider=triton-fp16,*", None),
}
RUN = re.compile(r"(init-)?(\w+?)(?:\+(\d+))?(?::(\d+))?$")
CONFIG = """version: 1
device: cuda
kernels:
  - name: {name}
    bench: {{script: {file}, format: triton}}
    cases: ["{case}"]
gate: {{tolerance: 1.5%, budget: 10m}}
"""


def git(tree, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def lay_out(tutorials, tree, name, percent):
    """A repository whose last commit plants the loss."""
    file, case, plant = SCRIPTS[name]
    tree.mkdir(parents=True)
    shutil.copy(tutorials / file, tree)
    (tree / "perfgate.yaml").write_text(CONFIG.format(name=name, file=file, case=case))
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    if percent:
        text = (tree / file).read_text()
        line, other = plant
        if text.count(line) != 1:
            raise SystemExit(f"{file}: {text.count(line)} lines {line.strip()}")
        (tree / file).write_text(text.replace(line, other.format(percent)))
    git(tree, "commit", "-q", "--allow-empty", "-am", "two")


def measured(out):
    """What a run came to: its verdict, and a line about it."""
    try:
        found = json.loads((out / "result.json").read_text())
        case = found["cases"][0]
    except (OSError, KeyError, IndexError):
        return "no answer", ""
    compared, timings = case.get("comparison") or {}, found.get("timings") or {}
    change = " to ".join(f"{100 * compared[key] - 100:+.2f} %" for key in ("ratioLow", "ratioHigh") if key in compared)
    seconds = {**timings, **timings.get("phases", {})}
    return case["verdict"], f"{compared.get('rounds')} rounds, {change}; " + ", ".join(f"{k} {v:.1f}" for k, v in seconds.items() if isinstance(v, (int, float)) and v >= 0.5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=1e9)
    for word in ("perfgate", "tutorials", "out"):
        parser.add_argument(word, type=lambda p: Path(p).resolve())
    parser.add_argument("run", nargs="+")
    asked = parser.parse_args()
    until, counts, work = time.time() + asked.seconds, Counter(), Path(tempfile.mkdtemp())
    for word in asked.run:
        init, name, percent, times = RUN.match(word).groups()
        for _ in range(int(times or 1)):
            left = until - time.time()
            if left < 20:
                break
            label = f"{init or ''}{name}{'+' + percent if percent else ''}"
            number = sum(counts.values())
            tree, out = work / f"{number}_{label}", asked.out / f"{number}_{label}"
            lay_out(asked.tutorials, tree, name, int(percent or 0))
            out.mkdir(parents=True, exist_ok=True)
            words = ["run", "--base", "HEAD~1", "--time-identical", "--profile", "never", "--sandbox", "off", "--out", str(out)]
            if init:
                git(tree, "rm", "-q", "perfgate.yaml")
                git(tree, "commit", "-qm", "none")
                words = ["init", "--bench", f"python3 {SCRIPTS[name][0]}"]
            began = time.time()
            with open(out / "out.txt", "wb") as said, open(out / "err.txt", "wb") as errors:
                code = subprocess.run(["timeout", "-s", "INT", "-k", "5", str(int(left)), asked.perfgate, *words], cwd=tree, stdout=said, stderr=errors).returncode
            verdict, line = measured(out)
            if init:
                verdict, line = "", " / ".join((out / "out.txt").read_text().splitlines()[-12:])
            counts[f"{label}: exit {code} {verdict}"] += 1
            print(f"{label:14} exit {code} after {time.time() - began:.0f} s, {verdict} {line}", flush=True)
    shutil.rmtree(work)
    for label, n in sorted(counts.items()):
        print(f"{n:3} x {label}")


main()
