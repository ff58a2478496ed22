#!/usr/bin/env python3
"""One process of a benchmark script under perfgate.bench, with the seconds of its phases: a line of JSON onto the end of OUT.

usage: triton_phases.py BEGAN SCRIPT OUT      BEGAN is `date +%s.%N` just before; question and answer are those of perfgate.bench, by PERFGATE_BENCH_ASK and PERFGATE_BENCH_OUT

A phase that is entered often has [times, seconds], and phases can lie within others: Triton's tuner compiles.
"""
import json
import os
import sys
import time

began, script, out = float(sys.argv[1]), sys.argv[2], sys.argv[3]
marks = {"python": time.time() - began}
spent = {}


def timed(owner, name, label):
    real = getattr(owner, name)

    def wrapped(*args, **words):
        at = time.time()
        try:
            return real(*args, **words)
        finally:
            entry = spent.setdefault(label, [0, 0.0])
            entry[0] += 1
            entry[1] += time.time() - at

    setattr(owner, name, wrapped)


at = time.time()
import torch  # noqa: E402

marks["import torch"] = time.time() - at
at = time.time()
import triton.runtime.autotuner  # noqa: E402
import triton.runtime.jit  # noqa: E402
import triton.testing  # noqa: E402

marks["import triton"] = time.time() - at
at = time.time()
torch.cuda.init()
torch.zeros(1, device="cuda")
torch.cuda.synchronize()
marks["cuda"] = time.time() - at

from perfgate import bench  # noqa: E402
from perfgate.bench_cuda import Cuda  # noqa: E402
from perfgate.bench_session import Session  # noqa: E402

timed(triton.runtime.autotuner.Autotuner, "_bench", "autotuner._bench")
if hasattr(triton.runtime.jit.JITFunction, "_do_compile"):
    timed(triton.runtime.jit.JITFunction, "_do_compile", "JIT compile")
for name in ("_warm", "_take", "device", "_calibrate", "_measure"):
    timed(Session, name, "session." + name)
for name in ("settle", "audit", "method"):
    timed(Cuda, name, "cuda." + name)
at = time.time()
code = bench.main([script], os.environ)
marks["script"] = time.time() - at
marks["all"] = time.time() - began
line = {"script": script, "code": code, **{k: round(v, 2) for k, v in marks.items()}, **{k: [n, round(s, 2)] for k, (n, s) in spent.items()}}
with open(out, "a") as file:
    file.write(json.dumps(line) + "\n")
