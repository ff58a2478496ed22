"""torch.utils.benchmark.Timer, answered by a session: timeit, blocked_autorange and adaptive_autorange.

The signatures are those of torch/utils/benchmark/utils/timer.py, 1.13 to 2.11.
"""

import functools
import sys

from .bench_names import word
from .bench_work import Statement

METHODS = ("timeit", "blocked_autorange", "adaptive_autorange")


def patches(session):
    """What to do with the module of Timer when it is imported."""
    return {"torch.utils.benchmark.utils.timer": lambda module, patches: _patch(session, module, patches)}


def _patch(session, module, patches):
    for name in METHODS:
        if hasattr(module.Timer, name):
            patches.set(module.Timer, name, _timing(session, module, getattr(module.Timer, name)))


def _timing(session, module, original):
    @functools.wraps(original)
    def timing(self, *args, **kwargs):
        if session.timing:
            return original(self, *args, **kwargs)
        name = session.call_name(sys._getframe(1), label_name(self._task_spec))
        if not hasattr(self._timer, "inner"):  # a CPPTimer: torch compiles and times it
            session.skip(name, "timer", "a statement in C++ is timed by torch alone")
            return original(self, *args, **kwargs)
        with module.common.set_torch_threads(self._task_spec.num_threads):
            samples = session.time(Statement(self), "timer", name)
            if samples is None:  # not asked for: run once, because a Measurement without a number cannot be printed
                return _measurement(module, self, 1, [self._timer.timeit(1)])
        return _measurement(module, self, samples.launches, [ns * samples.launches / 1e9 for ns in samples.ns])

    return timing


def _measurement(module, timer, number, seconds):
    return module.common.Measurement(number_per_run=number, raw_times=seconds, task_spec=timer._task_spec)


def label_name(spec):
    """``label/sub_label,description,threads=2`` of what the script gave; "" where it gave no label at all."""
    given = [word(text) for text in (spec.sub_label, spec.description) if text]
    if not spec.label and not given:
        return ""
    parts = given + [f"threads={spec.num_threads}"]
    return word(spec.label or "timer") + "/" + ",".join(parts)
