"""Which configurations autotuners chose in this process."""

from __future__ import annotations

import functools
import gc
import sys
import weakref
from typing import Any, Dict, List, Tuple

from ._errors import AdapterError

MOST = 8  # choices that are told of one process


def of_kind(module: str, name: str) -> List[Any]:
    """Every live object of a class. It walks over all objects, with torch a twentieth of a second: for what is asked once a case."""
    kind = getattr(sys.modules.get(module), name, None)
    return [obj for obj in gc.get_referrers(kind) if isinstance(obj, kind)] if kind is not None else []


_watched: Any = None  # Triton's class of autotuners
_tuners: List["weakref.ref[Any]"] = []


def autotuners() -> List[Any]:
    """Every live @triton.autotune of this process. Only the first call walks over all objects: from then on each says itself that it is made."""
    global _watched
    kind = getattr(sys.modules.get("triton.runtime.autotuner"), "Autotuner", None)
    if kind is not _watched:
        _watched = kind
        _tuners[:] = map(weakref.ref, of_kind("triton.runtime.autotuner", "Autotuner"))
        if kind is not None:
            announce(kind)
    return [tuner for tuner in (known() for known in _tuners) if tuner is not None]


def announce(kind: Any) -> None:
    """Has each new object of a class of autotuners join those that are known."""
    made = kind.__init__

    @functools.wraps(made)
    def init(self: Any, *args: Any, **options: Any) -> None:
        made(self, *args, **options)
        _tuners.append(weakref.ref(self))

    kind.__init__ = init


def function_of(tuner: Any) -> str:
    """The name of the kernel under an autotuner, through other decorators such as heuristics. Inductor's lets go of its function once it is compiled."""
    fn = tuner
    while getattr(fn, "fn", None) is not None:
        fn = fn.fn
    named = getattr(fn, "__name__", None) or (getattr(tuner, "inductor_meta", None) or {}).get("kernel_name")
    return str(named or type(fn).__name__)


def words(config: Any) -> Dict[str, Any]:
    """A triton.Config as names and values: the kernel's own constants, then what every configuration has."""
    found = {str(k): v for k, v in getattr(config, "kwargs", {}).items()}
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        value = getattr(config, name, None)
        if value is not None and not (name == "num_ctas" and value == 1):
            found[name] = value
    return found


def text_of(config: Any) -> str:
    """BLOCK=64, num_warps=4"""
    return ", ".join(f"{name}={value}" for name, value in words(config).items())


# Values that configurations must have, by the name of the tuned function; and the tuners that have been restricted to them.
_pins: Dict[str, Dict[str, str]] = {}
_before: Dict[str, List[Dict[str, str]]] = {}  # what was chosen in other processes, and is again where it can be
_applied: Dict[str, List[Any]] = {}


def pins(lines: str) -> None:
    """Takes choices from tuners, by lines such as ``softmax_kernel: BLOCK=64, num_warps=4``. ``softmax_kernel?: ...`` asks for what was chosen
    before, and leaves a tuner alone that has no such configuration."""
    _pins.clear()
    _before.clear()
    _applied.clear()
    for line in lines.splitlines():
        function, _, config = line.partition(":")
        name, values = function.strip(), dict(value_of(part) for part in config.split(","))
        if name.endswith("?"):
            _before.setdefault(name[:-1], []).append(values)
        else:
            _pins[name] = values


def value_of(part: str) -> Tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip(), value.strip()


def apply() -> None:
    """Restricts the tuners that are there by now."""
    for tuner in autotuners() if _pins or _before else []:
        function = function_of(tuner)
        known = _applied.setdefault(function, [])
        if any(tuner is other for other in known):
            continue
        if function in _pins:
            tuner.configs = matching(function, tuner.configs)
            known.append(tuner)
        elif function in _before:
            tuner.configs = [c for c in tuner.configs if any(has(c, wanted) for wanted in _before[function])] or tuner.configs
            known.append(tuner)


def has(config: Any, wanted: Dict[str, str]) -> bool:
    return wanted.items() <= {name: str(value) for name, value in words(config).items()}.items()


def matching(function: str, configs: List[Any]) -> List[Any]:
    wanted = _pins[function]
    found = [c for c in configs if has(c, wanted)]
    if found:
        return found
    there = "; ".join(text_of(c) for c in configs[:MOST])
    raise AdapterError(f"pin: {function} has no configuration with {', '.join(f'{n}={v}' for n, v in wanted.items())}; it has {there}")


def all_applied() -> None:
    """Raises for a pin that no tuner is called like, once there was a launch."""
    for function in _pins:
        if not _applied.get(function):
            there = ", ".join(sorted({function_of(t) for t in autotuners()})) or "none"
            raise AdapterError(f"pin: there is no @triton.autotune on a function {function}; there are: {there}")


def forget() -> None:
    """A case begins: what tuners chose for another one is not told of it. What they know by now they keep."""
    for tuner in autotuners():
        tuner.best_config = None


def chosen() -> str:
    """``softmax_kernel: BLOCK=64, num_warps=4``, of every kernel that had a choice and was launched since forget(); "" for none."""
    found = set()
    for tuner in autotuners():
        config = getattr(tuner, "best_config", None)
        if config is not None and len(tuner.configs) > 1:
            found.add(f"{function_of(tuner)}: {text_of(config)}")
    for tuner in of_kind("torch._inductor.runtime.triton_heuristics", "CachingAutotuner"):
        launchers = getattr(tuner, "launchers", [])
        if len(launchers) == 1 and len(getattr(tuner, "configs", None) or [1, 2]) > 1:
            found.add(f"{function_of(tuner)}: {text_of(launchers[0].config)}")
    told = sorted(found)
    return "; ".join(told[:MOST]) + (f"; and {len(told) - MOST} others" if len(told) > MOST else "")
