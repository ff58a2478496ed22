"""Replaces attributes of modules when a script imports them, and puts everything back."""

import contextlib
import importlib.abc
import importlib.util
import sys


class Patches:
    """Attributes that were replaced. ``restore`` gives back what was there, last first."""

    def __init__(self):
        self._undo = []

    def set(self, owner, name, value):
        """Sets an attribute of a module or a class, and remembers what was there. One that is not there stays away."""
        if name not in vars(owner):
            return
        self._undo.append((owner, name, vars(owner)[name]))
        setattr(owner, name, value)

    def restore(self):
        while self._undo:
            owner, name, value = self._undo.pop()
            setattr(owner, name, value)


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader does, then lets ``apply`` at it."""

    def __init__(self, inner, apply):
        self._inner, self._apply = inner, apply

    def create_module(self, spec):
        return self._inner.create_module(spec)

    def exec_module(self, module):
        self._inner.exec_module(module)
        self._apply(module)

    def __getattr__(self, name):  # get_source and the like, for tracebacks
        return getattr(self._inner, name)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules that are to be patched by asking the finders after it."""

    def __init__(self, appliers):
        self._appliers = appliers

    def find_spec(self, name, path=None, target=None):
        if name not in self._appliers:
            return None
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec = find(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Loader(spec.loader, self._appliers[name])
                return spec
        return None


@contextlib.contextmanager
def installed(patchers):
    """While it lasts, ``patchers[name](module, patches)`` is called for a module when it is imported, or at once.

    Nothing is imported for this alone: a script may still choose its device, or its own torch, before it imports torch.
    """
    patches = Patches()
    appliers = {name: (lambda module, patch=patch: patch(module, patches)) for name, patch in patchers.items()}
    finder = _Finder(appliers)
    for name, apply in appliers.items():
        if name in sys.modules:
            apply(sys.modules[name])
    sys.meta_path.insert(0, finder)
    try:
        yield patches
    finally:
        sys.meta_path.remove(finder)
        patches.restore()
