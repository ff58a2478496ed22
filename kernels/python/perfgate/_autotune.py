"""Which configurations @triton.autotune chose in this process, and how to keep it to one."""

from __future__ import annotations

import gc
import json
import sys
from typing import Any, Dict, List, Mapping

from ._errors import AdapterError

MOST = 64  # choices that are told of one process


def autotuners() -> List[Any]:
    """Every live autotuner of this process. It walks over all objects: not for a timed region."""
    module = sys.modules.get("triton.runtime.autotuner")
    kind = getattr(module, "Autotuner", None)
    if kind is None:
        return []
    return [obj for obj in gc.get_referrers(kind) if isinstance(obj, kind)]


def function_of(tuner: Any) -> str:
    """The name of the kernel under an autotuner, through other decorators such as heuristics."""
    fn = tuner
    while hasattr(fn, "fn"):
        fn = fn.fn
    return str(getattr(fn, "__name__", fn))


def words(config: Any) -> Dict[str, Any]:
    """A triton.Config as names and values: the kernel's own constants, then what every configuration has."""
    found = {str(k): v for k, v in getattr(config, "kwargs", {}).items()}
    for name in ("num_warps", "num_stages", "num_ctas", "maxnreg"):
        value = getattr(config, name, None)
        if value is not None and not (name == "num_ctas" and value == 1):
            found[name] = value
    return found


def chosen() -> str:
    """JSON: ``[{"kernel": ..., "key": ..., "config": "BLOCK=64, num_warps=4"}]``, sorted, "" where nothing was tuned."""
    found = []
    for tuner in autotuners():
        for key, config in getattr(tuner, "cache", {}).items():
            text = ", ".join(f"{name}={value}" for name, value in words(config).items())
            found.append({"kernel": function_of(tuner), "key": str(key), "config": text})
    found.sort(key=lambda entry: (entry["kernel"], entry["key"], entry["config"]))
    return json.dumps(found[:MOST]) if found else ""


def pin(wanted: Mapping[str, Mapping[str, Any]]) -> None:
    """Keeps autotuners to one configuration each: ``{"softmax_kernel": {"BLOCK": 64, "num_warps": 4}}``.

    A configuration is the one whose values agree with all that are given. Raises AdapterError where none or more than one does, or
    where there is no such kernel.
    """
    tuners = autotuners()
    for kernel, values in wanted.items():
        named = [t for t in tuners if function_of(t) == kernel]
        if not named:
            raise AdapterError(f"no autotuned kernel is called {kernel}, for which a configuration is pinned; there are {', '.join(sorted({function_of(t) for t in tuners})) or 'none'}")
        for tuner in named:
            tuner.configs = [the_one(kernel, tuner.configs, values)]


def the_one(kernel: str, configs: List[Any], values: Mapping[str, Any]) -> Any:
    fitting = [c for c in configs if all(words(c).get(name) == value for name, value in values.items())]
    if len(fitting) == 1:
        return fitting[0]
    pinned = ", ".join(f"{name}={value}" for name, value in values.items())
    offered = "; ".join(", ".join(f"{n}={v}" for n, v in words(c).items()) for c in configs)
    raise AdapterError(f"{len(fitting)} configurations of {kernel} have the pinned {pinned}; it offers {offered}")
