"""What code under test has put in the place of functions of libraries, and the hooks through which it would run beside the clock.

It finds what is done openly: a function that a file of the side defines. Code that hides where it is from is not found.
"""

from __future__ import annotations

import gc
import signal
import sys
import types
from time import monotonic as now
from typing import Any, Dict, Iterator, List, Set, Tuple

from . import _imports
from ._errors import user_file
from ._patched_torch import ALONE, overridden
from ._unchanged import Unchanged, unwrapped

# Where oracles and clocks get their functions from.
LIBRARIES = (
    "torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch.cuda", "torch.cuda.Stream", "torch.cuda.Event",
    "numpy", "numpy.linalg", "numpy.fft", "cupy", "cupy.linalg", "cupy.cuda", "triton", "triton.testing", "math", "time", "gc", "functools", "contextlib", "ctypes", "weakref",
    "perfgate._patched", "perfgate._patched_torch", "perfgate._unchanged.Unchanged", "perfgate._views_numpy.Numpy", "perfgate._views_torch.Torch", "perfgate._views_torch.TorchOnCPU",
    "perfgate._bridge", "perfgate._bridge.Bound", "perfgate._bridge.Launch", "perfgate._errors", "perfgate._views", "perfgate._views.Views", "perfgate._tensors",
    "perfgate._task", "perfgate._task.Files", "perfgate._task.Problem", "perfgate._task.Adapter", "perfgate._task_data", "perfgate._task_data.Data", "perfgate._task_data.Leaf",
    "perfgate._task_own", "perfgate._task_own.Held", "perfgate._task_settings", "perfgate._task_settings.Settings",
    "perfgate._task_gpumode", "perfgate._task_gpumode.GPUMode", "perfgate._task_kernelbench", "perfgate._task_kernelbench.KernelBench",
)


def replaced(shown: str) -> str:
    """``torch.softmax is replaced by kernels.py:12``, "" where every function is its library's own."""
    return above(shown) or _looks.place(shown) or operators() or overridden(shown)


def look_ahead() -> None:
    """Looks before there is an adapter, while others measure: the first looks take longest."""
    remember()
    above("")
    beneath("")


def above(shown: str) -> str:
    """The same for what anybody calls: torch.softmax, numpy.exp, time.time."""
    for library, holder in present():
        if _above.has(holder):
            continue
        values = dict(vars(holder))
        for name, value in values.items():
            place = defined_by_user(value, shown) or of_another_name(library, name, value)
            if place:
                return f"{library}.{name} is replaced by {place}: {ALONE}"
        _above.put(holder, values.values())
    return ""


_first: Dict[str, Dict[str, Any]] = {}  # what anybody calls of a library, by name
_called: Dict[int, str] = {}  # the same: what each is called


def remember() -> None:
    """Remembers what is called what before there is an adapter: one function of a library in the place of another is the library's own, too."""
    for library, holder in present():
        if library not in _first:
            held = [vars(cls) for cls in reversed(holder.__mro__)] if isinstance(holder, type) else [vars(holder)]
            _first[library] = {name: value for one in held for name, value in one.items() if callable(value)}
            for name, value in _first[library].items():
                _called.setdefault(id(value), f"{library}.{name}")


def of_another_name(library: str, name: str, value: Any) -> str:
    """What a function of a library was called that now has the name of another."""
    was = _first.get(library, {}).get(name, value)
    return _called.get(id(value), "") if was is not value else ""


FOR_USERS = ("triton.runtime._allocation",)  # modules that hold what users give them: triton.set_allocator
DEEP = ("numpy", "scipy", "torch", "cupy", "triton", "perfgate")  # of these all modules count, and all classes: functions call each other within them


class Looks:
    """Looks below, each of which takes a hundredth of a second with torch: at first each time, later no more than a fiftieth of the time."""

    ALWAYS, SHARE = 4, 0.02

    def __init__(self) -> None:
        self.count, self.next = 0, 0.0

    def place(self, shown: str) -> str:
        start = now()
        if self.count >= self.ALWAYS and start < self.next:
            return ""
        found = beneath(shown)
        self.count, self.next = self.count + 1, now() + (now() - start) / self.SHARE
        return found


_looks = Looks()
_above, _below = Unchanged(), Unchanged()  # of functions that anybody calls, and of what lies below
_names: Set[str] = set()  # of modules whose objects were met there
_files: Dict[str, str] = {}  # a library's functions are many, and their files few: what user_file says of each


def beneath(shown: str) -> str:
    """The same for what lies below: torch.nn.Linear.forward, numpy.core._methods._mean, a module that is no longer one."""
    modules = [(name, module, getattr(module, "__file__", None)) for name, module in list(sys.modules.items()) if module is not None]
    of_users = {name for name, _, file in modules if in_user_file(file, shown)}
    if not of_users.isdisjoint(_names):  # what was nobody's is theirs
        _below.forget()
    # Of one that the side has made up, because it is not installed, there is nothing that could be replaced.
    installed = {top_of(name) for name, _, file in modules if isinstance(file, str) and name not in of_users}.intersection(DEEP)
    for library, module, _ in modules:
        if top_of(library) not in installed or library in FOR_USERS:
            continue
        if type(module).__module__ in of_users:
            return f"{library} is replaced by an object of {type(module).__module__}: {ALONE}"
        for holder, where in holders_of(library, module):
            if _below.has(where):
                continue
            values = dict(vars(where))
            for name, value in values.items():
                if type(value) is types.FunctionType:
                    code = value.__code__
                    if in_user_file(code.co_filename, shown):
                        return f"{holder}.{name} is replaced by {_files[code.co_filename]}:{code.co_firstlineno}: {ALONE}"
                    continue
                made_by = value.__module__ if isinstance(value, type) else type(value).__module__
                if made_by in of_users:
                    return f"{holder}.{name} is replaced by an object of this side: {ALONE}"
                _names.add(made_by)
            _below.put(where, values.values())
    return ""


