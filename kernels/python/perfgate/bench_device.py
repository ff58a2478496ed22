"""The clock of the machine that a script runs on. The constants are those of gate/measure, so that methods mean the same."""

import ctypes
import glob
import math
import os
import resource
import statistics
import time
from dataclasses import replace

from .bench_ask import Method

SPAN_NS = 150e6            # of samples per process and case, flush included
SHORT_NS = 20e3            # launches below it are batched ...
BATCH_NS = 250e3           # ... until a sample lasts this long
MIN_SAMPLES, MAX_SAMPLES, MAX_BATCHES = 5, 300, 100
MAX_LAUNCHES, MAX_LOOP = 1024, 128
SLOW_NS, SLOW_SAMPLES = 10e9, 2
MOST_BATCH = 1 << 20        # launches of a sample on a CPU
MUCH = 0.2                 # from this share of its own time on, what others work for a thread counts
SLOWNESS = 10              # times base's time that a process may spend on a case
SECOND = 1e9


def sample_count(span_ns, launch_ns, batched):
    """How many samples fit into a process."""
    if launch_ns > SLOW_NS:
        return SLOW_SAMPLES
    most = MAX_BATCHES if batched else MAX_SAMPLES
    return max(MIN_SAMPLES, min(most, int(SPAN_NS / max(span_ns, 1))))


def batch_of(launch_ns, most):
    """Launches of a sample that lasts long enough."""
    return max(1, min(most, math.ceil(BATCH_NS / max(launch_ns, 1))))


class Host:
    """A CPU: the clock of the launching thread, or the wall clock where other threads work for it."""

    now = staticmethod(time.perf_counter_ns)
    waited_ns = 0  # that all samples so far waited and the thread's clock does not see, as waited_ns of the harness's device.h

    def __init__(self):
        self._flush_bytes = min(2 * last_level_cache(), 128 << 20)
        self._flushed = None

    def check(self):
        """A CPU is never lost."""

    def first(self, work):
        work.run(1)

    def show(self, work):
        raise RuntimeError("a launch is shown to a profiler of GPUs, and torch has no GPU here")

    def settle(self):
        """Until a spin of fixed work takes the same for 20 ms, half a second at most."""
        start, readings = self.now(), []
        while self.now() - start < 0.5 * SECOND:
            before = self.now()
            sum(range(20000))
            readings.append(self.now() - before)
            last = readings[-5:]
            if len(last) == 5 and self.now() - start > 0.02 * SECOND and max(last) <= 1.01 * min(last):
                return

    def audit(self, work):
        """Nothing to ask: the wall clock sees whatever the threads of a statement do before it returns."""

    def method(self, work, other):
        """Returns (Method, notes). ``other``: the method of the other side, None where there is none."""
        wall, own, company = self._glance(work)
        clock = "wall" if company or (other and other.clock == "wall") else "thread"
        if other:
            return replace(other, clock=clock, pin=clock == "thread"), []
        launch = max(wall if clock == "wall" else own, 1.0)
        batched, launches = launch < SHORT_NS, 1
        if batched:  # alone, a launch of a microsecond takes several: that is the loop around it
            first = batch_of(launch, MOST_BATCH)
            launch = max(work.timed(first, self.now) / first, 1.0)
            launches = batch_of(launch, MOST_BATCH)
        span = launch * launches + (0 if batched else self._flush_ns())
        samples = sample_count(span, launch, batched)
        return Method(
            clock=clock, how="", block=False, launches=launches, samples=samples, cache="hot" if batched else "cold", pin=clock == "thread",
            launch_ns=launch, quantum_ns=1, flush_bytes=0 if batched else self._flush_bytes, limit_ns=SLOWNESS * span * samples,
        ), []

    def _glance(self, work):
        """(median wall time, median time of this thread, whether the thread is not alone in it: others work for it, or it waits).

        Of about 50 ms, 9 launches at most. A launch waits where it gives up its core by itself, as resource.getrusage counts.
        """
        wall, own, shared, waited, start = [], [], [], 0, self.now()
        while len(wall) < 3 or (len(wall) < 9 and self.now() - start < 50e6):
            work.prepare()
            process, thread, switches = time.process_time_ns(), time.thread_time_ns(), _voluntary_switches()
            wall.append(work.timed(1, self.now))
            own.append(time.thread_time_ns() - thread)
            shared.append(time.process_time_ns() - process - own[-1])
            waited += _voluntary_switches() > switches
            if wall[0] > 3 * SECOND:
                break
        mine, others = statistics.median(own), statistics.median(shared)
        threaded = others > MUCH * mine and others > 20e3
        return statistics.median(wall), mine, threaded or 2 * waited >= len(wall)

    def _flush_ns(self):
        before = self.now()
        self._flush()
        return self.now() - before

    def _flush(self):
        if self._flushed is None:
            self._flushed = ctypes.create_string_buffer(self._flush_bytes)
            self._value = 0
        self._value = (self._value + 1) % 256
        ctypes.memset(self._flushed, self._value, self._flush_bytes)

    def sampler(self, work, method):
        """A function that takes one sample and returns its nanoseconds, those of all launches."""
        timed = self._timed_by_thread if method.clock == "thread" else lambda work, launches: work.timed(launches, self.now)

        def sample():
            work.prepare()
            if method.cache == "cold":
                self._flush()
            if not method.pin:
                return timed(work, method.launches)
            with _Pinned():
                return timed(work, method.launches)

        return sample

    def _timed_by_thread(self, work, launches):
        """Who was only kept from its core has waited for nothing; who gave it up by itself has, for as long as it neither ran nor stood in the queue."""
        switches, queued, wall, own = _voluntary_switches(), _queued_ns(), self.now(), time.thread_time_ns()
        ns = work.timed(launches, time.thread_time_ns)
        own, wall, queued = time.thread_time_ns() - own, self.now() - wall, _queued_ns() - queued
        if _voluntary_switches() > switches:
            self.waited_ns += max(0, wall - queued - own)
        return ns


def _voluntary_switches():
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def _queued_ns():
    """ns that this thread has stood in the queue for a core; 0 where Linux does not say."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as f:
            return int(f.read().split()[1])
    except (OSError, IndexError, ValueError):
        return 0


class _Pinned:
    """Keeps this thread on the core that it is on."""

    def __enter__(self):
        self._cores = os.sched_getaffinity(0)
        with open("/proc/thread-self/stat", encoding="ascii", errors="replace") as f:
            core = int(f.read().rsplit(")", 1)[1].split()[36])
        os.sched_setaffinity(0, {core})

    def __exit__(self, *_):
        os.sched_setaffinity(0, self._cores)


def last_level_cache():
    """Bytes of the last cache before memory; 32 MiB where the system does not say."""
    found = 0
    for path in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        with open(path, encoding="ascii") as f:
            text = f.read().strip()
        scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:], 1)
        found = max(found, int(text.rstrip("KMG") or 0) * scale)
    return found or 32 << 20
