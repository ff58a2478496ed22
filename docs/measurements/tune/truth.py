#!/usr/bin/env python3
"""perfgate tune beside a long measurement of every setting: truth.py PERFGATE OUT [SECONDS] [KERNEL...]

Each of kernels/'s kernels is measured for SECONDS (default 250): stretches in which every setting is measured in the same rounds, and after every
second one a run of tune, whose answer is held against what all stretches say together. A stretch is perfgate tune with a tolerance of 99 %, which
is over after a few rounds and gives all settings a time; so the truth is of the same clock, caches and processes, but rests on every setting alike.
OUT gets a JSON file a kernel. Where PERFGATE is -, nothing is measured, and the tables are printed of what OUT has.
"""
import json, math, os, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = ["gemm", "reduce", "planted"]
BUDGET = "60s"
LOOKS = 32  # rounds at the last look: what measuring every setting to the end would take


def tune(perfgate, kernel, tolerance, work):
    """What tune says."""
    subprocess.run([perfgate, "tune", "--kernel", kernel, "--tolerance", tolerance, "--budget", BUDGET, "--out", work, "--format", "json"],
                   cwd=os.path.join(work, "kernels"), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(work, "tune.json")) as f:
        return json.load(f)


def medians(found):
    """Nanoseconds by case and by setting. Settings of one code have one time."""
    names = [s["text"] for s in found["settings"]]
    return {c["name"]: {names[s["setting"]]: s["medianNs"] for s in c["settings"] if s.get("medianNs")} for c in found["cases"]}


def answer(found):
    """By case, and by "*" for all together: the best, those that cannot be told from it, and the rounds of all settings together."""
    names = [s["text"] for s in found["settings"]]
    tracks = dict([(c["name"], c) for c in found["cases"]] + [("*", found["all"])])
    return {name: {"best": names[c["best"]], "among": [names[i] for i in c["among"]], "rounds": sum(s["rounds"] for s in c["settings"])}
            for name, c in tracks.items()}


def measure(perfgate, out, seconds, kernel):
    work = tempfile.mkdtemp()
    shutil.copytree(os.path.join(HERE, "kernels"), os.path.join(work, "kernels"))
    got = {"kernel": kernel, "load": [os.getloadavg()[0]], "stretches": [], "answers": []}
    tune(perfgate, kernel, "99%", work)  # builds, which later calls find again
    began = time.time()
    while time.time() - began < seconds:
        if len(got["answers"]) < len(got["stretches"]) // 2:
            found = tune(perfgate, kernel, "1.5%", work)
            got["answers"].append({"says": answer(found), "over": found["over"], "rounds": found["rounds"]})
        else:
            found = tune(perfgate, kernel, "99%", work)
            got["stretches"].append(medians(found))
    got["load"].append(os.getloadavg()[0])
    got["machine"] = f"{found['machine']['model']}, {found['machine']['cores']} cores"
    shutil.rmtree(work)
    with open(os.path.join(out, kernel + ".json"), "w") as f:
        f.write(json.dumps(got, separators=(",", ":")).replace("},", "},\n") + "\n")


def truth(got):
    """By case and setting: the mean of the logarithms of all stretches, and its standard error. "*" is the mean of the cases."""
    found = {}
    for case in got["stretches"][0]:
        values = {}
        for stretch in got["stretches"]:
            for setting, ns in stretch[case].items():
                values.setdefault(setting, []).append(math.log(ns))
        found[case] = {s: v for s, v in values.items() if len(v) == len(got["stretches"])}
    found["*"] = {s: [sum(v) / len(found) for v in zip(*(c[s] for c in found.values()))] for s in next(iter(found.values())) if all(s in c for c in found.values())}
    return found


def mean(values):
    return statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))


def percent(x):
    return f"{100 * math.expm1(x):.2f}"


def tables(out):
    rows, spread = [], []
    for kernel in KERNELS:
        with open(os.path.join(out, kernel + ".json")) as f:
            got = json.load(f)
        print(f"{kernel}: {got['machine']}, load {got['load'][0]:.1f} to {got['load'][1]:.1f}; {len(got['stretches'])} stretches")
        for case, values in truth(got).items():
            if case == "*" and len(got["stretches"][0]) == 1:
                continue
            level = {s: mean(v)[0] for s, v in values.items()}
            best = min(level, key=level.get)
            error = statistics.median(mean([a - b for a, b in zip(v, values[best])])[1] for s, v in values.items() if s != best)
            behind = [level[s] - level[best] for s in level]
            bands = ((-1, .005), (.005, .015), (.015, .05), (.05, .2), (.2, 1e9))
            spread.append([named(kernel, case), len(level), *(sum(a <= math.expm1(b) < z for b in behind) for a, z in bands), f"{100 * error:.2f}"])
            naive = [level[min(s, key=s.get)] - level[best] for s in picks(values)]
            said = [a["says"][case] for a in got["answers"]]
            # A best that the truth itself cannot tell from the others is found where any of those is named.
            equal = {s for s in level if level[s] - level[best] <= 2 * mean([a - b for a, b in zip(values[s], values[best])])[1]} if len(level) > 1 else {best}
            counted = [s["rounds"] for s in said if "rounds" in s]  # the first session of what is in raw/ did not write them down
            rows.append([named(kernel, case), best, len(said), " ".join(percent(level[s["best"]] - level[best]) for s in said), " ".join(str(len(s["among"])) for s in said),
                         f"{sum(best in s['among'] for s in said)} of {len(said)}", f"{sum(bool(equal & set(s['among'])) for s in said)} of {len(said)}",
                         f"{percent(statistics.median(naive))} ({percent(max(naive))})", f"{100 * statistics.fmean(counted) / (LOOKS * len(level)):.0f}"])
    print()
    show(["kernel and case", "settings", "within 0.5 % of the best", "to 1.5 %", "to 5 %", "to 20 %", "beyond", "standard error"], spread)
    print()
    show(["kernel and case", "the truth's best", "runs", "regret of each", "named by each", "truth's best among them", "or one as good",
          "regret of the fastest of a stretch: median (worst)", "processes, % of all settings to the last look"], rows)


def named(kernel, case):
    return kernel + ", all cases" if case == "*" else case


def picks(values):
    """The settings of each stretch, with the time that each had in it alone."""
    return [{s: v[i] for s, v in values.items()} for i in range(len(next(iter(values.values()))))]


def show(head, rows):
    for row in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(str(c) for c in row) + " |")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    perfgate, out = sys.argv[1:3]
    if perfgate != "-":
        os.makedirs(out, exist_ok=True)
        for kernel in sys.argv[4:] or KERNELS:
            measure(os.path.abspath(perfgate), out, float((sys.argv[3:] or ["250"])[0]), kernel)
    tables(out)


if __name__ == "__main__":
    main()