def top_of(module: str) -> str:
    return module.partition(".")[0]


def in_user_file(file: Any, shown: str) -> str:
    if not isinstance(file, str):
        return ""
    if file not in _files:
        _files[file] = user_file(file, shown)
    return _files[file]


_classes: Dict[str, List[Tuple[str, Any]]] = {}  # that modules define, by the module's name


def holders_of(library: str, module: Any) -> List[Tuple[str, Any]]:
    """A module and the classes that it defines, by name."""
    if not _below.has(module) or library not in _classes:
        defined = [(f"{library}.{name}", value) for name, value in list(vars(module).items()) if isinstance(value, type) and value.__module__ == library]
        _classes[library] = [(library, module), *defined]
    return _classes[library]


def operators() -> str:
    """Of numpy before 2.0, which lets what + and * mean be set."""
    numpy, functions = sys.modules.get("numpy"), sys.modules.get("numpy.core.umath")
    for name, value in getattr(numpy, "set_numeric_ops", dict)().items():
        if value is not getattr(functions, name, value):
            return f"what arrays of numpy do for {name} is set to {getattr(value, '__name__', value)} (numpy.set_numeric_ops): {ALONE}"
    return ""


def hooks(shown: str) -> str:
    """Why Python would run code of the user's when nothing of theirs is called, "" where it would not."""
    for what, value in hooked():
        place = defined_by_user(value, shown)
        if place:
            return f"{place} is installed as {what}, which runs beside the clock: take it away, or install it within launch and take it away there"
    for file in _imports.auditors:
        place = user_file(file, shown)
        if place:
            return f"{place} has installed an audit hook (sys.addaudithook), which runs beside the clock and cannot be taken away again: do without"
    return ""


def hooked() -> Iterator[Tuple[str, Any]]:
    yield "a profile function (sys.setprofile)", sys.getprofile()
    yield "a trace function (sys.settrace)", sys.gettrace()
    for callback in gc.callbacks:
        yield "a callback of the garbage collector (gc.callbacks)", callback
    yield from monitored()
    for number in signal.valid_signals():
        yield f"the handler of signal {int(number)}", signal.getsignal(number)
    torch = sys.modules.get("torch")
    for mode in modes(torch) if torch is not None else ():
        for method in ("__torch_function__", "__torch_dispatch__"):
            yield "a mode that is asked before PyTorch's functions (TorchFunctionMode, TorchDispatchMode)", getattr(type(mode), method, None)
    for name in ("_global_forward_hooks", "_global_forward_pre_hooks"):
        for hook in list(getattr(sys.modules.get("torch.nn.modules.module"), name, {}).values()):
            yield "a hook of all modules (torch.nn.modules.module)", hook


def monitored() -> Iterator[Tuple[str, Any]]:
    """Callbacks of tools, in Python 3.12 and later. Who asks for one has to take it away for a moment."""
    monitoring: Any = getattr(sys, "monitoring", None)
    for tool in range(6) if monitoring is not None else ():
        if monitoring.get_tool(tool) is None:
            continue
        for name, event in list(vars(monitoring.events).items()):
            if isinstance(event, int) and event.bit_count() == 1:
                callback = monitoring.register_callback(tool, event, None)
                monitoring.register_callback(tool, event, callback)
                yield f"a callback of sys.monitoring ({name})", callback


def modes(torch: Any) -> Iterator[Any]:
    """The modes that were entered and not left."""
    for holder, name in ((sys.modules.get("torch.overrides"), "_get_current_function_mode_stack"), (sys.modules.get("torch.utils._python_dispatch"), "_get_current_dispatch_mode_stack")):
        yield from getattr(holder, name, list)()
    for name in ("_get_torch_function_mode", "_get_torch_dispatch_mode"):  # torch 1.13 has the one that is on top
        yield getattr(torch._C, name, lambda: None)()


def present() -> Iterator[Tuple[str, Any]]:
    """The libraries that are imported, and classes of theirs."""
    for path in LIBRARIES:
        holder: Any = sys.modules.get(path)
        if holder is None:
            module, _, name = path.rpartition(".")
            holder = getattr(sys.modules.get(module), name, None)
        if holder is not None:
            yield path, holder


def defined_by_user(value: Any, shown: str) -> str:
    """Where in the user's files a function is written, "" for all else."""
    value = unwrapped(value)
    if not isinstance(value, types.FunctionType) and not isinstance(value, type):
        value = type(value).__call__  # an object in the place of a function
    if not isinstance(value, types.FunctionType):
        return ""
    code = value.__code__
    name = in_user_file(code.co_filename, shown)
    return f"{name}:{code.co_firstlineno}" if name else ""
