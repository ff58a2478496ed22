"""Problems of kernel competitions and benchmarks as adapters: what their formats have in common.

A format gives a Problem: how inputs are made, what is launched, what the reference is and how far outputs may differ from it. Adapter makes of
it the functions that an adapter has. The problem's own files are modules of text that perfgate has read; the solution is a file of the side.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.util
import linecache
import os
import sys
import types
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _task_data
from ._errors import AdapterError, SolutionError
from ._task_data import Data, Tolerance
from ._task_own import Held, of_module
from ._task_settings import Settings

SOLUTION = "submission"  # name of its module


class Files(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules of a problem, from their texts. They win over files of the side with the same names.

    ``files`` are rows (name of the module, path in the tree, text).
    """

    def __init__(self, tree: str, files: Sequence[Sequence[str]]) -> None:
        self.files = {name: (os.path.join(tree, path), text) for name, path, text in files}
        self.loaded: List[types.ModuleType] = []
        self.held = Held()
        sys.meta_path.insert(0, self)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname not in self.files:
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=self.files[fullname][0])

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        path, text = self.files[module.__name__]
        module.__file__ = path
        # Tracebacks and triton.jit read source by the name that the code was compiled with.
        linecache.cache[path] = (len(text), None, text.splitlines(True), path)
        exec(compile(text, path, "exec"), module.__dict__)
        self.loaded.append(module)
        self.held.watch(module.__name__, lambda: of_module(module))

    def has(self, path: str) -> bool:
        """Whether a file is the problem's, whatever the side has at that place."""
        return any(path == own for own, _ in self.files.values())


@contextlib.contextmanager
def kept(held: Held) -> Iterator[None]:
    """Raises where the solution has put something of its own in the place of what the problem defines. What happens within is the problem's own doing."""
    changed = held.changed()
    if changed:
        raise SolutionError(f"{changed} was replaced or changed: what the problem defines must stay its own")
    try:
        yield
    finally:
        held.renew()


def solution(tree: str, path: str, name: str) -> Any:
    """What a solution, which is a file of the side, defines under a name."""
    file = os.path.join(tree, path)
    folder = os.path.dirname(file)
    if folder not in sys.path:
        sys.path.insert(1, folder)
    spec = importlib.util.spec_from_file_location(SOLUTION, file)
    assert spec is not None and spec.loader is not None  # it ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[SOLUTION] = module
    spec.loader.exec_module(module)
    found = getattr(module, name, None)
    if not callable(found):
        raise SolutionError(f"{path} defines no {name}")
    return found


def function(module: types.ModuleType, name: str, path: str) -> Any:
    found = getattr(module, name, None)
    if not callable(found):
        raise AdapterError(f"{path} defines no {name}")
    return found


class Problem:
    """What a format has to say of a problem. ``case`` is that of perfgate. ``models`` are those that the reference is made of."""

    files: Files
    settings: Settings
    models: Held

    def inputs(self, case: Any, seed: int) -> Any:
        """Inputs of a case as the problem makes them, of any structure, on the case's device."""
        raise NotImplementedError

    def names(self) -> List[str]:
        """What to call the inputs, as far as that is known."""
        return []

    def launcher(self, case: Any) -> Any:
        """The function under test. Called once for each process and case, outside of the clock."""
        raise NotImplementedError

    def reference(self, case: Any) -> Any:
        """The function that says what is right, in the element types of the problem."""
        raise NotImplementedError

    def state(self, case: Any) -> Any:
        """What the reference keeps between calls, as far as that is known: another value where it has changed."""
        return None

    def tolerances(self, case: Any, inputs: Any, returned: Any, outputs: List[Any]) -> List[Tolerance]:
        """How far each output may be off. Raises AdapterError where the problem's check has a rule of another kind."""
        raise NotImplementedError

    @contextlib.contextmanager
    def own(self, case: Any) -> Iterator[None]:
        """Within it code of the problem runs: as it was loaded, and with its own settings."""
        with kept(self.files.held), self.settings.restored(case.device):
            yield

    @contextlib.contextmanager
    def answering(self, case: Any) -> Iterator[None]:
        """The same for the reference, and its models are as they were, too."""
        with _task_data.no_grad(), self.own(case), kept(self.models):
            yield

    def solved(self, tree: str, path: str, name: str) -> Any:
        """What the solution defines, once all modules of the problem are there. Without one nobody but the problem changes what it holds."""
        self.settings, self.models = Settings(), Held()
        if not path:
            return None
        self.files.held.begin()
        self.models.begin()
        return solution(tree, path, name)


