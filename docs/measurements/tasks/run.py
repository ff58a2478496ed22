"""Gates solutions of public problems on a GPU: right, slow, wrong and cheating ones.

usage: run.py PERFGATE PROBLEMS OUT [parity] [gpu_mode] [kernelbench] [versus]      (no word: all)
PROBLEMS/reference-kernels is a checkout of github.com/gpu-mode/reference-kernels, PROBLEMS/KernelBench one of github.com/ScalingIntelligence/KernelBench.

parity checks every solution, all at once: no clock decides there. gpu_mode and kernelbench time rounds, base with right solutions, head with slow ones and those that
cheat only then. versus measures two right solutions against their problems' own references. Each line begins with "ok" or "NOT": what came out, the exit code or the word
of the kernel or case, is what should. Exit code 1 where one is not.
"""
import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECONDS = int(os.environ.get("TASKS_SECONDS", "600"))  # for each command
ONLY = os.environ.get("TASKS_ONLY", "").split()  # these solutions, in this order; none: all
AT_ONCE = int(os.environ.get("TASKS_AT_ONCE", "4"))  # commands: each has several interpreters with PyTorch
LOCK = os.environ.get("TASKS_LOCK") and Path(os.environ["TASKS_LOCK"])  # folder of the lock that is shared with other measurements

GPU_MODE, KERNELBENCH = "reference-kernels/problems/", "KernelBench/KernelBench/"
SIZES = "params: {size: {values: [2048, 127, 129]}, seed: {values: [4052, 4242, 1001]}}", "measure: [{size: 2048, seed: 4052}]", (
    "parity: {values: [spec], cases: [{size: 127, seed: 4242}, {size: 129, seed: 1001}]}")
TRIALS = "params: {trial: {values: [0, 1]}}", "measure: [{trial: 0}]", "parity: {values: [spec]}"
PROBLEMS = {  # tests and benchmarks of each problem: some of its own
    "vectoradd": (GPU_MODE + "pmpp_v2/vectoradd_py/task.yml", SIZES),
    "histogram": (GPU_MODE + "pmpp_v2/histogram_py/task.yml", (
        "params: {size: {values: [1310720, 5120, 30080]}, seed: {values: [6252, 9991, 4254]}, contention: {values: [10, 90]}}",
        "measure: [{size: 1310720, seed: 6252, contention: 10}]",
        "parity: {values: [spec], cases: [{size: 5120, seed: 9991, contention: 10}, {size: 30080, seed: 4254, contention: 90}]}")),
    "fp8_quant": (GPU_MODE + "helion/fp8_quant_py/task.yml", (
        "params: {num_tokens: {values: [256, 1, 16]}, hidden_dim: {values: [4096, 256, 1024]}, group_size: {values: [128, 64]}, seed: {values: [2146, 4242, 1001]}}",
        "measure: [{num_tokens: 256, hidden_dim: 4096, group_size: 128, seed: 2146}]",
        "parity: {values: [spec], cases: [{num_tokens: 1, hidden_dim: 256, group_size: 64, seed: 4242}, "
        "{num_tokens: 16, hidden_dim: 1024, group_size: 64, seed: 1001}]}")),
    "matmul": (KERNELBENCH + "level1/1_Square_matrix_multiplication_.py", TRIALS),
    "layernorm": (KERNELBENCH + "level1/40_LayerNorm.py", TRIALS),
    "gemm_relu": (KERNELBENCH + "level2/76_Gemm_Add_ReLU.py", TRIALS),
}
OPEN = {"vectoradd_shapes", "matmul_tf32", "vectoradd_batch"}  # cheats that parity cannot tell from a solution: docs/judge.md
LATE = {"vectoradd_by_count", "vectoradd_by_pointer", "vectoradd_stream", "vectoradd_thread"}  # cheats that parity passes, and timing shows
TIMED = {  # case's verdict or kernel's status by rounds
    "gpu_mode": {"vectoradd": "regression", "histogram": "regression", "fp8_quant": "regression", "vectoradd_same": "same", "vectoradd_batch": "same", **{name: "error" for name in LATE}},
    "kernelbench": {"matmul": "regression", "layernorm": "regression", "gemm_relu": "regression", "gemm_relu_same": "same"},
}


def kernel(name, problem, source):
    adapter, keys = PROBLEMS[problem]
    return "\n".join([f"  - name: {name}", f"    adapter: {adapter}", f"    sources: [{source}]", *("    " + key for key in keys)])


def configuration(kernels):
    return "\n".join(["version: 1", "device: cuda", "kernels:", *kernels, "gate: {tolerance: 3%, budget: 10m}", ""])


def repository(problems, where, kernels):
    shutil.copytree(problems, where, ignore=shutil.ignore_patterns(".git"))
    shutil.copytree(HERE / "solutions", where / "solutions")
    (where / "perfgate.yaml").write_text(configuration(kernels))
    for words in ("init -q .", "add -A", "-c user.name=a -c user.email=a@b commit -qm right"):
        subprocess.run(["git", *words.split()], cwd=where, check=True)


