"""What went wrong in an adapter, in words: type, message, and the place in the user's own file."""

from __future__ import annotations

import linecache
import os
import re
import sys
import traceback
from typing import List, Optional, Tuple


class AdapterError(Exception):
    """A mistake of the adapter that perfgate found: its message is all that a person needs."""


class SolutionError(AdapterError):
    """A mistake of a problem's solution: it cannot be loaded, or has replaced what is not its own."""


MOST = 2000  # bytes of a description
LONGEST = 700  # characters of a message: compilers print whole programs


def describe(exc: BaseException, shown: str) -> str:
    """Type and message, then the innermost place in the user's files, then what helps where that is known; at most 2 kB.

    ``shown`` is the adapter's name, as it was compiled with. Files of the tree are shown relative to it.
    """
    lines = [headline(exc)]
    place = where(exc, shown)
    if place:
        lines.append("at " + place)
    cause = exc.__cause__
    if cause is not None and not isinstance(exc, AdapterError):
        lines.append("caused by " + headline(cause))
    help_ = remedy(exc)
    if help_:
        lines.append(help_)
    return "\n".join(lines).encode("utf-8", "replace")[:MOST].decode("utf-8", "ignore")


def code(exc: BaseException) -> Optional[str]:
    """The code of the protocol that fits better than that of the function which raised; None where there is none."""
    names = {cls.__name__ for cls in type(exc).__mro__}
    if names & {"OutOfMemoryError", "MemoryError"} or any(words in message(exc) for words in NO_MEMORY):
        return "out-of-memory"
    if "MissingParameter" in names:
        return "missing-parameter"
    if isinstance(exc, SolutionError):
        return "sources-load"
    return None


NO_MEMORY = ("CUDA out of memory", "DefaultCPUAllocator: can't allocate memory", "DefaultCPUAllocator: not enough memory")  # torch's RuntimeErrors


def headline(exc: BaseException) -> str:
    if isinstance(exc, AdapterError):
        return message(exc)
    if isinstance(exc, SystemExit):
        return f"it called sys.exit({'' if exc.code is None else repr(exc.code)})"
    if isinstance(exc, KeyboardInterrupt):
        return "it raised KeyboardInterrupt"
    text = message(exc)
    return type(exc).__name__ + (": " + text if text else "")


def message(exc: BaseException) -> str:
    """The exception's own words on one line."""
    try:
        text = str(exc.msg) if isinstance(exc, SyntaxError) else str(exc)
    except Exception:  # a __str__ of the code under test
        text = "its message cannot be had"
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line.strip()]
    text = " / ".join(lines)
    if len(text) <= LONGEST:
        return text
    for line in lines[1:]:  # torch quotes all that a compiler printed
        if re.search(r"(^|\W)error: ", line):
            return f"{lines[0][:100]} ... {line[:LONGEST]}"
    return text[:LONGEST] + "..."


def where(exc: BaseException, shown: str) -> str:
    """``bench/softmax.pg.py:12 in launch: softmax(t.x)``, "" where no file of the user's took part."""
    if isinstance(exc, SyntaxError) and exc.filename:
        name = user_file(exc.filename, shown)
        if name:
            return placed(name, exc.lineno or 0, "", (exc.text or "").strip())
    best: Optional[Tuple[str, traceback.FrameSummary]] = None
    for frame in traceback.extract_tb(exc.__traceback__):
        name = user_file(frame.filename, shown)
        if name:
            best = name, frame
    if best is None:
        return where(exc.__cause__, shown) if exc.__cause__ is not None else ""
    name, frame = best
    line = frame.line or linecache.getline(frame.filename, frame.lineno or 0)
    return placed(name, frame.lineno or 0, frame.name, line.strip())


def placed(name: str, line: int, function: str, source: str) -> str:
    place = f"{name}:{line}"
    if function and function != "<module>":
        place += " in " + function
    return place + (": " + source[:160] if source else "")


TREE = ""  # the folder of the side under test where there is no bridge to say it


def side() -> Tuple[str, str]:
    """The folder that names of the side's files begin at, and the one around it that is all of the side; "" outside of a gate."""
    bridge = sys.modules.get("perfgate._bridge")
    tree = str(getattr(bridge, "TREE", "") or TREE)
    return tree, str(getattr(bridge, "ROOT", "") or tree)


OURS = os.path.dirname(os.path.abspath(__file__))
INSTALLED = ("site-packages", "dist-packages")


def user_file(path: str, shown: str) -> str:
    """The name to show for a file of the user's, "" for one of Python's, of a package's or of ours."""
    if path == shown:
        return shown
    (tree, root), full = side(), os.path.abspath(path)
    if not root or path.startswith("<") or full.startswith(OURS + os.sep):  # "<string>" is no file in whatever folder this runs
        return ""
    for top, start in {(root, tree), (os.path.realpath(root), os.path.realpath(tree))}:
        if full.startswith(top.rstrip(os.sep) + os.sep):
            name = os.path.relpath(full, start)
            return "" if any(part in INSTALLED for part in name.split(os.sep)) else name  # a virtual environment within the tree
    return ""


def remedy(exc: BaseException) -> str:
    """What helps against a few well-known failures, "" for all others."""
    text = message(exc)
    if isinstance(exc, ModuleNotFoundError) and exc.name:
        version = ".".join(map(str, sys.version_info[:3]))
        return (f'this is {sys.executable} (Python {version}); "python:" in perfgate.yaml names the interpreter of the environment '
                f"that has {exc.name.partition('.')[0]}")
    if isinstance(exc, PermissionError) and any(f.filename.endswith(LOCKS) for f in traceback.extract_tb(exc.__traceback__)):
        return "locks of multiprocessing lie in /dev/shm, which the sandbox keeps from kernels: work in one process, or run with --sandbox=off"
    for pattern, help_ in REMEDIES:
        if re.search(pattern, text):
            return help_
    return ""


LOCKS = os.path.join("multiprocessing", "synchronize.py")
REMEDIES: List[Tuple[str, str]] = [
    (r"no kernel image is available", "this build of the library has no code for this GPU: install one that is made for its compute capability"),
    (r"driver version is insufficient|driver on your system is too old",
     "the library is built for a newer CUDA than the driver has: update the driver, or install the library built for its CUDA"),
    (r"^/.*: cannot open shared object file: No such file", "this side has no such file: what has to be compiled first, build: {command: ...} makes on each side"),
    (r"undefined symbol|cannot open shared object file", "an extension was built for another version of Python or of a library: build it with this interpreter"),
    (r"operation not permitted when stream is capturing|operation would make the legacy stream depend",
     "work went to another stream than the current one: launch on torch.cuda.current_stream()"),
]
