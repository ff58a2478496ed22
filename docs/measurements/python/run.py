"""Measures the Python examples with the gate, on a machine with an NVIDIA GPU, nvcc, Nsight Compute and a python3 with torch, Triton and CuPy.

    python3 run.py [--seconds N] [--no-profile] PERFGATE OUT RUN...

RUN is a name or a pattern of names:

    aa_fresh_1 ... aa_fresh_10   unchanged code: a case of each Triton example, a fresh interpreter a process, in the sandbox
    faults_1 ...                 every fault of kernels/examples/faults_python.yaml that needs a GPU, with its profile; one of a kernel at a time
    dose_fresh                   a hundredth more work at a tolerance of 0.5 %
    suite_triton, suite_cuda     unchanged code, twelve cases of each suite
    host                         unchanged code: what a launch of the softmax costs the host, compared as a case of its own
    tuned                        unchanged code: attention, whose processes choose among two configurations
    demo                         perfgate demo --python --device cuda

All that are asked for build first, three at a time, and then have the GPU one after the other, in their order: nothing else runs beside one that measures. OUT gets NAME.json.gz, the result, and NAME.txt,
what was printed. With --no-profile faults have their verdict alone. With --seconds no run has its turn after so many seconds, and what has not ended by then is ended.
"""
import argparse
import fcntl
import fnmatch
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "kernels" / "examples"
IN_SUITE = ("softmax_triton", "layernorm_triton", "attention_triton")
FEW = ("softmax/rows=4096,columns=4096,dtype=f32", "layernorm/rows=4096*", "attention/B=4,H=8,S=2048,*")
AT_ONCE = 3  # builds
TWELVE_IN_CUDA = "saxpy,polynomial,attention_tensor,gemm,gemm_tensor,sum,softmax,transpose"
ROW = re.compile(r'- \{dir: (\w+), kernel: (\w+), file: (\S+), case: "([^"]*)", fault: (\w+)(?:, cause: ([\w-]+))?(?:, also: \[([^\]]*)\])?\}$')


class Run:
    """One run of the gate: a folder of the examples or the suite, what is planted in head, and what is asked for."""

    def __init__(self, name, arguments, example="suite", plants=(), expected=(), adds=""):
        self.name, self.arguments, self.example, self.plants = name, list(arguments), example, list(plants)
        self.expected, self.adds = list(expected), adds  # rows of faults_python.yaml; lines for a kernel of the configuration


def faults():
    """Rows of faults_python.yaml that need a GPU: dir, kernel, file, case, fault, cause, also."""
    rows = []
    for number, line in enumerate((EXAMPLES / "faults_python.yaml").read_text().splitlines(), 1):
        if line.startswith("-") and "_numpy" not in line:
            m = ROW.match(line)
            if not m:
                sys.exit(f"faults_python.yaml:{number}: not a row as the others are: {line}")
            rows.append(m.groups())
    return rows


def fault_runs():
    """Runs that cover all faults, none with two of one kernel."""
    batches = []
    for row in faults():
        example = "suite" if row[0] in IN_SUITE else row[0]
        for place, taken in batches:
            if place == example and all(row[1] != other[1] for other in taken):
                taken.append(row)
                break
        else:
            batches.append((example, [row]))
    runs = []
    for number, (example, rows) in enumerate(batches, 1):
        plants = [((f"{row[0]}/" if example == "suite" else "") + row[2], row[4]) for row in rows]
        cases = [flag for row in rows for flag in ("--case", f"{row[1]}/{row[3]}")]
        runs.append(Run(f"faults_{number}", ["--profile", "auto", "--kernel", ",".join(row[1] for row in rows), *cases], example, plants, expected=rows))
    return runs


def all_runs():
    triton = ["--kernel", "softmax,layernorm,attention"]
    few = triton + [flag for case in FEW for flag in ("--case", case)]
    dose = ["--tolerance", "0.5%", "--profile", "never", "--kernel", "softmax", "--case", FEW[0]]
    planted = [("softmax_triton/softmax.py", "hundredth")]
    aa = ["--time-identical", "--profile", "never"]
    return [
        *(Run(f"aa_fresh_{i}", aa + few) for i in range(1, 11)),
        *fault_runs(),
        Run("dose_fresh", dose, plants=planted),
        Run("suite_triton", aa + triton),
        Run("host", [*aa, "--case", "softmax/rows=64*"], example="softmax_triton", adds="    host-time: true\n"),
        Run("tuned", aa, example="attention_triton"),
        Run("demo", [], example="demo"),
        Run("suite_cuda", [*aa, "--config", "suite_cuda.yaml", "--kernel", TWELVE_IN_CUDA], example="cuda"),
    ]


def git(tree, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=tree, check=True, stdout=subprocess.DEVNULL)


def lay_out(run, tree):
    """A repository whose last commit plants the faults."""
    if run.example == "demo":  # which lays out its own
        return tree.mkdir()
    if run.example == "cuda":
        shutil.copytree(EXAMPLES, tree)
    elif run.example == "suite":
        for name in IN_SUITE:
            shutil.copytree(EXAMPLES / name, tree / name, ignore=shutil.ignore_patterns("*.pg.py", "*.yaml", "__pycache__"))
        shutil.copy(EXAMPLES / "suite_triton.pg.py", tree)
        shutil.copy(EXAMPLES / "suite_triton.yaml", tree / "perfgate.yaml")
    else:
        shutil.copytree(EXAMPLES / run.example, tree)
    config = tree / "perfgate.yaml"
    if not run.name.startswith("suite"):  # parity has measurements of its own
        config.write_text(re.sub(r"(parity: \{cases: )\d+", rf"\g<1>{1 if run.name.startswith('aa') else 2}", config.read_text()))
    if run.adds:
        config.write_text(config.read_text().replace("    cache: cold\n", "    cache: cold\n" + run.adds))
    if run.plants:  # a fault may change the configurations
        config.write_text(re.sub(r"    pin: .*\n", "", config.read_text()))
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    for file, fault in run.plants:
        text = (tree / file).read_text()
        (tree / file).write_text(text.replace('\nFAULT = ""\n', f'\nFAULT = "{fault}"\n'))
    if run.plants:
        git(tree, "commit", "-qam", "planted")


