#!/usr/bin/env python3
"""Minimum speedups live: 3 % below and 3 % above the ratio of the session, repeatedly.

usage: keeps.py PERFGATE OUT SECONDS TIMES [cpu | cublas]

The kernel is an example's product of matrices (on tensor cores; with "cpu" the one in C++), and its competitor the same code compiled to be slower, or with "cublas" cuBLAS by
an adapter in C++, so processes start in less than a second. One run without minimum speedups measures how many times as fast the kernel is. Then each of TIMES runs has the
competitor twice, by two names: "below" is to be met, "above" to be missed, so the run has to fail by "above" only. SECONDS is for all. OUT gets the results; a line for each run, how many came out as they should, and how many intervals
(of head and base, for both names) have the mean of all of them.
"""
import json
import math
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[4] / "kernels" / "examples"
BESIDE = Path(__file__).resolve().parent / "beside" / "cublas.pg.cu"
CUDA = ("gemm_cuda", "gemm_tensor", "gemm.pg.cu", "gemm.cu, gemm_tensor.cu", "-O3", "-O3, -maxrregcount=48", 2048, "", "", "cuda")
CPU = ("gemm", "gemm", "gemm.pg.cc", "gemm.cc", "-O3", "-O1", 192, ", dtype: {values: [f32]}", ", dtype: f32", "cpu")
CONFIG = """version: 1
device: {device}
kernels:
  - name: {kernel}
    adapter: {adapter}
    sources: [{sources}]
    flags: [{flags}]
    params: {{M: {{values: [64, {size}]}}, N: {{values: [64, {size}]}}, K: {{values: [64, {size}]}}{more}}}
    measure: [{{M: {size}, N: {size}, K: {size}{one}}}]
    parity: {{cases: 2, atol: 2e-2, rtol: 1e-3}}
    competitors:
      - {{name: below, {competitor}, when: always{below}}}
      - {{name: above, {competitor}, when: always{above}}}
gate: {{tolerance: 1.5%, budget: 5m}}
"""


def git(tree, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def gate(perfgate, out, rows, keeps, left, cublas):
    """Exit code and result of a run: base and head are the same code."""
    example, kernel, adapter, sources, flags, slower, size, more, one, device = rows
    tree = Path(tempfile.mkdtemp())
    shutil.copytree(EXAMPLES / example, tree, dirs_exist_ok=True)
    shutil.copy(BESIDE, tree)
    competitor = f"adapter: {BESIDE.name}, flags: [-O3, -lcublas]" if cublas else f"adapter: {adapter}, sources: [{sources}], flags: [{slower}]"
    (tree / "perfgate.yaml").write_text(CONFIG.format(device=device, kernel=kernel, adapter=adapter, sources=sources, flags=flags, competitor=competitor, size=size, more=more, one=one,
                                                      below=keeps[0], above=keeps[1]))
    git(tree, "init", "-q", ".")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    words = ["run", "--base", "HEAD", "--time-identical", "--profile", "never", "--sandbox", "off", "--out", str(out)]
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "said.txt", "wb") as said:
        code = subprocess.run(["timeout", "-s", "INT", "-k", "5", str(int(left)), perfgate, *words], cwd=tree, stdout=said, stderr=said).returncode
    shutil.rmtree(tree)
    try:
        return code, json.loads((out / "result.json").read_text())
    except OSError:
        return code, None


def against(result):
    """Comparisons with competitors that have numbers."""
    return [c for c in result["cases"][0].get("comparisons", []) if c["to"]["role"] == "competitor" and "ratio" in c]


def intervals(result):
    """Logarithms of how much slower than each competitor head and base are, with their bounds."""
    return [(c["theta"], c["low"], c["high"]) for c in against(result)]


def speeds(result):
    """How many times as fast as each competitor head is, with the interval."""
    return {c["to"]["name"]: (1 / c["ratio"], 1 / c["ratioHigh"], 1 / c["ratioLow"]) for c in against(result) if c["of"]["role"] == "head"}


def main():
    perfgate, out, until, times = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), time.time() + float(sys.argv[3]), int(sys.argv[4])
    rows, cublas, found = CPU if "cpu" in sys.argv[5:] else CUDA, "cublas" in sys.argv[5:], []
    out.mkdir(parents=True, exist_ok=True)
    code, first = gate(perfgate, out / "first", rows, ("", ""), until - time.time(), cublas)
    if not first or not against(first):
        sys.exit(f"the run without minimum speedups came to nothing: exit {code}")
    ratio = (speeds(first)["below"][0] * speeds(first)["above"][0]) ** 0.5
    keeps = tuple(f", min-speedup: {ratio * by:.4f}x" for by in (0.97, 1.03))
    print(f"{ratio:.4f} times as fast in the run without minimum speedups{keeps[0]}{keeps[1]}", flush=True)
    good = asked = 0
    for number in range(times):
        began = time.time()
        if until - began < 15:
            break
        code, result = gate(perfgate, out / f"keep_{number}", rows, keeps, until - began, cublas)
        if result is None:
            break
        said = sorted((f["kind"], f.get("competitor", "")) for f in result["conclusion"].get("findings", []))
        as_wanted = code == 1 and said == [("speedup-missed", "above")]
        good, asked, found = good + as_wanted, asked + 1, found + intervals(result)
        print(f"{'ok ' if as_wanted else 'NOT'} exit {code} after {time.time() - began:.0f} s: {said} " +
              ", ".join(f"{n} {s:.4f} ({low:.4f} to {high:.4f})" for n, (s, low, high) in speeds(result).items()), flush=True)
    print(f"{good} of {asked} runs met below and missed above")
    mean = sum(theta for theta, _, _ in found) / max(len(found), 1)
    print(f"{sum(low <= mean <= high for _, low, high in found)} of {len(found)} intervals have the mean of all, {math.exp(-mean):.4f}")
    sys.exit(0 if good == asked > 0 else 1)


main()
