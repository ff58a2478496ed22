"""Runs several perfgate binaries in turn on unchanged code and on injected work, and prints what each said and what it took.

    python3 docs/measurements/suite/programs.py --program before=older/perfgate --program now=./perfgate \\
        --runs 5 --tolerance 1.5% --cases 28 --out raw/programs_unchanged.json

Programs alternate run by run, and who starts alternates as well. --work N has head do N % more work; --cases 28 adds 14 sizes to
those of suite_cuda.yaml; --config takes another configuration as it is. Results are appended to --out, a line of JSON a run;
--tables FILE... prints tables of such files. Standard library only.
"""
import argparse
import gzip
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

EXAMPLES = Path(__file__).resolve().parents[3] / "kernels" / "examples"
MORE = {
    "saxpy": "{n: 1048576}, {n: 4194304}",
    "polynomial": "{n: 262144, degree: 512}",
    "attention": "{B: 4, H: 8, S: 512, D: 64, causal: 0}",
    "attention_tiled": "{B: 1, H: 8, S: 1600, D: 64, causal: 0}",
    "attention_tensor": "{B: 2, H: 8, S: 1600, D: 64, causal: 0}, {B: 4, H: 8, S: 800, D: 64, causal: 0}",
    "gemm": "{M: 1024, N: 1024, K: 1600}",
    "gemm_tensor": "{M: 4096, N: 2048, K: 1600}, {M: 1024, N: 1024, K: 3200}",
    "sum": "{n: 16777216}",
    "softmax": "{rows: 2048, columns: 2048}",
    "transpose": "{rows: 1024, columns: 1024}, {rows: 4096, columns: 2048}",
}


def configuration(cases):
    """The text of suite_cuda.yaml, without what an older program does not know, with more sizes where 27 or 28 cases are asked for."""
    text = (EXAMPLES / "suite_cuda.yaml").read_text().replace(", on-inconclusive: stop", "")
    if cases == 14:
        return text
    parts = re.split(r"(?m)^  - name: ", text)
    for i, part in enumerate(parts[1:], 1):
        name = part.split("\n", 1)[0].strip()
        more = MORE[name]
        if "measure:\n" in part:
            rows = "".join(f"      - {row}\n" for row in re.findall(r"\{[^}]*\}", more))
            part = part.replace("    cache: cold", rows + "    cache: cold", 1)
        else:
            part = re.sub(r"(?m)^(    measure: \[.*)\]$", lambda m: m.group(1) + ", " + more + "]", part, count=1)
        parts[i] = part
    return "  - name: ".join(parts)


def summary(path):
    """What a result says of time and verdicts: processes count a case each."""
    run = json.loads(path.read_text())
    cases = {}
    for case in run["cases"]:
        found = [c for c in case.get("comparisons", []) if c["of"] == {"role": "head"} and c["to"] == {"role": "base"}]
        if not found:
            continue
        c = found[0]
        cases[case["name"]] = {
            "verdict": case.get("verdict"), "theta": c.get("theta"), "low": c.get("low"), "high": c.get("high"), "mde": c.get("mde"),
            "processes": sum(p["variant"]["role"] in ("base", "head") and not p.get("voided") for p in case.get("processes", [])),
        }
    m = run["machine"]
    return {
        "machine": m.get("model"), "conclusion": run["conclusion"], "rounds": len(run.get("rounds", [])), "cases": cases,
        "roundSeconds": round(sum(r["seconds"] for r in run.get("rounds", [])), 2), "timings": run.get("timings"),
    }


def measure(options):
    work = Path(tempfile.mkdtemp())
    shutil.copytree(EXAMPLES, work / "examples")
    config = "suite.yaml"
    if options.config:
        config = options.config
    else:
        (work / "examples" / config).write_text(configuration(options.cases))
    programs = [p.split("=", 1) for p in options.program]
    begun_all = time.time()
    for number in range(options.runs):
        if time.time() - begun_all > options.seconds:
            break
        for name, program in programs[::-1] if number % 2 else programs:
            out = work / f"{name}{number}"
            command = [str(Path(program).resolve()), "run", "--config", config, "--base", ".", "--head", ".", "--time-identical",
                       "--profile", "never", "--out", str(out), "--tolerance", options.tolerance]
            command += [f"--head-flags=-DPG_FAULT_WORK={options.work}"] if options.work else []
            command += ["--budget", options.budget] if options.budget else []
            begun = time.time()
            run = subprocess.run(command, cwd=work / "examples", capture_output=True, text=True)
            line = {"program": name, "run": number, "tolerance": options.tolerance, "work": options.work, "exit": run.returncode,
                    "seconds": round(time.time() - begun, 1)}
            if (out / "result.json").exists():
                line.update(summary(out / "result.json"))
            else:
                print(run.stdout[-2000:], run.stderr[-2000:], file=sys.stderr)
            print(f"{name} {number}: exit {run.returncode}, {line['seconds']} s, rounds {line.get('roundSeconds')} s, "
                  f"{line.get('conclusion', {}).get('counts')}", flush=True)
            with open(options.out, "a") as file:
                file.write(json.dumps(line) + "\n")
    shutil.rmtree(work)


def lines_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return file.read().splitlines()


def tables(paths):
    print("| program | work, tolerance | runs | cases | verdicts | red runs | process-cases | of the first's | seconds of rounds | of the first's | MDE, median and worst |")
    print("|:--|:--|--:|--:|:--|--:|--:|--:|--:|--:|--:|")
    for path in paths:
        lines = [line for line in map(json.loads, lines_of(path)) if "cases" in line]
        groups = {}
        for line in lines:
            groups.setdefault((line["work"], line["tolerance"]), {}).setdefault(line["program"], []).append(line)
        for (work, tolerance), programs in groups.items():
            first = None
            for name, runs in programs.items():
                cases = [c for r in runs for c in r["cases"].values()]
                verdicts = {}
                for c in cases:
                    verdicts[c["verdict"]] = verdicts.get(c["verdict"], 0) + 1
                spent = sum(c["processes"] for c in cases) / len(runs), sum(r["roundSeconds"] for r in runs) / len(runs)
                first = first or spent
                mdes = sorted(c["mde"] for c in cases if c.get("mde"))
                stated = f"{100 * median(mdes):.2f}, {100 * mdes[-1]:.2f} % ({len(mdes)} stated)" if mdes else "–"
                print(f"| {name} | +{work} %, {tolerance} | {len(runs)} | {len(cases) // len(runs)} | "
                      + ", ".join(f"{v} {n}" for v, n in sorted(verdicts.items())) + f" | {sum(r['exit'] == 1 for r in runs)} | {spent[0]:.0f} | "
                      f"{100 * spent[0] / first[0]:.0f} % | {spent[1]:.0f} | {100 * spent[1] / first[1]:.0f} % | {stated} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", action="append", metavar="NAME=BINARY", default=[])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--work", type=int, default=0)
    parser.add_argument("--tolerance", default="1.5%")
    parser.add_argument("--budget")
    parser.add_argument("--cases", type=int, choices=(14, 28), default=28)
    parser.add_argument("--seconds", type=float, default=1e9, help="no further pair starts after so many")
    parser.add_argument("--config")
    parser.add_argument("--out", default="programs.json")
    parser.add_argument("--tables", nargs="+")
    options = parser.parse_args()
    tables(options.tables) if options.tables else measure(options)


if __name__ == "__main__":
    main()