def start(run, perfgate, work, device):
    """Starts a run, whose turn comes when its lock is let go."""
    tree, locks = work / run.name, work / "locks" / run.name
    locks.mkdir(parents=True)
    lay_out(run, tree)
    run.lock = open(locks / f"perfgate-{device}.lock", "w")
    fcntl.flock(run.lock, fcntl.LOCK_EX)
    command = [perfgate, *arguments(run), "--out", str(work / "out" / run.name)]
    run.text = work / f"{run.name}.txt"
    with open(run.text, "w") as out:
        run.process = subprocess.Popen(command, cwd=tree, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, "PERFGATE_LOCK_DIR": str(locks)})


def await_turn(run, until):
    """Waits until a run has built and waits for its turn, or is over."""
    while run.process.poll() is None and time.monotonic() < until and "\nwaiting: " not in run.text.read_text():
        time.sleep(0.1)


def arguments(run):
    if run.example == "demo":
        return ["demo", "--python", "--device", "cuda"]
    base = "HEAD~1" if run.plants else "HEAD"
    return ["run", "--base", base, *run.arguments, "--verbose"]


def let_go(run):
    os.remove(run.lock.name)
    run.lock.close()


def keep(run, work, out):
    """Copies what a run printed and its result, without what identifies the card and the machine."""
    shutil.copy(run.text, out / f"{run.name}.txt")
    result = work / "out" / run.name / "result.json"
    if not result.exists():
        return None
    text = re.sub(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "GPU-00000000-0000-0000-0000-000000000000", result.read_text())
    text = re.sub(r'("kernel": ?")[0-9]+\.[^"]*"', r'\1"', text)
    text = re.sub(r'"/[^"]*/(python3[^"/]*)"', r'"\1"', text)
    with gzip.GzipFile(out / f"{run.name}.json.gz", "wb", mtime=0) as f:
        f.write(text.encode())
    return json.loads(text)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--no-profile", action="store_true")
    parser.add_argument("perfgate")
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", nargs="+")
    given = parser.parse_args()
    known = all_runs()
    chosen = [run for pattern in given.runs for run in known if fnmatch.fnmatchcase(run.name, pattern)]
    if not chosen:
        sys.exit("there is no such run; there are: " + " ".join(run.name for run in known))
    given.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    number = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    device = subprocess.run(["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader", f"--id={number}"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for run in chosen:
            if given.no_profile:
                run.arguments = ["never" if argument == "auto" else argument for argument in run.arguments]
        for group in (chosen[i:i + AT_ONCE] for i in range(0, len(chosen), AT_ONCE)):
            for run in group:
                start(run, os.path.abspath(given.perfgate), work, device)
            for run in group:
                await_turn(run, began + given.seconds)
        print(f"built after {time.monotonic() - began:.0f} s", flush=True)
        for run in chosen:
            left = given.seconds - (time.monotonic() - began)
            turn = time.monotonic()
            if left > 0:
                let_go(run)
            try:
                code = run.process.wait(max(0, left) if left != float("inf") else None)
            except subprocess.TimeoutExpired:
                run.process.send_signal(signal.SIGINT)
                code = run.process.wait()
            result = keep(run, work, given.out)
            print(f"{run.name}: exit {code} after {time.monotonic() - turn:.0f} s on the card", flush=True)
            for line in lines(run, result or {}):
                print("  " + line, flush=True)


def percent(value):
    return f"{100 * value:+.2f} %"


def lines(run, result):
    """What a result says of each case, in rows of a Markdown table, and where its time went."""
    expected = {f"{row[1]}/{row[3]}": f"{row[4]}: {row[5]} {row[6] or ''}" for row in run.expected}
    for case in result.get("cases") or []:
        c = case.get("comparison") or {}
        evidence = case.get("evidence") or {}
        causes = ", ".join(f"{cause['id']} {cause.get('share', 0):.0%}" for cause in evidence.get("causes") or []) or evidence.get("reason", "")
        cells = [case["name"], case.get("verdict"), case.get("reason"), case.get("method", {}).get("how"), expected.get(case["name"]), causes]
        if c:
            cells[2:3] = [percent(c["ratio"] - 1), f"{percent(c['ratioLow'] - 1)} to {percent(c['ratioHigh'] - 1)}", f"{c['rounds']} rounds",
                          f"scatter {100 * c['s']:.2f} %", f"detects {100 * c['mde']:.2f} %"]
        yield "| " + " | ".join(str(cell) for cell in cells if cell) + " |"
    yield "rounds of " + ", ".join(f"{r['seconds']:.1f}" + (" (voided)" if r.get("voided") else "") for r in result.get("rounds") or []) + " s"
    timings = result.get("timings") or {}
    yield ", ".join(f"{name} {value:.1f}" for name, value in [*timings.items(), *(timings.get("phases") or {}).items()] if isinstance(value, (int, float)))


if __name__ == "__main__":
    main()
