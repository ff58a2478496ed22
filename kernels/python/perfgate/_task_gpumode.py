"""Problems of GPU MODE: task.yml, reference.py with ref_kernel, generate_input and check_implementation, submission.py with custom_kernel.

What is honoured and what is not: docs/judge.md.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import torch

from . import _task, _task_data
from ._errors import AdapterError
from ._task_data import Tolerance

REFERENCE = "reference"
SEEDS = 2**31  # every generator takes seeds below

# Helpers that problems compare with, and what they compare by where a call does not say it: their own defaults.
HELPERS = ("verbose_allclose", "verbose_allequal")
OF_TORCH = ((torch, "allclose"), (torch, "isclose"), (torch, "equal"))  # torch.testing.assert_close asks isclose, by tolerances that follow from the type
OF_NUMPY = ("allclose", "isclose", "array_equal", "testing.assert_allclose", "testing.assert_array_equal")
EXACT = ("verbose_allequal", "equal", "array_equal", "assert_array_equal")


class GPUMode(_task.Problem):
    """``choices`` has, for every parameter that is no integer in task.yml, the values that 0, 1, ... stand for, each in a list; an empty list
    is a case that does not give this argument. ``solution`` is the path of the submission; "" launches the reference itself."""

    def __init__(self, tree: str, files: Sequence[Sequence[str]], choices: Mapping[str, Optional[List[List[Any]]]], solution: str) -> None:
        self.choices = choices
        self.path = next(path for name, path, _ in files if name == REFERENCE)
        self.files = _task.files(tree, files)
        module = __import__(REFERENCE)
        self.generate = _task.function(module, "generate_input", self.path)
        self.ref_kernel = _task.function(module, "ref_kernel", self.path)
        self.check = _task.function(module, "check_implementation", self.path)
        self.custom: Any = self.solved(tree, solution, "custom_kernel") or self.ref_kernel

    def arguments(self, case: Any) -> Dict[str, Any]:
        """What task.yml gives to generate_input for a case."""
        given = {}
        for name, value in case.items():
            choices = self.choices.get(name)
            if choices is None:
                given[name] = int(value)
            elif not 0 <= value < len(choices):
                raise AdapterError(f"{name}={value} stands for none of the {len(choices)} values that task.yml has")
            elif choices[value]:
                given[name] = choices[value][0]
        return given

    def inputs(self, case: Any, seed: int) -> Any:
        given = self.arguments(case)
        _task_data.seeded(seed % SEEDS)
        if isinstance(given.get("seed"), int):
            given["seed"] = (given["seed"] + seed) % SEEDS
        return self.generate(**given)

    def launcher(self, case: Any) -> Any:
        return self.custom

    def reference(self, case: Any) -> Any:
        return self.ref_kernel

    def tolerances(self, case: Any, inputs: Any, returned: Any, outputs: List[Any]) -> List[Tolerance]:
        with Recorded([sys.modules[m.__name__] for m in self.files.loaded]) as recorded:
            answer = self.check(inputs, returned)
        good = answer[0] if isinstance(answer, tuple) else not answer
        if not good:
            raise AdapterError(f"check_implementation of {self.path} refuses what its own ref_kernel returned: {answer!r:.300}")
        return [recorded.of(output, i, self.path) for i, output in enumerate(outputs)]


class Comparison:
    """One call of a helper: the tensor that was held against another, and the tolerance."""

    def __init__(self, received: Any, tolerance: Tolerance) -> None:
        self.received, self.tolerance = received, tolerance

    def is_of(self, output: Any) -> bool:
        got = self.received
        if isinstance(got, numpy_array()):
            got = torch.as_tensor(got)
        if not isinstance(got, torch.Tensor) or got.shape != output.shape:
            return False
        return got.data_ptr() == output.data_ptr() or torch.equal(got.double().cpu(), output.double().cpu())


def numpy_array() -> Any:
    numpy = sys.modules.get("numpy")
    return numpy.ndarray if numpy is not None else ()


def of_numpy() -> List[Tuple[Any, str]]:
    """The functions of numpy that compare, where it is imported."""
    numpy = sys.modules.get("numpy")
    places = [name.rpartition(".") for name in OF_NUMPY if numpy is not None]
    return [(numpy.testing if module else numpy, name) for module, _, name in places]


class Recorded:
    """Watches the helpers that compare, within the problem's modules and torch's own, while a check runs."""

    def __init__(self, modules: Sequence[Any]) -> None:
        self.places = list(OF_TORCH) + of_numpy() + [(m, name) for m in modules for name in HELPERS if callable(getattr(m, name, None))]
        self.calls: List[Comparison] = []

    def __enter__(self) -> "Recorded":
        self.originals = [(holder, name, getattr(holder, name)) for holder, name in self.places]
        for holder, name, original in self.originals:
            setattr(holder, name, self.watched(name, original))
        return self

    def __exit__(self, *_: Any) -> None:
        for holder, name, original in self.originals:
            setattr(holder, name, original)

    def watched(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(Comparison(args[0] if args else next(iter(kwargs.values()), None), tolerance_of(name, original, args, kwargs)))
            return original(*args, **kwargs)

        return called

    def of(self, output: Any, index: int, path: str) -> Tolerance:
        """The strictest tolerance that an output was compared by."""
        found = [c.tolerance for c in self.calls if c.is_of(output)]
        if not found:
            raise AdapterError(f"check_implementation of {path} has a rule of its own for what is returned ({index}): perfgate compares by absolute and "
                               "relative tolerance (verbose_allclose, verbose_allequal, match_reference, torch.allclose), and cannot apply it. "
                               "Write an adapter whose reference and tolerance say what is right")
        return min(found)


def tolerance_of(name: str, original: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tolerance:
    if name in EXACT:
        return Tolerance(0, 0)
    try:
        bound = inspect.signature(original).bind(*args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
    except (TypeError, ValueError):  # a function of C has no signature
        given = dict(zip(("input", "other", "rtol", "atol"), args), **kwargs)
    atol, rtol = given.get("atol"), given.get("rtol")
    return Tolerance(1e-8 if atol is None else float(atol), 1e-5 if rtol is None else float(rtol))


def functions(tree: str, files: Sequence[Sequence[str]], choices: Mapping[str, Any], solution: str) -> Dict[str, Any]:
    return _task.Adapter(GPUMode(tree, files, choices, solution)).functions()
