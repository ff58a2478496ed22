"""Problems of KernelBench: a file with Model, get_inputs and get_init_inputs, and a solution with ModelNew.

What is honoured and what is not: docs/judge.md.
"""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Sequence, Tuple

import torch

from . import _task, _task_data
from ._errors import AdapterError
from ._task_data import Tolerance
from ._task_own import of_model

PROBLEM = "problem"  # name of the module
WEIGHTS = 42  # the seed that weights are made from, so that Model and ModelNew have the same
SEEDS = 2**32

# How far an output may be off, absolute and relative, by the precision of a run.
TOLERANCES = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}


def arguments(given: Any, pairs: bool = False) -> Tuple[List[Any], Dict[str, Any]]:
    """What a function of a problem gives to a call: a list of arguments, a dict of them by name, or one tensor. ``pairs``: also a list of
    these two, as collections in KernelBench's format have it for what a model is made of."""
    if pairs and type(given) in (list, tuple) and [type(part) for part in given] in ([list, dict], [tuple, dict]) and all(type(key) is str for key in given[1]):
        return list(given[0]), given[1]
    if type(given) is dict:
        return [], given
    return [given] if isinstance(given, torch.Tensor) else list(given), {}


class Built:
    """A model that takes its arguments as ``arguments`` gives them."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __call__(self, inputs: Tuple[List[Any], Dict[str, Any]]) -> Any:
        return self.model(*inputs[0], **inputs[1])


class KernelBench(_task.Problem):
    """``solution`` is the path of the file with ModelNew; "" launches Model itself."""

    def __init__(self, tree: str, files: Sequence[Sequence[str]], solution: str) -> None:
        self.path = files[0][1]
        self.files = _task.files(tree, files)
        module = __import__(PROBLEM)
        self.model = _task.function(module, "Model", self.path)
        self.get_inputs = _task.function(module, "get_inputs", self.path)
        self.get_init_inputs = _task.function(module, "get_init_inputs", self.path)
        self.launched = self.solved(tree, solution, "ModelNew") or self.model
        self.made: Dict[str, Any] = {}
        self.keys: List[str] = []  # of inputs that are given by name

    def precision(self, case: Any) -> torch.dtype:
        """That of a parameter named dtype; float32 without one."""
        found = case["dtype"].torch if "dtype" in case else torch.float32
        if found not in TOLERANCES:
            raise AdapterError(f"dtype is {found}, and KernelBench has tolerances for f32, f16 and bf16 alone")
        return found

    def on_device(self, case: Any, value: Any) -> Any:
        """Tensors of floating types are of the run's precision; indices and all that is no tensor stay as they are."""
        if isinstance(value, torch.Tensor):
            return value.to(case.device, self.precision(case) if value.is_floating_point() else None)
        if type(value) in (list, tuple):
            return type(value)(self.on_device(case, inner) for inner in value)
        if type(value) is dict:
            return {key: self.on_device(case, inner) for key, inner in value.items()}
        return value

    def inputs(self, case: Any, seed: int) -> Any:
        _task_data.seeded(seed % SEEDS)
        made = self.on_device(case, arguments(self.get_inputs()))
        self.keys = list(made[1])
        return made

    def names(self) -> List[str]:
        named = self.keys or list(inspect.signature(self.model.forward).parameters)[1:]
        return named if all(name.isascii() and len(name) <= 31 and name not in ("state", "out") for name in named) else []

    def build(self, case: Any, model: Any) -> Any:
        _task_data.seeded(WEIGHTS)
        args, kwargs = self.on_device(case, arguments(self.get_init_inputs(), pairs=True))
        _task_data.seeded(WEIGHTS)
        made = model(*args, **kwargs).to(case.device, self.precision(case))
        return Built(made)

    def launcher(self, case: Any) -> Any:
        return self.build(case, self.launched)

    def reference(self, case: Any) -> Any:
        name = str(case)
        if name not in self.made:
            with torch.no_grad():
                made = self.made[name] = self.build(case, self.model)
                self.models.watch("the reference's model", lambda: of_model(made.model))
        return self.made[name]

    def state(self, case: Any) -> Any:
        return {name: [v if isinstance(v, (int, float)) else id(v) for v in held] for name, held in of_model(self.made[str(case)].model).items()}

    def tolerances(self, case: Any, inputs: Any, returned: Any, outputs: List[Any]) -> List[Tolerance]:
        allowed = TOLERANCES[self.precision(case)]
        return [Tolerance(allowed, allowed) for _ in outputs]


def functions(tree: str, files: Sequence[Sequence[str]], solution: str) -> Dict[str, Any]:
    return _task.Adapter(KernelBench(tree, files, solution)).functions()
