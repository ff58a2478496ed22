"""Bytecode of installed packages is read from beside them. -X pycache_prefix alone would have each side compile torch, over a thousand modules, anew.

That of the checkout never is, a virtual environment in it included: who may commit bytecode could have it run in the place of the source that people read.
"""

import importlib._bootstrap_external as loading
import os
import sys


def share(folders: list[str], checkouts: list[str]) -> None:
    """Reads bytecode in folders, but for those within checkouts, where it is there; all else goes to the folder of -X pycache_prefix, which is the
    side's own. What is stale counts as missing, so nothing is ever written beside.
    """
    installed = tuple(os.path.join(folder, "") for folder in folders if not any(within(folder, checkout) for checkout in checkouts))
    foreign = tuple(os.path.join(checkout, "") for checkout in checkouts)
    in_own_folder = loading.cache_from_source

    def cache_from_source(path, *args, **options):
        if not args and not options and path.startswith(installed) and not path.startswith(foreign):
            folder, name = os.path.split(path)
            beside = os.path.join(folder, "__pycache__", f"{os.path.splitext(name)[0]}.{sys.implementation.cache_tag}.pyc")
            if is_current(beside, path):
                return beside
        return in_own_folder(path, *args, **options)

    loading.cache_from_source = cache_from_source


def within(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, as it is written or where its links lead."""
    return any(os.path.join(p, "").startswith(os.path.join(f, "")) for p in (path, os.path.realpath(path)) for f in (folder, os.path.realpath(folder)))


def is_current(bytecode: str, source: str) -> bool:
    """Whether a file begins as bytecode of a source does: magic number, flags (0: known by time and size), seconds, bytes; PEP 552."""
    try:
        with open(bytecode, "rb", buffering=0) as file:
            head = file.read(16)
        now = os.stat(source)
    except OSError:
        return False
    words = (int(now.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (now.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    return head == loading.MAGIC_NUMBER + bytes(4) + words
