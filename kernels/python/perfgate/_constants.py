"""Constants of a side's modules that a run of tune gives another value: ``kernels.softmax.BLOCK=64``, one a line.

The value stands in the place of the literal that the module assigns at its top level: ``BLOCK = 128``, ``BLOCK: tl.constexpr = 128`` or
``BLOCK = tl.constexpr(128)``. So what the module computes of it is computed of the new value.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
import sys
from typing import Any, Dict, Optional, Sequence

from ._errors import AdapterError

VARIABLE = "PERFGATE_CONSTANTS"  # of the environment, which holds the lines

_values: Dict[str, Dict[str, str]] = {}  # by module, by name


def take() -> None:
    """Reads what is to be set from the environment. Modules that are imported from now on have it."""
    for line in os.environ.pop(VARIABLE, "").splitlines():
        place, _, value = line.partition("=")
        module, _, name = place.rpartition(".")
        _values.setdefault(module, {})[name] = value
    if _values:
        sys.meta_path.insert(0, _Finder())


def check() -> None:
    """Raises where a module whose constants are to be set was not imported."""
    for module in _values:
        loader = getattr(sys.modules.get(module), "__loader__", None)
        if not isinstance(loader, _Loader):
            raise AdapterError(f"tune names a constant of {module}, and the adapter imports no module of the side by that name at its top level")


def _with(module: str, source: bytes, path: str) -> Any:
    """The code of a module, with what is to be set in it."""
    tree = ast.parse(source, path)
    for name, value in _values[module].items():
        place = _assigned(tree, name)
        if place is None:
            raise AdapterError(f"tune names {module}.{name}, and {os.path.basename(path)} assigns no literal to {name} at its top level, as in {name} = 128")
        place.value = _literal(value)
    return compile(tree, path, "exec", dont_inherit=True)


def _assigned(tree: ast.Module, name: str) -> Optional[ast.Constant]:
    """The literal that is assigned to a name last, by itself or as the only argument of a call."""
    found = None
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if not any(isinstance(t, ast.Name) and t.id == name for t in targets):
            continue
        value: Any = node.value  # type: ignore[union-attr]
        if isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
            value = value.args[0]
        if isinstance(value, ast.Constant):
            found = value
    return found


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text  # a word


class _Finder:
    """Finds modules as Python does, and has those compiled here whose constants are to be set."""

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if name in _values else None
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        return _with(fullname, self.get_data(self.path), self.path)  # never what was compiled before, with other values
