"""Runs that have a kind of finding each, and comparisons that lie exactly on a line of the rule."""

import math

from noise import TIMER, Stream, ns
from streams import case, kernel, policy, run

M = math.log1p(0.015)
G = math.log1p(0.1)


def above(x):
    return math.nextafter(x, math.inf)


def below(x):
    return math.nextafter(x, -math.inf)


def same(name="k/n=1", seed="same"):
    return case(Stream(f"{seed} {name}", 0.002).rounds(4), name)


def slow(name="k/n=1", shift=0.08):
    return case(Stream(f"slow {name}", 0.002, shift).rounds(4), name)


def said(verdict, name="k/n=1", **changes):
    return {"name": name, "kernel": name.split("/")[0], "verdict": verdict, **changes}


def given(verdict="inconclusive", looks=17, name="k/n=1", numbers=None, **changes):
    of = {"rounds": 36, "theta": 0.0, "low": -0.01, "high": 0.02, "passHigh": 0.019, "mde": 0.01, "se": 0.002, **(numbers or {})}
    return {"name": name, "kernel": "k", "timer": TIMER, "verdict": verdict, "given": {"looks": looks, "comparison": of}, **changes}


def outlived(seed, shift, hidden):
    """A benchmark that times itself, whose processes of head live longer than it says by a share of what base's measure."""
    one = case(Stream(seed, 0.002, shift).rounds(4), timer={**TIMER, "clock": "benchmark"})
    for r in one["rounds"]:
        r["beyond"] = [20000 + (100000 * hidden if letter == "B" else 0) for letter in r["order"]]
        r["cpu"] = [x + beyond for x, beyond in zip(r["ns"], r["beyond"])]
    return one


def entries():
    out = []

    def add(name, cases, kernels=None, **changes):
        out.append({"name": name, "run": run(cases, kernels, **changes)})

    builds(add)
    parities(add)
    cases(add)
    given_cases(add)
    creeps(add)
    accepted(add)
    for name, kernels in {
        "parity passes": [kernel()], "no kernel": [], "parity fails": [kernel(status="failed", parity={"status": "failed"})], "head lost it": [kernel(head=None)],
        "base does not build": [kernel(base={"failed": True})], "parity had nothing to check": [kernel(parity={"status": "skipped", "reason": "hidden"})],
        "parity cannot be run": [kernel(status="error", parity={"status": "error", "side": "base"})],
        "what is not compared": [kernel(uncompared=[{"reason": "benchmark-files", "only": True}])],
    }.items():
        out.append({"name": f"parity alone: {name}", "parity": {"kernels": kernels}})
    out += [{"name": f"nothing to do: {why}", "idle": {"reason": why}} for why in ("unwatched", "no-change", "head-is-base")]
    limits = [{"key": "registers", "needs": 80, "limit": 64}]
    for name, kernels in {
        "same": [{"name": "k", "same": True}], "other code": [{"name": "k"}], "head does not build": [{"name": "k", "failed": ["head"]}, {"name": "other"}],
        "base does not build": [{"name": "k", "failed": ["base"]}], "neither builds": [{"name": "k", "failed": ["base", "head"]}], "over a limit": [{"name": "k", "limits": limits}],
        "limits unknown": [{"name": "k", "unchecked": "no-report"}], "fails beside what is unknown": [{"name": "a", "limits": limits}, {"name": "b", "unchecked": "no-report"}],
        "fails after what is unknown": [{"name": "a", "unchecked": "no-report"}, {"name": "b", "limits": limits}], "nothing": [],
    }.items():
        out.append({"name": f"compiled: {name}", "touched": {"kernels": kernels}})
    return out


