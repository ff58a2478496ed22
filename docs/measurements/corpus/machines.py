"""Cases beside competitors, results of several machines, and cases of which a machine has records."""

import math

from kinds import given, said, same, slow
from noise import TIMER, Stream, ns
from streams import case, kernel, policy, run


def besides(count, keep=1.2, status="measured"):
    return [{"name": name, "minSpeedup": keep, "status": status} for name in ("first", "second", "third")[:count]]


def competitors():
    out = []

    def add(name, cases, kernels, **changes):
        of = changes.pop("policy", policy(minSpeedups=len(cases), competitors=1))
        out.append({"name": name, "run": run(cases, kernels, policy=of, **changes)})

    def beside(seed, level, sd=0.004, rounds=36, count=1, keep=1.2, gone=False, shift=0.0, **more):
        """A case in which each competitor takes level (log units) longer than base."""
        stream = Stream(f"beside {seed}", sd, shift, levels={letter: level + 0.05 * i for i, letter in enumerate("RST"[:count])}, **more)
        asked = [{"name": c["name"], "minSpeedup": c["minSpeedup"], "budgetGone": gone} for c in besides(count, keep)]
        return case(stream.rounds(rounds, count), competitors=asked, budgetGone=gone)

    edge = math.log(1.2)
    for name, level in {"keeps by far": 0.4, "keeps by 3 %": edge + 0.03, "misses by 3 %": edge - 0.03, "misses by far": -0.2}.items():
        for sd, rounds in ((0.003, 12), (0.012, 36)):
            add(f"{name}, sd {sd:.1%}", [beside(f"{name} {sd}", level, sd, rounds)], [kernel(competitors=besides(1))])
    for name, level, bound in (("keeps by 3 %", edge + 0.03, -0.20813152684618103), ("misses by 3 %", edge - 0.03, -0.15715393588742357)):
        for beyond in (1e-9, -1e-9):  # of the bound that decides it at the first look
            keep = math.exp(-bound - beyond)
            one = beside(f"{name} 0.003", level, 0.003, 12, keep=keep)
            add(f"{name}, the bound {beyond:+.0e} beyond", [one], [kernel(competitors=besides(1, keep))])
    for i in range(10):
        keep = 1.2 * math.exp(0.001 * (i + 3))
        one = beside("coarse", edge, 0.003, 6, keep=keep, gone=True, step=1000)
        add(f"a coarse timer, {keep:.4f} to keep", [{**one, "timer": {**TIMER, "stepNs": 1000}}], [kernel(competitors=besides(1, keep))])
    for name, level, sd in (("at the edge", edge, 0.006), ("a hair above", edge + 0.004, 0.02), ("a hair below", edge - 0.006, 0.02), ("at the edge in noise", edge, 0.1), ("at the edge, by a little", edge + 0.002, 0.01)):
        for word in ("stop", "pass", "fail"):
            add(f"{name}, {word}", [beside(name, level, sd)], [kernel(competitors=besides(1))], policy=policy(minSpeedups=1, competitors=1, onInconclusive=word))
    for name, level, sd, rounds, word, required in (
        ("a goal is reached", 0.4, 0.003, 12, "stop", False), ("a goal is missed", -0.2, 0.003, 12, "stop", False), ("a goal that is required is missed", -0.2, 0.003, 12, "stop", True),
        *((f"a goal is inconclusive: {word}, required {required}", edge + 0.03, 0.012, 36, word, required) for word in ("stop", "fail", "pass") for required in (False, True)),
    ):
        wanted = [{"speedup": 1.236 if "inconclusive" in name else 1.2, "over": "first", "cases": 1, "required": required}]
        of = {**policy(competitors=1, onInconclusive=word), "goals": wanted}
        add(name, [beside(name.split(":")[0], level, sd, rounds, keep=0)], [kernel(competitors=[{**c, "adapter": "first.pg.cc"} for c in besides(1, 0)])], policy=of)
    add("the budget ends it before the first look", [beside("gone early", edge, 0.02, 5, gone=True)], [kernel(competitors=besides(1))])
    add("the budget ends it after a look", [beside("gone late", edge, 0.02, 8, gone=True)], [kernel(competitors=besides(1))])
    add("nothing has to be kept", [beside("no keep", 0.1, rounds=12, keep=0)], [kernel(competitors=besides(1, 0))], policy=policy(competitors=1))
    add("slower, and keeps", [beside("slow and keeps", 0.6, rounds=12, shift=0.1)], [kernel(competitors=besides(1))])
    add("faster, and misses", [beside("fast and misses", 0.0, rounds=12, shift=-0.03)], [kernel(competitors=besides(1))])
    for count in (2, 3):
        of = policy(minSpeedups=2 * count, competitors=count, cases=2)
        cases = [beside(f"{count} of them", edge + 0.03, count=count, rounds=36), beside(f"{count} of them, noise", edge - 0.04, 0.02, count=count)]
        cases[1]["name"] = "k/n=2"
        add(f"{count} competitors", cases, [kernel(competitors=besides(count))], policy=of)
    add("drift beside a competitor", [beside("drift", edge + 0.03, rounds=12, drift=0.001)], [kernel(competitors=besides(1))])
    asked = lambda **changes: [{"name": "first", "minSpeedup": 1.2, **changes}]
    add("it does not build", [same()], [kernel(competitors=besides(1, status="failed"))])
    add("it does not build, and nothing has to be kept", [same()], [kernel(competitors=besides(1, 0, "failed"))], policy=policy(competitors=1))
    add("it is not asked", [same()], [kernel(competitors=besides(1, status="not-asked"))], policy=policy(competitors=1))
    add("it has no rounds", [same()], [kernel(competitors=besides(1, status="no-rounds"))])
    add("it could not be measured in a case", [{**same(), "competitors": asked(verdict="unmeasured")}], [kernel(competitors=besides(1))])
    add("it could not be measured, and nothing has to be kept", [{**same(), "competitors": asked(minSpeedup=0, verdict="unmeasured")}], [kernel(competitors=besides(1, 0))], policy=policy(competitors=1))
    add("a case does not have it", [same()], [kernel(competitors=besides(1))])
    add("a case has another", [{**same(), "competitors": [{"name": "other", "minSpeedup": 1.2, "verdict": "unmeasured"}]}], [kernel(competitors=besides(1))])
    add("a case that failed is not asked", [said("error", side="base")], [kernel(competitors=besides(1))])
    add("a question more than the plan has", [beside("more", 0.4, rounds=12)], [kernel(competitors=besides(1))], policy=policy(competitors=1))
    add("a kept regression is accepted with what is missed", [beside("accepted", 0.0, rounds=12, shift=0.1)], [kernel(competitors=besides(1))], accept=["k because"])
    add("a case claims that it keeps what it misses", [beside("claims", 0.0, rounds=12)], [kernel(competitors=besides(1))], claims={"k/n=1 first": "held"})
    add("a case beside a competitor that its kernel does not have", [beside("no such", 0.4, rounds=12)], [kernel()], policy=policy(competitors=1))
    line = -math.log(1.2)
    for name, numbers in {
        "estimate at the line": {"theta": line}, "estimate above it": {"theta": math.nextafter(line, 0)}, "what can be seen at the limit": {"theta": -0.3, "mde": 0.03},
        "what can be seen above it": {"theta": -0.3, "mde": math.nextafter(0.03, 1)}, "what can be seen is not known": {"theta": -0.3, "mde": "NaN"},
    }.items():
        for word in ("stop", "pass", "fail"):
            one = given("same", 1)
            one["competitors"] = asked(verdict="inconclusive", comparison={"rounds": 36, "low": -0.5, "high": 0.1, "passHigh": 0.1, "mde": 0.01, **numbers})
            add(f"open: {name}, {word}", [one], [kernel(competitors=besides(1))], policy=policy(minSpeedups=1, competitors=1, onInconclusive=word))
    for word, verdict in (("held", "met"), ("missed", "missed"), ("undecided", "undecided"), ("open", "inconclusive")):
        one = given("same", 1)
        one["competitors"] = asked(verdict=verdict)
        add(f"{word}, without a comparison", [one], [kernel(competitors=besides(1))])
    return out


