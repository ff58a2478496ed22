"""One process: which calls of the script are asked for, and what became of them."""

import contextlib
import fnmatch
import os
import re
import sys
import threading
from dataclasses import dataclass

from . import _autotune, _errors, bench_device
from .bench_ask import Answer
from .bench_names import Names, separator, word

MOST_OTHERS = 1000  # names of points left out that an answer has


@dataclass(frozen=True)
class Point:
    """A point of a perf_report: its name, its parameters as pairs of words, the line that it is on, and its place.

    Points of one place have all in common but the line.
    """

    name: str
    params: list
    provider: str
    place: str


@dataclass
class Samples:
    """Times of a case in one process: ns of one launch for each sample of ``launches``."""

    ns: list
    launches: int


class Session:
    """Answers the timing functions of a script. ``device`` is for tests; None finds out when the first call comes."""

    def __init__(self, ask, device=None):
        self.ask, self.answer, self.names = ask, Answer(), Names()
        self.withheld = False  # a call was answered by nan, since nobody had asked for it
        self._timing = None    # the thread in which a case is being timed
        self._one = threading.Lock()
        self.watching = False  # configurations are told
        self._device = device
        self._point, self._calls = None, 0
        self._wanted = None    # names of the points of this perf_report that were chosen; None: all that are asked for
        self._beside = set()   # names of its points that come along as competitors of others
        self._row = None
        self._places, self._configs = {}, {}

    @property
    def timing(self):
        """Whether this thread is timing a case: whatever times inside of that is the script's own business."""
        return self._timing == threading.get_ident()

    # Which.

    def choose(self, lanes, spread):
        """Decides which points of a perf_report are asked for, before the first of them. ``lanes`` are points by line."""
        self._wanted, self._beside = None, set()
        if self.ask.mode != "list" or self.ask.cases is not None:
            return
        points = [point for lane in lanes for point in lane]
        competitors = [point for point in points if self._is_competitor(point)]
        if self.ask.wanted is None:
            self._spread([[p.name for p in lane if not self._is_competitor(p)] for lane in lanes], spread)
        places = {point.place for point in points if not self._is_competitor(point) and self.asked(point.name)}
        self._beside = {point.name for point in competitors if point.place in places}

    def _is_competitor(self, point):
        return point.provider in self.ask.competitors or any(_matches(point.name, glob) for glob in self.ask.competitors)

    def _spread(self, lanes, spread):
        self._wanted = spread(lanes)
        every = [name for lane in lanes for name in lane]
        left = [name for name in every if name not in self._wanted]
        if not left:
            return
        self.answer.others += left[: MOST_OTHERS - len(self.answer.others)]
        self.answer.notes.append(f"{every[0].split('/')[0]}: {len(self._wanted)} of its {len(every)} points, spread evenly; `cases` names others")

    def reached(self, name):
        """Whether a point is asked for, or a further call of it."""
        calls = f"{name}{separator(name)}call="
        return self.asked(name) or self.ask.cases is not None and any(case.startswith(calls) for case in self.ask.cases)

    def asked(self, name):
        """Whether a case is asked for."""
        if self.ask.cases is not None:
            return name in self.ask.cases
        if (self._point.name if self._point else name) in self._beside:
            return True
        if self.ask.wanted is not None:
            return any(_matches(name, glob) for glob in self.ask.wanted)
        return self._wanted is None or self._point is not None or name in self._wanted

    def at(self, point, call):
        """Calls a perf_report's function at a point, and returns what it returns; None where nobody asked, or where it failed."""
        if not self.reached(point.name):
            return None
        self._point, self._calls = point, 0
        try:
            value = call()
        except Exception as e:
            self._failed_point(point, e)
            return None
        finally:
            self._point = None
        if self._calls == 0:
            self._offer(point.name, "perf_report", failed="" if self.ask.mode == "list" else _TIMED_NOTHING)
        return value

    def _failed_point(self, point, error):
        """The other points go on. A listing only needs the name: timing will tell the same error again."""
        failed = "" if self.ask.mode == "list" else one_line(error)
        if self._row is not None and self._row.get("failed") == one_line(error):
            self._row = None  # said already, of the call that it came from
        else:
            self._offer(point.name, "perf_report", failed=failed)
        self.device().check()

    def call_name(self, frame, label=""):
        """The name of the call that ``frame`` makes: the point and which call of it, else ``label``, else the function and which call there."""
        if self._point is not None:
            self._calls += 1
            name = self._point.name
            return name if self._calls == 1 else f"{name}{separator(name)}call={self._calls}"
        self._wanted = None
        if label:
            return self.names.take(label)
        place = frame.f_code.co_name
        if place.startswith("<module"):
            place = os.path.splitext(os.path.basename(frame.f_code.co_filename))[0]
        place = word(place)
        count = self._places[place] = self._places.get(place, 0) + 1
        return self.names.take(f"{place}/call={count}")

    # What.

    def time(self, work, offered, name):
        """Does with a call what the mode says. Returns Samples, or None where nothing was timed."""
        if not self.asked(name):
            return None
        row = self._row = self._offer(name, offered)
        if self.ask.mode == "list":
            return None
        try:
            with self._alone():
                return {"calibrate": self._calibrate, "measure": self._measure, "profile": self._profile}[self.ask.mode](work, row)
        except Exception as e:
            row["failed"] = one_line(e)
            raise

    @contextlib.contextmanager
    def _alone(self):
        """While a case is timed. Two threads that time at once disturb each other, and calls that are named by their order would swap names."""
        if not self._one.acquire(blocking=False):
            raise RuntimeError("another thread of the script times something meanwhile: let it time one thing after the other")
        self._timing = threading.get_ident()
        try:
            yield
        finally:
            self._timing, self.watching = None, False
            self._one.release()

    def skip(self, name, offered, why):
        """A call that is offered and cannot be timed here."""
        if self.asked(name):
            self._offer(name, offered, skipped=True, notes=[why])

    def _offer(self, name, offered, **members):
        point = self._point
        if point is None:
            return self.answer.row(name, params=[], provider="", place="", offered=offered, **members)
        params = [{"name": k, "value": v} for k, v in point.params]
        place = point.place + name[len(point.name):]  # of a further call, that call
        return self.answer.row(name, params=params, provider=point.provider, place=place, offered=offered, **members)

    def _calibrate(self, work, row):
        """Base chooses; head, which is given base's method, says what both can do."""
        device = self.device()
        self._warm(device, work, row)
        method, notes = device.method(work, self.ask.methods.get(row["name"]))
        row["method"], row["notes"] = method.to_json(), notes
        return self._take(device, work, method, min(5, method.samples), row)

    def _measure(self, work, row):
        method = self.ask.methods.get(row["name"])
        if method is None:
            row["failed"] = "it was not there, or failed, when its method was chosen"
            return None
        device = self.device()
        self._warm(device, work, row)
        row["method"] = method.to_json()
        return self._take(device, work, method, method.samples, row)

    def _profile(self, work, row):
        """Shows a profiler one launch, once code and tuner are through with theirs. Nothing is timed."""
        device = self.device()
        self._warm(device, work, row)
        device.show(work)

    def _warm(self, device, work, row):
        """The first launch compiles and tunes, so it comes before the clock is asked to hold. What was chosen is in ``row``."""
        self._configs = {}
        self.watching = True
        work.prepare()
        device.first(work)
        self.watching = False
        if self._configs:
            row["config"] = "; ".join(f"{kernel}: {config}" for kernel, config in sorted(self._configs.items()))
        device.settle()

    def _take(self, device, work, method, planned, row):
        ns, stopped, spent, waited = [], "", 0, device.waited_ns
        sample = device.sampler(work, method)
        for i in range(planned):
            before = device.now()
            ns.append(sample() / method.launches)
            spent += device.now() - before
            if i >= 4 and i + 1 < planned and spent > method.limit_ns:
                stopped = "limit"
                break
        device.audit(work)
        row.update(samples=ns, planned=planned, stopped=stopped, spentNs=spent, waitedNs=(device.waited_ns - waited) / (len(ns) * method.launches))
        return Samples(ns, method.launches)

    def chose(self, kernel, config):
        """An autotuned kernel ran with a configuration, a triton.Config."""
        self._configs[kernel] = ", ".join(f"{name}={value}" for name, value in _autotune.words(config).items())

    def device(self):
        if self._device is None:
            self._device = _device(sys.modules.get("torch"))
        return self._device


def _device(torch):
    """The GPU where torch has one, else the CPU. ``torch`` is the module, or None where the script has not imported it."""
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_available():
        return bench_device.Host()
    from .bench_cuda import Cuda

    return Cuda(torch)


_TIMED_NOTHING = ("the function timed nothing: it called none of triton.testing.do_bench, do_bench_cudagraph and torch.utils.benchmark.Timer, "
                  "so perfgate's clock never saw it")


def _matches(name, glob):
    """At least what the configuration's globs match: the supervisor looks again. * goes across /, and brackets and braces match anything."""
    return fnmatch.fnmatchcase(name, re.sub(r"[\[{].*[\]}]", "*", glob))


def one_line(error):
    """``TypeError: message at bench/softmax.py:12 in bench: the line``, and what helps where that is known."""
    return " ".join(_errors.describe(error, "").split("\n"))
