"""Which files of a side's tree, and which packages, an adapter has made the interpreter load or open."""

import importlib.util
import json
import os
import sys
from typing import Any, Dict, Iterator, List, Set

_opened: Set[str] = set()
# Which argument is a file that is read: that of an import is an extension module.
_reads = {"open": 0, "ctypes.dlopen": 0, "import": 1}
_setters: Set[str] = set()  # files whose code set variables of the environment
auditors: Set[str] = set()  # files whose code has installed an audit hook


# The folder of the side's environment, which may lead to copies of the side's files next to it.
_environment = os.path.dirname(os.environ.get("PERFGATE_ENV", ""))

_watching = False


def watch() -> None:
    """From now on every file that Python code opens to read is known, those of imports among them."""
    global _watching
    if not _watching:  # a hook stays for ever
        _watching = True
        sys.addaudithook(_seen)


def _seen(event: str, arguments: Any) -> None:
    if event == "os.putenv":
        _setters.add(_setter())
    elif event == "sys.addaudithook":
        auditors.add(_setter())
    elif event in _reads:
        name = arguments[_reads[event]]
        if isinstance(name, (str, bytes)):
            _opened.add(os.fsdecode(name))


def _setter() -> str:
    """The file whose code is doing it."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals is vars(os):
        frame = frame.f_back
    return str(frame.f_code.co_filename)


def _source(name: str) -> str:
    """The source of a module whose compiled form is read in its place."""
    try:
        return importlib.util.source_from_cache(name) if name.endswith(".pyc") else name
    except ValueError:
        return name


def _packages_within(root: str) -> List[str]:
    """Folders of installed packages in a side: a virtual environment in the checkout."""
    return [p for p in installed() if within(p, root)]


def _of_side(name: str, root: str, foreign: List[str]) -> str:
    """The real path of a file that belongs to the side, "" of any other."""
    path = os.path.realpath(_source(name)) if name else ""
    mine = path and within(path, root) and os.path.isfile(path) and not any(within(path, p) for p in foreign)
    return path if mine else ""


def configures(root: str) -> bool:
    """Whether code of the side has set variables of the environment, which packages may read when they are imported."""
    return any(within(os.path.realpath(file), os.path.realpath(root)) for file in _setters)


def _modules() -> Iterator[Any]:
    return iter(list(sys.modules.values()))


def _file(module: Any) -> str:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) else ""


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _side_files(tree: str, root: str) -> List[str]:
    """What was read of the side, whose folder is ``root``, relative to the tree in it."""
    tree, root = os.path.realpath(tree), os.path.realpath(root)
    foreign = _packages_within(root)
    modules = [file for file in map(_file, _modules()) if not of_problem(file)]
    paths = {_of_side(name, root, foreign) for name in [*modules, *_opened]}
    return sorted(os.path.relpath(path, tree) for path in paths if path)


def of_problem(path: str) -> bool:
    """Whether a file belongs to the problem of a task format: its text came with the adapter, whatever the side has there."""
    task = sys.modules.get("perfgate._task")
    return task is not None and task.of_problem(path)


def _elsewhere(root: str) -> List[str]:
    """Modules that belong neither to the side nor to an installation: an editable install of another checkout, for example."""
    known = [os.path.realpath(root), *installed()]
    found = set()
    for module in _modules():
        path = os.path.realpath(_file(module)) if _file(module) else ""
        if path and os.path.isfile(path) and not any(within(path, folder) for folder in known):
            found.add(path)
    return sorted(found)


MOST = 512 * 1024  # bytes of the names of modules: half of the longest answer


def _others(root: str) -> List[str]:
    """Files of modules that are neither the side's nor come with Python: one that the side has may have been found there."""
    import sysconfig

    own, foreign = os.path.dirname(os.path.abspath(__file__)), _packages_within(root)
    python = [os.path.realpath(path) for path in map(sysconfig.get_path, ("stdlib", "platstdlib")) if path]
    found = set()
    for file in map(_file, _modules()):
        path = os.path.realpath(file)
        of_python = any(within(path, p) for p in python) and "-packages" + os.sep not in path
        if file and not of_python and not within(path, own) and not _of_side(file, root, foreign) and os.path.isfile(path):
            found.add(path)
    return sorted(found)


def installed() -> List[str]:
    """Folders of the interpreter, of its packages and of ours."""
    import sysconfig

    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, own, *filter(None, [_environment]), *filter(None, sysconfig.get_paths().values())}
    return sorted({os.path.realpath(p) for p in prefixes.union(p for p in sys.path if p.endswith(("site-packages", "dist-packages")))})


def _packages(root: str) -> Dict[str, str]:
    """Version by name of the top packages that are loaded, come from outside of Python itself and of the side, and have one."""
    found = {}
    own, foreign = getattr(sys, "stdlib_module_names", ()), _packages_within(root)
    for name, module in list(sys.modules.items()):
        version = getattr(module, "__version__", None) if "." not in name else None
        if isinstance(version, str) and _file(module) and name not in own and not _of_side(_file(module), root, foreign):
            found[name] = version
    return dict(sorted(found.items()))


def installed_ones(names: List[str]) -> List[str]:
    """Those of ``names`` that are loaded and come from an installation, in the order in which they were imported."""
    folders = installed()
    return [n for n in list(sys.modules) if n in names and any(within(os.path.realpath(_file(sys.modules[n])), f) for f in folders)]


def report(tree: str, root: str, shown: str) -> str:
    """JSON of all that is loaded but the adapter itself, which the harness was given."""
    others = _others(os.path.realpath(root))
    more = len(json.dumps(others)) > MOST
    return json.dumps({
        "files": [file for file in _side_files(tree, root) if file != shown],
        "elsewhere": _elsewhere(root),
        "packages": _packages(os.path.realpath(root)),
        "configures": configures(root),
        "version": ".".join(map(str, sys.version_info[:3])),
        "implementation": sys.implementation.name,
        "modules": [] if more else others,
        "moreModules": more,
    })
