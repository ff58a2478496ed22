"""The inputs and outputs of a problem: any structure with tensors in it, taken apart and rebuilt on memory of the harness."""

from __future__ import annotations

import io
import pickle
import random
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import torch

from . import _tensors
from ._dtypes import DType, dtype as dtype_of, u8
from ._errors import AdapterError

EXACT = 1e-300  # a tolerance of 0 would be the configuration's


class Tolerance(NamedTuple):
    """An element is right where it is within atol + rtol * |expected|."""

    atol: float
    rtol: float


def no_grad() -> Any:
    return torch.no_grad()


def grad_off() -> None:
    """For this thread, so that a launch does not pay for a context."""
    torch.set_grad_enabled(False)


def seeded(seed: int) -> None:
    """Seeds all generators that code may draw from without one of its own."""
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def drawn(device: str) -> List[Any]:
    """The states of all these generators: others where numbers were drawn meanwhile."""
    states = [str(random.getstate()), torch.get_rng_state().tolist()]
    if device == "cuda":
        states.append(torch.cuda.get_rng_state().tolist())
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        states.append(str(numpy.random.get_state()))
    return states


def forget(device: str) -> None:
    """Gives memory back that holds what a reference has computed."""
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.empty_cache()


class Unwritten:
    """While it is entered, tensors that are made without values are known: buffers that a problem passes for outputs.

    It sees torch.empty, torch.empty_like and Tensor.new_empty, and whether PyTorch has written to such memory since.
    """

    def __init__(self) -> None:
        self.kept: List[Any] = []  # so that no other tensor gets their memory

    def __enter__(self) -> "Unwritten":
        self.originals = [(torch, "empty", torch.empty), (torch, "empty_like", torch.empty_like), (torch.Tensor, "new_empty", torch.Tensor.new_empty)]
        for holder, name, original in self.originals:
            setattr(holder, name, self.kept_of(original))
        return self

    def __exit__(self, *_: Any) -> None:
        for holder, name, original in self.originals:
            setattr(holder, name, original)

    def kept_of(self, original: Any) -> Any:
        def made(*args: Any, **kwargs: Any) -> Any:
            tensor = original(*args, **kwargs)
            self.kept.append(tensor)
            return tensor

        return made

    def holds(self, tensor: Any) -> bool:
        return tensor._version == 0 and any(tensor.numel() and tensor.data_ptr() == k.data_ptr() for k in self.kept)


class Leaf:
    """A tensor of a problem, and how it lies in the harness's memory, which is contiguous.

    A transposed tensor lies there in the order of its strides; one with gaps or overlaps as all the memory from its first element to its last.
    An element type that perfgate does not have lies there as bytes.
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value
        self.shape, self.dtype = tuple(value.shape), value.dtype
        self.role = _tensors.In
        self.tolerance = Tolerance(0, 0)
        self.parameter, self.differentiable = isinstance(value, torch.nn.Parameter), value.requires_grad
        self.order = order_of(name, value)
        self.strides = None if value.permute(self.order).is_contiguous() else tuple(value.stride())  # of a view with gaps or overlaps
        try:
            self.kind: DType = dtype_of(value.dtype)
            self.bytes_each = 0
        except TypeError:
            self.kind, self.bytes_each = u8, value.element_size()

    def described(self) -> Any:
        shape = (self.span(),) if self.strides else tuple(self.shape[i] for i in self.order)
        if self.bytes_each > 1:
            shape += (self.bytes_each,)
        options: Dict[str, Any] = {"dtype": self.kind}
        if self.role in (_tensors.In, _tensors.InOut):
            options.update(fill=_tensors.custom, fixed=True)
        if self.role in (_tensors.Out, _tensors.InOut):
            options.update(self.tolerance._asdict())
        return self.role(*shape, **options)

    def span(self) -> int:
        """How many elements lie from the first one of a view to its last."""
        return 1 + sum((size - 1) * step for size, step in zip(self.shape, self.strides or ()))

    def view(self, memory: Any) -> Any:
        """The tensor as the problem has it, on memory of the harness."""
        if self.bytes_each:
            memory = memory.view(self.dtype)
            memory = memory.squeeze(-1) if self.bytes_each > 1 else memory
        if self.strides:
            memory = memory.as_strided(self.shape, self.strides)
        elif self.order != sorted(self.order):
            memory = memory.permute([self.order.index(i) for i in range(len(self.order))])
        return self.wrapped(memory)

    def wrapped(self, tensor: Any) -> Any:
        if self.parameter:
            return torch.nn.Parameter(tensor, requires_grad=self.differentiable)
        return tensor.detach().requires_grad_() if self.differentiable else tensor

    def copied(self) -> Any:
        """The tensor once more, with memory of its own."""
        return self.wrapped(self.view(self.in_memory(self.value.detach()).clone()))

    def in_memory(self, value: Any) -> Any:
        """A tensor of the problem as it would lie in the harness's memory. No byte is copied where it lies so already."""
        if self.strides:
            value = value.as_strided((self.span(),), (1,))
        elif self.order != sorted(self.order):
            value = value.permute(self.order)
        if not self.bytes_each:
            return value
        return (value.unsqueeze(-1) if self.bytes_each > 1 else value).view(u8.torch)

    def same(self, value: Any) -> bool:
        return tuple(value.shape) == self.shape and value.dtype == self.dtype and self.strides in (None, tuple(value.stride()))


