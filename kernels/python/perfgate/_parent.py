"""Whether children of this process, forked after the adapter was imported, are like fresh processes."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from typing import Dict, List

from . import _autotune

# Threads and descriptors that were there before the adapter was imported: those of the harness, and of libraries that survive a fork.
_threads = 0
_descriptors: Dict[int, str] = {}


def prepare(modules: List[str]) -> None:
    """Imports modules whose threads survive a fork (a BLAS begins its pool anew in a child), so that others are told apart from them."""
    global _threads, _descriptors
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # the adapter will say it
            pass
    name_compiler()
    _autotune.autotuners()  # those that are made from now on say so
    _threads, _descriptors = thread_count(), descriptors()


def name_compiler() -> None:
    """Lets Triton name its own installation, by a digest of all of its files: tenths of a second, before the first kernel that it compiles or finds."""
    for name in ("triton.runtime.cache", "triton.compiler.compiler"):  # where it is depends on the version
        digest = getattr(sys.modules.get(name), "triton_key", None)
        if digest is not None:
            try:
                digest()  # which it keeps
            except Exception:  # the first kernel will say it
                pass


def obstacle() -> str:
    return started_threads() or begun_device() or open_descriptors() or shared_memory()


def thread_count() -> int:
    with open("/proc/self/status", encoding="utf-8") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Threads:"))


def descriptors() -> Dict[int, str]:
    """What is open, by its number."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            found[int(name)] = os.readlink("/proc/self/fd/" + name)
        except OSError:  # the listing's own
            pass
    return found


def started_threads() -> str:
    others = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
    if others:
        return f"a thread ({others[0]}) was started while the adapter was imported"
    more = thread_count() - _threads
    return f"{more} {'thread was' if more == 1 else 'threads were'} started while the adapter was imported" if more > 0 else ""


def begun_device() -> str:
    """CUDA cannot be used in a child of a process that has begun to use it."""
    torch = sys.modules.get("torch")
    begun = torch is not None and torch.cuda.is_initialized()
    if begun or any(target.startswith("/dev/nvidia") for target in descriptors().values()):
        return "the adapter began to use CUDA while it was imported: move that into setup"
    return ""


def open_descriptors() -> str:
    for number, target in descriptors().items():
        if _descriptors.get(number) != target and target not in ("/dev/null", "/dev/urandom"):
            return f"{target} was opened while the adapter was imported, and is still open"
    return ""


def shared_memory() -> str:
    """What a child writes into a shared mapping, the next one reads."""
    with open("/proc/self/maps", encoding="utf-8") as f:
        for line in f:
            fields = line.split(None, 5)
            if fields[1][1] == "w" and fields[1][3] == "s":
                return f"memory that is shared with others was mapped while the adapter was imported ({fields[5].strip() if len(fields) > 5 else 'anonymous'})"
    return ""