def shard(index, of, machine="L4", shifts=None, cases=6, sd=0.002, kernels=None, policy_of=None, **changes):
    """Part index of a plan of six cases."""
    own = []
    for i in range(cases):
        if i % of == index - 1:
            own.append(case(Stream(f"shard {i} {machine}", sd, (shifts or {}).get(i, 0.0)).rounds(4), f"k/n={i}"))
    return {
        "machine": machine, "shard": [index, of] if of > 1 else [0, 0], "kernels": kernels or [kernel()], "cases": own,
        "policy": policy_of or policy(cases=cases), **changes,
    }


def merges():
    out = []

    def add(name, *parts, **changes):
        out.append({"name": name, "merge": {"parts": list(parts), **changes}})

    three = lambda **changes: [shard(i, 3, **changes) for i in (3, 1, 2)]
    add("three shards", *three())
    add("three shards, one is slow", *three(shifts={4: 0.1}))
    add("a shard is missing", shard(1, 3), shard(3, 3))
    add("a shard is missing, another is slow", shard(1, 3, shifts={0: 0.1}), shard(3, 3))
    add("two shards are missing", shard(2, 3))
    broken = shard(2, 2)
    broken["cases"][1] = said("error", "k/n=3", side="base", code="crashed")
    add("a shard that could not measure a case", shard(1, 2), broken)
    add("two machines", shard(1, 1), shard(1, 1, "H100"), machines=2)
    add("two machines disagree", shard(1, 1), shard(1, 1, "H100", {2: 0.2}), machines=2)
    add("one is faster where the other is slower", shard(1, 1, "A", {1: -0.03, 2: 0.007}), shard(1, 1, "B", {1: 0.03}), machines=2)
    add("a machine of three is missing", shard(1, 1), shard(1, 1, "H100"), machines=3)
    add("two machines, in shards", *[shard(i, 2, m) for m in ("H100", "L4") for i in (1, 2)], machines=2)
    add("two machines, in shards, of which one is missing", shard(1, 2, "H100"), shard(2, 2, "L4"), shard(1, 2, "L4"), machines=2)
    add("shards wherever they like", shard(1, 2, "EPYC"), shard(2, 2, "Xeon"))
    add("one run", shard(1, 1))
    add("one machine more than expected", shard(1, 1), shard(1, 1, "H100"))
    add("regressions of two machines are accepted", shard(1, 1, shifts={1: 0.1}), shard(1, 1, "H100", {1: 0.1, 2: 0.2}), machines=2, accept=["k/n=1 a trade for memory"])
    add("a part twice", shard(1, 2), shard(1, 2))
    twice = shard(2, 2)
    twice["cases"].append(shard(1, 2)["cases"][0])
    add("a case twice", shard(1, 2), twice)
    add("another head", shard(1, 2), shard(2, 2, head="other"))
    add("another policy", shard(1, 2), shard(2, 2, policy_of=policy(cases=6, tolerance=0.9)))
    add("another number of shards", shard(1, 2), shard(2, 3))
    add("a shard that is none", shard(1, 2), shard(7, 2))
    add("a part that claims to pass", shard(1, 2), shard(2, 2, shifts={1: 0.2}, claims={"k/n=1": "same"}))
    short = shard(2, 2)
    short["cases"] = short["cases"][1:]
    add("a case that is in no part", shard(1, 2), short)
    add("the configuration that counts is stricter", shard(1, 2), shard(2, 2), trusted=policy(cases=6, tolerance=0.001))
    add("the configuration that counts is the same", shard(1, 2), shard(2, 2), trusted=policy(cases=6))
    idle = lambda i, why="unwatched": {"machine": "L4", "shard": [i, 2], "idle": why, "policy": policy(cases=6)}
    add("nothing to do in all parts", idle(1), idle(2))
    add("nothing to do in all parts, for two reasons", idle(1), idle(2, "no-change"))
    add("nothing to do in one part", idle(1), shard(2, 2))
    new = lambda i, **changes: {**shard(i, 2, kernels=[kernel(status="new", base=None)], policy_of=policy(cases=6, needsBase=True)), "cases": [said("new", f"k/n={n}") for n in range(i - 1, 6, 2)]}
    add("all is new in all parts, and a base was named", new(1), new(2))
    old = shard(2, 2, policy_of=policy(cases=6, needsBase=True))
    add("all is new in one part, and a base was named", {**new(1), "kernels": [kernel("fresh", status="new", base=None)], "cases": [said("new", f"fresh/n={n}") for n in (0, 2, 4)]}, old)
    for name, other in {
        "parity fails": kernel(status="failed", parity={"status": "failed", "run": 7}), "parity cannot be run": kernel(status="error", parity={"status": "error", "side": "base"}),
        "parity had nothing to check": kernel(parity={"status": "skipped", "run": 2}), "parity is off": kernel(parity={"status": "off"}), "parity is hidden": kernel(parity={"status": "hidden"}),
        "a limit is broken": kernel(status="failed", limits=[{"key": "registers", "needs": 80, "limit": 64, "over": 1}]),
        "head does not build": kernel(status="failed", head={"failed": True}), "base does not build": kernel(status="error", base={"failed": True}),
        "a part is not compared": kernel(uncompared=[{"reason": "configuration"}]), "identical": kernel(status="identical", base={"code": "7"}, head={"code": "7"}), "new": kernel(status="new", base=None),
    }.items():
        for i in (1, 2):
            parts = [shard(1, 2, cases=2), shard(2, 2, cases=2)]
            parts[i - 1]["kernels"] = [other]
            if other["head"] and other["head"].get("failed") or other["base"] and other["base"].get("failed") or other["parity"]["status"] in ("failed", "error"):
                parts[i - 1]["cases"] = [said("skipped", c["name"]) for c in parts[i - 1]["cases"]]
            if other["status"] in ("identical", "new"):
                parts[i - 1]["cases"] = [said({"identical": "same", "new": "new"}[other["status"]], c["name"]) for c in parts[i - 1]["cases"]]
            add(f"{name} in part {i}", *parts)
    add("two parts fail, each by another kernel status", shard(1, 2, cases=2, kernels=[kernel(status="error", parity={"status": "error", "side": "head"})]), shard(2, 2, cases=2, kernels=[kernel(status="failed", parity={"status": "failed"})]))
    worst_first(add)
    statuses = ("failed", "measured", "no-rounds", "not-asked")
    for a in statuses:
        for b in statuses[statuses.index(a):]:
            of = policy(cases=2, minSpeedups=2, competitors=1)
            parts = [shard(i, 2, cases=2, kernels=[kernel(competitors=besides(1, status=s))], policy_of=of) for i, s in ((1, a), (2, b))]
            for part in parts:
                for c in part["cases"]:
                    c["competitors"] = [{"name": "first", "minSpeedup": 1.2, "verdict": "unmeasured"}] if part["kernels"][0]["competitors"][0]["status"] == "measured" else []
            add(f"a competitor is {a} in one part and {b} in the other", *parts)
    apart = [shard(i, 2, cases=2, kernels=[kernel(competitors=besides(i, 0, "no-rounds"))], policy_of=policy(cases=2, competitors=2)) for i in (1, 2)]
    add("a competitor that one part has", *apart)
    return out


