"""What code under test has put in the place of functions of libraries, and the hooks through which it would run beside the clock.

It finds what is done openly: a function that a file of the side defines. Code that hides where it is from is not found.
"""

from __future__ import annotations

import functools
import gc
import signal
import sys
import types
from typing import Any, Dict, Iterator, Optional, Tuple

from ._errors import user_file
from ._patched_torch import ALONE, overridden

# Where oracles and clocks get their functions from.
LIBRARIES = (
    "torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch.cuda", "torch.cuda.Stream", "torch.cuda.Event",
    "numpy", "numpy.linalg", "numpy.fft", "cupy", "cupy.linalg", "cupy.cuda", "triton", "triton.testing", "math", "time", "gc",
    "perfgate._bridge", "perfgate._bridge.Bound", "perfgate._bridge.Launch", "perfgate._errors", "perfgate._views", "perfgate._views.Views", "perfgate._tensors",
    "perfgate._task", "perfgate._task.Files", "perfgate._task.Problem", "perfgate._task.Adapter", "perfgate._task_data", "perfgate._task_data.Data", "perfgate._task_data.Leaf",
    "perfgate._task_own", "perfgate._task_own.Held", "perfgate._task_settings", "perfgate._task_settings.Settings",
    "perfgate._task_gpumode", "perfgate._task_gpumode.GPUMode", "perfgate._task_kernelbench", "perfgate._task_kernelbench.KernelBench",
)


def replaced(shown: str) -> str:
    """``torch.softmax is replaced by kernels.py:12``, "" where every function is its library's own."""
    of_user: Dict[str, str] = {}  # a library's functions are many, and their files few
    for library, holder in present():
        for name, value in list(vars(holder).items()):
            place = defined_by_user(value, shown, of_user)
            if place:
                return f"{library}.{name} is replaced by {place}: {ALONE}"
    return overridden(shown)


def hooks(shown: str) -> str:
    """Why Python would run code of the user's when nothing of theirs is called, "" where it would not."""
    for what, value in hooked():
        place = defined_by_user(value, shown)
        if place:
            return f"{place} is installed as {what}, which runs beside the clock: take it away, or install it within launch and take it away there"
    return ""


def hooked() -> Iterator[Tuple[str, Any]]:
    yield "a profile function (sys.setprofile)", sys.getprofile()
    yield "a trace function (sys.settrace)", sys.gettrace()
    for callback in gc.callbacks:
        yield "a callback of the garbage collector (gc.callbacks)", callback
    for number in signal.valid_signals():
        yield f"the handler of signal {int(number)}", signal.getsignal(number)
    torch = sys.modules.get("torch")
    for mode in modes(torch) if torch is not None else ():
        for method in ("__torch_function__", "__torch_dispatch__"):
            yield "a mode that is asked before PyTorch's functions (TorchFunctionMode, TorchDispatchMode)", getattr(type(mode), method, None)
    for name in ("_global_forward_hooks", "_global_forward_pre_hooks"):
        for hook in list(getattr(sys.modules.get("torch.nn.modules.module"), name, {}).values()):
            yield "a hook of all modules (torch.nn.modules.module)", hook


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


def defined_by_user(value: Any, shown: str, known: Optional[Dict[str, str]] = None) -> str:
    """Where in the user's files a function is written, "" for all else."""
    for inner in ("__func__", "fget", "func"):  # of methods, properties and partials
        if isinstance(value, (classmethod, staticmethod, property, functools.partial)):
            value = getattr(value, inner, value)
    if not isinstance(value, types.FunctionType) and not isinstance(value, type):
        value = type(value).__call__  # an object in the place of a function
    if not isinstance(value, types.FunctionType):
        return ""
    code = value.__code__
    known = {} if known is None else known
    name = known.get(code.co_filename)
    if name is None:
        name = known[code.co_filename] = user_file(code.co_filename, shown)
    return f"{name}:{code.co_firstlineno}" if name else ""
