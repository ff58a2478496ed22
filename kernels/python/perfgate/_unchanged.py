"""What modules and classes hold, remembered, so that it is looked through again only where it has changed."""

from __future__ import annotations

import functools
import types
from operator import is_
from typing import Any, Dict, Iterable, List, Tuple

Known = Tuple[Any, List[Any], List[types.FunctionType], List[types.CodeType]]


class Unchanged:
    """Holders in which nothing was found. What they held is kept alive, so that nothing else can take its place in memory."""

    def __init__(self) -> None:
        self._known: Dict[int, Known] = {}

    def has(self, holder: Any) -> bool:
        """Whether a holder has the values that it had, and their functions the code that they had."""
        known = self._known.get(id(holder))
        if known is None:
            return False
        _, values, inner, codes = known
        current = list(vars(holder).values())
        return len(current) == len(values) and all(map(is_, current, values)) and all(map(is_, [f.__code__ for f in inner], codes))

    def put(self, holder: Any, values: Iterable[Any]) -> None:
        """Remembers values of a holder that have been looked through."""
        kept = list(values)
        inner = [f for f in map(unwrapped, kept) if type(f) is types.FunctionType]
        self._known[id(holder)] = holder, kept, inner, [f.__code__ for f in inner]

    def forget(self) -> None:
        self._known.clear()


def unwrapped(value: Any) -> Any:
    """The function within a method, a property or a partial; any other value is its own."""
    for name in ("__func__", "fget", "func"):
        if isinstance(value, (classmethod, staticmethod, property, functools.partial)):
            value = getattr(value, name, value)
    return value