def builds(add):
    broken, unfit = {"failed": True, "cause": "sources"}, {"failed": True, "cause": "adapter"}
    skipped = [said("skipped")]
    limits = [{"key": "registers", "function": "f", "needs": 80, "limit": 64, "over": 2}, {"key": "spill-bytes", "function": "g", "needs": 8, "limit": 0, "over": 1}]
    add("head does not build", skipped, [kernel(status="failed", head=broken)])
    add("base does not build", skipped, [kernel(status="error", base=broken)])
    add("neither builds", skipped, [kernel(status="error", base=broken, head=broken)])
    add("the adapter does not build against head", skipped, [kernel(status="failed", head=unfit, adapter="needs-change")])
    add("the adapter builds against neither", skipped, [kernel(status="error", base=broken, head=unfit)])
    add("head lost a kernel", skipped, [kernel(status="failed", head=None, reason="absent")])
    add("both lack a kernel", skipped, [kernel(status="error", base=None, head=None, reason="absent")])
    add("head lost a kernel, base is broken", skipped, [kernel(status="error", base=broken, head=None)])
    add("over two limits", [same()], [kernel(status="failed", limits=limits)])
    add("over a limit, and head does not build", skipped, [kernel(status="failed", head=broken, limits=limits[:1])])
    add("one kernel fails, the other is slow", [said("skipped", "a/n=1"), slow("b/n=1")], [kernel("a", status="failed", head=broken), kernel("b")])
    add("a kernel is new", [said("new")], [kernel(status="new", base=None)])
    add("all is new, and a base was named", [said("new"), said("new", "k/n=2")], [kernel(status="new", base=None, reason="absent")], policy=policy(cases=2, needsBase=True))
    add("one is new, and a base was named", [said("new"), same("b/n=1")], [kernel(status="new", base=None), kernel("b")], policy=policy(cases=2, needsBase=True))
    add("new, and its kernel has a base", [said("new")])
    add("new, by a benchmark that had a base", [said("new")], [kernel(benchmark={"format": "nvbench"})])
    add("the same code", [said("same"), said("same", "k/n=2")], [kernel(status="identical", base={"code": "7"}, head={"code": "7"})])
    add("the same files", [said("same")], [kernel(status="identical", reason="same-files")])
    add("called identical, of other code", [said("same")], [kernel(status="identical")])
    add("called the same, and timed by nobody", [said("same")])


def parities(add):
    skipped = [said("skipped")]
    add("head computes something else", skipped, [kernel(status="failed", parity={"status": "failed", "code": "wrong-output"})])
    add("wrong beside green cases", [same()], [kernel(status="failed", parity={"status": "failed", "code": "guard-broken"})])
    for side in ("head", "base", "both", ""):
        add(f"parity cannot be run by {side or 'nobody known'}", skipped, [kernel(status="error", parity={"status": "error", "side": side})])
    add("parity had nothing to check", [same()], [kernel(parity={"status": "skipped", "reason": "hidden"})])
    add("parity is off", [same()], [kernel(parity={"status": "off"})])
    add("parity is hidden", [same()], [kernel(parity={"status": "hidden"})])
    add("a benchmark's own clock", [same()], [kernel(benchmark={"format": "nvbench"})])
    add("a benchmark by our clock", [same()], [kernel(benchmark={"format": "triton", "ourClock": True})])
    for name, shift, hidden in (
        ("a benchmark's gain that its processes show", -0.7, 0.0), ("a benchmark's gain that its processes do not show", -0.7, 0.6),
        ("a benchmark's gain that its processes show in part", -0.7, 0.2), ("what a benchmark hides of head", 0.0, 0.9),
    ):
        add(name, [outlived(name, shift, hidden)], [kernel(benchmark={"format": "csv"})])
    add("times of a benchmark", [case(Stream("foreign", 0.004, 0.05).rounds(4), timer={**TIMER, "clock": "benchmark"})], [kernel(benchmark={"format": "nvbench"})])
    add("a kernel was left out", skipped, [kernel(skipped=True, reason="several-gpus")])
    add("a kernel could not be measured", skipped, [kernel(status="error", reason="benchmark-fails")])
    for only, approved in ((False, False), (True, False), (True, True)):
        add(f"a part of the change is not compared: only {only}, approved {approved}", [same()], [kernel(uncompared=[{"reason": "configuration", "only": only, "approved": approved}])])
    for approved in (False, True):
        add(f"the epoch changes: approved {approved}", [same()], [kernel(uncompared=[{"reason": "epoch", "only": False, "approved": approved}])])
    for only, packages in ((False, 1), (True, 1), (True, 2), (True, 0)):
        add(f"other environments: only {only}, {packages} packages", [same(), slow("k/n=2")], [kernel(environment={"only": only, "packages": packages})])
    add("nothing is compared, and a case is skipped", skipped, [kernel(uncompared=[{"reason": "benchmark-files", "only": True}])])
    add("two kernels say the same of a part", [same(), same("b/n=1")], [kernel(parity={"status": "off"}), kernel("b", parity={"status": "off"})])


