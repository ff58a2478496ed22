"""Records processes of Triton's tutorials on a GPU: each case by perfgate's method and by do_bench, unchanged and with a planted slowdown.

usage: triton_record.py TUTORIALS OUT STEP...      TUTORIALS is python/tutorials of triton-lang/triton, its scripts unchanged
  warm:NAME      compiles and tunes what the script needs, once. No time of it is kept.
  ours:NAME:N    N processes. Each times every case three times, in an order by lot: as the script has it, and with a second kernel behind it that
                 spins for 3 % and for 10 % of its time. Then do_bench times the same three, in the same order. OUT/NAME.jsonl gets a line for each process.
  alone:NAME:N   N processes of the script with do_bench as it is, without perfgate's package. Lines go to OUT/NAME.alone.jsonl.
NAME is vector, softmax, matmul or attention. A process is forked after torch and triton were imported and before CUDA was touched. Kernels are compiled
once, by warm. An autotuner chooses again in each process; what the matmul script tunes for its own tests is kept, since nobody times it.
"""
import contextlib
import json
import os
import random
import signal
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "kernels", "python"))
for name in ("TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH"):
    os.environ.pop(name, None)

import torch  # noqa: E402
import triton  # noqa: E402
import triton.runtime.autotuner  # noqa: E402
import triton.testing  # noqa: E402

from perfgate import bench, bench_session  # noqa: E402
from perfgate.bench_ask import Method  # noqa: E402
from perfgate.bench_names import joined  # noqa: E402
from perfgate.bench_work import Calls  # noqa: E402

PLANTED = (3, 10)  # per cent
SECONDS = 60       # that a process may take
ATTENTION = {"H": 32, "BATCH": 4, "HEAD_DIM": 64, "mode": "fwd", "causal": True, "warp_specialize": False}
# By name: the script, what its function is called, the plot, and the arguments of each point.
SCRIPTS = {
    "vector": ("01-vector-add.py", "benchmark", "vector-add-performance", [{"size": 1 << n, "provider": "triton"} for n in (25, 27)]),
    "softmax": ("02-fused-softmax.py", "benchmark", "softmax-performance", [{"N": n, "provider": "triton", "M": 4096} for n in (4224, 8576)]),
    "matmul": ("03-matrix-multiplication.py", "benchmark", "matmul-performance-fp16",
               [{"M": n, "N": n, "K": n, "provider": "triton", "fp8_inputs": False} for n in (4096,)]),
    "attention": ("06-fused-attention.py", "bench_flash_attention", "fused-attention-batch4-head32-d64-fwd-causal=True-warp_specialize=False",
                  [{"N_CTX": n, "provider": "triton-fp16", **ATTENTION} for n in (4096,)]),
}


