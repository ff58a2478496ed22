#!/usr/bin/env python3
"""Change points of Apache Otava beside ours.

Draws series of known shape, adds the published series of Otava's own tests, runs Otava's algorithm on all of them, and writes
series and answers. `go test ./stats -run BesideOtava -v` runs ours on the same series and prints both.

    git clone https://github.com/apache/otava && apt-get install python3-numpy python3-scipy
    python3 beside_otava.py path/to/otava > ../../../stats/testdata/otava.json

The two published series are data of Apache Otava (Apache License 2.0, tests/tigerbeetle_test.py and tests/analysis_test.py).
"""
import ast
import json
import sys

import numpy as np

EACH = 30  # series of a kind
LENGTH = 60
SEED = 20260314


def published(root):
    """The series that Otava's tests have, by reading them: nothing of its tests is run."""
    def literal(path, owner):
        for node in ast.walk(ast.parse(open(f"{root}/tests/{path}").read())):
            if isinstance(node, ast.FunctionDef) and node.name == owner:
                for inner in ast.walk(node):
                    if isinstance(inner, ast.List) and len(inner.elts) > 15:
                        return ast.literal_eval(inner)
        sys.exit(f"{path}: no series in {owner}")
    # What its own pictures and tests say of where the levels change.
    yield "tigerbeetle", literal("tigerbeetle_test.py", "_get_series"), None
    yield "otava: a step", literal("analysis_test.py", "test_single_series"), [10]


def drawn():
    """Series of known shape: noise of standard deviation 1 around a level of 100."""
    rng = np.random.default_rng(SEED)

    def spikes(n):
        return np.where(rng.random(n) < 0.04, 10, 0)

    for _ in range(EACH):
        noise = rng.standard_normal(LENGTH)
        yield "noise", noise, []
        yield "noise with heavy tails", rng.standard_t(3, LENGTH) / np.sqrt(3), []
        yield "noise with spikes", noise + spikes(LENGTH), []
        at = int(rng.integers(10, LENGTH - 10))
        step = np.where(np.arange(LENGTH) < at, 0, 3)
        yield "a step of 3", rng.standard_normal(LENGTH) + step, [at]
        yield "a step of 3 among spikes", rng.standard_normal(LENGTH) + step + spikes(LENGTH), [at]
        ramp = np.clip((np.arange(LENGTH) - 20) / 20, 0, 1) * 6
        yield "a ramp of 6 over 20", rng.standard_normal(LENGTH) + ramp, list(range(20, 41))


def main():
    root = sys.argv[1]
    sys.path.insert(0, root)
    from otava.analysis import compute_change_points

    out = []
    series = [(kind, list(values), truth) for kind, values, truth in published(root)]
    series += [(kind, [round(100 + float(x), 2) for x in values], truth) for kind, values, truth in drawn()]
    for kind, values, truth in series:
        found, _ = compute_change_points([float(x) for x in values])  # its defaults
        out.append({"kind": kind, "truth": truth, "otava": [int(c.index) for c in found], "series": values})
    print("[\n" + ",\n".join(json.dumps(x) for x in out) + "\n]")


main()
