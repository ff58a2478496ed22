#!/usr/bin/python3
"""Writes golden.json: values of scipy and numpy (Debian's python3-scipy) that golden_test.go compares with.

Run it in this folder: /usr/bin/python3 golden.py > golden.json
"""
import itertools
import json
import sys

import numpy as np
import scipy
from scipy import stats

random = np.random.default_rng(20240501)


def samples():
    """Pairs of samples of the kinds that timing makes."""
    yield "normal", random.normal(100, 3, 12), random.normal(103, 3, 15)
    yield "lognormal", random.lognormal(3, 0.4, 30), random.lognormal(3.1, 0.4, 30)
    yield "ties", random.integers(1, 8, 20).astype(float), random.integers(2, 9, 17).astype(float)
    yield "disjoint", random.uniform(1, 2, 6), random.uniform(3, 4, 6)
    yield "large", np.round(random.normal(500, 20, 400)), np.round(random.normal(503, 20, 300))
    yield "tiny", random.normal(1, 0.1, 3), random.normal(1.2, 0.1, 4)


def rank_case(name, base, head):
    u = stats.mannwhitneyu(head, base, alternative="two-sided", method="auto", use_continuity=True)
    signs = np.sign(head[:, None] - base[None, :])
    return {
        "name": name, "base": base.tolist(), "head": head.tolist(),
        "median": float(np.median(base)),
        "quantiles": {str(q): float(np.quantile(base, q)) for q in (0.0, 0.1, 0.5, 0.9, 0.99, 1.0)},
        "trimmedMean": float(stats.trim_mean(base, 0.2)),
        "u": float(u.statistic), "p": float(u.pvalue),
        "ties": bool(len(np.unique(np.concatenate([base, head]))) < len(base) + len(head)),
        "delta": float(signs.mean()),
        "deltaVariance": float(cliff_variance(signs)),
        "welch": welch(np.log(base), np.log(head)),
    }


def cliff_variance(d):
    n, m = d.shape
    mean = d.mean()
    rows = ((d.mean(axis=1) - mean) ** 2).sum()
    columns = ((d.mean(axis=0) - mean) ** 2).sum()
    cells = ((d - mean) ** 2).sum()
    return (m * m * rows + n * n * columns - cells) / (n * m * (n - 1) * (m - 1))


def welch(base, head):
    r = stats.ttest_ind(head, base, equal_var=False)
    vb, vh = base.var(ddof=1) / len(base), head.var(ddof=1) / len(head)
    df = (vb + vh) ** 2 / (vb**2 / (len(base) - 1) + vh**2 / (len(head) - 1))
    low = (head.mean() - base.mean()) + stats.t.ppf(0.001, df) * np.sqrt(vb + vh)
    return {"t": float(r.statistic), "df": float(df), "low": float(low)}


def rounds_case(count, shift, sd):
    """The two-way additive model fitted by least squares, the slow way: a design matrix."""
    y = random.normal(10, 0.05, count)[:, None] + random.normal(0, sd, (count, 4)) + shift * np.array([0, 0, 1, 1])
    design = np.zeros((4 * count, count + 1))
    for r, k in itertools.product(range(count), range(4)):
        design[4 * r + k, r] = 1
        design[4 * r + k, count] = 0.5 if k >= 2 else -0.5
    flat = y.reshape(-1)
    beta, *_ = np.linalg.lstsq(design, flat, rcond=None)
    residual = flat - design @ beta
    df = 4 * count - count - 1
    s2 = (residual**2).sum() / df
    se = np.sqrt(s2 * np.linalg.inv(design.T @ design)[count, count])
    return {
        "y": y.tolist(), "theta": float(beta[count]), "s": float(np.sqrt(s2)), "se": float(se), "df": df,
        "bounds": {str(a): [float(beta[count] + stats.t.ppf(a, df) * se), float(beta[count] - stats.t.ppf(a, df) * se)]
                   for a in (0.01, 4.166666666666667e-05, 1e-7)},
    }


def pairs_case():
    base, head = random.normal(5, 0.02, 9), random.normal(5.01, 0.02, 9)
    r = stats.ttest_rel(head, base)
    return {"base": base.tolist(), "head": head.tolist(), "t": float(r.statistic), "p": float(r.pvalue)}


def student():
    for df in (2, 5, 11, 17, 44.5, 107, 1000):
        for p in (1e-9, 1e-7, 4.166666666666667e-05, 1e-3, 0.01, 0.1, 0.3):
            yield {"df": df, "p": p, "t": float(stats.t.ppf(p, df))}


json.dump({
    "made by": f"golden.py with scipy {scipy.__version__}, numpy {np.__version__}",
    "ranks": [rank_case(*s) for s in samples()],
    "rounds": [rounds_case(4, 0.0, 0.01), rounds_case(11, 0.03, 0.003), rounds_case(36, -0.1, 0.02)],
    "pairs": pairs_case(),
    "student": list(student()),
}, sys.stdout, indent=1)
