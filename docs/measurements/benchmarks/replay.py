"""Decides draws of recorded processes of benchmarks by perfgate compare, and by what each tool has for it.

usage: replay.py PERFGATE FOLDER      FOLDER/TOOL/A and FOLDER/TOOL/B hold a JSON file for each process of the same program, run in turn (record.py)
Head is B with all times multiplied by a factor, so that the truth is known.

Beside perfgate: Google's compare.py (p < 0.05 and slower), on groups of four processes; pytest-benchmark's --benchmark-compare-fail=median:3%, on one
process a side, computed as it documents; hyperfine has no rule, so its medians of one process a side over +3 % are counted.
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
THRESHOLD = 0.03


def google(data, factor):
    data["benchmarks"] = [b for b in data["benchmarks"] if b["run_type"] == "iteration"]
    for b in data["benchmarks"]:
        b["real_time"] *= factor
        b["cpu_time"] *= factor


def pytest(data, factor):
    for b in data["benchmarks"]:
        b["stats"]["data"] = [t * factor for t in b["stats"]["data"]]
        b["stats"]["median"] *= factor


def hyperfine(data, factor):
    """One value a process, as in the gate's rounds: compare takes each run for a process of its own."""
    for r in data["results"]:
        r["times"] = [statistics.median(r["times"]) * factor]
        r["exit_codes"] = [0]


def medians(data):
    """The median of each case of one process, by its name."""
    if "results" in data:
        return {r["command"]: r["times"][0] for r in data["results"]}
    return {b["name"]: b["stats"]["median"] for b in data["benchmarks"]}


TOOLS = {"google-benchmark": google, "pytest-benchmark": pytest, "hyperfine": hyperfine}


def process(folder, tool, side, name, factor):
    with open(os.path.join(folder, tool, side, name)) as file:
        data = json.load(file)
    TOOLS[tool](data, factor)
    return data


def ours(perfgate, folder, tool, names, factor):
    """The exit code of one decision."""
    with tempfile.TemporaryDirectory() as work:
        for side, f in (("A", 1), ("B", factor)):
            os.mkdir(os.path.join(work, side))
            for name in names:
                with open(os.path.join(work, side, name), "w") as file:
                    json.dump(process(folder, tool, side, name, f), file)
        cpu = ["--cpu-time"] if tool == "google-benchmark" else []
        args = [perfgate, "compare", *cpu, "--paired", "--tolerance", "1.5%", os.path.join(work, "A"), os.path.join(work, "B")]
        return subprocess.run(args, capture_output=True).returncode


def by_compare(folder, names, factor):
    """Cases that compare.py calls different (p < 0.05) and whose median is slower; cases over the threshold; cases in all."""
    with tempfile.TemporaryDirectory() as work:
        for side, f in (("A", 1), ("B", factor)):
            all_of = [process(folder, "google-benchmark", side, name, f) for name in names]
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
        over += change > THRESHOLD
    return flagged, over, len(cases)


def by_medians(folder, tool, name, factor):
    """Cases of one process a side whose medians differ by more than the threshold; cases in all."""
    base, head = medians(process(folder, tool, "A", name, 1)), medians(process(folder, tool, "B", name, factor))
    return sum(head[case] / base[case] - 1 > THRESHOLD for case in base), len(base)


def theirs(folder, tool, names, factor):
    if tool != "google-benchmark":
        over, cases = (sum(x) for x in zip(*(by_medians(folder, tool, name, factor) for name in names)))
        return f"medians of one process a side over +3 %: {over} of {cases} cases"
    groups = [names[i:i + GROUP] for i in range(0, len(names) - GROUP + 1, GROUP)]
    flagged, over, cases = (sum(x) for x in zip(*(by_compare(folder, group, factor) for group in groups)))
    return f"compare.py, {GROUP} processes a side: p < 0.05 and slower {flagged} of {cases} cases, median over +3 % {over}"


def main():
    perfgate, folder = sys.argv[1:]
    for tool in TOOLS:
        random.seed(7)
        names = sorted(set(os.listdir(os.path.join(folder, tool, "A"))) & set(os.listdir(os.path.join(folder, tool, "B"))))
        for factor in (1, 1.03, 1.1, 1.3):
            exits = [ours(perfgate, folder, tool, sorted(random.sample(names, PAIRS)), factor) for _ in range(DRAWS)]
            print(f"{tool} x{factor}: perfgate, {DRAWS} draws of {PAIRS} pairs: red {exits.count(1)}, passed {exits.count(0)}, "
                  f"not measured {exits.count(3)}; {theirs(folder, tool, names, factor)}", flush=True)


main()
