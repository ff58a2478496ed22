"""What a process imports before what is under test is there."""

from __future__ import annotations

import importlib
import sys
from typing import List

from . import _autotune


def prepare(modules: List[str]) -> None:
    """Gets a process ready for an adapter."""
    import_packages(modules)
    _autotune.autotuners()  # those that are made from now on say so


def import_packages(modules: List[str]) -> None:
    """Imports installed packages, and has Triton name its compiler."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # what is under test will say it
            pass
    name_compiler()


def name_compiler() -> None:
    """Lets Triton name its own installation, by a digest of all of its files: tenths of a second, before the first kernel that it compiles or finds."""
    for name in ("triton.runtime.cache", "triton.compiler.compiler"):  # where it is depends on the version
        digest = getattr(sys.modules.get(name), "triton_key", None)
        if digest is not None:
            try:
                digest()  # which it keeps
            except Exception:  # the first kernel will say it
                pass