def worst_first(add):
    """Neighbours in the orders of bad news, each in both parts."""
    for key, words in (("parity", ("failed", "error", "skipped", "off", "hidden", "passed")), ("status", ("failed", "error", "new", "compared", "identical"))):
        for worse, better in zip(words, words[1:]):
            for one, other in ((worse, better), (better, worse)):
                parts = []
                for i, word in ((1, one), (2, other)):
                    changes = {"parity": {"status": word, "side": "base" if word == "error" else ""}} if key == "parity" else {"status": word}
                    parts.append({**shard(i, 2, cases=2, kernels=[kernel(**changes)]), "cases": [said("skipped", f"k/n={i - 1}")]})
                add(f"{key} {one} in one part, {other} in the other", *parts)


def records():
    out = []

    def add(name, sessions, now, rounds=None, mode="auto", limit=0.05, claims=None, **changes):
        one = {"name": "k/n=1", "kernel": "k", "timer": TIMER, "record": {"mode": mode, "sessions": sessions, "now": now, "limit": limit}, **changes}
        if rounds:
            one["rounds"] = rounds
        out.append({"name": name, "run": run([one], **({"claims": claims} if claims else {}))})

    def sessions(seed, count, between=0.001, within=0.003, canary=0.0, steady=0.0, level=0.0, of=None, **changes):
        """Sessions of one code, or of those that of says; a share of their scatter is what a canary shows as well."""
        stream = Stream(f"records {seed}", within)
        made = []
        for i in range(count):
            machine = canary * stream.rng.gauss(0, 1)
            at = level(i) if callable(level) else level
            code = of(i) if of else "1"
            own = at + between * stream.rng.gauss(0, 1) + steady * machine
            made.append({
                "code": code, "config": "c", "system": "6.1", "ns": [ns(1e5 * math.exp(own + within * stream.rng.gauss(0, 1))) for _ in range(8)],
                "computeNs": ns(3e5 * math.exp(machine)), "memoryNs": ns(5e6 * math.exp(0.002 * stream.rng.gauss(0, 1))), **changes,
            })
        return made

    def head(seed, shift=0.0, **changes):
        return {**sessions(f"head {seed}", 1, level=math.log1p(shift))[0], **changes}

    for shift in (0.0, 0.004, 0.008, 0.03, -0.03, -0.15):
        for mode in ("auto", "stored"):
            beside = Stream(f"after records {shift}", 0.003, shift).rounds(16)
            add(f"records of steady sessions, head {shift:+.1%}, {mode}", sessions("steady", 12), head(shift, shift), beside, mode)
    add("records that settle it", sessions("settle", 14, 0.0005, 0.002), head("settle"))
    add("records of sessions that scatter much", sessions("much", 12, 0.02), head("much"), Stream("much", 0.003).rounds(4))
    add("records alone, of sessions that scatter much", sessions("much", 12, 0.02), head("much"), mode="stored")
    add("records that say otherwise", sessions("steady", 12), head("otherwise"), claims={"k/n=1": "faster"})
    for within in (0.006, 0.008, 0.01):
        add(f"records of processes that scatter by {within:.1%}", sessions("within", 12, 0.0005, within), head("within"), Stream("within", 0.003).rounds(4))
    add("records of few sessions", sessions("few", 7), head("few"), Stream("few", 0.003).rounds(4))
    add("records of eight sessions", sessions("eight", 8), head("eight"), Stream("eight", 0.003).rounds(4))
    add("no record", [], head("none"), Stream("none", 0.003).rounds(4))
    add("no record, and records alone count", [], head("none"), mode="stored")
    for what in ("code", "config", "system"):
        add(f"records of another {what}", sessions(what, 12), {**head(what), what: "other"}, Stream(what, 0.003).rounds(4))
    add("the nearest records are of other code", sessions("near", 3, code="2") + sessions("near old", 12), head("near"), Stream("near", 0.003).rounds(4))
    add("sessions of many codes", [s for i in range(6) for s in sessions(f"codes {i}", 3, code=str(i), level=0.1 * i)], {**head("codes"), "code": "0"}, Stream("codes", 0.003).rounds(4))
    add("a canary that explains it", sessions("compute", 12, 0.0005, canary=0.02, steady=1.0), head("compute"), Stream("compute", 0.003).rounds(4))
    swapped = [{**s, "computeNs": s["memoryNs"], "memoryNs": s["computeNs"]} for s in sessions("memory", 12, 0.0005, canary=0.02, steady=1.0)]
    mine = head("memory")
    add("the other canary explains it", swapped, {**mine, "computeNs": 5e6, "memoryNs": 3e5}, Stream("memory", 0.003).rounds(4))
    add("a canary that is off", sessions("off", 12), {**head("off"), "memoryNs": 5.5e6}, Stream("off", 0.003).rounds(4))
    add("a canary that is off by a little", sessions("off", 12), {**head("off"), "memoryNs": 5.03e6}, Stream("off", 0.003).rounds(4))
    add("records without canaries", sessions("bare", 12, computeNs=0, memoryNs=0), head("bare"), Stream("bare", 0.003).rounds(4))
    for excess in (0.01, 0.014, 0.016, 0.1):
        add(f"head waits by {excess:.1%} where records do not", sessions("excess", 12), {**head("excess"), "excess": excess}, Stream("excess", 0.003).rounds(4))
    for lost in (0.02, 0.05, 0.07, 0.12):
        step = lambda i, lost=lost: lost * (1, 0.6, 0.3, 0)[min(3, i // 6)]
        own = Stream(f"crept {lost}", 0.001, 0.008)
        add(f"{lost:.0%} lost bit by bit", sessions(f"creep {lost}", 26, level=step, of=lambda i: str(1 + min(3, i // 6))), head("creep", math.expm1(lost + 0.008)), own.rounds(8), best={"limit": 0.05, "rounds": Stream(f"crept beside {lost}", 0.003, lost).rounds(16)})
    step = lambda i: 0.0 if i >= 8 else 0.08
    add("the machine lost it", sessions("at once", 24, level=step), head("at once", 0.083), Stream("at once", 0.001, 0.008).rounds(8))
    add("lost at once", sessions("at once", 24, level=step, of=lambda i: "1" if i < 8 else "2"), head("at once", 0.083), Stream("at once", 0.001, 0.008).rounds(8))
    return out
