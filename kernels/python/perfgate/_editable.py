"""Editable installs (``pip install -e``, ``uv pip install -e``, ``conda develop``): they name folders of the checkout that they were made from, and so
would give both sides the same code. What lies in that repository is imported from the side under test; what lies elsewhere is refused.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from typing import Any, Iterable, List, Optional, Sequence

from ._imports import installed, within


class Places:
    """Where an import may lead. ``root`` is the folder of the side, ``checkouts`` are others of the same repository."""

    def __init__(self, root: str, checkouts: Iterable[str]) -> None:
        self.root = os.path.realpath(root)
        self.checkouts = {os.path.realpath(c) for c in checkouts if c} - {self.root}
        # The innermost counts: a virtual environment may lie in a checkout, and a checkout in a folder of the system.
        self.folders = sorted({self.root, *self.checkouts, *installed()}, key=len, reverse=True)

    def moved(self, path: str) -> Optional[str]:
        """The same path in the side, None where it belongs to another repository. A path of an installation stays."""
        path = os.path.realpath(path)
        folder = next((folder for folder in self.folders if within(path, folder)), None)
        if folder in self.checkouts:
            return os.path.normpath(os.path.join(self.root, os.path.relpath(path, folder)))
        return path if folder else None


def redirect(root: str, checkouts: Iterable[str]) -> None:
    """Puts the side's own folders in the place of those that editable installs added to sys.path and sys.meta_path."""
    places = Places(root, checkouts)
    foreign = [p for p in sys.path if os.path.isdir(p) and places.moved(p) is None]
    sys.path[:] = [(places.moved(p) if os.path.isdir(p) else p) or p for p in sys.path if p not in foreign]
    sys.meta_path[:] = [finder if of_python(finder) else Redirected(finder, places) for finder in sys.meta_path]
    if foreign:
        sys.meta_path.append(Foreign(foreign))


def of_python(finder: Any) -> bool:
    return str(getattr(finder, "__module__", "")).partition(".")[0] in ("_frozen_importlib", "_frozen_importlib_external", "importlib")


class Redirected:
    """The finder of an editable install, whose answers are led to the side."""

    def __init__(self, finder: Any, places: Places) -> None:
        self._finder, self._places = finder, places

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        find = getattr(self._finder, "find_spec", None)
        spec = find(name, path, target) if find else None
        return spec if spec is None else self.led(name, spec)

    def led(self, name: str, spec: Any) -> Any:
        origin = spec.origin if spec.has_location else None
        folders = list(spec.submodule_search_locations) if spec.submodule_search_locations is not None else None
        here = [p for p in [origin, *(folders or [])] if p and os.path.exists(p)]
        there = {p: self._places.moved(p) for p in here}
        for place, moved in there.items():
            if moved is None:
                raise ImportError(elsewhere(name, place), name=name)
        if all(os.path.realpath(place) == moved for place, moved in there.items()):
            return spec
        if folders is not None:
            folders = [there.get(p) or p for p in folders]
        if origin is None:
            led = importlib.machinery.ModuleSpec(name, None, is_package=True)
            led.submodule_search_locations = folders
            return led
        return self.from_file(name, origin, there[origin] or origin, folders)

    def from_file(self, name: str, origin: str, moved: str, folders: Optional[List[str]]) -> Any:
        if os.path.exists(moved):
            return importlib.util.spec_from_file_location(name, moved, submodule_search_locations=folders)
        if origin.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
            raise ImportError(f"{name} is an extension of an editable install, built in the checkout ({origin}): it is neither side's. "
                              '"build: {command: ...}" of the kernel builds it in each side', name=name)
        return None  # the side has no such module


class Foreign:
    """Says of a module that an editable install outside of the repository has, why it is not imported. Asked when nothing else has it."""

    def __init__(self, folders: List[str]) -> None:
        self._folders = folders

    def find_spec(self, name: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        for folder in self._folders if path is None else []:
            for found in (os.path.join(folder, name), os.path.join(folder, name + ".py")):
                if os.path.exists(found):
                    raise ImportError(elsewhere(name, found), name=name)
        return None


def elsewhere(name: str, path: str) -> str:
    return (f"{name} is an editable install of {path}, outside of this repository: both sides would run what lies there. "
            "Install the package itself (pip install without -e), or keep its code in the repository")