def cases(add):
    for side in ("head", "base", "both", ""):
        add(f"a case fails by {side or 'nobody known'}", [same(), said("error", "k/n=2", side=side, code="crashed")])
    add("a case is left out", [same(), said("skipped", "k/n=2", reason="by-records")])
    add("a verdict of tomorrow", [same(), said("fine", "k/n=2")])
    add("nothing is measured", [], [kernel()])
    add("nothing at all", [], [])
    add("a case of no kernel", [same("other/n=1")])
    add("failures come before errors", [said("error", "k/n=1"), slow("k/n=2"), said("error", "k/n=3", side="head")])
    add("no round", [case([], verdict="inconclusive", budgetGone=True, budgetNeeded=60.0)])
    add("the run ended between two looks", [case(Stream("between", 0.02).rounds(5))])
    for sd in (0.02, 0.3):
        for word in ("stop", "pass", "fail"):
            add(f"the budget ended it, sd {sd:.0%}, {word}", [case(Stream(f"budget {sd}", sd).rounds(7), budgetGone=True, budgetNeeded=750.0)], policy=policy(onInconclusive=word))
    for shift, sd, seed in ((0.019, 0.02, 1), (0.012, 0.02, 2), (0.016, 0.03, 1), (0.0, 0.07, 1), (0.02, 0.07, 2)):
        for word in ("stop", "pass", "fail"):
            stream = Stream(f"open {shift} {sd} {seed}", sd, shift)
            add(f"open by rule 3, head {shift:+.1%}, sd {sd:.0%}, {word}", [case(stream.rounds(36))], policy=policy(onInconclusive=word))
    sometimes(add)
    waits(add)
    levels(add)
    add("a case claims what its samples do not say", [slow()], claims={"k/n=1": "same"})
    add("a case twice", [same(), same()], policy=policy(cases=2))
    add("a kernel twice", [same()], [kernel(), kernel()])
    asked = ["any", "never", "regression", "parity, build", "error"]
    add("jobs of a regression", [slow()], failOn=asked)
    add("jobs of wrong results", [said("skipped")], [kernel(status="failed", parity={"status": "failed"})], failOn=asked)
    add("jobs of what could not be measured", [said("error")], failOn=asked)
    add("jobs of what passes", [same()], failOn=asked)
    add("no tolerance holds what is broken", [said("error", side="head")], held=True)
    add("one look that lets the policy speak", [case(Stream("one look", 0.004, 0.012).rounds(4))], policy=policy(plannedLooks=1))
    for confidence, count in ((0.999, 1), (0.95, 40), (0.5, 3)):
        add(f"confidence {confidence}, {count} cases", [case(Stream(f"sure {count}", 0.008, 0.02).rounds(36))], policy=policy(confidence=confidence, cases=count))
    add("the tolerance that a run holds", [case(Stream("held", 0.008, 0.045).rounds(36)), case(Stream("held 2", 0.05, 0.0).rounds(36), "k/n=2")], policy=policy(cases=2), held=True)
    add("the tolerance that a run with an open case holds", [case(Stream("held open", 0.1).rounds(36))], held=True)
    add("an improvement of 0 %", [case(Stream("improved", 0.003, -0.02).rounds(36))], policy=policy(improvement=0.0))
    for shift in (-0.095, -0.105, -0.12):
        add(f"near an improvement, head {shift:+.1%}", [case(Stream(f"near {shift}", 0.015, shift).rounds(36))])


