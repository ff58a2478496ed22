"""A GPU through torch: events, graphs, and a stream that is held back while the host enqueues."""

import contextlib
import gc
import statistics
import time
from dataclasses import replace

from .bench_ask import Method
from .bench_device import MAX_LAUNCHES, MAX_LOOP, SECOND, SHORT_NS, SLOWNESS, batch_of, sample_count

WARM_LAUNCHES = 3          # before the one that a profiler sees, as in gate/profile
GRAPH_LAUNCHES = 20        # of a graph that only finds out whether there can be one
MOST_HOLD_NS = 20e6        # a stream is held back no longer
HELD = 0.8                 # a host that needs more than this share of a hold was waiting for the device, or was late
LATE_TRIES = 3             # a sample that the host was late for is taken again so often, held back for twice as long
OUTSIDE, OUTSIDE_NS = 0.5, 50e3
LOST_LAUNCHES = 0.25       # a graph that is this much faster than the launches it recorded has not recorded them


class Cuda:
    """``torch`` is the script's own module: nothing is imported that it did not import."""

    now = staticmethod(time.perf_counter_ns)
    waited_ns = 0  # events see what a stream waits for

    def __init__(self, torch):
        self._torch, self._cuda = torch, torch.cuda
        l2 = getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "L2_cache_size", 0) or 128 << 20
        self._flush_bytes = 2 * l2
        self._buffer = torch.empty(self._flush_bytes, dtype=torch.uint8, device="cuda")
        self._busy = torch.ones(1 << 24, dtype=torch.float32, device="cuda")
        self._start, self._stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self._value, self._ghz, self._settled = 0, 1.5, False
        self._late = False  # the host was not through with the latest sample when the stream went on

    def check(self):
        """Raises what is left of an error that the device cannot recover from."""
        self._cuda.synchronize()

    def first(self, work):
        work.run(1)
        self._cuda.synchronize()

    def show(self, work):
        """One launch between start and stop of the profiler, after a few that it does not see."""
        work.prepare()
        work.run(WARM_LAUNCHES)
        self._cuda.synchronize()
        self._cuda.profiler.start()
        try:
            work.run(1)
            self._cuda.synchronize()
        finally:
            self._cuda.profiler.stop()

    # The clock of the multiprocessors.

    def settle(self):
        """Until the clock holds: within 1 % for 250 ms, at most 3 s; for 20 ms where it has held before in this process."""
        span, limit = (0.02, 0.3) if self._settled else (0.25, 3.0)
        start, readings = self.now(), []
        while self.now() - start < limit * SECOND:
            readings.append((self.now(), self._pace()))
            if holds(readings, span * SECOND):
                break
        self._settled = True

    def _pace(self):
        """Gigahertz, counted while a kernel spins for so many cycles, after a millisecond or two of work on all multiprocessors."""
        cycles = 1_000_000
        for _ in range(20):
            self._busy.sin_()
        ns = self._events(lambda: self._cuda._sleep(cycles))
        if ns > 0:
            self._ghz = cycles / ns
        return self._ghz

    # One sample.

    def _events(self, work, hold_ns=0.0, cold=False):
        """Nanoseconds between two events around ``work``. The stream is held back for ``hold_ns`` while the host enqueues it."""
        before = self.now()
        if hold_ns:
            self._cuda._sleep(int(min(hold_ns, MOST_HOLD_NS) * self._ghz))
        if cold:
            self._value = (self._value + 1) % 256
            self._buffer.fill_(self._value)
        self._start.record()
        work()
        self._stop.record()
        self._late = self.now() - before > HELD * hold_ns > 0
        self._stop.synchronize()
        return self._start.elapsed_time(self._stop) * 1e6

    def sampler(self, work, method):
        """A function that takes one sample and returns its nanoseconds, those of all launches."""
        if method.how == "graph":
            graph = self._recorded(work, method.launches)
            graph.replay()
            return lambda: self._events(graph.replay, self._hold(30e3))
        hold = self._hold(self._host_ns(work, method.launches)) if method.block else 0.0
        cold = method.cache == "cold"

        def sample():
            nonlocal hold
            for _ in range(LATE_TRIES):
                work.prepare()
                ns = self._events(lambda: work.run(method.launches), hold, cold)
                if not self._late:
                    break
                hold = min(2 * hold, MOST_HOLD_NS)
            return ns

        return sample

    def _hold(self, host_ns):
        """For as long as the host takes, and half as long again, since it does not always take the same."""
        return min(1.5 * host_ns + 20e3, MOST_HOLD_NS)

    def _host_ns(self, work, launches):
        """What the host takes to enqueue: the median of five."""
        return statistics.median(self._enqueue_ns(work, launches) for _ in range(5))

    def _enqueue_ns(self, work, launches):
        self._cuda.synchronize()
        before = self.now()
        work.run(launches)
        took = self.now() - before
        self._cuda.synchronize()
        return took

    # Choosing.

    def method(self, work, other):
        """Returns (Method, notes). ``other``: base's method, which head can only make slower; None on base."""
        block = self._can_be_held(work)
        host = self._host_ns(work, 1)
        launch = self._launch_ns(work, block, host)
        notes = [] if block else ["it waits for the device, so the host's part of a launch is timed as well"]
        if other:
            return self._agree(work, other, block, notes)
        if launch >= SHORT_NS:
            return self._single(launch, host, block), notes
        graph_ns, why = self._try_graph(work, launch, block)
        if graph_ns:
            return self._batched("graph", max(graph_ns, 1.0), block, MAX_LAUNCHES, 0), notes
        most = max(1, min(MAX_LOOP, int(MOST_HOLD_NS / 2 / max(host, 1.0))))
        return self._batched("loop", launch, block, most, host), [*notes, _no_graph(why)]

    def _agree(self, work, other, block, notes):
        """What both sides can do."""
        method = replace(other, block=other.block and block)
        if method.how == "graph":
            graph_ns, why = self._try_graph(work, method.launch_ns, block)
            if not graph_ns:
                notes = [*notes, _no_graph(why)]
                method = replace(method, how="loop", launches=min(method.launches, MAX_LOOP))
        return method, notes

    def _single(self, launch, host, block):
        span = launch + (self._hold(host) if block else host) + self._events(lambda: None, cold=True) + 100e3
        samples = sample_count(span, launch, False)
        return Method(
            clock="event", how="single", block=block, launches=1, samples=samples, cache="cold", pin=False, launch_ns=launch,
            quantum_ns=self._quantum_ns(), flush_bytes=self._flush_bytes, limit_ns=SLOWNESS * span * samples,
        )

    def _batched(self, how, launch, block, most, host):
        launches = batch_of(launch, most)
        span = launches * (launch + 2.5 * host) + 100e3
        samples = sample_count(span, launch, launches > 1)
        return Method(
            clock="event", how=how, block=block, launches=launches, samples=samples, cache="hot", pin=False, launch_ns=launch,
            quantum_ns=self._quantum_ns(), flush_bytes=0, limit_ns=SLOWNESS * span * samples,
        )

    def _can_be_held(self, work):
        """Whether ``work`` only enqueues: the host is through long before a stream that is held back goes on."""
        hold = min(max(2e6, 4 * self._enqueue_ns(work, 1)), MOST_HOLD_NS)
        self._cuda.synchronize()
        self._cuda._sleep(int(hold * self._ghz))
        before = self.now()
        work.run(1)
        took = self.now() - before
        self._cuda.synchronize()
        return took < HELD * hold

    def _launch_ns(self, work, block, host):
        """Of one launch after a flush: the median of three to nine, 50 ms of them."""
        times, start = [], self.now()
        hold = self._hold(host) if block else 0.0
        while len(times) < 3 or (len(times) < 9 and self.now() - start < 50e6):
            work.prepare()
            times.append(self._events(lambda: work.run(1), hold, cold=True))
        return statistics.median(times)

    def _quantum_ns(self):
        """The smallest step between different times of one short kernel."""
        times = sorted(self._events(lambda: self._buffer[: 512 * (1 + i % 4)].fill_(0), 50e3) for i in range(60))
        steps = [b - a for a, b in zip(times, times[1:]) if b - a > 0.9]
        return min(steps, default=1000.0)

    # Graphs.

    def _try_graph(self, work, launch, block):
        """(ns of a launch in a graph, ""), or (0, why there can be none)."""
        try:
            with self._no_waiting():
                work.run(1)
            graph = self._recorded(work, GRAPH_LAUNCHES)
        except Exception as e:
            self._recover()
            return 0, " ".join(str(e).split())[:200] or type(e).__name__
        graph.replay()
        ns = statistics.median(self._events(graph.replay, self._hold(30e3)) for _ in range(7)) / GRAPH_LAUNCHES
        hold = self._hold(self._host_ns(work, GRAPH_LAUNCHES)) if block else 0.0
        loop = statistics.median(self._events(lambda: work.run(GRAPH_LAUNCHES), hold) for _ in range(3)) / GRAPH_LAUNCHES
        if ns < LOST_LAUNCHES * min(loop, launch):
            return 0, "the graph does not have in it what was launched: it went to another stream"
        return ns, ""

    @contextlib.contextmanager
    def _no_waiting(self):
        """What waits for the device fails here, before a recording that it would break."""
        before = self._cuda.get_sync_debug_mode()
        self._cuda.set_sync_debug_mode("error")
        try:
            yield
        finally:
            self._cuda.set_sync_debug_mode(before)

    def _recorded(self, work, launches):
        """A graph of so many launches. It has a pool of memory of its own, so what a launch allocates is not reused under it."""
        stream = self._cuda.Stream()
        stream.wait_stream(self._cuda.current_stream())
        with self._cuda.stream(stream):
            work.prepare()
            work.run(2)
        self._cuda.synchronize()
        graph = self._cuda.CUDAGraph()
        with _no_garbage_collected(), self._cuda.graph(graph, stream=stream):
            work.run(launches)
        self._cuda.synchronize()
        return graph

    def _recover(self):
        """A recording that was broken off leaves torch's generator of random numbers as if it went on; one that ends well ends that too."""
        self._cuda.synchronize()
        with contextlib.suppress(Exception), self._cuda.graph(self._cuda.CUDAGraph()):
            self._busy[:1].add_(0)
        self._cuda.synchronize()

    # Elsewhere.

    def audit(self, work):
        """Raises where a launch leaves work on a stream that the events do not see. It takes two findings."""
        found = [self._unseen_ns(work) for _ in range(2)]
        if min(found) > 0:
            raise RuntimeError(f"work went on for {min(found) / 1e3:.0f} us on another stream, which the clock cannot see: join it before the function returns")

    def _unseen_ns(self, work):
        self._cuda.synchronize()
        work.prepare()
        ns = self._events(lambda: work.run(1))
        before = self.now()
        self._cuda.synchronize()
        rest = self.now() - before
        return rest if rest > OUTSIDE * ns + OUTSIDE_NS else 0


@contextlib.contextmanager
def _no_garbage_collected():
    """A tensor or a graph that is freed meanwhile would end a recording."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _no_graph(why):
    return f"it cannot be captured in a CUDA graph, so it is timed in a plain loop, which scatters more ({why})"


def holds(readings, span_ns):
    """Whether the readings (ns, value) of the last ``span_ns``, and at least the last five, are within 1 %."""
    low, high, seen = float("inf"), 0.0, 0
    for at, value in reversed(readings):
        low, high, seen = min(low, value), max(high, value), seen + 1
        if high > low * 1.01:
            return False
        if seen >= 5 and readings[-1][0] - at >= span_ns:
            return True
    return False