class Bound:
    """A case that was set up: the function under test, and the inputs that were rebuilt on each set of buffers."""

    def __init__(self, data: Data, launch: Any) -> None:
        self.data, self.launch = data, launch
        self.inputs: Dict[int, Tuple[Any, Any]] = {}

    def bind(self, t: Any) -> Tuple[Any, Any]:
        found = self.inputs[id(t)] = (self.data.rebuilt({leaf.name: leaf.view(t[leaf.name]) for leaf in self.data.leaves}), t)
        return found


class Adapter:
    """The functions of an adapter for a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.described: Dict[str, Data] = {}

    def functions(self) -> Dict[str, Any]:
        return {"arrays": "torch", "tensors": self.tensors, "fill": self.fill, "fills_in_place": True, "setup": self.setup, "launch": launch, "reference": self.reference}

    def data(self, case: Any) -> Data:
        """What the inputs and outputs of a case are like. The problem is asked once, with a seed that nothing is checked with: what this
        leaves in memory is the answer to no other question."""
        name = str(case)
        if name not in self.described:
            self.described[name] = self.describe(case)
            _task_data.forget(case.device)
        return self.described[name]

    def describe(self, case: Any) -> Data:
        with _task_data.Unwritten() as unwritten, self.problem.own(case):
            inputs = self.problem.inputs(case, 0)
        data = Data(inputs, self.problem.names(), case.device, unwritten)
        with self.problem.answering(case):
            reference = self.problem.reference(case)
            before = _task_data.drawn(case.device), self.problem.state(case)
            returned = reference(data.copied())
            again = before != (_task_data.drawn(case.device), self.problem.state(case))
            outputs = data.place_outputs(returned)
            data.tolerate(self.problem.tolerances(case, data.copied(), returned, outputs))
            if again and not data.agree(returned, reference(data.copied())):
                raise AdapterError("the reference gives other outputs when it is asked again with the same inputs: it draws random numbers, or keeps a state "
                                   "between calls. perfgate asks it more than once: write an adapter for this problem")
        data.drop_values()
        return data

    def tensors(self, case: Any) -> Dict[str, Any]:
        return self.data(case).tensors()

    def fill(self, case: Any, values: str, seed: int, t: Any) -> None:
        with self.problem.own(case):
            inputs = self.problem.inputs(case, seed)
        self.data(case).fill(inputs, t)

    def setup(self, case: Any, t: Any) -> Bound:
        data = self.data(case)
        _task_data.grad_off()
        return Bound(data, self.problem.launcher(case))

    def reference(self, case: Any, t: Any) -> None:
        data = self.data(case)
        inputs = data.from_doubles(t, case.device)
        with self.problem.answering(case):
            data.store_doubles(self.problem.reference(case)(inputs), t)
        del inputs
        _task_data.forget(case.device)


def launch(case: Any, t: Any) -> Any:
    bound = t.state
    inputs, _ = bound.inputs.get(id(t)) or bound.bind(t)
    return bound.data.returned(bound.launch(inputs))


_files: Optional[Files] = None


def files(tree: str, rows: Sequence[Sequence[str]]) -> Files:
    """Makes the problem's modules importable, once in a process."""
    global _files
    _files = Files(tree, rows)
    return _files


def of_problem(path: str) -> bool:
    """Whether a file belongs to the problem, as an adapter's own file does."""
    return _files is not None and _files.has(path)
