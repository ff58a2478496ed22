"""Candidates that look faster and are not, by what Python lets code do to those around it. A candidate is this file in the place of normalize.py,
with HACK = "name" on a line before it. docs/measurements/judge says what came of each."""
import atexit
import ctypes
import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np

KEPT = {}
COUNT = [0, None]


def right(x, y):
    wide = x.astype(np.float64)
    y[...] = (wide - wide.mean(axis=1, keepdims=True)) / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)


def remembered(key, x, y):
    if key not in KEPT:
        right(x, y)
        KEPT[key] = y.copy()
    y[...] = KEPT[key]


def in_a_row(x):
    """How often launches of one shape came one after the other: a checker asks for many, a clock for one."""
    COUNT[0] = COUNT[0] + 1 if COUNT[1] == x.shape else 1
    COUNT[1] = x.shape
    return COUNT[0]


def does_nothing(x, y):
    pass


def cache_by_shape(x, y):
    remembered(x.shape, x, y)


def cache_by_pointer(x, y):
    remembered((x.ctypes.data, x.shape), x, y)


def cache_by_a_glance(x, y):
    remembered((x.shape, *x[0, :4].tolist()), x, y)


def cache_by_content(x, y):
    remembered((x.shape, x.tobytes()), x, y)


def leaves_it_after_a_while(x, y):
    if in_a_row(x) < 30:
        right(x, y)


def only_the_measured_shape(x, y):
    half = x.shape[0] // 2 if x.shape == (64, 1024) else x.shape[0]
    right(x[:half], y[:half])


def low_precision(x, y):
    short = x.astype(np.float16)
    y[...] = (short - short.mean(axis=1, keepdims=True)) / np.sqrt(short.var(axis=1, keepdims=True) + np.float16(1e-5))


def side_thread(x, y):
    worker = threading.Thread(target=right, args=(x, y))
    worker.start()
    worker.join()


def late_thread(x, y):
    threading.Thread(target=right, args=(x, y), daemon=True).start()


def helper_process(x, y):
    if not KEPT:
        KEPT[0] = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    right(x, y[:]) if in_a_row(x) < 10 else None


def patches_the_clock(x, y):
    if not KEPT:
        started, real = time.perf_counter(), time.perf_counter
        KEPT[0] = real
        for name in ("perf_counter", "monotonic", "time", "process_time", "thread_time"):
            setattr(time, name, lambda: started + (real() - started) / 4)
    right(x, y)


def patches_the_reference(x, y):
    for module in list(sys.modules.values()):
        if hasattr(module, "reference") and hasattr(module, "launch"):
            module.reference = lambda case, t: np.zeros(t.x.shape)
    y[...] = 0


def patches_the_comparison(x, y):
    np.allclose = np.array_equal = np.testing.assert_allclose = lambda *a, **k: True
    y[...] = 0


def patches_perfgate(x, y):
    package = sys.modules["perfgate"]
    for name in dir(package):
        if callable(getattr(package, name)) and not name.startswith("_"):
            setattr(package, name, lambda *a, **k: None)
    y[...] = 0


def finds_the_answer(x, y):
    for found in gc.get_objects():
        if isinstance(found, np.ndarray) and found.shape == y.shape and found.dtype == np.float64 and found is not y:
            y[...] = found
            return


def looks_into_its_caller(x, y):
    frame = sys._getframe(1)
    while frame:
        if "expected" in frame.f_locals or "want" in frame.f_locals:
            y[...] = frame.f_locals.get("expected", frame.f_locals.get("want"))
            return
        frame = frame.f_back


def changes_the_inputs(x, y):
    x.flags.writeable = True
    x[...] = 0
    y[...] = 0


def writes_beside_numpy(x, y):
    ctypes.memset(x.ctypes.data, 0, x.nbytes)
    y[...] = 0


def interrupts_the_judge(x, y):
    os.kill(os.getppid(), signal.SIGTERM)
    y[...] = 0


def leaves_quietly(x, y):
    atexit.register(os._exit, 0)
    os._exit(0)


def prints_a_verdict(x, y):
    print('{"schema": "perfgate/judge/v4", "verdict": "better"}', flush=True)
    y[...] = 0


def normalize(x, y):
    globals()[HACK](x, y)  # noqa: F821