def order_of(name: str, value: Any) -> List[int]:
    """Dimensions from the outermost in memory to the innermost."""
    if value.layout != torch.strided:
        raise AdapterError(f"{name} is a tensor of layout {value.layout}, which cannot be rebuilt on perfgate's memory: write an adapter for this problem")
    return sorted(range(value.dim()), key=lambda i: (-value.stride(i), i)) if not value.is_contiguous() else list(range(value.dim()))


class Data:
    """What the inputs of a case are like: a structure, its tensors, and which of them are outputs."""

    def __init__(self, value: Any, names: Sequence[str], device: str, unwritten: Optional[Unwritten] = None) -> None:
        self.structure, tensors = apart(value)
        named = list(names) if len(names) == len(tensors) else [f"in{i}" for i in range(len(tensors))]
        self.leaves = [Leaf(n, t) for n, t in zip(named, tensors)]
        for leaf in self.leaves:
            if leaf.value.device.type != device:
                raise AdapterError(f"input {leaf.name} lies on {leaf.value.device}, and this case runs on {device}: "
                                   + ("the problem needs a GPU (device: cuda)" if device == "cpu" else "perfgate hands out memory of the GPU alone"))
        self.unwritten = [leaf for leaf in self.leaves if unwritten is not None and unwritten.holds(leaf.value)]
        self.outputs: List[Leaf] = []

    def copied(self) -> Any:
        """The inputs once more, for a function that may write to them. Roles come from what it wrote."""
        self.copies = [leaf.copied() for leaf in self.leaves]
        self.versions = [c._version for c in self.copies]
        return together(self.structure, self.copies)

    def place_outputs(self, returned: Any) -> List[Any]:
        """Decides where each returned tensor lies: in an input that was returned, in a buffer without values, or in an output of its own.

        Returns the tensors that were returned.
        """
        values = tensors_of(returned)
        if not values:
            raise AdapterError("the reference returns no tensor, and what it has to leave behind is not said otherwise")
        names = ["out"] if len(values) == 1 else [f"out{i}" for i in range(len(values))]
        given = {c.data_ptr(): leaf for c, leaf in zip(self.copies, self.leaves) if c.numel()}
        for name, value in zip(names, values):
            leaf = given.get(value.data_ptr())
            if leaf is None or leaf.strides or not leaf.same(value) or leaf in self.outputs:
                leaf = self.buffer(value)
            if leaf is None:
                leaf = Leaf(name, output_value(name, value).contiguous())
            leaf.role = _tensors.InOut if leaf in self.leaves and leaf not in self.unwritten else _tensors.Out
            self.outputs.append(leaf)
        self.rename(names)
        self.check_changes()
        return values

    def buffer(self, value: Any) -> Optional[Leaf]:
        """A buffer without values that an output like this may be written to."""
        return next((leaf for leaf in self.unwritten if leaf.same(value) and leaf not in self.outputs), None)

    def rename(self, names: Sequence[str]) -> None:
        taken = {leaf.name for leaf in self.leaves if leaf not in self.outputs}
        for leaf, name in zip(self.outputs, names):
            leaf.name = name if name not in taken else name + "_"

    def check_changes(self) -> None:
        for leaf, copy, version in zip(self.leaves, self.copies, self.versions):
            if leaf in self.outputs:
                if leaf.bytes_each > 1:
                    raise AdapterError(f"output {leaf.name} is of {leaf.dtype}, which perfgate cannot compare")
            elif leaf in self.unwritten:
                leaf.role = _tensors.Scratch
            elif copy._version != version:
                why = f", a view with gaps or overlaps (strides {leaf.strides})" if leaf.strides else " and does not return it, so what it has to hold afterwards is not checked"
                raise AdapterError(f"the reference writes to input {leaf.name}{why}: write an adapter for this problem")

    def tolerate(self, tolerances: Sequence[Tolerance]) -> None:
        for leaf, (atol, rtol) in zip(self.outputs, tolerances):
            leaf.tolerance = Tolerance(atol, rtol) if atol or rtol or not leaf.kind.floating else Tolerance(EXACT, 0)

    def agree(self, first: Any, second: Any) -> bool:
        """Whether two answers are the same within the tolerances."""
        pairs = zip(self.outputs, self.each(first), self.each(second))
        return all(a.shape == b.shape and torch.allclose(a.double(), b.double(), leaf.tolerance.rtol, leaf.tolerance.atol, equal_nan=True) for leaf, a, b in pairs)

    def drop_values(self) -> None:
        self.copies = []
        for leaf in self.leaves + self.outputs:
            leaf.value = None

    def tensors(self) -> Dict[str, Any]:
        return {leaf.name: leaf.described() for leaf in self.all()}

    def all(self) -> List[Leaf]:
        return self.leaves + [leaf for leaf in self.outputs if leaf not in self.leaves]

    def rebuilt(self, tensors: Mapping[str, Any]) -> Any:
        """The inputs as the problem has them, of these tensors by name."""
        return together(self.structure, [tensors[leaf.name] for leaf in self.leaves])

    def fill(self, value: Any, t: Any) -> None:
        structure, tensors = apart(value)
        if structure != self.structure or len(tensors) != len(self.leaves) or not all(leaf.same(v) for leaf, v in zip(self.leaves, tensors)):
            raise AdapterError("the inputs have other shapes, or other values beside tensors, for another seed: they cannot be rebuilt on perfgate's memory")
        for leaf, tensor in zip(self.leaves, tensors):
            if leaf.role in (_tensors.In, _tensors.InOut) and tensor.numel():  # what has no elements may have no memory
                t[leaf.name].copy_(leaf.in_memory(tensor.detach()))

    def from_doubles(self, t: Any, device: str) -> Any:
        """The inputs in their own element types, of tensors of float64."""
        made = {}
        for leaf in self.leaves:
            if leaf.role in (_tensors.In, _tensors.InOut):
                memory = t[leaf.name].to(leaf.kind.torch)
            else:
                described = leaf.described()
                memory = torch.zeros(described.shape, dtype=u8.torch if leaf.bytes_each else leaf.dtype, device=device)
            made[leaf.name] = leaf.view(memory)
        return self.rebuilt(made)

    def store_doubles(self, returned: Any, t: Any) -> None:
        for leaf, value in zip(self.outputs, self.each(returned)):
            t[leaf.name].copy_(leaf.in_memory(value))

    def returned(self, value: Any) -> Any:
        """What a launch returned, as the harness's outputs have it."""
        return {leaf.name: leaf.in_memory(v) if leaf.same(v) else v for leaf, v in zip(self.outputs, self.each(value))}

    def each(self, returned: Any) -> List[Any]:
        values = [returned] if type(returned) is torch.Tensor else tensors_of(returned)
        if len(values) != len(self.outputs):
            raise AdapterError(f"it returned {len(values)} tensors, and the reference returns {len(self.outputs)}")
        return [v if leaf.same(v) else output_value(leaf.name, v) for leaf, v in zip(self.outputs, values)]


