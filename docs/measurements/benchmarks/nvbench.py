"""Counts what nvbench's own rule says of recorded processes of its example `axes`.

usage: nvbench.py nvbench.csv      run, process, side, state, samples, mean_ns, noise, trimmed_ns: a line for each state of each process

The rule is that of nvbench_compare.py (NVIDIA/nvbench, python/scripts, since called nvbench-compare-legacy): two files are the SAME in a state where their cold
GPU means differ by no more than the smaller of their two noises (relative standard deviations of the samples); else FAST or SLOW.
"""
import csv
import itertools
import sys
from collections import Counter, defaultdict


def verdict(base, head):
    change = float(head["mean_ns"]) / float(base["mean_ns"]) - 1
    if abs(change) <= min(float(base["noise"]), float(head["noise"])):
        return "SAME"
    return "SLOW" if change > 0 else "FAST"


def counted(pairs):
    found = Counter(verdict(*pair) for pair in pairs)
    return " ".join(f"{word} {found[word]}" for word in ("SAME", "FAST", "SLOW"))


def mean(rows):
    return sum(float(row["trimmed_ns"]) for row in rows) / len(rows)


def main():
    states = defaultdict(lambda: defaultdict(list))
    with open(sys.argv[1]) as file:
        for row in csv.DictReader(file):
            states[row["run"], row["state"]][row["side"]].append(row)
    for (run, state), sides in states.items():
        base, head = sides["base"], sides["head"]
        same = [pair for side in (base, head) for pair in itertools.combinations(side, 2)]
        print(f"run {run}, {state}: {len(base)} and {len(head)} processes, {mean(head) / mean(base) - 1:+.2%}; "
              f"pairs of one side: {counted(same)}; pairs of base and head: {counted(itertools.product(base, head))}")


main()
