"""Makes Markdown tables of what docs/measurements/run.sh left in a folder: python3 tables.py FOLDER. Standard library only."""
import gzip
import json
import math
import sys
from pathlib import Path
from statistics import median

from faults import rows


TOLERANCES = (0.005, 0.01, 0.015)


def results(folder, pattern):
    """Pairs of a name and a result.json, in order of their numbers."""
    number = lambda path: [int(x) for x in path.name.split(".")[0].split("_") if x.isdigit()]
    found = []
    for path in sorted(Path(folder).glob(pattern), key=number):
        with gzip.open(path) as file:
            found.append((path.name.split(".")[0], json.load(file)))
    return found


def table(header, lines):
    print("| " + " | ".join(header) + " |")
    print("|" + "|".join("---" if i == 0 else "--:" for i in range(len(header))) + "|")
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def microseconds(ns):
    return f"{ns / 1e3:.4g}"


def percent(x, digits=2):
    return f"{100 * x:.{digits}f}"


def cases_of(runs):
    """name -> the case in every run that measured it, in order of the median time."""
    cases = {}
    for _, run in runs:
        for case in (c for c in run["cases"] if c.get("base")):
            cases.setdefault(case["name"], []).append(case)
    return dict(sorted(cases.items(), key=lambda item: item[1][0].get("base", {}).get("medianNs", 0)))


def machine(run):
    m = run.get("machine", {})
    gpu = m.get("gpu", {})
    print(f"{m.get('model', 'unknown')}, {gpu.get('sms', '?')} SMs, driver {gpu.get('driver', '?')}, {run.get('toolchain', {}).get('version', '')}.\n")


def runner_seconds(run):
    """Of the rounds that measured every case: their seconds, and how many there were."""
    whole = [r["seconds"] for r in run.get("rounds", []) if len(r["cases"]) == len(run["cases"])]
    return sum(whole), len(whole)


def peaks(runs):
    flops, memory, tensor = [], [], []
    for _, run in runs:
        for case in run["cases"]:
            for p in case.get("processes", []):
                for into, work, ns in ((flops, "computeFlops", "computeNs"), (memory, "memoryBytes", "memoryNs"), (tensor, "tensorFlops", "tensorNs")):
                    if p.get(work) and p.get(ns):
                        into.append(p[work] / p[ns])
    text = [f"{name} {median(xs) / scale:.3g} {unit}" for name, xs, scale, unit in
            (("multiply-adds", flops, 1e3, "TFLOP/s"), ("tensor cores", tensor, 1e3, "TFLOP/s"), ("a copy in memory", memory, 1e3, "TB/s")) if xs]
    if text:
        print("Peaks that the canaries reached: " + ", ".join(text) + ".\n")


def unchanged(runs):
    if not runs:
        return
    print(f"## Unchanged code, {len(runs)} runs\n")
    machine(runs[0][1])
    peaks(runs)
    red = [name for name, run in runs if run["conclusion"]["exit"] == 1]
    verdicts = {}
    for _, run in runs:
        for case in run["cases"]:
            verdicts[case["verdict"]] = verdicts.get(case["verdict"], 0) + 1
    print(f"Red runs: **{len(red)} of {len(runs)}**. Verdicts: " + ", ".join(f"{n} `{v}`" for v, n in sorted(verdicts.items())) + ".\n")
    lines = []
    for name, cases in cases_of(runs).items():
        compared = [c["comparison"] for c in cases if c.get("comparison")]
        base = [c["base"] for c in cases if c.get("base")]
        values = [math.log(p["valueNs"]) for c in cases for p in c.get("processes", [])]
        mean = sum(values) / len(values)
        scatter = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
        rate = base[0]
        lines.append([
            name, microseconds(median(b["medianNs"] for b in base)),
            f"{rate.get('gbytesPerSecond', 0):.0f}", f"{rate.get('gflops', 0) / 1e3:.2f}", percent(rate["rooflineShare"], 0) if "rooflineShare" in rate else "–",
            percent(median(c["base"]["processCv"] for c in cases), 3), percent(scatter, 3),
            f"{100 * max(abs(c['ratio'] - 1) for c in compared):.2f}",
            percent(median(c["mde"] for c in compared)), percent(max(c["mde"] for c in compared)),
            "/".join(str(c["rounds"]) for c in compared),
        ])
    table(["case", "launch, µs", "GB/s", "TFLOP/s", "of roofline, %", "CV of a side's processes in a run, %", "scatter of all processes, %",
           "largest change seen, %", "detects, median %", "worst %", "rounds"], lines)
    spent = [runner_seconds(run) for _, run in runs]
    print("Seconds of a run: " + ", ".join(f"{run['timings']['totalSeconds']:.0f}" for _, run in runs)
          + " in all, of which in runners " + ", ".join(f"{run['timings']['runnersSeconds']:.0f}" for _, run in runs)
          + f"; a round of {len(runs[0][1]['cases'])} cases takes {median(s / n for s, n in spent if n):.1f} s.\n")


