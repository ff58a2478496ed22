"""Which files of a side's tree, and which packages, an adapter has made the interpreter load or open."""

import json
import os
import sys
from typing import Any, Dict, Iterator, List, Set

_opened: Set[str] = set()
_watching = ("open", "ctypes.dlopen")


def watch() -> None:
    """From now on every file that Python code opens to read is known, those of imports among them."""
    sys.addaudithook(_seen)


def _seen(event: str, arguments: Any) -> None:
    if event in _watching and isinstance(arguments[0], (str, bytes)):
        _opened.add(os.fsdecode(arguments[0]))


def _modules() -> Iterator[Any]:
    return iter(list(sys.modules.values()))


def _file(module: Any) -> str:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) else ""


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _side_files(tree: str, root: str) -> List[str]:
    """What was read of the side, whose folder is ``root``, relative to the tree in it."""
    tree, root, found = os.path.realpath(tree), os.path.realpath(root), set()
    packages = [p for p in installed() if within(p, root)]  # a virtual environment in the checkout
    for name in [_file(m) for m in _modules()] + list(_opened):
        path = os.path.realpath(name) if name else ""
        if path and within(path, root) and os.path.isfile(path) and not any(within(path, p) for p in packages):
            found.add(os.path.relpath(path, tree))
    return sorted(found)


def _elsewhere(root: str) -> List[str]:
    """Modules that belong neither to the side nor to an installation: an editable install of another checkout, for example."""
    known = [os.path.realpath(root), *installed()]
    found = set()
    for module in _modules():
        path = os.path.realpath(_file(module)) if _file(module) else ""
        if path and os.path.isfile(path) and not any(within(path, folder) for folder in known):
            found.add(path)
    return sorted(found)


def installed() -> List[str]:
    """Folders of the interpreter, of its packages and of ours."""
    import sysconfig

    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, own, *filter(None, sysconfig.get_paths().values())}
    return sorted({os.path.realpath(p) for p in prefixes.union(p for p in sys.path if p.endswith(("site-packages", "dist-packages")))})


def _packages() -> Dict[str, str]:
    """Version by name of the top packages that are loaded, come from outside of Python itself, and have one."""
    found = {}
    own = getattr(sys, "stdlib_module_names", ())
    for name, module in list(sys.modules.items()):
        version = getattr(module, "__version__", None) if "." not in name else None
        if isinstance(version, str) and _file(module) and name not in own:
            found[name] = version
    return dict(sorted(found.items()))


def report(tree: str, root: str, shown: str) -> str:
    """JSON of all that is loaded but the adapter itself, which the harness was given."""
    return json.dumps({
        "files": [file for file in _side_files(tree, root) if file != shown],
        "elsewhere": _elsewhere(root),
        "packages": _packages(),
        "version": ".".join(map(str, sys.version_info[:3])),
        "implementation": sys.implementation.name,
    })
