"""Runs a benchmark script whose timing functions are ours: ``python -m perfgate.bench SCRIPT [ARGS...]``.

The script says what it would time, with ``triton.testing.do_bench``, ``do_bench_cudagraph``, ``perf_report`` or
``torch.utils.benchmark.Timer``. This package times it as perfgate times everything: from a cold cache, or in batches that
are recorded in a CUDA graph where a launch is short, once the clock of the machine holds.

What is asked for comes as JSON in PERFGATE_BENCH_ASK, and the answer goes to the file named by PERFGATE_BENCH_OUT.
Exit codes: 0; 1 where the script failed (the answer says how, and has what was measured before); 2 for a bad question.
"""

import os
import sys
import traceback
import types

from . import _errors, _imports, bench_ask, bench_hooks, bench_torch, bench_triton
from .bench_session import Session, one_line

USAGE = "usage: PERFGATE_BENCH_ASK=JSON PERFGATE_BENCH_OUT=FILE python -m perfgate.bench SCRIPT [ARGS...]"

# Packages that later processes may import before they are asked: the list of kernels/build_python.go.
AHEAD = ["numpy", "scipy", "torch", "numba", "cupy", "triton"]

WITHHELD = " (do_bench had returned nan for what was not asked for, as it does for every call while cases are only listed; math.isnan tells)"


def main(argv, environ):
    """Runs the script of ``argv`` and returns the exit code. Takes its variables out of ``environ``: the script has no use for them."""
    text, out = environ.pop("PERFGATE_BENCH_ASK", None), environ.pop("PERFGATE_BENCH_OUT", None)
    if text is None or out is None or not argv:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        ask = bench_ask.read(text)
    except bench_ask.BadAsk as e:
        print(f"perfgate.bench: PERFGATE_BENCH_ASK: {e}", file=sys.stderr)
        return 2
    _errors.TREE = tree = os.getcwd()
    session = Session(ask)
    if ask.mode == "list":
        _imports.watch()
    with bench_hooks.installed({**bench_triton.patches(session), **bench_torch.patches(session)}):
        error = run_script(argv)
    if ask.mode == "list" and not _imports.configures(tree):
        session.answer.imports = _imports.installed_ones(AHEAD)
    session.answer.error = error and error + (WITHHELD if session.withheld else "")
    session.answer.write(out)
    return 1 if error else 0


def run_script(argv):
    """Runs ``argv[0]`` as the interpreter itself would. Returns what ended it, in one line, or "" where it ran to its end."""
    script = os.path.abspath(argv[0])
    argv_before, path_before, main_before = sys.argv, list(sys.path), sys.modules["__main__"]
    module = types.ModuleType("__main__")
    module.__file__ = script
    sys.argv, sys.modules["__main__"] = list(argv), module
    sys.path[:] = search_path(script)
    try:
        with open(script, "rb") as f:
            code = compile(f.read(), script, "exec")
        exec(code, module.__dict__)  # the user's own script
    except SystemExit as e:
        return "" if e.code in (None, 0) else one_line(e)
    except BaseException as e:  # whatever it is, the answer says it
        report(e)
        return one_line(e)
    finally:
        sys.argv, sys.modules["__main__"] = argv_before, main_before
        sys.path[:] = path_before
    return ""


def search_path(script):
    """The script's own folder first, as ever; then its tree, so that a package of the tree goes before an installed copy of it."""
    tree = os.getcwd()
    folders = [os.path.dirname(script), tree, os.path.join(tree, "src")]
    first = [f for f in dict.fromkeys(folders) if os.path.isdir(f)]
    return first + [f for f in sys.path[1:] if f not in first]


def report(error):
    """Prints the traceback of the script, without the frames that are ours."""
    trace = error.__traceback__
    while trace is not None and os.path.dirname(os.path.abspath(trace.tb_frame.f_code.co_filename)) == _errors.OURS:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
