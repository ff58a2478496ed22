"""A kernel of eleven seconds a launch: what probe says of it, and one sample: slow.py HARNESS LIBRARY. Takes about a minute."""
import sys
import time

from runner import Runner, case

harness, library = sys.argv[1:]
runner = Runner(harness, library)
start = time.time()
reply = runner.call("probe", case=case("slow", n=1 << 16), seed="7", cache="cold")
print("probe: %.2f s a launch, block %s, poolLimit %d; it took %.0f s" % (reply["launchNs"] / 1e9, reply["blockable"], reply["poolLimit"], time.time() - start))
start = time.time()
method = {"clock": "event", "how": "single", "block": False, "launches": 1, "pool": 1, "samples": 2, "cache": "cold"}
reply = runner.call("time", case=case("slow", n=1 << 16), seed="7", method=method, checks=1, oracle="reference", atol=1e-5, rtol=1e-4, limitNs=1e9)
print("time: %s of %d samples, stopped by %s, checks %s; it took %.0f s" % (["%.3f s" % (ns / 1e9) for ns in reply["samples"]], reply["planned"], reply["stopped"], reply["checks"], time.time() - start))
runner.close()
