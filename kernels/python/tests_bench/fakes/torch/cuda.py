"""A simulated GPU. ``gpu`` is its state: the host's clock, and when the device will be through with what it has."""

import contextlib


class CapturedError(RuntimeError):
    pass


class Gpu:
    GHZ = 1.8

    def __init__(self):
        self.now, self.busy, self.other = 0.0, 0.0, 0.0  # ns: of the host; until when the stream is busy; and another stream
        self.host_ns = 5_000       # that the host needs to enqueue a kernel
        self.capturing = None      # durations of a graph that is being recorded
        self.generator_stuck = False
        self.sync_mode = 0
        self.cold = False          # the cache was flushed since a kernel ran
        self.flushes = 0
        self.available = True
        self.slow_clock_for = 0    # spins that still run at half the clock
        self.profiling, self.profiled = False, []  # durations that a profiler saw

    def tick(self):
        self.now += 100
        return int(self.now)


gpu = Gpu()


def launch(ns, touches=False, cold_ns=0, host_ns=None):
    """A kernel of ``ns`` in the current stream, and of ``cold_ns`` more after a flush."""
    gpu.now += gpu.host_ns if host_ns is None else host_ns
    if gpu.capturing is not None:
        gpu.capturing.append(ns)
        return
    if gpu.profiling:
        gpu.profiled.append(ns)
    gpu.flushes += touches
    extra = cold_ns if gpu.cold else 0
    gpu.cold = touches
    gpu.busy = max(gpu.busy, gpu.now) + ns + extra


def launch_elsewhere(ns):
    """A kernel in a stream of its own, which no graph sees."""
    gpu.now += gpu.host_ns
    gpu.other = max(gpu.other, gpu.now) + ns


def item():
    """What waits for the device: not allowed while a graph is recorded, nor where waiting was made an error."""
    if gpu.sync_mode == "error":
        raise RuntimeError("called a synchronizing CUDA operation")
    if gpu.capturing is not None:
        raise CapturedError("operation not permitted when stream is capturing")
    gpu.now = max(gpu.now, gpu.busy)


def randn():
    if gpu.generator_stuck:
        raise RuntimeError("Offset increment outside graph capture encountered unexpectedly.")
    launch(2000)


def is_available():
    return gpu.available


def current_device():
    return 0


class _Properties:
    L2_cache_size = 50 << 20


def get_device_properties(device):
    return _Properties()


def synchronize(device=None):
    gpu.now = max(gpu.now, gpu.busy, gpu.other)


def _sleep(cycles):
    ghz = gpu.GHZ
    if gpu.slow_clock_for > 0:
        gpu.slow_clock_for -= 1
        ghz /= 1 + 0.1 * gpu.slow_clock_for
    launch(cycles / ghz)


def get_sync_debug_mode():
    return gpu.sync_mode


def set_sync_debug_mode(mode):
    gpu.sync_mode = mode


class profiler:
    """torch.cuda.profiler."""

    @staticmethod
    def start():
        gpu.profiling = True

    @staticmethod
    def stop():
        gpu.profiling = False


class Stream:
    def wait_stream(self, other):
        pass


def current_stream(device=None):
    return Stream()


@contextlib.contextmanager
def stream(stream):
    yield


class Event:
    def __init__(self, enable_timing=False):
        self.at = None

    def record(self, stream=None):
        gpu.now += 500
        self.at = gpu.busy = max(gpu.busy, gpu.now)

    def synchronize(self):
        gpu.now = max(gpu.now, self.at)

    def elapsed_time(self, other):
        return (other.at - self.at) / 1e6


class CUDAGraph:
    def replay(self):
        gpu.now += 8_000
        gpu.busy = max(gpu.busy, gpu.now) + sum(self.launches)


@contextlib.contextmanager
def graph(cuda_graph, pool=None, stream=None, capture_error_mode="global"):
    gpu.capturing = []
    try:
        yield
    except CapturedError:
        gpu.generator_stuck = True
        raise
    finally:
        cuda_graph.launches, gpu.capturing = gpu.capturing, None
    gpu.generator_stuck = False
