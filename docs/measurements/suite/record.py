"""Records streams of fresh processes, each of which measures every case of kernels/examples/suite_cuda.yaml once, with 0,
1, 2, 3 and 5 % of injected work in turn: what `go run ./cmd/simulate --injected` draws rounds from.

    python3 record.py --processes N --out streams.csv [--share 0.4]

A process does what one of the gate's does: it warms up for as long, times the cases in an order of its own with the gate's
method (graph or single launch, caches flushed, buffers in turn), and is worth the trimmed mean of its samples. It takes
`share` of the gate's samples, so what it scatters is no less than what a process of the gate does. Needs nvcc on the PATH or
in NVCC. Prints and writes nothing but times, so that a stream can be kept with the sources.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "kernels" / "examples"
sys.path.insert(0, str(ROOT / "docs" / "measurements" / "cuda-harness"))
from runner import Runner, case  # noqa: E402

DOSES = (0, 1, 2, 3, 5)
WARM_NS = 250e6
SHORT_LAUNCH, BATCHED_SAMPLE, SPAN = 20e3, 250e3, 150e6  # ns; the gate's own, gate/measure/calibrate.go


def cases():
    """Pairs of kernel and parameters of the suite's measured cases."""
    kernel, found = "", []
    for line in (EXAMPLES / "suite_cuda.yaml").read_text().splitlines():
        name = re.match(r"  - name: (\w+)", line)
        if name:
            kernel = name.group(1)
        if re.match(r"    measure:|      - \{", line):
            for text in re.findall(r"\{([^}]*)\}", line):
                found.append((kernel, {k.strip(): int(v) for k, v in (pair.split(":") for pair in text.split(","))}))
    return found


def name_of(kernel, params):
    return kernel + "/" + ",".join(f"{k}={v}" for k, v in params.items())


class Builder:
    """Compiles the harness and the suite with every dose, as many units at once as there are cores."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.nvcc = os.environ.get("NVCC", "nvcc")
        query = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
        capability = subprocess.run(query, check=True, capture_output=True, text=True).stdout.split()[0]
        self.flags = ["-std=c++17", "-arch=sm_" + capability.replace(".", "")]

    def run(self, *args):
        subprocess.run([self.nvcc, *self.flags, *map(str, args)], check=True)

    def unit(self, source, dose):
        out = self.directory / f"{source.stem}.{dose}.o"
        self.run("-O3", "-Xcompiler", "-fPIC", "-I", ROOT / "kernels" / "native", f"-DPG_FAULT_WORK={dose}", "-c", source, "-o", out)
        return out

    def harness(self):
        native = ROOT / "kernels" / "native"
        units = [p for p in sorted((native / "harness").glob("*.c[cu]")) if "_cpu" not in p.name]
        everything = self.directory / "harness.cu"
        everything.write_text("".join(f'#include "{p}"\n' for p in units))
        out = self.directory / "harness"
        self.run("-O2", "-fmad=false", "-Xcompiler", "-pthread", "-I", native, "-I", native / "harness", everything, "-o", out, "-ldl")
        return str(out)

    def everything(self):
        suite = (EXAMPLES / "suite_cuda.yaml").read_text()
        listed = re.search(r"sources:\s*\[([^\]]*)\]", suite).group(1)  # the same for all kernels
        sources = [EXAMPLES / name.strip() for name in ("suite_cuda.pg.cu," + listed).split(",")]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            harness = pool.submit(self.harness)
            units = {dose: [pool.submit(self.unit, s, dose) for s in sources] for dose in DOSES}
            libraries = {}
            for dose in DOSES:
                libraries[dose] = str(self.directory / f"suite{dose}.so")
                self.run("-shared", *(u.result() for u in units[dose]), "-o", libraries[dose])
            return harness.result(), libraries


def method_of(probe, share):
    """How the gate would time a case that a probe describes, with `share` of its samples."""
    how, launches, ns = "single", 1, probe["launchNs"]
    if ns < SHORT_LAUNCH and probe.get("capturable"):
        how, ns = "graph", probe["graphNs"]
        launches = max(1, min(1024, -int(-BATCHED_SAMPLE // ns), probe["poolLimit"]))
    most = 100 if launches > 1 else 300
    samples = max(5, min(most, int(SPAN / (ns * launches + probe["flushNs"]))))
    return {"clock": "event", "how": how, "block": True, "launches": launches, "pool": min(probe["poolLimit"], max(4, launches)),
            "samples": max(5, int(samples * share)), "cache": "cold"}


def trimmed_mean(xs):
    xs = sorted(xs)
    cut = len(xs) // 5
    kept = xs[cut:len(xs) - cut]
    return sum(kept) / len(kept)


def measure(runner, wanted, methods, seed):
    runner.call("warm", limitNs=WARM_NS, fixed=True)
    random.shuffle(wanted)
    values = {}
    for kernel, params in wanted:
        name = name_of(kernel, params)
        reply = runner.call("time", case=case(kernel, **params), seed=str(seed), method=methods[name], checks=0, oracle="relaunch",
                            atol=1e-2, rtol=1e-2, limitNs=10e9)
        values[name] = trimmed_mean(reply["samples"])
    return values


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--processes", type=int, default=24)
    options.add_argument("--share", type=float, default=0.4)
    options.add_argument("--out", required=True)
    o = options.parse_args()
    random.seed(1)
    wanted, number = cases(), 0
    with tempfile.TemporaryDirectory() as directory, open(o.out, "w") as out:
        harness, libraries = Builder(directory).everything()
        first = Runner(harness, libraries[0])
        first.call("warm", limitNs=WARM_NS, fixed=True)
        methods = {name_of(k, p): method_of(first.call("probe", case=case(k, **p), seed="1", cache="cold"), o.share) for k, p in wanted}
        first.close()
        print("case,slowdown,process,ns", file=out)
        for _ in range(o.processes):
            for dose in random.sample(DOSES, len(DOSES)):
                number += 1
                runner = Runner(harness, libraries[dose])
                for name, ns in sorted(measure(runner, wanted, methods, number).items()):
                    print(f'"{name}",{dose},{number},{ns:.2f}', file=out, flush=True)
                runner.close()


main()
