"""Triton's timing functions, answered by a session.

The signatures are those of triton/testing.py and triton/runtime/autotuner.py, 1.0 to 3.8: ``do_bench(fn, warmup, rep,
grad_to_none, quantiles | percentiles, ..., return_mode)``, its variants likewise, and ``Mark.run(show_plots, print_data, save_path, return_df, **kwargs)``.
"""

import functools
import inspect
import sys

from . import _autotune, bench_numbers
from .bench_names import joined, word
from .bench_session import Point
from .bench_spread import spread
from .bench_work import Calls

TIMINGS = ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton")
TUNERS = ("triton.runtime.autotuner", "torch._inductor")


def patches(session):
    """What to do with each module of Triton when it is imported."""
    return {
        "triton.testing": lambda module, patches: _patch_testing(session, module, patches),
        "triton.runtime.autotuner": lambda module, patches: _patch_autotuner(session, module, patches),
    }


def _patch_testing(session, module, patches):
    for name in TIMINGS:
        if hasattr(module, name):
            patches.set(module, name, _timing(session, getattr(module, name), name))
    if hasattr(module, "Mark"):
        patches.set(module.Mark, "run", _run(session))


def _timing(session, original, offered):
    """A stand-in for do_bench that asks the session, unless a tuner calls: it needs the real number to choose by."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def timing(*args, **kwargs):
        if session.timing or tuning(sys._getframe(1)):
            return original(*args, **kwargs)
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        given = given.arguments
        work = Calls(given["fn"], given.get("grad_to_none"))
        samples = session.time(work, offered, session.call_name(sys._getframe(1)))
        session.withheld = session.withheld or samples is None
        return bench_numbers.as_do_bench(samples, given)

    return timing


def tuning(frame):
    """Whether a frame, or one that led to it, chooses a configuration: Triton's autotuner, torch's inductor, or a class made from Triton's."""
    autotuner = getattr(sys.modules.get("triton.runtime.autotuner"), "Autotuner", None)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if any(module == tuner or module.startswith(tuner + ".") for tuner in TUNERS):
            return True
        if autotuner is not None and isinstance(frame.f_locals.get("self"), autotuner):
            return True
        frame = frame.f_back
    return False


def _run(session):
    """Mark.run: calls the function at the points that are asked for, and draws nothing."""

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        benchmarks = [self.benchmarks] if hasattr(self.benchmarks, "x_names") else list(self.benchmarks)
        plots = [_Plot(bench, session) for bench in benchmarks]
        lanes = [lane for plot in plots for lane in plot.lanes()]
        session.choose(lanes, spread)
        tables = [plot.table(self.fn, kwargs) for plot in plots]
        if print_data:
            for plot, table in zip(plots, tables):
                plot.print(table)
        if not return_df:
            return None
        frames = [plot.frame(table) for plot, table in zip(plots, tables)]
        return frames[0] if len(frames) == 1 else frames

    return run


class _Plot:
    """One triton.testing.Benchmark, its points named."""

    def __init__(self, bench, session):
        self.bench, self.session = bench, session
        self.group = word(bench.plot_name or "perf_report")
        self.rows = [(x, self._points(x)) for x in map(self._x_args, bench.x_vals)]

    def _x_args(self, x):
        names = list(self.bench.x_names)
        values = list(x) if isinstance(x, (list, tuple)) else [x] * len(names)
        if len(values) != len(names):
            raise ValueError(f"Expected {len(names)} values, got {x}")
        return dict(zip(names, values))

    def _points(self, x):
        """A point for each line. Their place is called as the first of them."""
        points, place = [], ""
        for line in self.bench.line_vals:
            params = {**x, self.bench.line_arg: line, **self.bench.args}
            name = self.session.names.take(joined(self.group, params))
            place = place or name
            points.append(Point(name, [(word(k), word(v)) for k, v in params.items()], word(line), place))
        return points

    def lanes(self):
        """Points by line, each in the order of the x axis."""
        return [[points[i] for _, points in self.rows] for i in range(len(self.bench.line_vals))]

    def table(self, fn, kwargs):
        """What the function returned at each point: (x, [value or None where it was not asked for])."""
        return [(x, [self._call(fn, x, line, point, kwargs) for line, point in zip(self.bench.line_vals, points)]) for x, points in self.rows]

    def _call(self, fn, x, line, point, kwargs):
        return self.session.at(point, lambda: fn(**x, **{self.bench.line_arg: line}, **self.bench.args, **kwargs))

    def print(self, table):
        """A line for each row that has a value, as the original's table has for all."""
        print(self.group + ":")
        print("  ".join([*map(str, self.bench.x_names), *map(str, self.bench.line_names)]))
        for x, values in table:
            if any(v is not None for v in values):
                print("  ".join([*map(str, x.values()), *(_shown(v) for v in values)]))

    def frame(self, table):
        """The pandas.DataFrame that return_df asks for; NaN where nothing was timed."""
        import pandas

        columns = [*self.bench.x_names, *self.bench.line_names]
        return pandas.DataFrame([[*x.values(), *(_first(v) for v in values)] for x, values in table], columns=columns)


def _first(value):
    """The mean of (mean, min, max), as perf_report takes what a function returns."""
    value = value[0] if isinstance(value, (list, tuple)) and value else value
    return float("nan") if value is None else value


def _shown(value):
    return "-" if value is None else str(_first(value))


def _patch_autotuner(session, module, patches):
    """Which configuration an autotuned kernel ran with is told to the session. Its own timing is not touched."""
    original = module.Autotuner.run

    @functools.wraps(original)
    def run(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        if session.watching and len(getattr(self, "configs", ())) > 1:
            session.chose(_autotune.function_of(self), getattr(self, "best_config", None))
        return result

    patches.set(module.Autotuner, "run", run)
