"""Whether the functions of an adapter are those that perfgate calls: with the arguments that it gives them, and without a slip in the name."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any, Dict, Optional, Set

from . import _errors

SIGNATURES = {
    "tensors": ("case",),
    "launch": ("case", "t"),
    "fill": ("case", "values", "seed", "t"),
    "written": ("case", "t"),
    "setup": ("case", "t"),
    "reference": ("case", "t"),
    "work": ("case",),
    "teardown": ("state",),
}


def check(adapter: Dict[str, Any], source: str, shown: str) -> None:
    """Raises where a function could not be called as perfgate does, or is one of the others with a slip in its name, which nobody calls."""
    for name in SIGNATURES:
        if callable(adapter.get(name)):
            _check_arguments(name, adapter[name], shown)
    used: Optional[Set[str]] = None
    for name, value in adapter.items():
        meant = _meant(name) if isinstance(value, types.FunctionType) and value.__module__ == adapter["__name__"] else ""
        if not meant or callable(adapter.get(meant)):
            continue
        used = _used(source) if used is None else used
        if name not in used:
            raise _errors.AdapterError(f"{shown} defines {name}, which nothing calls: if it is to be {meant}, write def {_spelled(meant)}; if not, take it away")


def _check_arguments(name: str, function: Any, shown: str) -> None:
    try:
        signature = inspect.signature(function, follow_wrapped=False)  # of what is called, not of what that wraps
    except (TypeError, ValueError):  # of something that is not written in Python
        return
    try:
        signature.bind(*SIGNATURES[name])
    except TypeError:
        raise _errors.AdapterError(f"{name}{signature} of {shown} cannot be called as perfgate does: write def {_spelled(name)}") from None


def _spelled(name: str) -> str:
    return f"{name}({', '.join(SIGNATURES[name])})"


def _meant(name: str) -> str:
    """The function of an adapter that a name nearly is, "" where it is none or that itself."""
    if name in SIGNATURES:
        return ""
    plain = name.replace("_", "").lower()
    for meant in SIGNATURES:
        if _distance(plain, meant) <= (2 if len(meant) > 7 else 1):
            return meant
    return ""


def _distance(a: str, b: str) -> int:
    """Letters that are left out, added, exchanged or in each other's place (optimal string alignment)."""
    rows = [[i + j if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def _used(source: str) -> Set[str]:
    """Names that the adapter's own code reads."""
    nodes = list(ast.walk(ast.parse(source)))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
