"""Runs of streams: generated noise, recorded noise, and what results of runs hold."""

import noise
from noise import TIMER, Stream


def policy(**changes):
    return {"tolerance": 0.015, "improvement": 0.1, "confidence": 0.99, "onInconclusive": "stop", "cases": 1, "rule": 4, **changes}


def kernel(name="k", **changes):
    return {"name": name, "status": "compared", "base": {"code": "1"}, "head": {"code": "2"}, "parity": {"status": "passed", "run": 10}, **changes}


def case(rounds, name="k/n=1", timer=TIMER, **changes):
    return {"name": name, "kernel": name.split("/")[0], "timer": timer, "rounds": rounds, **changes}


def run(cases, kernels=None, **changes):
    return {"kernels": kernels if kernels is not None else [kernel()], "cases": cases, **changes}


def generated():
    out = []

    def add(name, stream, rounds=36, timer=TIMER, shift=0.0, of=None, **changes):
        source = {"sd": stream.sd, "shift": shift, "beside": stream.beside}
        out.append({"name": name, "noise": source, "run": run([case(stream.rounds(rounds), timer=timer, **changes)], **({"policy": of} if of else {}))})

    for sd in (0.001, 0.003, 0.006, 0.02):
        for i, shift in enumerate((-0.1, -0.03, -0.01, -0.005, 0.0, 0.005, 0.01, 0.03, 0.1)):
            name = f"sd {sd:.1%}, head {shift:+.1%}"
            add(name, Stream(name, sd, shift), shift=shift, of=policy(cases=1 + 11 * (i % 2)))
    for sd, shift in ((0.0001, 0.0), (0.0001, 0.03), (0.001, 0.003), (0.006, 0.0), (0.006, 0.03), (0.02, 0.01)):
        name = f"coarse timer, sd {sd:.2%}, head {shift:+.1%}"
        add(name, Stream(name, sd, shift, launch=4000, step=32, beside="coarse timer"), shift=shift, timer={**TIMER, "clock": "event", "launchNs": 4000, "stepNs": 32}, of=policy())
    for rounds, shift in ((1, 0.1), (3, 0.0), (5, 0.01), (7, 0.0), (9, 0.03), (13, -0.01)):
        name = f"{rounds} rounds, head {shift:+.1%}"
        add(name, Stream(name, 0.012, shift, beside="few rounds"), rounds, shift=shift, of=policy(), budgetGone=True, budgetNeeded=100.0)
    for what in ("two modes", "heavy tails", "wild processes", "levels of sides"):
        for shift in (0.0, 0.01, 0.03):
            name = f"{what}, head {shift:+.1%}"
            add(name, Stream(name, 0.006, shift, beside=what), shift=shift, of=policy(cases=5))
    for step, shift in ((0.002, 0.0), (0.002, 0.03), (-0.001, 0.01)):
        name = f"drift of {step:+.1%} a process, head {shift:+.1%}"
        add(name, Stream(name, 0.003, shift, drift=step, beside="drift"), shift=shift, of=policy())
    for wait, sd, shift in (((0, 0.1), 0.003, 0.0), ((0.1, 0.3), 0.003, 0.0), ((0.02, 0.04), 0.02, 0.0), ((0, 0.02), 0.01, -0.01), ((0.05, 0.05), 0.003, 0.0), ((0, 0.5), 0.003, -0.2)):
        name = f"waits of {wait[0]:.0%} and {wait[1]:.0%}, sd {sd:.1%}, head {shift:+.1%}"
        add(name, Stream(name, sd, shift, wait=wait, beside="waits"), shift=shift, of=policy())
    return out


def recorded():
    return recorded_launches() + recorded_suite() + recorded_competitors()


