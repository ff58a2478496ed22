"""Races of settings, candidates of a search, and what the rule is asked alone."""

import math
import random

import noise
from kinds import said, same
from noise import TIMER, Stream, ns
from streams import case, kernel, policy, run


def tunes():
    out = []

    def add(name, levels, cases=2, rounds=32, sd=0.003, shipped=0, step=0, confidence=0.99, gain=0.015, unmeasured=(), walk=0.02):
        """levels are those of settings, or of cases by settings."""
        rng, made = random.Random(f"tune {name}"), []
        for c in range(cases):
            own = levels[c] if isinstance(levels[0], list) else levels
            walks = [walk * rng.gauss(0, 1) for _ in range(rounds)]
            lanes = []
            for setting, level in enumerate(own):
                times = [[1e5 * math.exp(level + at + sd * rng.gauss(0, 1)) for _ in range(2)] for at in walks]
                lanes.append([] if (c, setting) in unmeasured else [[ns(step * round(x / step) if step else x) for x in pair] for pair in times])
            made.append({"timer": {**TIMER, "stepNs": step or 1}, "lanes": lanes})
        out.append({"name": name, "tune": {"confidence": confidence, "gain": gain, "shipped": shipped, "settings": len(made[0]["lanes"]), "cases": made}})

    add("clear winners", [0.0, -0.1, 0.03, -0.25, 0.5])
    add("the shipped one wins", [0.0, 0.04, 0.1, 0.06])
    add("two are as good", [0.0, -0.1, -0.1, 0.2, -0.097])
    add("the shipped one is level", [0.0, -0.005, 0.1])
    add("the shipped one is behind by about the gain", [0.0, -0.016, 0.1], rounds=32)
    add("each case has a winner of its own", [[0.0, -0.1, 0.1, 0.02], [0.0, 0.1, -0.1, 0.01], [0.0, 0.05, 0.05, -0.06]], cases=3)
    add("few rounds", [0.0, -0.02, 0.01, 0.3], rounds=4, sd=0.02)
    add("one round", [0.0, -0.02], rounds=1)
    add("noise", [0.0, -0.01, 0.01, 0.02, -0.005], sd=0.05)
    add("nothing is shipped", [0.0, -0.1, 0.03], shipped=-1)
    add("a setting that one case lacks", [0.0, -0.1, 0.03, -0.3], unmeasured={(0, 3)})
    add("a setting that all cases lack", [0.0, -0.1, 0.03], unmeasured={(0, 2), (1, 2)})
    add("a coarse timer", [0.0, -0.03, 0.001, 0.02], step=1000, sd=0.0005)
    add("a coarse timer that hides a step", [0.0, 0.007, 0.03], step=1000, sd=0.0005, walk=0, rounds=8)
    add("one case", [0.0, -0.04, 0.02], cases=1)
    add("one setting", [0.0], cases=2)
    add("less confidence, a larger gain", [0.0, -0.02, 0.012, -0.03, 0.1], sd=0.01, confidence=0.9, gain=0.05)
    return out