def sometimes(add):
    """Code that is slow only sometimes, on one side or on both."""
    for side, letters in (("head", "B"), ("base", "A"), ("both", "AB")):
        for shift, at in ((0.58, 2), (0.05, 1), (0.012, 0)):
            rounds = Stream(f"sometimes {side} {shift}", 0.0008).rounds(20)
            for letter in letters:
                place = rounds[at]["order"].index(letter)
                rounds[at]["ns"][place] *= 1 + shift
            add(f"{side} is slow by {shift:.1%} once", [case(rounds)])


    for scales in (9.9, 10.06, 11.0, 13.0):
        add(f"head is slow once by {scales} scales", [case(slow_once(scales)[:4], budgetGone=True)])
    for share in (0.3, 0.4, 0.6):
        add(f"head is slow once, base by {share:.0%} of it", [case(slow_once(20, share)[:4], budgetGone=True)])


def slow_once(scales, share=0.0):
    """Rounds in which one process of head lies so many robust standard deviations off the median, and one of base a share of that."""
    rounds = Stream("scales", 0.006).rounds(20)
    plain = [dict(r, ns=list(r["ns"])) for r in rounds]
    for _ in range(20):  # it moves what it is measured by
        at = [y for r in rounds[:4] for y in off(r)]
        centre = median(at)
        scale = 1.4826 * median([abs(y - centre) for y in at])
        for r, before, letter, much in ((rounds[2], plain[2], "B", scales), (rounds[1], plain[1], "A", scales * share)):
            if much:
                place = r["order"].index(letter)
                r["ns"][place] = before["ns"][place]
                r["ns"][place] = ns(r["ns"][place] * math.exp(centre + much * scale - off(r)[place]))
    return rounds