def cases_log(runs):
    """name -> lists of ln of the process values of a side, one list a run and side."""
    found = {}
    for _, run in runs:
        for case in run["cases"]:
            for side in ("base", "head"):
                values = [math.log(p["valueNs"]) for p in case.get("processes", []) if p["side"] == side]
                if len(values) > 1:
                    found.setdefault(case["name"], []).append(values)
    return found


def scatter(groups):
    """Standard deviation within runs and sides."""
    squares = sum(sum((v - sum(g) / len(g)) ** 2 for v in g) for g in groups)
    return math.sqrt(squares / sum(len(g) - 1 for g in groups))


def beside(runs):
    if not runs:
        return
    kinds = {kind: [(name, run) for name, run in runs if f"_{kind}_" in name] for kind in ("new", "old", "injected")}
    print("## Beside an older gate\n")
    lines, means = [], {}
    for kind, of in kinds.items():
        if not of:
            continue
        # Compiling is the same for both, and only the first run of each pays for it.
        seconds = [run["timings"]["totalSeconds"] - run["timings"]["compileSeconds"] for _, run in of]
        means[kind] = sum(seconds) / len(seconds)
        verdicts = {}
        for _, run in of:
            for case in run["cases"]:
                verdicts[case["verdict"]] = verdicts.get(case["verdict"], 0) + 1
        rounds = [sum(1 for r in run["rounds"] if not r.get("voided")) for _, run in of]
        lines.append([kind, str(len(of)), str(sum(run["conclusion"]["exit"] == 1 for _, run in of)), ", ".join(f"{n} `{v}`" for v, n in sorted(verdicts.items())),
                      ", ".join(map(str, rounds)), str(sum(1 for _, run in of for r in run["rounds"] if r.get("voided"))),
                      ", ".join(f"{s:.1f}" for s in seconds), f"{means[kind]:.1f}"])
    table(["runs", "of them", "red", "verdicts", "rounds", "rounds voided", "seconds without compiling", "mean"], lines)
    if "new" in means and "old" in means:
        print(f"Mean time of a run: **{means['new'] / means['old']:.2f}** of the older gate's.\n")
    new, old = cases_log(kinds["new"]), cases_log(kinds["old"])
    samples = {kind: {c["name"]: sorted({run_case["method"]["samples"] for _, run in kinds[kind] for run_case in run["cases"]
                                         if run_case["name"] == c["name"]}) for c in kinds[kind][0][1]["cases"]} for kind in ("new", "old") if kinds[kind]}
    span = lambda kind, name: "–".join(str(n) for n in sorted({min(samples[kind][name]), max(samples[kind][name])})) if kind in samples else "–"
    shift = lambda name: f"{100 * (mean_of(new[name]) - mean_of(old[name])):+.2f}" if name in old else "–"
    lines = [[name, span("old", name), span("new", name), percent(scatter(old[name]), 3) if name in old else "–", percent(scatter(groups), 3), shift(name)] for name, groups in new.items()]
    table(["case", "samples, old", "new", "scatter of processes, old, %", "new, %", "level, new to old, %"], lines)


def mean_of(groups):
    values = [v for g in groups for v in g]
    return sum(values) / len(values)


