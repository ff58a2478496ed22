"""Decides draws of processes that were recorded on a GPU by perfgate compare, and by what the benchmark itself has for it.

usage: gpu_replay.py PERFGATE triton OUT [NAME...]      OUT as triton_record.py left it
       gpu_replay.py PERFGATE nvbench OUT SCRIPTS       OUT as nvbench_record.py left it, with kinds A, B, 3 and 10; SCRIPTS is python/scripts of NVIDIA/nvbench

A draw is HALF processes a side, no process on both. Unchanged is against unchanged; planted is head with so many per cent more work.
Beside perfgate: of do_bench one process a side, medians more than 3 % apart; of nvbench its two compare scripts, on one process a side.
"""
import csv
import glob
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

DRAWS, TOLERANCE, THRESHOLD = 30, "1.5%", 0.03
WAYS = ("0", "3", "10")


def decided(perfgate, base, head):
    """The exit code of one decision, and the verdict of each case. A side is a list of processes, each a dict from case to samples in ns."""
    with tempfile.TemporaryDirectory() as work:
        files = []
        for side, processes in (("base", base), ("head", head)):
            files.append(os.path.join(work, side + ".csv"))
            with open(files[-1], "w", newline="") as file:
                out = csv.writer(file)
                out.writerow(["process", "kernel", "case", "ns"])
                for i, process in enumerate(processes):
                    out.writerows([i, "k", case, ns] for case, samples in process.items() for ns in samples)
        command = [perfgate, "compare", "--paired", "--tolerance", TOLERANCE, "--format", "json", *files]
        ended = subprocess.run(command, stdout=subprocess.PIPE)
        return ended.returncode, [c["verdict"] for c in json.loads(ended.stdout)["cases"]]


def draws(perfgate, pools):
    """What becomes of draws, by way, in words. ``pools`` draws both sides; no process is on both."""
    rng, out = random.Random(7), {}
    for way in WAYS:
        codes, verdicts = Counter(), Counter()
        for _ in range(DRAWS):
            code, of_cases = decided(perfgate, *pools(rng, way))
            codes[code] += 1
            verdicts.update(of_cases)
        out[way] = f"runs: red {codes[1]}, passed {codes[0]}, not measured {codes[3]}; cases: regression {verdicts['regression']} of {verdicts.total()}"
    return out


def halves(processes):
    """For processes that were measured all ways: two disjoint halves."""
    def draw(rng, way):
        mixed = rng.sample(processes, len(processes))
        half = len(mixed) // 2
        return [p["0"] for p in mixed[:half]], [p[way] for p in mixed[half:2 * half]]
    return draw


def trimmed(samples):
    samples = sorted(samples)
    cut = int(0.2 * len(samples))
    return statistics.mean(samples[cut:len(samples) - cut])


def spread(values):
    return f"{statistics.mean(values) / 1e3:.2f} us, scatter {100 * statistics.stdev(values) / statistics.mean(values):.2f} %"


def over(base, head):
    """How many of all pairs of processes, none with itself, have head more than THRESHOLD slower."""
    pairs = [(b, h) for i, b in enumerate(base) for j, h in enumerate(head) if i != j]
    return f"{sum(h / b - 1 > THRESHOLD for b, h in pairs)} of {len(pairs)}"


def of_triton(perfgate, folder, names):
    for name in names or sorted(os.path.basename(f)[:-len(".jsonl")] for f in glob.glob(os.path.join(folder, "*.jsonl")) if ".alone" not in f):
        with open(os.path.join(folder, name + ".jsonl")) as file:
            rows = [json.loads(line) for line in file]
        processes = [{way: {case: found[way] for case, found in row["cases"].items()} for way in WAYS} for row in rows]
        print(f"{name}: {len(rows)} processes; {DRAWS} draws of {len(rows) // 2} a side")
        for way, codes in draws(perfgate, halves(processes)).items():
            print(f"  +{way} %: {codes}")
        for case in rows[0]["cases"]:
            of_case(case, [row["cases"][case] for row in rows], folder, name)