def run(perfgate, words, where, log, lock):
    """Exit code and seconds of a command, whose output is kept in files. None: it took too long."""
    lock.mkdir(parents=True, exist_ok=True)
    start = time.time()
    with open(f"{log}.txt", "wb") as out, open(f"{log}.err", "wb") as err:
        try:
            code = subprocess.run(["timeout", "-s", "INT", "-k", "5", str(SECONDS), perfgate, *words], cwd=where, stdout=out, stderr=err,
                                  env={**os.environ, "PERFGATE_LOCK_DIR": str(lock)}).returncode
        except OSError as problem:
            code = repr(problem)
    return code, time.time() - start


def first_line(log):
    return " ".join(" ".join(Path(f"{log}.txt").read_text(errors="replace").splitlines()[:2]).split())[:150]


def parity(perfgate, problems, out):
    where = out / "parity"
    wanted = {}
    for kind, code in (("right", 0), ("slow", 0), ("wrong", 1), ("cheats", 1)):  # 3, not measured, is no pass either
        for file in sorted((HERE / "solutions" / kind).glob("*.py")):
            name = file.stem if kind == "cheats" else f"{file.stem}_{kind}"
            passes = name in OPEN | LATE
            wanted[name] = (kernel(name, next(p for p in PROBLEMS if name.startswith(p)), f"solutions/{kind}/{file.name}"), 0 if passes else code)
    repository(problems, where, [text for text, _ in wanted.values()])

    def check(name):
        code, seconds = run(perfgate, ["parity", "--kernel", name], where, out / name, out / "locks" / name)
        as_wanted = code == 0 if wanted[name][1] == 0 else code in (1, 3)
        print(f"{'ok ' if as_wanted else 'NOT'} {name:24} exit {code}, {seconds:3.0f} s: {first_line(out / name)}", flush=True)
        return as_wanted

    if ONLY:
        wanted = {name: found for name, found in wanted.items() if name in ONLY}
    first, *others = wanted
    results = [check(first)]  # compiles the harness for the others
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return all(results + list(pool.map(check, others)))


def timed(problems, where, name, problem):
    """A repository whose last commit turns the right solution of a problem into another one."""
    repository(problems, where, [kernel(name, problem, "solution.py")])
    solution = next(f for f in (HERE / f"solutions/cheats/{name}.py", HERE / f"solutions/{'right' if name.endswith('_same') else 'slow'}/{problem}.py") if f.exists())
    for message, file in (("base", HERE / f"solutions/right/{problem}.py"), ("head", solution)):
        shutil.copy(file, where / "solution.py")
        for words in ("add -A", f"-c user.name=a -c user.email=a@b commit -q --allow-empty -m {message}"):
            subprocess.run(["git", *words.split()], cwd=where, check=True)


def rounds(perfgate, problems, out, kind):
    """One run for each kernel: they build side by side, and measure in turn by perfgate's own lock."""
    wanted = {name: TIMED[kind][name] for name in ONLY or TIMED[kind] if name in TIMED[kind]}

    def gate(name):
        where, log = out / name, out / f"{name}_timed"
        timed(problems, where, name, next(p for p in PROBLEMS if name.startswith(p)))
        code, seconds = run(perfgate, ["run", "--base", "HEAD~1", "--time-identical", "--profile", "never", "--sandbox", "off", "--out", str(log)], where, log, LOCK or out / "lock")
        try:
            found = json.loads((log / "result.json").read_text())
        except OSError:
            found = {"kernels": [{"status": Path(f"{log}.err").read_text(errors="replace")[-200:]}]}
        word = (found.get("cases") or [{"verdict": found["kernels"][0].get("status")}])[0]["verdict"]
        as_wanted = (code, word) == (0 if wanted[name] == "same" else 1, wanted[name])
        print(f"{'ok ' if as_wanted else 'NOT'} {name:24} exit {code}, {seconds:3.0f} s: {word}; {first_line(log)}", flush=True)
        return as_wanted

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return all(list(pool.map(gate, wanted)))


def versus(perfgate, problems, out):
    where, good = out / "versus", True
    names = "fp8_quant", "gemm_relu"
    competitor = "    competitors: [{name: reference, adapter: %s}]"
    repository(problems, where, [kernel(name, name, f"solutions/right/{name}.py") + "\n" + competitor % PROBLEMS[name][0] for name in names])
    for name in names:
        log = out / f"versus_{name}"
        code, seconds = run(perfgate, ["versus", PROBLEMS[name][0], "reference", "--kernel", name, "--sandbox", "off", "--out", str(log)], where, log, LOCK or out / "lock")
        print(f"{'ok ' if code == 0 else 'NOT'} {name:24} exit {code}, {seconds:.0f} s\n{Path(f'{log}.txt').read_text(errors='replace')}", flush=True)
        good = good and code == 0
    return good


def main():
    perfgate, problems, out = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    steps = {"parity": lambda: parity(perfgate, problems, out), **{k: lambda k=k: rounds(perfgate, problems, out, k) for k in TIMED}, "versus": lambda: versus(perfgate, problems, out)}
    good = [steps[word]() for word in sys.argv[4:] or steps]
    sys.exit(0 if all(good) else 1)


main()