def live(runs):
    if not runs:
        return
    print("## Injected work, live runs\n")
    doses = {}
    for name, run in runs:
        doses.setdefault(int(name.split("_")[1]), []).append(run)
    lines = []
    for dose, same in sorted(doses.items()):
        compared = [c["comparison"] for run in same for c in run["cases"] if c.get("comparison")]
        total, own = sum(len(run["cases"]) for run in same), same[0]["policy"]["tolerance"]
        # Bounds do not depend on the tolerance; above that of the run, nobody waited for them.
        cells = [f"{sum(c['ratioLow'] - 1 > t for c in compared)} of {total}" if t <= own else "–" for t in TOLERANCES]
        red = sum(run["conclusion"]["exit"] == 1 for run in same)
        seconds = ", ".join(f"{run['timings']['runnersSeconds']:.0f}" for run in same)
        lines.append([f"+{dose} %", percent(own, 1), *cells, f"{red} of {len(same)}", seconds])
    table(["injected", "tolerance of the runs, %", *(f"surely over {percent(t, 1)} %" for t in TOLERANCES), "runs red", "runners, s"], lines)
    lines = []
    for name, cases in cases_of(runs).items():
        lines.append([name] + [f"{c['verdict']} {percent(c['comparison']['ratio'] - 1)} ({c['comparison']['rounds']} rounds)" if c.get("comparison")
                               else c["verdict"] for c in cases])
    table(["case"] + [name for name, _ in runs], lines)


def injected(runs):
    if not runs:
        return
    print("## Injected faults\n")
    seen = {}
    for name, run in runs:
        flags = run["head"].get("flags", [])
        for case in run["cases"]:
            for flag in flags:
                seen[case["name"], flag] = (name, run, case)
    lines, missed = [], 0
    for row in rows():
        found = seen.get((row["case"], row["flag"]))
        if not found:
            lines.append([row["case"], f"`{row['flag']}`", row["cause"], "–", "–", "not run", "–"])
            continue
        name, run, case = found
        parity = {k["name"]: k["parity"]["status"] for k in run["kernels"]}.get(row["kernel"], "–")
        c = case.get("comparison")
        missed += case["verdict"] != "regression"
        lines.append([row["case"], f"`{row['flag']}`", row["cause"], parity, f"{c['ratio']:.2f}×" if c else "–", case["verdict"],
                      str(c["rounds"]) if c else "–"])
    table(["case", "fault", "cause", "parity", "slower", "verdict", "rounds"], lines)
    print(f"{len(lines)} faults, {missed} of those that ran not found.\n")


def separate(runs):
    for name, run in runs:
        print("## Adapters that are built apart\n")
        voided = [r["voided"] for r in run["rounds"] if r.get("voided")]
        print(f"{name}: exit {run['conclusion']['exit']}, {len(run['rounds'])} rounds of {', '.join(format(r['seconds'], '.1f') for r in run['rounds'])} s, "
              f"voided: {', '.join(voided) or 'none'}; {run['timings']['runnersSeconds']:.1f} s of runners.\n")
        table(["case", "verdict", "change, %", "samples"], [[c["name"], c["verdict"], percent(c["comparison"]["ratio"] - 1) if c.get("comparison") else c.get("reason", ""),
                                                             str((c.get("method") or {}).get("samples", "–"))] for c in run["cases"]])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = {name: results(sys.argv[1], name + "_*.json.gz") for name in ("aa", "live", "faults", "beside", "apart")}
    if not any(found.values()):
        sys.exit(f"tables.py: {sys.argv[1]} holds no result of run.sh (aa_*.json.gz, live_*.json.gz, faults_*.json.gz, beside_*.json.gz, apart_*.json.gz)")
    for name, runs in found.items():
        failed = [run for run, result in runs if not any(c.get("comparison") for c in result.get("cases", []))]
        if failed:
            print(f"**Nothing was measured in {', '.join(failed)}.**\n")
        found[name] = [(run, result) for run, result in runs if run not in failed]
    unchanged(found["aa"])
    live(found["live"])
    injected(found["faults"])
    beside(found["beside"])
    separate(found["apart"])


main()
