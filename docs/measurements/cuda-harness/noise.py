"""How well single processes agree: fresh processes of every case and method, in turn, as CSV.

    python3 noise.py HARNESS LIBRARIES PROCESSES WARM_MS > noise.csv

LIBRARIES holds basics.so, basics_work3.so (3 % more work) and attention.so.
"""
import sys

from runner import Runner, case

BATCH = 250e3  # ns


def cases(directory):
    for name, spec, cache in [
        ("saxpy/n=16777216", case("saxpy", n=1 << 24), "cold"),
        ("polynomial/n=1048576", case("polynomial", n=1 << 20, degree=512), "cold"),
        ("saxpy/n=65536", case("saxpy", n=1 << 16), "cold"),
    ]:
        yield name, directory + "/basics.so", spec, cache, ""
        yield name, directory + "/basics_work3.so", spec, cache, "+3%"
    spec = case("attention", B=8, H=8, S=512, D=64, causal=0)
    yield "attention/B=8,S=512", directory + "/attention.so", spec, "cold", ""


def methods(probe):
    yield "single", 1
    if probe["launchNs"] < 20e3:
        launches = min(1024, max(1, int(BATCH / probe["graphNs"]) + 1))
        yield "graph", launches
        yield "loop", min(128, launches)


def measure(r, spec, cache, how, launches, seed):
    pool = max(4, launches) if cache == "cold" else 2
    method = {"clock": "event", "how": how, "block": True, "launches": launches, "pool": pool, "samples": 100, "cache": cache}
    return r.call("time", case=spec, seed=str(seed), method=method, checks=2, oracle="reference", atol=1e-2, rtol=1e-2, limitNs=3e9)


def trimmed_mean(xs):
    xs = sorted(xs)
    cut = len(xs) // 5
    kept = xs[cut:len(xs) - cut]
    return sum(kept) / len(kept)


def main():
    harness, directory, processes, warm = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]) * 1e6
    print("process,case,dose,method,launches,ns,sampleCV,computeNs,memoryNs,clockMHz")
    probes = {}
    for process in range(processes):
        for name, library, spec, cache, dose in cases(directory):
            r = Runner(harness, library)
            r.call("warm", limitNs=warm, fixed=True)
            if name not in probes:
                probes[name] = r.call("probe", case=spec, seed="1", cache=cache)
            for how, launches in methods(probes[name]):
                reply = measure(r, spec, cache, how, launches, 1000 + process)
                xs, c = reply["samples"], reply["canary"]
                mean = sum(xs) / len(xs)
                cv = (sum((x - mean) ** 2 for x in xs) / (len(xs) - 1)) ** 0.5 / mean
                print(f"{process},{name!r},{dose},{how},{launches},{trimmed_mean(xs):.2f},{cv:.5f},{c['computeNs']:.0f},{c['memoryNs']:.0f},{c['clockMhz']:.1f}".replace("'", '"'), flush=True)
            r.close()


main()
