"""What one process is asked, and what it answers: JSON, version 1 (docs/protocol.md)."""

import json
import os
from dataclasses import dataclass, field

MODES = ("list", "calibrate", "measure", "profile")


class BadAsk(ValueError):
    """The question is not one that can be answered."""


@dataclass(frozen=True)
class Method:
    """How a case is timed. Times are in nanoseconds of one launch, but ``limit`` bounds all samples of a process.

    clock: event, thread or wall. how: single, loop or graph on a GPU, "" elsewhere. cache: cold or hot.
    """

    clock: str
    how: str
    block: bool
    launches: int
    samples: int
    cache: str
    pin: bool
    launch_ns: float
    quantum_ns: float
    flush_bytes: int
    limit_ns: float

    def to_json(self):
        """The members of result.Method."""
        return {
            "clock": self.clock, "how": self.how, "block": self.block, "launches": self.launches, "pool": 1, "samples": self.samples,
            "cache": self.cache, "pin": self.pin, "launchNs": self.launch_ns, "quantumNs": self.quantum_ns,
            "flushBytes": self.flush_bytes, "limitNs": self.limit_ns,
        }

    @staticmethod
    def from_json(m):
        """Raises BadAsk for what no process ever answered."""
        try:
            method = Method(
                clock=str(m["clock"]), how=str(m.get("how", "")), block=bool(m.get("block", False)), launches=int(m["launches"]),
                samples=int(m["samples"]), cache=str(m["cache"]), pin=bool(m.get("pin", False)), launch_ns=float(m["launchNs"]),
                quantum_ns=float(m.get("quantumNs", 0)), flush_bytes=int(m.get("flushBytes", 0)), limit_ns=float(m["limitNs"]),
            )
        except (KeyError, TypeError, ValueError) as e:
            raise BadAsk(f"a method that is none ({type(e).__name__}: {e})") from None
        if method.clock not in ("event", "thread", "wall") or method.how not in ("", "single", "loop", "graph"):
            raise BadAsk(f"a method with clock {method.clock!r} and how {method.how!r}")
        if method.launches < 1 or method.samples < 1:
            raise BadAsk("a method without launches or samples")
        return method


@dataclass(frozen=True)
class Ask:
    """mode: of MODES. cases: names that are asked for, None for all. wanted: globs of names, None for a spread.

    competitors: globs of names, and words of lines, that are a library's: with list they come along with the points that they stand beside.
    methods: by name, how cases are timed (measure), or how the other side would time them (calibrate).
    """

    mode: str
    cases: frozenset = None
    wanted: tuple = None
    competitors: tuple = ()
    methods: dict = field(default_factory=dict)


def read(text):
    """Reads a question. Raises BadAsk."""
    try:
        ask = json.loads(text)
    except ValueError as e:
        raise BadAsk(f"no JSON ({e})") from None
    if not isinstance(ask, dict) or ask.get("version") != 1:
        raise BadAsk("not of version 1")
    if ask.get("mode") not in MODES:
        raise BadAsk(f"mode {ask.get('mode')!r} is none of {', '.join(MODES)}")
    cases, wanted = ask.get("cases"), ask.get("wanted")
    if ask["mode"] != "list" and cases is None:
        raise BadAsk(f"mode {ask['mode']} without cases")
    return Ask(
        mode=ask["mode"],
        cases=None if cases is None else frozenset(cases),
        wanted=None if wanted is None else tuple(wanted),
        competitors=tuple(ask.get("competitors") or ()),
        methods={name: Method.from_json(m) for name, m in (ask.get("methods") or {}).items()},
    )


class Answer:
    """Collects what a process has to say, and writes it at the end, whole.

    A row has name, params, provider, place (points that differ in their provider only have one), method, samples (ns of a launch), waitedNs,
    planned, stopped ("limit" where fewer were taken), config (what an autotuner chose), failed and skipped. others are points that a spread
    left out. imports are installed packages that later processes may import before they are asked (bench_ahead.py): none where the script
    sets variables of the environment. error is what ended the script, whose exit code is then 1.
    """

    def __init__(self):
        self.rows, self.others, self.notes, self.imports, self.error = [], [], [], [], ""

    def row(self, name, **members):
        """Adds a case, and returns it as a dict that is written as it then is."""
        row = {"name": name, **members}
        self.rows.append(row)
        return row

    def write(self, path):
        """By rename: a file that is there is complete. Infinities and NaN are no JSON and are refused here."""
        answer = {"version": 1, "cases": self.rows, "others": self.others, "notes": self.notes, "imports": self.imports, "error": self.error}
        part = path + ".part"
        with open(part, "w", encoding="utf-8") as f:
            json.dump(answer, f, allow_nan=False)
        os.replace(part, path)