def judges():
    out = []

    def add(name, cases, kernels=None, confidence=0.99, gain=0.015, claim=0.0, **changes):
        looks = 9 if not claim else 10
        of = policy(cases=max(1, len(cases)), plannedLooks=looks)
        out.append({"name": name, "judge": {"run": run(cases, kernels, policy=of, **changes), "confidence": confidence, "gain": gain, "claim": claim}})

    def timed(seed, shift, sd=0.004, rounds=12, name="k/n=1", **more):
        return case(Stream(f"judge {seed} {shift}", sd, shift, **more).rounds(rounds), name)

    for claim in (0.0, 0.006):
        word = f"claim {claim}" if claim else "screening"
        for shift, sd, rounds in ((-0.1, 0.004, 8), (-0.02, 0.004, 12), (-0.01, 0.008, 64), (0.0, 0.004, 20), (0.01, 0.01, 36), (0.05, 0.004, 8), (0.5, 0.01, 8), (-0.005, 0.03, 64)):
            add(f"{word}, candidate {shift:+.1%}, sd {sd:.1%}", [timed("one", shift, sd, rounds), timed("two", shift * 0.8, sd, rounds, "k/n=2")], claim=claim)
    for seed in range(3):
        add(f"a claim of little, {seed}", [timed(f"little {seed}", -0.012, 0.01, 64)], claim=0.0001)
    for claim in (0.0, 0.006):
        add(f"open to the end, claim {claim}", [timed("to the end", -0.006, 0.07, 64)], claim=claim)
    add("few rounds", [timed("few", -0.01, rounds=2)])
    add("few rounds in much noise", [timed("few noisy", -0.01, 0.05, 4)])
    add("rounds between looks", [timed("between", -0.004, 0.01, 7)])
    add("one round", [timed("lone", 0.5, rounds=1)])
    add("no rounds", [])
    add("ahead together, and one case is a regression", [timed("ahead", -0.3), timed("slow", 0.06, name="k/n=2")])
    add("equal code", [said("same")], [kernel(status="identical", base={"code": "7"}, head={"code": "7"})])
    add("a kernel that the other lacks", [said("new")], [kernel(status="new", base=None)])
    add("less confidence, a larger gain", [timed("less", -0.03, 0.01)], confidence=0.8, gain=0.05)
    coarse = case(Stream("judge coarse", 0.0005, -0.004, launch=4000, step=32).rounds(12), timer={**TIMER, "launchNs": 4000, "stepNs": 32})
    add("a coarse timer in one case", [timed("fine", -0.01), {**coarse, "name": "k/n=2"}])
    skipped, broken = [said("skipped")], {"failed": True}
    for code in ("wrong-output", "guard-broken", "crashed", "hung", "input-changed", "other-case", "outside-work", "clock", "launch-failed", "setup-failed", "not-deterministic"):
        add(f"parity finds {code}", skipped, [kernel(status="failed", parity={"status": "failed", "code": code})])
        add(f"while it is timed: {code}", [said("error", side="head", code=code)])
    add("base crashes while it is timed", [said("error", side="base", code="crashed")])
    add("it does not build", skipped, [kernel(status="failed", head=broken)])
    add("it does not fit the adapter", skipped, [kernel(status="failed", head={"failed": True, "cause": "adapter"})])
    add("base does not build", skipped, [kernel(status="error", base=broken)])
    add("neither builds", skipped, [kernel(status="error", base=broken, head=broken)])
    add("it lost a kernel", skipped, [kernel(status="failed", head=None)])
    add("it takes too many registers", [timed("limits", -0.1)], [kernel(status="failed", limits=[{"key": "registers", "needs": 80, "limit": 64}])])
    for side in ("head", "base", ""):
        add(f"its parity cannot be run by {side or 'nobody known'}", skipped, [kernel(status="error", parity={"status": "error", "side": side})])
    add("parity had nothing to check", [timed("unchecked", -0.1)], [kernel(parity={"status": "skipped"})])
    add("wrong and cheating", skipped + [said("error", "k/n=2", side="head", code="outside-work")], [kernel(status="failed", parity={"status": "failed", "code": "wrong-output"})])
    for claim in (0.0, 0.006):
        seen = timed("hidden", -0.1)
        for r in seen["rounds"]:
            r["beyond"] = [ns(2e3 + (9e3 if letter == "B" else 0) + 50 * i) for i, letter in enumerate(r["order"])]
        add(f"another clock does not see what it won, claim {claim}", [seen], claim=claim)
        add(f"it waits, claim {claim}", [timed("waits", -0.1, wait=(0, 0.2))], claim=claim)
    return out


