"""Whether a profiler sees one launch, and that one alone: profile.py HARNESS LIBRARIES."""
import sys

from runner import Runner, case

prefix = ("ncu", "--profile-from-start", "off", "--clock-control", "none", "--metrics", "gpu__time_duration.sum,launch__registers_per_thread")
r = Runner(sys.argv[1], sys.argv[2] + "/basics.so", prefix=prefix)
print(r.call("profile", case=case("saxpy", n=1 << 24), seed="9", cache="cold", warm=3))
r.close()