class Rig:
    """Where processes run and what they leave. The folder of compiled kernels is shared by all of them."""

    def __init__(self, tutorials, out):
        self.tutorials, self.out = os.path.abspath(tutorials), os.path.abspath(out)
        self.cache = os.environ.get("RECORD_CACHE") or os.path.join(self.out, "cache")
        self.until = time.time() + float(os.environ.get("RECORD_SECONDS", 1e9))
        os.makedirs(self.out, exist_ok=True)

    def forked(self, name, work):
        """What ``work()`` returns in a process of its own, as JSON has it; None where it failed."""
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                signal.alarm(SECONDS)
                self._settle_in(name)
                with os.fdopen(write, "w") as pipe:
                    json.dump(work(), pipe)
            except BaseException:
                import traceback

                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        os.waitpid(pid, 0)
        return json.loads(text) if text else None

    def _settle_in(self, name):
        os.chdir(self.tutorials)
        os.environ.update(TRITON_CACHE_DIR=self.cache, TRITON_CACHE_AUTOTUNING="1")
        log = os.open(os.path.join(self.out, name + ".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)

    def tuned(self):
        return {os.path.join(at, f) for at, _, files in os.walk(self.cache) for f in files if f.endswith(".autotune.json")}

    @contextlib.contextmanager
    def forgetting(self):
        """What an autotuner chooses meanwhile is forgotten."""
        known = self.tuned()
        try:
            yield
        finally:
            for path in self.tuned() - known:
                os.unlink(path)

    def record(self, name, kind, count, work):
        """``count`` processes, a line each; fewer where the time is up."""
        path = os.path.join(self.out, f"{name}{kind}.jsonl")
        with open(path, "a") as lines:
            for i in range(count):
                if time.time() > self.until:
                    return print(f"{name}{kind}: no time left after {i} processes", flush=True)
                with self.forgetting():
                    found = self.forked(name, lambda: work(i))
                if found is None:
                    print(f"{name}{kind}: process {i} failed, see its log", flush=True)
                    continue
                lines.write(json.dumps(found) + "\n")
                lines.flush()


def cases(name):
    _, _, plot, points = SCRIPTS[name]
    return {joined(plot, args): args for args in points}


def ask(name, mode, methods=None):
    """One question to perfgate's package, in this process."""
    out = f"/tmp/answer-{os.getpid()}.json"
    question = {"version": 1, "mode": mode, "cases": None if mode == "list" else list(cases(name)), "methods": methods or {}}
    bench.main([SCRIPTS[name][0]], {"PERFGATE_BENCH_ASK": json.dumps(question), "PERFGATE_BENCH_OUT": out})
    with open(out) as file:
        answer = json.load(file)
    os.unlink(out)
    return answer


def slower(work, cycles):
    """``work`` with a kernel behind it that spins for so many cycles."""
    if not cycles:
        return work
    fn = work._fn
    return Calls(lambda: (fn(), torch.cuda._sleep(cycles)), work._grads)


def trimmed(samples):
    samples = sorted(samples)
    cut = int(0.2 * len(samples))
    return statistics.mean(samples[cut:len(samples) - cut])


def calibrate(name):
    """How each case is timed, and how many cycles are so many per cent of it."""
    spins = {}
    original = bench_session.Session._calibrate

    def with_spins(self, work, row):
        kept = original(self, work, row)
        method, ns = Method.from_json(row["method"]), {}
        for cycles in (0, 4000, 40000):
            sample = self.device().sampler(slower(work, cycles), method)
            ns[cycles] = trimmed([sample() for _ in range(60)])
        cycle = (ns[40000] - ns[4000]) / 36000
        launch = ns[4000] - ns[0] - 4000 * cycle
        spins[row["name"]] = {str(p): max(1, round((ns[0] * p / 100 - launch) / cycle)) for p in PLANTED}
        return kept

    bench_session.Session._calibrate = with_spins
    return {"answer": ask(name, "calibrate"), "spins": spins}


def measure(name, methods, spins, seed):
    """A process of ours, with do_bench after it."""
    found, rng = {}, random.Random(seed)

    def all_ways(self, work, row):
        device, method = self.device(), self.ask.methods[row["name"]]
        self._warm(device, work, row)
        ways = {"0": work, **{str(p): slower(work, spins[row["name"]][str(p)]) for p in PLANTED}}
        order = rng.sample(list(ways), len(ways))
        case = found[row["name"]] = {"how": method.how, "do_bench": {}}
        for way in order:
            taken = {}
            device.first(ways[way])
            device.settle()
            samples = self._take(device, ways[way], method, method.samples, taken)
            case[way] = [round(ns, 1) for ns in taken["samples"]]
            if way == "0":
                row.update(taken)
                kept = samples
        for way in order:
            case["do_bench"][way] = do_bench_ns(ways[way]._fn, grad_to_none=work._grads)
        case["config"] = row.get("config", "")
        return kept

    bench_session.Session._measure = all_ways
    start = time.time()
    answer = ask(name, "measure", methods)
    if answer["error"] or any(c.get("failed") for c in answer["cases"]):
        raise RuntimeError(json.dumps(answer)[:2000])
    return {"process": seed, "seconds": round(time.time() - start, 2), "cases": found}


def do_bench_ns(fn, real=triton.testing.do_bench, **arguments):
    """What do_bench itself makes of a function: the median of its times, and their mean, which it returns unless it is asked otherwise."""
    ms = real(fn, return_mode="all", **arguments)
    return {"median": statistics.median(ms) * 1e6, "mean": statistics.mean(ms) * 1e6, "samples": len(ms)}


def script_scope(name):
    """What a script defines, run up to where it runs its benchmark."""
    script, function, _, _ = SCRIPTS[name]
    path = os.path.abspath(script)
    with open(path) as file:
        text = file.read()
    text = text[:text.index(function + ".run(")] + "pass\n"
    scope = {"__name__": "__main__", "__file__": path}
    exec(compile(text, path, "exec"), scope)
    return scope


def alone(name, i):
    """The script up to where it runs its benchmark, and then the function at the points that are wanted."""
    function = SCRIPTS[name][1]
    scope, seen = script_scope(name), {}

    def watched(fn, quantiles=None, **arguments):
        seen.update(do_bench_ns(fn, **arguments))
        return [seen["median"] / 1e6] * len(quantiles) if quantiles else seen["mean"] / 1e6

    triton.testing.do_bench = watched
    start, found = time.time(), {}
    for case, args in cases(name).items():
        scope[function].fn(**args)
        found[case] = dict(seen)
    return {"process": i, "seconds": round(time.time() - start, 2), "cases": found}


def warm(rig, name):
    if name == "matmul":
        rig.forked(name, lambda: ask(name, "list"))  # its own tests, whose choices are kept
    with rig.forgetting():
        rig.forked(name, lambda: ask(name, "calibrate"))


def ours(rig, name, count):
    with rig.forgetting():
        chosen = rig.forked(name, lambda: calibrate(name))
    if not chosen or len(chosen["spins"]) != len(cases(name)):
        sys.exit(f"{name} cannot be calibrated: {json.dumps(chosen)[:2000]}")
    methods = {c["name"]: c["method"] for c in chosen["answer"]["cases"]}
    rig.record(name, "", count, lambda i: measure(name, methods, chosen["spins"], i))


def main():
    rig = Rig(*sys.argv[1:3])
    for step in sys.argv[3:]:
        what, name, *count = step.split(":")
        start = time.time()
        if what == "warm":
            warm(rig, name)
        elif what == "ours":
            ours(rig, name, int(count[0]))
        else:
            rig.record(name, ".alone", int(count[0]), lambda i: alone(name, i))
        print(f"{step}: {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main()