def of_case(case, found, folder, name):
    ours = {way: [trimmed(f[way]) for f in found] for way in WAYS}
    theirs = {way: [f["do_bench"][way]["median"] for f in found] for way in WAYS}
    print(f"  {case}: {found[0]['how']}, chose {len({f.get('config') for f in found})} configurations")
    for who, values in (("ours", ours), ("do_bench in the same processes", theirs)):
        shifts = ", ".join(f"{100 * (statistics.mean(values[way]) / statistics.mean(values['0']) - 1):+.2f} %" for way in WAYS[1:])
        print(f"    {who}: {spread(values['0'])}; planted {shifts}")
    for way in WAYS:
        print(f"    +{way} %: medians of do_bench over +3 %: {over(theirs['0'], theirs[way])} pairs")
    path = os.path.join(folder, name + ".alone.jsonl")
    if os.path.exists(path):
        with open(path) as file:
            alone = [json.loads(line)["cases"][case]["median"] for line in file]
        print(f"    do_bench alone, {len(alone)} processes: {spread(alone)}; ours is {100 * (statistics.mean(ours['0']) / statistics.mean(alone) - 1):+.2f} %")


def samples_of(path):
    """Samples in ns by state, from a file of --jsonbin."""
    with open(path) as file:
        data = json.load(file)
    out = {}
    for bench in data["benchmarks"]:
        for state in bench["states"]:
            summary = next(s for s in state["summaries"] if s["tag"] == "nv/json/bin:nv/cold/sample_times")
            name = next(d["value"] for d in summary["data"] if d["name"] == "filename")
            with open(os.path.join(path + "-bin", os.path.basename(name)), "rb") as file:
                raw = memoryview(file.read()).cast("f")
            out[f"{bench['name']} {state['name']}"] = [1e9 * s for s in raw]
    return out


def said(script, base, head):
    """The word of a compare script for each state."""
    env = {**os.environ, "PYTHONPATH": os.path.dirname(script), "NO_COLOR": "1"}
    text = subprocess.run(["/usr/bin/python3", script, base, head], capture_output=True, text=True, env=env).stdout
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return re.findall(r"\|\s*(SAME|SLOW|FAST|AMBG|[A-Z?]{4,})\s*\|\s*$", text, re.M)


def of_nvbench(perfgate, folder, scripts):
    files = {kind: sorted(glob.glob(os.path.join(folder, kind, "*.json"))) for kind in ("A", "B", "3", "10")}
    read = {kind: [samples_of(f) for f in paths] for kind, paths in files.items()}
    unchanged = read["A"] + read["B"]
    half = min(len(unchanged) // 2, len(read["3"]), len(read["10"]))

    def pools(rng, way):
        mixed = rng.sample(unchanged, len(unchanged))
        return mixed[:half], mixed[half:2 * half] if way == "0" else rng.sample(read[way], half)

    print({kind: len(paths) for kind, paths in files.items()}, f"{DRAWS} draws of {half} a side")
    for way, codes in draws(perfgate, pools).items():
        print(f"  +{way} %: {codes}")
    for state in unchanged[0]:
        values = {way: [trimmed(p[state]) for p in (unchanged if way == "0" else read[way])] for way in WAYS}
        print(f"  {state}: {spread(values['0'])}", *(f"+{way} %: {100 * (statistics.mean(values[way]) / statistics.mean(values['0']) - 1):+.2f} %" for way in WAYS[1:]))
    for script in ("nvbench_compare.py", "nvbench_compare_robust.py"):
        for way in WAYS:
            heads = files["B"] if way == "0" else files[way]
            words = defaultdict(int)
            for base, head in itertools.chain(zip(files["A"], heads), zip(files["A"][1:], heads)):
                for word in said(os.path.join(scripts, script), base, head):
                    words[word] += 1
            print(f"  {script}, +{way} %, one process a side: {dict(words)} of all states")


def main():
    perfgate, kind, folder, *rest = sys.argv[1:]
    if kind == "triton":
        of_triton(perfgate, folder, rest)
    else:
        of_nvbench(perfgate, folder, *rest)


main()
