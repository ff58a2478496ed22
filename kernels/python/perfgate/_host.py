"""The interpreter's entry: loads the harness as a library and hands over to it.

    python -I -S -u -X pycache_prefix=FOLDER .../perfgate/_host.py HARNESS ARGUMENTS...

-I leaves out PYTHON* variables and the user's packages, -S what `site` imports on its own. `site` itself is needed: it finds the packages of
a virtual environment. sitecustomize and usercustomize are not run.
"""

import os
import sys
import types


def packages() -> None:
    """Adds the interpreter's own site-packages to sys.path."""
    for name in ("sitecustomize", "usercustomize"):
        sys.modules[name] = types.ModuleType(name)
    import site

    site.ENABLE_USER_SITE = False
    site.main()


def checkouts(arguments: list) -> list:
    """The folders of the side and of the repository, by the harness's options."""
    options = dict(zip(arguments[::2], arguments[1::2]))
    return [path for name in ("--tree", "--root", "--checkouts") for path in options.get(name, "").splitlines() if path]


def main() -> None:
    harness, arguments = sys.argv[1], sys.argv[2:]
    sys.argv = [""]  # an adapter has no command line
    packages()
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import site

    import perfgate._bytecode
    import perfgate._imports

    perfgate._bytecode.share([os.path.dirname(os.__file__), *site.getsitepackages()], checkouts(arguments))
    perfgate._imports.watch()
    import ctypes

    library = ctypes.CDLL(harness)
    words = [os.fsencode(word) for word in [harness, *arguments]]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    status = library.perfgate_main(len(words), argv)
    sys.stdout.flush()
    os._exit(status)  # as the harness ends: what the adapter left running is nobody's any more


main()
