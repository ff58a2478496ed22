"""What code under test has put between torch's functions and their kernels: implementations of torch's own operators, and modes."""

from __future__ import annotations

import sys
from typing import Any, Iterator, Tuple

from ._errors import user_file
from ._views import holder_of

ALONE = "what a library computes must be the library's own while it is the oracle"
OWN = ("aten", "prims", "prim")  # namespaces of torch's operators

_looked = 0  # implementations that there were when the user's modules were last looked through


def overridden(shown: str) -> str:
    """``operators of torch are replaced by a torch.library.Library in global "lib" of kernels.py``, "" where none are."""
    global _looked
    library = sys.modules.get("torch.library")
    if library is None:
        return ""
    for what, mode in modes():
        file = getattr(sys.modules.get(type(mode).__module__), "__file__", None)
        place = user_file(file, shown) if isinstance(file, str) else ""
        if place:
            return f"{what} {type(mode).__name__} of {place} is on, which torch's own functions go through: leave it before launch returns, {ALONE}"
    there = len(getattr(library, "_impls", ()))
    if there == _looked:
        return ""
    holder = holder_of(lambda value: type(value).__name__ == "Library" and isinstance(value, library.Library) and replaces(value))
    if holder:
        return f"operators of torch are replaced by a torch.library.Library in {holder}: {ALONE}"
    _looked = there
    return ""


def replaces(library: Any) -> bool:
    """Whether it implements operators of torch's own for tensors that hold something."""
    return library.kind == "IMPL" and library.ns in OWN and library.dispatch_key != "Meta" and bool(library._op_impls)


def modes() -> Iterator[Tuple[str, Any]]:
    """Those that are on in this thread, with what each is called."""
    for what, module, stack in (
        ("the TorchFunctionMode", "torch.overrides", "_get_current_function_mode_stack"),
        ("the TorchDispatchMode", "torch.utils._python_dispatch", "_get_current_dispatch_mode_stack"),
    ):
        current = getattr(sys.modules.get(module), stack, None)
        for mode in current() if current else ():
            yield what, mode