def alone():
    """Questions that no run asks in this form."""
    out = []
    for name, granted in {"none": [False] * 6, "all": [True] * 6, "some": [False, True, True, False, False, True, False]}.items():
        out.append({"name": f"spending, {name} granted", "spend": {"total": 0.01, "granted": granted}})
    rng = random.Random("groups")
    group = lambda n, sd, shift=0.0: [ns(1e5 * math.exp(shift + sd * rng.gauss(0, 1))) for _ in range(n)]
    for paired in (True, False):
        for i, (n, sd, shift) in enumerate(((10, 0.003, 0.0), (12, 0.003, 0.04), (12, 0.004, -0.02), (8, 0.01, -0.3), (20, 0.002, 0.006), (6, 0.02, 0.01), (4, 0.002, 0.0))):
            asked = {"paired": paired, "timer": TIMER, "base": group(n, sd), "head": group(n, sd, shift), "policy": policy(cases=1 + i % 3, plannedLooks=1)}
            out.append({"name": f"{'pairs' if paired else 'groups'} of {n}, head {shift:+.1%}", "groups": asked})
    for sd, df in ((0.002, 0), (0.002, 7), (0.02, 0)):
        asked = {"timer": TIMER, "base": group(12, 0.003), "head": group(9, 0.006, 0.01), "session": sd, "df": df, "policy": policy(plannedLooks=1)}
        out.append({"name": f"groups of two sessions that scatter by {sd:.1%}, {df} degrees of freedom", "groups": asked})
    coarse = {"timer": {**TIMER, "launchNs": 4000, "stepNs": 32}, "base": [4000, 4000, 4032, 4000, 4000, 4000], "head": [4000, 4000, 4000, 4000, 4032, 4032], "policy": policy(plannedLooks=1)}
    out += [{"name": f"groups by a coarse timer, paired {p}", "groups": {**coarse, "paired": p}} for p in (True, False)]
    out.append({"name": "groups without scatter", "groups": {**coarse, "base": [4000] * 6, "head": [4064] * 6}})
    for kernel_name, processes in noise.launches(100).items():
        for tolerance in (0.001, 0.015, 0.05):
            out.append({"name": f"enough samples of {kernel_name} for {tolerance:.1%}", "samples": {"ns": processes[1], "tolerance": tolerance}})
    for kernel_name, processes in noise.launches(40).items():
        out.append({"name": f"enough of few samples of {kernel_name}", "samples": {"ns": processes[2], "tolerance": 0.05}})
    for early in (0.01, 0.03, 0.1):
        cooling = [ns(1e5 * math.exp(early * math.exp(-i / 20) + 0.002 * rng.gauss(0, 1))) for i in range(120)]
        out.append({"name": f"samples that begin {early:.0%} slower", "samples": {"ns": cooling, "tolerance": 0.015}})
    checked(out)
    for count in range(4):
        out.append({"name": f"orders with {count} competitors", "orders": {"competitors": count, "rounds": 24, "flips": [rng.random() < 0.5 for _ in range(12 + (count == 0))]}})
    return out


def checked(out):
    """External timing checks see a look of 20 us, and what head hides."""
    for name, shift, hides, launches, noisy, seen in (
        ("nothing", 0.0, 0, 1, 500, 8), ("a gain that is real", -0.1, 0, 1, 500, 8), ("all of a gain", -0.1, 1e5, 1, 500, 8), ("less than half of a gain", -0.1, 4.5e4, 1, 500, 8),
        ("just more than half of a gain", -0.1, 5.6e4, 1, 500, 8), ("half of a gain in noise", -0.1, 6e4, 1, 2e4, 8), ("a twentieth of what it takes", 0.0, 5e4, 1, 500, 8),
        ("a fifth of what it takes", 0.05, 2e5, 1, 500, 8), ("a fifth, in noise", 0.05, 2e5, 1, 1e5, 8), ("little in many launches", 0.0, 1.2e5, 40, 100, 8), ("seen once", -0.1, 1e5, 1, 500, 1),
        ("less than looking scatters", -0.005, 8e3, 1, 100, 8), ("more than looking scatters", -0.005, 1.3e4, 1, 100, 8), ("seen by nobody", -0.1, 1e5, 1, 500, 0),
        *((f"half of a gain, noise {noisy:.0f}", -0.1, 6e4, 1, noisy, 8) for noisy in (3e4 * 1.2**n for n in range(9))),
        *((f"a third of what it takes, noise {noisy:.0f}", 0.05, 3e5, 1, noisy, 8) for noisy in (6e4 * 1.2**n for n in range(9))),
    ):
        rounds = Stream(f"witness {name.split(',')[0]}", 0.002, shift, launch=1e6).rounds(4)
        rng = random.Random("seen")
        for i, r in enumerate(rounds):
            r["beyond"] = [ns(2e4 + (hides if letter == "B" else 0) + noisy * rng.gauss(0, 1)) if 2 * i + place // 2 < seen else 0 for place, letter in enumerate(r["order"])]
        out.append({"name": f"head hides {name}", "timingCheck": {"launches": launches, "rounds": rounds}})
    for name, hides, order, spared in (
        ("much of what it takes, in all of eight but one", 4e5, "ABBA", 1), ("much of what it takes, in all of eight but two", 4e5, "ABBA", 2),
        ("much of what it takes, in one process", 4e5, "AB", 0), ("less of what it takes, in one process", 2.5e5, "AB", 0),
        ("much of what it takes, alone", 5.5e5, "B", 0), ("less than looking takes at most, alone", 1.5e5, "B", 0),
    ):
        rounds = [{"order": order, "ns": [1e6] * len(order), "beyond": [ns(2e4 + (hides if letter == "B" and 2 * i + place // 2 >= spared else 0)) for place, letter in enumerate(order)]}
                  for i in range(4 if len(order) > 2 else 1)]
        out.append({"name": f"head hides {name}", "timingCheck": {"launches": 1, "rounds": rounds}})
