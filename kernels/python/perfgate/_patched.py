"""Functions of libraries that code under test has put its own in place of: an oracle that asks one agrees with itself."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, Iterator, Tuple

from ._errors import user_file

# Where oracles and clocks get their functions from.
LIBRARIES = (
    "torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch.cuda", "torch.cuda.Stream", "torch.cuda.Event",
    "numpy", "numpy.linalg", "numpy.fft", "cupy", "cupy.linalg", "cupy.cuda", "triton", "triton.testing", "math", "time", "gc",
)


def replaced(shown: str) -> str:
    """``torch.softmax is replaced by kernels.py:12``, "" where every function is its library's own."""
    for library, holder in present():
        for name, value in list(vars(holder).items()):
            place = defined_by_user(value, shown)
            if place:
                return f"{library}.{name} is replaced by {place}: what a library computes must be the library's own while it is the oracle"
    return ""


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
    for inner in ("__func__", "fget", "func"):  # of methods, properties and partials
        if isinstance(value, (classmethod, staticmethod, property, functools.partial)):
            value = getattr(value, inner, value)
    if not isinstance(value, types.FunctionType) and not isinstance(value, type):
        value = type(value).__call__  # an object in the place of a function
    if not isinstance(value, types.FunctionType):
        return ""
    code = value.__code__
    name = user_file(code.co_filename, shown)
    return f"{name}:{code.co_firstlineno}" if name else ""
