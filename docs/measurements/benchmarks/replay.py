"""Decides draws of recorded processes of one Google Benchmark program by perfgate compare and by Google's own compare.py.

usage: replay.py PERFGATE FOLDER      FOLDER/A and FOLDER/B hold a JSON file for each process of the same program, run in turn
Head is B with all times multiplied by a factor, so that the truth is known.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

COMPARE = "/usr/share/benchmark/compare.py"  # Debian: libbenchmark-tools
DRAWS, PAIRS, GROUP = 30, 20, 4


def process(folder, side, name, factor):
    with open(os.path.join(folder, side, name)) as file:
        data = json.load(file)
    data["benchmarks"] = [b for b in data["benchmarks"] if b["run_type"] == "iteration"]
    for b in data["benchmarks"]:
        b["real_time"] *= factor
        b["cpu_time"] *= factor
    return data


def ours(perfgate, folder, names, factor):
    with tempfile.TemporaryDirectory() as work:
        for side, f in (("A", 1), ("B", factor)):
            os.mkdir(os.path.join(work, side))
            for name in names:
                with open(os.path.join(work, side, name), "w") as file:
                    json.dump(process(folder, side, name, f), file)
        args = [perfgate, "compare", "--cpu-time", "--paired", "--tolerance", "1.5%", os.path.join(work, "A"), os.path.join(work, "B")]
        return subprocess.run(args, capture_output=True).returncode


def theirs(folder, names, factor):
    """Cases that compare.py calls different (p < 0.05) and whose median is slower; cases over +3 %; cases in all."""
    with tempfile.TemporaryDirectory() as work:
        for side, f in (("A", 1), ("B", factor)):
            all_of = [process(folder, side, name, f) for name in names]
            merged = all_of[0]
            merged["benchmarks"] = sorted((b for d in all_of for b in d["benchmarks"]), key=lambda b: b["name"])
            with open(os.path.join(work, side), "w") as file:
                json.dump(merged, file)
        out = os.path.join(work, "d.json")
        subprocess.run(["/usr/bin/python3", COMPARE, "-d", out, "benchmarks", os.path.join(work, "A"), os.path.join(work, "B")], check=True, capture_output=True)
        with open(out) as file:
            cases = [b for b in json.load(file) if b["utest"]]
    flagged = over = 0
    for b in cases:
        m = b["measurements"]
        change = statistics.median(x["cpu_time_other"] for x in m) / statistics.median(x["cpu_time"] for x in m) - 1
        flagged += b["utest"]["cpu_pvalue"] < 0.05 and change > 0
        over += change > 0.03
    return flagged, over, len(cases)


def main():
    perfgate, folder = sys.argv[1:]
    random.seed(7)
    names = sorted(set(os.listdir(os.path.join(folder, "A"))) & set(os.listdir(os.path.join(folder, "B"))))
    for factor in (1, 1.03, 1.1):
        exits = [ours(perfgate, folder, sorted(random.sample(names, PAIRS)), factor) for _ in range(DRAWS)]
        sums = [sum(x) for x in zip(*(theirs(folder, names[i:i + GROUP], factor) for i in range(0, len(names) - GROUP + 1, GROUP)))]
        print(f"x{factor}: perfgate, {DRAWS} draws of {PAIRS} pairs: red {exits.count(1)}, passed {exits.count(0)}, not measured {exits.count(3)}; "
              f"compare.py, {sums[2]} cases of {GROUP} processes a side: p < 0.05 and slower {sums[0]}, median over +3 % {sums[1]}")


main()