def output_value(name: str, value: Any) -> Any:
    """A returned tensor in an element type that perfgate can compare, without a copy."""
    if value.dtype == torch.bool:
        return value.view(torch.uint8)
    if value.dtype in (torch.complex64, torch.complex128):
        return torch.view_as_real(value)
    try:
        dtype_of(value.dtype)
    except TypeError:
        raise AdapterError(f"output {name} is of {value.dtype}, which perfgate cannot compare") from None
    return value


def tensors_of(returned: Any) -> List[Any]:
    """The tensors of what a function returned, in order."""
    if isinstance(returned, torch.Tensor):
        return [returned]
    if returned is None:
        return []
    # By methods of the built-in types: a class of the solution's could compute in its own.
    for kind, parts in ((dict, dict.values), (tuple, tuple.__iter__), (list, list.__iter__)):
        if isinstance(returned, kind):
            return [tensor for value in parts(returned) for tensor in tensors_of(value)]
    raise AdapterError(f"it returned {type(returned).__name__} where a tensor, or tuples, lists and dicts of tensors, are compared")


class _Apart(pickle.Pickler):
    def __init__(self, file: Any) -> None:
        super().__init__(file, protocol=4)
        self.tensors: List[Any] = []
        self.known: Dict[int, int] = {}

    def persistent_id(self, value: Any) -> Optional[int]:
        if not isinstance(value, torch.Tensor):
            return None
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            raise AdapterError(f"the inputs hold a {type(value).__name__}, which cannot be rebuilt on perfgate's memory: write an adapter for this problem")
        if id(value) not in self.known:
            self.known[id(value)] = len(self.tensors)
            self.tensors.append(value)
        return self.known[id(value)]


class _Together(pickle.Unpickler):
    def __init__(self, file: Any, tensors: Sequence[Any]) -> None:
        super().__init__(file)
        self.tensors = tensors

    def persistent_load(self, index: Any) -> Any:
        return self.tensors[index]


def apart(value: Any) -> Tuple[bytes, List[Any]]:
    """A structure without its tensors, the same bytes for the same, and the tensors in it. Raises AdapterError where it has a part that
    cannot be made again, such as a generator or a lambda."""
    text = io.BytesIO()
    pickler = _Apart(text)
    try:
        pickler.dump(value)
    except (pickle.PicklingError, TypeError, AttributeError) as e:
        raise AdapterError(f"the inputs hold what cannot be rebuilt on perfgate's memory ({e}): write an adapter for this problem") from None
    return text.getvalue(), pickler.tensors


def together(structure: bytes, tensors: Sequence[Any]) -> Any:
    return _Together(io.BytesIO(structure), tensors).load()
