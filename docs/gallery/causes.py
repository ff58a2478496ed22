#!/usr/bin/env python3
"""Gives the three regressions of testdata/report/many/result.json causes as Nsight Compute would show them: causes.py >result.json. Made up."""

import json
import math
import pathlib

CAUSES = [
    ("grid-too-small", "the grid is too small to fill the GPU", "launch more blocks", 0.94, ("blocks", "launch__grid_size", None, 1536, 96)),
    ("register-spills", "values are spilled to local memory", "lower register pressure or raise the limit (-maxrregcount)", 0.81,
     ("spilled bytes a thread", "local", "byte", 0, 208)),
    ("bank-conflicts", "accesses to shared memory conflict in their banks", "pad or swizzle the rows in shared memory", 0.88,
     ("conflicts a request", "bank conflicts", None, 0.02, 5.9)),
]

path = pathlib.Path(__file__).parent / "../../testdata/report/many/result.json"
result = json.loads(path.read_text())
slower = sorted((c for c in result["cases"] if c["verdict"] == "regression"), key=lambda c: -c["comparison"]["theta"])
for case, (cause, title, remedy, share, (name, metric, unit, base, head)) in zip(slower, CAUSES, strict=True):
    theta = case["comparison"]["theta"]
    change = {"name": name, "metric": metric, "base": base, "head": head}
    if unit:
        change["unit"] = unit
    case["evidence"] = {
        "source": "Nsight Compute 2025.3.1.0",
        "log": theta,
        "profiled": theta * 0.98,
        "causes": [{"id": cause, "title": title, "remedy": remedy, "log": theta * share, "share": share, "changes": [change]}],
        "others": [{"id": "memory-latency", "title": "warps wait for memory", "log": theta * (0.96 - share), "share": 0.96 - share}],
    }
result["evidence"] = {"policy": "auto", "profiler": "Nsight Compute 2025.3.1.0", "seconds": 21.4}
print(json.dumps(result, indent=1))
assert all(math.isfinite(c["evidence"]["log"]) for c in slower)
