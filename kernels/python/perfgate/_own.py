"""Whether perfgate's own functions, and those of Python that they are made of, are still what they were before code under test was loaded.

A function that is found by its name can be replaced by that name, the one that would notice it among them. So the harness holds what ``watched``
returns, which no name leads to.
"""

import builtins
import gc
import signal
import sys
import types

from ._errors import AdapterError, user_file

PACKAGE = __name__.partition(".")[0]
TALKING = ("print", "input", "open", "help", "exit", "quit", "breakpoint", "__build_class__")  # of builtins: programs replace them for reasons of their own


def functions_of(holder):
    """What a module or a class of ours is made of, by name, with the code of functions. A lambda is a default that is replaced in use."""
    found = {}
    for name, value in list(vars(holder).items()):
        if isinstance(value, types.FunctionType) and value.__name__ != "<lambda>":
            found[name] = value, value.__code__
        elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, staticmethod, classmethod, property)):
            found[name] = value, None
    return found


def holders():
    """Our modules, and the classes that they define."""
    for module in list(sys.modules.values()):
        name = getattr(module, "__name__", None)
        if isinstance(name, str) and name.partition(".")[0] == PACKAGE:
            yield name, module
            for value in list(vars(module).values()):
                if isinstance(value, type) and value.__module__ == name:
                    yield f"{name}.{value.__qualname__}", value


def of_python():
    """What our checks ask Python by, each under its name."""
    found = {f"builtins.{name}": (builtins, name, value) for name, value in vars(builtins).items() if callable(value) and name not in TALKING}
    for module, names in ((sys, ("getprofile", "gettrace", "_getframe")), (signal, ("getsignal", "valid_signals")), (gc, ("get_referents", "collect"))):
        found.update({f"{module.__name__}.{name}": (module, name, getattr(module, name)) for name in names})
    return found


def watched():
    """A function that raises AdapterError once something is not as it is now."""
    known = [(name, holder, functions_of(holder)) for name, holder in holders()]
    python = of_python()
    originals = {id(value) for _, _, value in python.values()}
    function, missing, error = types.FunctionType, object(), AdapterError

    def code_of(value):
        return value.__code__ if type(value) is function else None

    def check():
        for holder_name, holder, parts in known:
            now = vars(holder)
            for name, (value, code) in parts.items():
                if now.get(name, missing) is not value or code is not None and value.__code__ is not code:
                    raise error(f"{holder_name}.{name} is replaced: perfgate's functions have to stay its own")
        for name, (module, attribute, value) in python.items():
            found = vars(module).get(attribute, missing)
            # Libraries wrap builtins, too: theirs is another function of Python or one of an installed file.
            if found is not value and (id(found) in originals or of_side(code_of(found) or code_of(getattr(type(found), "__call__", None)))):
                raise error(f"{name} is replaced by code of this side: perfgate computes with it, too")

    return check


def of_side(code):
    """Whether code is written in a file of the side."""
    shown = str(getattr(sys.modules.get("perfgate._bridge"), "SHOWN", ""))
    return code is not None and bool(user_file(code.co_filename, shown))
