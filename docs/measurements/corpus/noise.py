"""Rounds of processes for the corpus: generated ones, and recorded ones."""

import csv
import json
import math
import random
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TIMER = {"clock": "thread", "launches": 1, "launchNs": 100000, "stepNs": 1}


def ns(x):
    """Six digits: a hundred times finer than any process scatters."""
    short = float(f"{x:.6g}")
    return int(short) if short == int(short) else short


def orders(rng, rounds, competitors=0):
    """The orders of rounds as a run draws them: of every two the second is the first's opposite, and competitors move on by a place."""
    out = []
    for i in range(rounds):
        if i % 2 == 0:
            sides = rng.choice(["AB", "BA"])
        half = list(sides if i % 2 == 0 else sides[::-1])
        places = [""] * (2 + competitors)
        for c in range(competitors):
            places[(i // 2 + c) % len(places)] = "RST"[c]
        for p in range(len(places)):
            places[p] = places[p] or half.pop(0)
        out.append("".join(places) + "".join(reversed(places)))
    return out


class Stream:
    """Processes of one case. Levels are log units beside base's; beside is what else disturbs the times."""

    def __init__(self, seed, sd=0.003, shift=0.0, levels=None, launch=1e5, step=0, beside="", drift=0.0, wait=(0, 0)):
        self.rng = random.Random(f"corpus {seed}")
        self.levels = {"A": 0.0, "B": math.log1p(shift), **(levels or {})}
        self.sd, self.launch, self.step, self.beside, self.drift, self.wait = sd, launch, step, beside, drift, wait
        self.walk = 0.0

    def value(self, letter, sides):
        y = self.levels[letter] + self.sd * self.error() + self.walk + sides.get(letter, 0)
        self.walk += self.drift
        if self.beside == "wild processes" and self.rng.random() < 0.05:
            y += abs(0.3 * self.rng.gauss(0, 1))
        x = self.launch * math.exp(y)
        return ns(self.step * round(x / self.step) if self.step else x)

    def error(self):
        if self.beside == "two modes":
            return self.rng.choice([-1.7, 1.7]) + 0.4 * self.rng.gauss(0, 1)
        if self.beside == "heavy tails":
            return self.rng.gauss(0, 1) / math.sqrt(sum(self.rng.gauss(0, 1) ** 2 for _ in range(3)) / 3)
        return self.rng.gauss(0, 1)

    def rounds(self, count, competitors=0):
        out = []
        for order in orders(self.rng, count, competitors):
            sides = {side: 3 * self.sd * self.rng.gauss(0, 1) for side in "AB"} if self.beside == "levels of sides" else {}
            one = {"order": order, "ns": [self.value(letter, sides) for letter in order]}
            if any(self.wait):
                waits = {"A": self.wait[0], "B": self.wait[1]}
                one["waited"] = [ns(x * waits.get(letter, 0) * math.exp(0.1 * self.rng.gauss(0, 1))) for letter, x in zip(order, one["ns"])]
                one["elapsed"] = [ns(x * math.exp(0.004 * abs(self.rng.gauss(0, 1))) + w) for x, w in zip(one["ns"], one["waited"])]
            out.append(one)
        return out


def in_rounds(base, head):
    """Recorded processes in rounds of four, in the order in which they ran."""
    out = []
    for i in range(0, min(len(base), len(head)) - 1, 2):
        order, pairs = ("ABBA", (base, head)) if i % 4 == 0 else ("BAAB", (head, base))
        out.append({"order": order, "ns": [pairs[0][i], pairs[1][i], pairs[1][i + 1], pairs[0][i + 1]]})
    return out


def launches(keep=24):
    """Launches of unchanged kernels on a GPU: the first of each process, by kernel."""
    found = defaultdict(lambda: defaultdict(list))
    with open(ROOT / "gate/simulate/recordings/h200.csv") as f:
        for row in csv.DictReader(f):
            of = found[row["kernel"]][row["process"]]
            if len(of) < keep:
                of.append(float(row["ns"]))
    return {kernel: list(processes.values()) for kernel, processes in found.items()}


def suite():
    """Processes of a suite on a GPU with planted work, by case and percent."""
    found = defaultdict(lambda: defaultdict(list))
    with open(ROOT / "gate/simulate/recordings/h200_suite.csv") as f:
        for row in csv.DictReader(f):
            found[row["case"]][int(row["slowdown"])].append(float(row["ns"]))
    return found


def beside_libraries():
    """Rounds of base, head, which are one code, and a library on a GPU, by session and pair."""
    found = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    with open(ROOT / "gate/rule/testdata/competitors.csv") as f:
        for row in csv.DictReader(f):
            letter = {"base": "A", "head": "B", "competitor": "R"}[row["side"]]
            found[f"{row['session']}, {row['pair']}"][int(row["round"])][letter].append(float(row["ns"]))
    out = {}
    for pair, rounds in found.items():
        half = sorted(rounds[0])
        out[pair] = []
        for i in sorted(rounds):
            places = half[i % len(half):] + half[:i % len(half)]
            order = places + places[::-1]
            left = {letter: list(values) for letter, values in rounds[i].items()}
            out[pair].append({"order": "".join(order), "ns": [left[letter].pop(0) for letter in order]})
    return out


def saved():
    """Results that runs left, with what their samples were."""
    for path in sorted((ROOT / "testdata/report").glob("*/result.json"), key=str):
        yield f"report/{path.parent.name}", json.loads(path.read_text())
    for path in sorted((ROOT / "gate/rule/testdata/replay").glob("*.json")):
        yield f"replay/{path.stem}", json.loads(path.read_text())
