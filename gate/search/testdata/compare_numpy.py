#!/usr/bin/python3
"""The decision of `perfgate compare`, vectorised with numpy and scipy: the yardstick of its speed.

/usr/bin/python3 compare_numpy.py OLD.csv NEW.csv    prints a line a case and the seconds after the imports.
"""
import csv
import sys
import time

import numpy as np
from scipy import stats

RESAMPLES = 10_000
TOLERANCE, IMPROVEMENT, CONFIDENCE = np.log1p(0.015), np.log1p(0.10), 0.99


def read(path):
    """Samples by case and process, in file order."""
    cases = {}
    with open(path, newline="") as file:
        rows = csv.reader(file)
        next(rows)
        for process, kernel, case, ns in rows:
            cases.setdefault((kernel, case), {}).setdefault(process, []).append(ns)
    return {case: np.array(list(processes.values()), dtype=float) for case, processes in cases.items()}


def process_values(samples):
    """One trimmed mean a process, for all processes of a case at once."""
    return np.log(stats.trim_mean(samples, 0.2, axis=1))


def delta(base, head):
    """Cliff's delta with the interval of Feng and Cliff, over all pairs at once."""
    signs = np.sign(head[:, None] - base[None, :])
    n, m = signs.shape
    d = signs.mean()
    if abs(d) == 1:
        return d
    rows = ((signs.mean(axis=1) - d) ** 2).sum()
    columns = ((signs.mean(axis=0) - d) ** 2).sum()
    cells = ((signs - d) ** 2).sum()
    variance = max((m * m * rows + n * n * columns - cells) / (n * m * (n - 1) * (m - 1)), (1 - d * d) / (n * m - 1))
    z = stats.norm.ppf(0.5 + CONFIDENCE / 2)
    half = z * np.sqrt(variance * ((1 - d * d) ** 2 + z * z * variance))
    return d, (d - d**3 - half) / (1 - d * d + z * z * variance), (d - d**3 + half) / (1 - d * d + z * z * variance)


def resampled(ys, random):
    """Means of all resamples of a side at once, rescaled to its variance."""
    pool = (ys - ys.mean()) * np.sqrt(len(ys) / (len(ys) - 1))
    return pool[random.integers(0, len(pool), size=(RESAMPLES, len(pool)), dtype=np.int32)].mean(axis=1)


def bounds(base, head, alpha, random):
    theta = head.mean() - base.mean()
    vb, vh = base.var(ddof=1) / len(base), head.var(ddof=1) / len(head)
    df = (vb + vh) ** 2 / (vb**2 / (len(base) - 1) + vh**2 / (len(head) - 1))
    t = -stats.t.ppf(alpha, df)
    shifts = resampled(head, random) - resampled(base, random)
    tail = max(stats.norm.sf(t), 10 / RESAMPLES)
    low, high = np.quantile(shifts, [tail, 1 - tail])
    half = t * np.sqrt(vb + vh)
    return theta, min(theta - half, theta + low), max(theta + half, theta + high)


def verdict(low, high):
    if low > TOLERANCE:
        return "regression"
    if high < -IMPROVEMENT:
        return "improvement"
    if high < 0:
        return "faster"
    if low > 0 and high < TOLERANCE:
        return "slower"
    return "same" if high < TOLERANCE else "inconclusive"


def main():
    start = time.perf_counter()
    old, new = read(sys.argv[1]), read(sys.argv[2])
    read_done = time.perf_counter()
    random = np.random.default_rng(1)
    alpha = (1 - CONFIDENCE) / len(old)
    for case in old:
        base, head = process_values(old[case]), process_values(new[case])
        theta, low, high = bounds(base, head, alpha, random)
        print(*case, f"{np.exp(theta):.4f} {np.exp(low):.4f} to {np.exp(high):.4f}", verdict(low, high), delta(base, head))
    end = time.perf_counter()
    print(f"{end - start:.3f} s, of which reading {read_done - start:.3f} s", file=sys.stderr)


main()