def median(xs):
    middle = sorted(xs)[(len(xs) - 1) // 2 : len(xs) // 2 + 1]
    return sum(middle) / len(middle)


def off(r):
    """How far the processes of a round lie off its median, in log units."""
    logs = [math.log(x) for x in r["ns"]]
    return [y - median(logs) for y in logs]


def waits(add):
    for name, wait, sd, shift, count in (
        ("head waits", (0, 0.1), 0.003, 0, 8), ("head waits more than base", (0.1, 0.3), 0.003, 0, 8), ("head waits and wins elsewhere", (0, 0.5), 0.003, -0.2, 12),
        ("head waits a little", (0, 0.012), 0.003, 0, 16), ("head waits about the tolerance", (0, 0.016), 0.02, 0, 36), ("head waits in much noise", (0, 0.03), 0.12, 0, 36),
        ("head waits and may be faster", (0, 0.02), 0.03, -0.012, 36), ("base waits", (0.1, 0), 0.003, 0, 8),
    ):
        for word in ("stop", "pass") if count == 36 else ("stop",):
            stream = Stream(f"{name} 1", sd, shift, wait=wait)
            add(f"{name}, {word}", [case(stream.rounds(count))], policy=policy(onInconclusive=word))
    rounds = Stream("plain means", 0.004).rounds(8)
    for r in rounds:
        r["elapsed"] = [x * (1.9 if letter == "B" else 1.0) for letter, x in zip(r["order"], r["ns"])]
    add("head computes longer in some launches", [case(rounds)])


def levels(add):
    for name, sd, beside in (("no levels of sides", 0.002, ""), ("levels of sides", 0.002, "levels of sides")):
        many = [case(Stream(f"{name} {i}", sd, 0.0, beside=beside).rounds(4), f"k/n={i}", budgetGone=True) for i in range(24)]
        add(name, many, policy=policy(cases=24, tolerance=0.05))


def given_cases(add):
    """Open cases whose numbers lie on a line of the rule, or a hair beside it."""
    over = {"theta": 0.02, "low": 0.001, "high": 0.04}
    for name, numbers in {
        "the estimate at the tolerance": {"theta": M, "low": 0.001}, "the estimate above it": {"theta": above(M), "low": 0.001}, "the estimate above it, its bound at 0": {"theta": above(M), "low": 0.0},
        "what can be seen at the limit": {**over, "mde": 0.03}, "what can be seen above it": {**over, "mde": above(0.03)}, "what can be seen is not known": {**over, "mde": "NaN"},
        "four rounds": {"rounds": 4}, "three rounds": {"rounds": 3},
        "elapsed time may be over": {"elapsed": {"theta": above(M), "low": above(0.0), "high": 0.03}}, "elapsed time at the tolerance": {"elapsed": {"theta": M, "low": 0.001, "high": 0.03}},
        "elapsed time, its bound at 0": {"elapsed": {"theta": above(M), "low": 0.0, "high": 0.03}},
        "waits that are not excluded": {"elapsed": {"theta": above(M), "low": -0.01, "high": 0.04, "excess": 0.016}},
        "waits at the tolerance": {"elapsed": {"theta": above(M), "low": -0.01, "high": 0.04, "excess": 0.015}},
        "waits, the estimate at the tolerance": {"elapsed": {"theta": M, "low": -0.01, "high": 0.04, "excess": 0.016}},
        "waits that are excluded": {"elapsed": {"theta": 0.0, "low": -0.01, "high": below(M), "excess": 0.016}},
    }.items():
        for word in ("stop", "pass", "fail"):
            add(f"open: {name}, {word}", [given(numbers=numbers)], policy=policy(onInconclusive=word))
    add("open after all looks but one", [given(looks=16, budgetGone=True, budgetNeeded=9.0)])
    add("undecided after all looks", [given("undecided")])
    add("open by records alone", [{**given(looks=0), "record": {"sessions": [], "now": {}}}])
    for se in (0.003, 0.0085, 0.0086, 0.0087, 0.0088, 0.2):
        add(f"cut short at a standard error of {se}", [given(looks=2, budgetGone=True, numbers={"rounds": 6, "se": se})])
    for word in ("pass", "fail"):
        add(f"cut short in much noise, {word}", [given(looks=2, budgetGone=True, numbers={"rounds": 6, "se": 0.2})], policy=policy(onInconclusive=word))
    add("too noisy by waits", [given(numbers={"mde": 0.04, "elapsed": {"theta": 0.0, "low": -0.2, "high": 0.3, "excess": 0.05}})])
    add("regression by elapsed time", [given("regression", 1, numbers={"low": M, "elapsed": {"theta": 0.2, "low": above(M), "high": 0.3}})])
    add("regression by both times", [given("regression", 1, numbers={"low": above(M), "elapsed": {"theta": 0.2, "low": above(M), "high": 0.3}})])


def creeps(add):
    """Cases that lost bit by bit: each change within the tolerance, all together not."""
    for limit in (0.0, 0.03, 0.05, 1.0):
        for lost in (0.0, 0.04, 0.08):
            own = case(Stream(f"creep {limit} {lost}", 0.001, 0.007).rounds(8))
            own["best"] = {"limit": limit, "rounds": Stream(f"best {limit} {lost}", 0.003, lost).rounds(16)}
            add(f"slower, {lost:.0%} over the best-known level, of which {limit:.0%} may be lost", [own])
    for name, shift in (("same", 0.0), ("regression", 0.05), ("faster", -0.01)):
        own = case(Stream(f"creep beside {name}", 0.001, shift).rounds(8))
        own["best"] = {"limit": 0.03, "rounds": Stream(f"best beside {name}", 0.003, 0.08).rounds(8)}
        add(f"{name} itself, over the best-known level", [own])
    own = case(Stream("creep open", 0.001, 0.007).rounds(8))
    own["best"] = {"limit": 0.03, "rounds": Stream("best open", 0.03, 0.03).rounds(36)}
    add("slower, and open beside the best-known level", [own])


def accepted(add):
    three = [same(), slow("k/n=2"), slow("k/n=3", 0.2)]
    add("both regressions are accepted", three, accept=["k/n=* a trade for memory"], policy=policy(cases=3))
    add("one regression is accepted", three, accept=["k/n=3 a trade for memory"], policy=policy(cases=3))
    add("a request without a reason", three, accept=["k/n=*"], policy=policy(cases=3))
    add("an accepted regression beside wrong parity", three, [kernel(status="failed", parity={"status": "failed"})], accept=["k because"], policy=policy(cases=3))
    add("an accepted regression beside a case left out", [slow(), said("skipped", "k/n=2")], accept=["* because"], policy=policy(cases=2))
    own = case(Stream("creep accepted", 0.001, 0.007).rounds(8))
    own["best"] = {"limit": 0.03, "rounds": Stream("best accepted", 0.003, 0.08).rounds(8)}
    add("an accepted loss since the best-known level", [own], accept=["k/n=1 worth it"])
    add("an accepted estimate", [case(Stream("open 0.019 0.02 1", 0.02, 0.019).rounds(36))], accept=["k/n=1 worth it"])


def waivers():
    out = []

    def policies(*of, day="2027-01-31", cases=2):
        named = [dict(zip(("cases", "until", "tolerance"), w)) for w in of]
        return policy(cases=cases, waivers=named, day=day)

    def add(name, cases, *of, **changes):
        out.append({"name": name, "run": run(cases, policy=policies(*of, cases=len(cases), **changes))})

    two = lambda of=slow: [of(), same("k/n=2")]
    add("waived, no tolerance", two(), ("k/n=1", "2027-01-31"))
    add("waived, the day after", two(), ("k/n=1", "2027-01-31"), day="2027-02-01")
    add("waived, within its tolerance", two(), ("k/n=1", "2027-02-01", 0.12))
    add("waived, beyond its tolerance", two(), ("k/n=1", "2027-02-01", 0.04))
    add("waived, a tolerance below the run's", two(), ("k/n=1", "2027-02-01", 0.001))
    add("waived, one of two slow ones", [slow(), slow("k/n=2")], ("k/n=1", "2027-02-01"))
    add("waived, all that was timed", [slow()], ("k", "2027-02-01"))
    add("waived, all that was timed, within a tolerance", [slow()], ("k", "2027-02-01", 0.12))
    add("two waivers, the last holds", two(), ("**", "2027-02-01"), ("k/n=1", "2027-02-01", 0.04))
    add("two waivers, the last has lapsed", two(), ("k/n={1,3}", "2027-02-01"), ("k/n=1", "2027-01-30", 0.04))
    add("waived, of no case", two(same), ("gemm/**", "2027-02-01"))
    add("waived, no longer needed", [{**same(), "withinBest": True}, same("k/n=2")], ("k/n=1", "2027-02-01"))
    add("waived, one of two still needs it", [{**same(), "withinBest": True}, same("k/n=2"), same("k/n=3")], ("k/n={1,2}", "2027-02-01"))
    add("waived, an error", [said("error", side="head", code="crashed"), same("k/n=2")], ("k/n=1", "2027-02-01"))
    add("waived, open", [given(), same("k/n=2")], ("k/n=1", "2027-02-01"))
    add("waived, not measured to the end", [given(looks=3, budgetGone=True), same("k/n=2")], ("k/n=1", "2027-02-01"))

    def parts(name, *days, of=("k/n=1", "2027-01-31"), **changes):
        shards = [{**run([one], policy=policies(of, day=day)), "machine": "L4", "shard": [i + 1, 2]} for i, (one, day) in enumerate(zip(two(), days))]
        out.append({"name": name, "merge": {"parts": shards, **changes}})

    parts("a waiver in another shard", "2027-01-31", "2027-01-31")
    parts("a waiver lapses between two shards", "2027-01-31", "2027-02-01")
    parts("a waiver in no shard", "2027-01-31", "2027-01-31", of=("gemm", "2027-03-01"))
    parts("the day is another's word", "2027-01-31", "2027-01-31", trusted=policies(("k/n=1", "2027-01-31"), day="2027-02-01"))
    parts("the end is another's word", "2027-01-31", "2027-01-31", trusted=policies(("k/n=1", "2027-01-30"), day="2027-01-31"))
    return out


def decisions():
    """Bounds that lie on a line of the rule, and a hair on each side of it."""
    rows = []

    def row(low, high, pass_high=None, theta=None, rounds=36, delta=-1.0, **changes):
        rows.append({"rounds": rounds, "theta": (low + high) / 2 if theta is None else theta, "low": low, "high": high, "passHigh": high if pass_high is None else pass_high, "delta": delta, **changes})

    for x in (below(M), M, above(M)):
        row(x, 0.1)
        row(-0.01, x)
        row(0.001, 0.1, x)
        row(-0.01, 0.1, x)
        row(x, 0.1, 0.0001)
    for x in (-5e-324, 0.0, 5e-324):
        row(x, 0.01)
        row(-0.01, x)
    for x in (below(-G), -G, above(-G)):
        for delta in (-1.0, -0.474, above(-0.474), 0.0):
            row(-0.2, x, delta=delta)
        for rounds in (4, 8, 11, 12, 16):
            row(x, -0.05, rounds=rounds)
            row(-0.2, x, rounds=rounds)
    far = {"side": "head", "processes": 1, "of": 8, "shift": 0.5}
    for rounds in (4, 12, 15, 16, 20):
        for low, high in ((-0.001, 0.001), (0.001, 0.002), (0.1, 0.2), (-0.02, -0.01), (-0.01, 0.1)):
            row(low, high, rounds=rounds, suspect=far)
    for low, high in ((-0.01, 0.01), (0.001, 0.01), (0.02, 0.03), (-0.3, -0.2), (-0.01, 0.02)):
        for x in (below(M), M, above(M)):
            row(low, high, elapsed={"theta": 0.1, "low": x, "high": 0.2})
            row(low, high, elapsed={"theta": x, "low": 0.001, "high": 0.2})
            row(low, high, elapsed={"theta": 0.01, "low": -0.001, "high": x, "excess": 0.1})
        row(low, high, elapsed={"theta": 0.1, "low": 0.0, "high": 0.2})
        for excess in (0.015, above(0.015)):
            row(low, high, elapsed={"theta": 0.0, "low": -0.1, "high": 0.1, "excess": excess})
    row(-0.01, 0.01, 0.0)  # saved before there was a bound for passing
    for low, high, pass_high in ((-0.01, 0.01, 0.01), (0.1, 0.2, 0.2), (-0.3, -0.2, -0.2), (0.001, 0.01, 0.01)):
        row("NaN", high, pass_high, 0.0)
        row(low, "NaN", pass_high, 0.0)
        row(low, high, "NaN", 0.0)
    out = [{"name": "decide by the rule, and by that of a configuration that says nothing", "decide": {"policies": [policy(), None], "comparisons": rows}}]
    for limit in (0.0, 1e-9, 0.05, 1.0):
        x = math.log1p(limit)
        beside = [{"rounds": 36, "theta": y, "low": y, "high": y + 0.01, "passHigh": y + 0.01, "delta": 1.0} for y in (-0.02, 0.0, 2e-9, x - 1e-6, x, x + 1e-6)]
        out.append({"name": f"decide what may be lost: {limit}", "decide": {"policies": [None], "creep": limit, "comparisons": beside}})
    return out
