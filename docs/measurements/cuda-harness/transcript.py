"""Records what a harness says to every command and about kernels that cheat: testdata/cuda/transcript.txt, replayed by the tests.

    python3 transcript.py HARNESS LIBRARIES > transcript.txt

LIBRARIES holds basics.so and the cheats of testdata/cheats/cuda.
"""
import sys

from runner import Fault, Runner, case


def method(how, launches):
    return {"clock": "event", "how": how, "block": True, "launches": launches, "pool": max(4, launches), "samples": 12, "cache": "cold"}


def honest(r):
    spec = case("saxpy", n=1 << 16)
    tolerance = {"oracle": "reference", "atol": 1e-4, "rtol": 1e-5}
    r.call("spec", case=spec)
    r.call("warm", limitNs=1e10, fixed=False)
    r.call("probe", case=spec, seed="7", cache="cold")
    for values in "normal", "mixed":
        r.call("parity", case=spec, seed="7", values=values, **tolerance)
    for how, launches in ("single", 1), ("graph", 100), ("loop", 100):
        r.call("time", case=spec, seed="8", method=method(how, launches), checks=2, limitNs=1e9, **tolerance)
    r.call("profile", case=spec, seed="9", cache="cold", warm=3)
    r.call("reset")


def cheat(r):
    spec = case("k", n=1 << 24)
    tolerance = {"oracle": "reference", "atol": 1e-5, "rtol": 1e-4}
    r.call("parity", case=spec, seed="7", values="normal", **tolerance)
    r.call("time", case=spec, seed="8", method=method("single", 1), checks=2, limitNs=1e9, **tolerance)


def main():
    harness, directory = sys.argv[1:]
    for name, commands in [("basics", honest)] + [(c, cheat) for c in (
            "side_stream", "cache_by_shape", "skip_after_n", "oob_write", "reads_outside", "bad_launch", "wild_write")]:
        log = []
        r = Runner(harness, f"{directory}/{name}.so", log)
        try:
            commands(r)
        except Fault:
            pass
        r.close()
        print("# " + name)
        print("\n".join(log))


main()
