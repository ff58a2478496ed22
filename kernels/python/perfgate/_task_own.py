"""Whether what a problem defines is still its own: functions with their defaults, classes with their methods, constants, the model that is its reference."""

from __future__ import annotations

import functools
import types
from typing import Any, Callable, Dict, List, Tuple

Parts = List[Any]
MOST = 1000  # parts of one value; tables that are larger are looked at as one thing


def parts(value: Any, depth: int = 0) -> Parts:
    """The objects that decide what a value is or does. They are compared by identity, and kept so that no other object gets their place."""
    found = [value]
    if depth > 3:
        return found
    inner: List[Any] = []
    if isinstance(value, types.FunctionType):
        found.append(value.__code__)
        inner = [*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *(cell.cell_contents for cell in value.__closure__ or () if filled(cell))]
    elif isinstance(value, (staticmethod, classmethod)):
        inner = [value.__func__]
    elif isinstance(value, property):
        inner = [value.fget]
    elif isinstance(value, functools.partial):
        inner = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, dict):
        inner = list(dict.values(value))
    elif isinstance(value, (list, tuple)):
        inner = list(value)
    for one in inner if len(inner) <= MOST else []:
        found += parts(one, depth + 1)
    return found


def filled(cell: Any) -> bool:
    try:
        cell.cell_contents
    except ValueError:  # of a name that is not bound yet
        return False
    return True


def of_module(module: types.ModuleType) -> Dict[str, Parts]:
    """What a module of a problem holds, by name, with the methods of its classes."""
    found = {}
    for name, value in public(module):
        found[name] = parts(value)
        if isinstance(value, type) and value.__module__ == module.__name__:
            found.update({f"{name}.{method}": parts(member) for method, member in public(value)})
    return found


def public(holder: Any) -> List[Tuple[str, Any]]:
    """Python adds names with underscores of its own while code runs."""
    return [(name, value) for name, value in list(vars(holder).items()) if not name.startswith("__") or callable(value)]


def of_model(model: Any) -> Dict[str, Parts]:
    """What a torch.nn.Module and those in it hold: where tensors lie and how often they were written to, all else by identity."""
    found = {}
    for path, module in model.named_modules():
        prefix = path + "." if path else ""
        tensors = {**module._parameters, **module._buffers}
        found.update({prefix + name: [id(t), t._version, place_of(t)] for name, t in tensors.items() if t is not None})
        found.update({prefix + name: parts(value) for name, value in vars(module).items() if name not in ("_parameters", "_buffers")})
    return found


def place_of(tensor: Any) -> int:
    """Where its elements lie, which .data changes without a trace in its version."""
    try:
        return int(tensor.data_ptr())
    except (RuntimeError, ValueError):  # a lazy module's has no memory yet
        return 0


class Held:
    """What things hold, as of the last time that the problem's own code ran. It is asked once somebody else's code is there, too."""

    def __init__(self) -> None:
        self.asked: Dict[str, Callable[[], Dict[str, Parts]]] = {}
        self.known: Dict[str, Dict[str, Parts]] = {}
        self.begun = False

    def watch(self, name: str, ask: Callable[[], Dict[str, Parts]]) -> None:
        self.asked[name] = ask
        self.renew()

    def begin(self) -> None:
        self.begun = True
        self.renew()

    def renew(self) -> None:
        if self.begun:
            self.known = {name: ask() for name, ask in self.asked.items()}

    def changed(self) -> str:
        """The name of what somebody has changed since, "" where all is as it was."""
        for thing, held in self.known.items():
            now = self.asked[thing]()
            for name in [*held, *(n for n in now if n not in held)]:
                if not same(held.get(name, []), now.get(name, [])):
                    return f"{thing}.{name}"
        return ""


def same(a: Parts, b: Parts) -> bool:
    return len(a) == len(b) and all(x is y or type(x) is type(y) is int and x == y for x, y in zip(a, b))