def recorded_launches():
    """Unchanged kernels as they were, and with a shift planted into head."""
    out = []
    for name, processes in noise.launches().items():
        for shift in (0.0, 0.02, -0.12):
            rounds = []
            for i in range(0, 16, 4):
                order = ("ABBA", "BAAB")[i // 4 % 2]
                samples = [[noise.ns(x * (1 + shift)) if letter == "B" else x for x in p] for letter, p in zip(order, processes[i : i + 4])]
                rounds.append({"order": order, "samples": samples})
            timer = {"clock": "event", "launches": 1, "launchNs": sorted(processes[0])[12], "stepNs": 32}
            out.append({"name": f"{name}, head {shift:+.0%}", "noise": {"recorded": "H200"}, "run": run([case(rounds, timer=timer, budgetGone=True)], policy=policy())})
    return out


def recorded_suite():
    """Planted work of some per cent in every case at once."""
    out = []
    for dose in (1, 2, 3, 5):
        cases = []
        for name, by_dose in noise.suite().items():
            timer = {"clock": "event", "how": "graph", "launches": 10, "launchNs": by_dose[0][0], "stepNs": 32}
            timer.pop("how")
            cases.append(case(noise.in_rounds(by_dose[0], by_dose[dose]), name=name, timer=timer, budgetGone=True))
        kernels = [kernel(k) for k in dict.fromkeys(c["kernel"] for c in cases)]
        out.append({"name": f"suite with {dose} % of planted work", "noise": {"recorded": "H200"}, "run": run(cases, kernels, policy=policy(cases=len(cases)), held=dose == 1)})
    return out


def recorded_competitors():
    out = []
    for name, rounds in noise.beside_libraries().items():
        for keep in (0.0, 0.3, 0.6, 0.9, 1.2):
            beside = [{"name": "library", "minSpeedup": keep, "status": "measured"}]
            one = case(rounds, timer={"clock": "event", "launches": 10, "launchNs": rounds[0]["ns"][0], "stepNs": 32}, budgetGone=True, competitors=[{"name": "library", "minSpeedup": keep, "budgetGone": True}])
            of = policy(minSpeedups=1 if keep else 0, competitors=1)
            out.append({"name": f"{name}, keep {keep}", "noise": {"recorded": "H200"}, "run": run([one], [kernel(competitors=beside)], policy=of)})
    return out


def saved():
    """Results of runs that still have their samples, as far as the rule reads them."""
    out = []
    for name, r in noise.saved():
        if any(c.get("looks") and not c.get("processes") for c in r["cases"]):
            continue
        p = r["policy"]
        of = {k: p[k] for k in ("tolerance", "improvement", "confidence", "onInconclusive", "cases", "plannedLooks")}
        of |= {"rule": p.get("rule", 1), "minSpeedups": p.get("minSpeedups", 0), "competitors": p.get("competitors", 0), "needsBase": p.get("needsBase", False)}
        out.append({"name": name, "run": run([saved_case(c) for c in r["cases"]], [saved_kernel(k) for k in r["kernels"]], policy=of)})
    return out


def saved_kernel(k):
    why = lambda of: (of.get("reason") or {}).get("kind", "")
    build = lambda b: b and {"code": b.get("fingerprint", ""), "failed": b.get("failed", False), "cause": b.get("cause", "")}
    par = k["parity"]
    return {
        "name": k["name"], "status": k["status"], "reason": why(k), "adapter": k.get("adapter", ""), "base": build(k.get("base")), "head": build(k.get("head")),
        "parity": {"status": par["status"], "side": par.get("errorSide", ""), "reason": why(par), "run": par["run"], "code": (par.get("failure") or {}).get("code", "")},
        "limits": [{n: limit.get(n, "" if n in ("key", "function") else 0) for n in ("key", "function", "needs", "limit", "over")} if isinstance(limit, dict) else {"key": limit} for limit in k.get("limits", [])],
        "skipped": k.get("skipped", False),
        "competitors": [{"name": r["name"], "minSpeedup": r.get("minSpeedup", 0), "status": r["status"]} for r in k.get("competitors", [])],
    }


def saved_case(c):
    out = {"name": c["name"], "kernel": c["kernel"], "budgetGone": c.get("budgetGone", False), "budgetNeeded": c.get("budgetNeededSeconds", 0)}
    if m := c.get("method"):
        out["timer"] = {"clock": m["clock"], "launches": m["launches"], "launchNs": m["launchNs"], "stepNs": m["quantumNs"]}
    names = [v["competitor"] for v in c.get("competitors", [])]
    letter = lambda v: "RST"[names.index(v["name"])] if v["role"] == "competitor" else {"base": "A", "head": "B"}[v["role"]]
    processes = c.get("processes", [])
    if not processes:
        out |= {"verdict": c["verdict"], "side": c.get("errorSide", ""), "code": c.get("errorCode", "")}
    out["rounds"] = []
    for i in range(1 + max((p["round"] for p in processes), default=-1)):
        of = sorted((p for p in processes if p["round"] == i), key=lambda p: p["position"])
        one = {"order": "".join(letter(p["variant"]) for p in of), "ns": [p["valueNs"] for p in of]}
        if any(p.get("elapsedNs") for p in of):
            one["elapsed"] = [p.get("elapsedNs", p["valueNs"]) for p in of]
        out["rounds"].append(one)
    beside = {q["to"].get("name"): q for q in c.get("comparisons", []) if q["to"]["role"] == "competitor" and q["of"]["role"] == "head"}
    asked = lambda name, key, other: beside.get(name, {}).get(key, other)
    out["competitors"] = [
        {"name": n, "minSpeedup": asked(n, "minSpeedup", 0), "budgetGone": asked(n, "budgetGone", False), "verdict": "unmeasured" if asked(n, "verdict", "unmeasured") == "unmeasured" else ""}
        for n in names
    ]
    return out
