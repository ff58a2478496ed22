"""What an adapter's ``tensors(case)`` describes: role, shape, element type, fill and tolerance of each tensor."""

from __future__ import annotations

import math
import operator
from typing import Any, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._dtypes import DType, dtype as dtype_of, f32

MAX_RANK = 8
FILL_FIXED, ALLOW_NONFINITE = 1, 2  # flags of perfgate.h


class Fill(NamedTuple):
    """The values that an input holds: a kind of perfgate.h, and its two parameters."""

    kind: int
    a: float
    b: float


def normal(mean: float = 0.0, std: float = 1.0) -> Fill:
    """Normally distributed values. ``std`` is over 0."""
    if not std > 0:
        raise ValueError(f"a normal fill has a standard deviation over 0, not {std!r}")
    return Fill(1, float(mean), float(std))


def uniform(low: float, high: float) -> Fill:
    """Values from ``low`` to below ``high``, then rounded to the element type; for integers ``high`` is among them."""
    if high < low:
        raise ValueError(f"a uniform fill goes from low to high, not from {low!r} to {high!r}")
    return Fill(2, float(low), float(high))


def constant(value: float) -> Fill:
    """One value everywhere."""
    return Fill(3, float(value), 0.0)


def sequence(first: float = 0.0, step: float = 1.0) -> Fill:
    """first, first + step, first + 2 step, ... in memory order."""
    return Fill(4, float(first), float(step))


DEFAULT_FILL = Fill(0, 0.0, 0.0)
custom = Fill(5, 0.0, 0.0)
"""What the adapter's function ``fill`` makes of it: indices, row offsets, masks, packed blocks with scales."""

KEPT, WRITTEN, FREE = 0, 1, 2
"""What a launch does to an element of an output, for ``written``: leaves it alone; writes it; may do either, and nobody looks."""


class Tensor:
    """One tensor of a case: contiguous, row-major. Made by In, Out, InOut and Scratch.

    ``shape`` is in elements, at most 8 dimensions; none is a scalar. ``dtype`` is a word of perfgate.yaml, a perfgate, torch or
    numpy dtype. ``dims`` names the dimensions for messages: "b,h,s,d".
    Raises TypeError and ValueError for what no tensor can be.
    """

    role: int = 0

    def __init__(self, *shape: Any, dtype: Union[DType, str, Any] = f32, dims: str = "") -> None:
        self.shape = shape_of(shape)
        self.dtype = dtype_of(dtype)
        self.dims = dims
        self.fill = DEFAULT_FILL
        self.flags = 0
        self.atol = self.rtol = 0.0
        if dims and len(dims.split(",")) != len(self.shape):
            raise ValueError(f"dims {dims!r} names {len(dims.split(','))} dimensions of {len(self.shape)}")

    @property
    def count(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.count * self.dtype.bytes

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self.shape))}, dtype={str(self.dtype)!r})"

    def _filled(self, fill: Optional[Fill], fixed: bool, nonfinite: bool) -> None:
        if fill is not None and not isinstance(fill, Fill):
            raise TypeError(f"{fill!r} is no fill: use perfgate.normal, uniform, constant, sequence or custom")
        self.fill = fill or DEFAULT_FILL
        self.flags = (FILL_FIXED if fixed else 0) | (ALLOW_NONFINITE if nonfinite else 0)

    def _tolerated(self, atol: float, rtol: float) -> None:
        if not (0 <= atol < math.inf and 0 <= rtol < math.inf):
            raise ValueError(f"a tolerance is a number from 0, not atol={atol!r}, rtol={rtol!r}")
        self.atol, self.rtol = float(atol), float(rtol)


def shape_of(sizes: Tuple[Any, ...]) -> Tuple[int, ...]:
    """Sizes as they were given, or as one tuple or list of them."""
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    if len(sizes) > MAX_RANK:
        raise ValueError(f"a tensor has at most {MAX_RANK} dimensions, not {len(sizes)}")
    shape = []
    for size in sizes:
        try:
            shape.append(operator.index(size))
        except TypeError:
            raise TypeError(f"a dimension is an integer, not {size!r}") from None
        if shape[-1] < 0:
            raise ValueError(f"a dimension is 0 or more, not {size!r}")
    return tuple(shape)


class In(Tensor):
    """Must come back unchanged: what a kernel writes into it is found.

    ``fill`` is what it holds (default: normal(0, 1), integers -4 to 4); parity also tries others, unless ``fixed`` says that they
    would make no sense (indices, lengths, masks). ``nonfinite``: the result for Inf and NaN is defined, and parity asks for it.
    """

    role = 1

    def __init__(self, *shape: Any, dtype: Union[DType, str, Any] = f32, fill: Optional[Fill] = None, fixed: bool = False,
                 nonfinite: bool = False, dims: str = "") -> None:
        super().__init__(*shape, dtype=dtype, dims=dims)
        self._filled(fill, fixed, nonfinite)


class Out(Tensor):
    """Every element must be written, or returned by ``launch``: it is poisoned before.

    ``atol`` and ``rtol`` win over those of the configuration; 0 is the configuration's.
    """

    role = 2

    def __init__(self, *shape: Any, dtype: Union[DType, str, Any] = f32, atol: float = 0.0, rtol: float = 0.0, dims: str = "") -> None:
        super().__init__(*shape, dtype=dtype, dims=dims)
        self._tolerated(atol, rtol)


class InOut(Tensor):
    """Read and written: restored before every launch, outside of the clock. Parameters as of In and Out."""

    role = 3

    def __init__(self, *shape: Any, dtype: Union[DType, str, Any] = f32, fill: Optional[Fill] = None, fixed: bool = False,
                 nonfinite: bool = False, atol: float = 0.0, rtol: float = 0.0, dims: str = "") -> None:
        super().__init__(*shape, dtype=dtype, dims=dims)
        self._filled(fill, fixed, nonfinite)
        self._tolerated(atol, rtol)


class Scratch(Tensor):
    """Workspace: poisoned, never compared."""

    role = 4


class Row(NamedTuple):
    """One tensor as the harness takes it: the fields of pg_tensor."""

    name: str
    dtype: int
    role: int
    shape: Tuple[int, ...]
    dims: str
    fill: int
    flags: int
    a: float
    b: float
    atol: float
    rtol: float


MAX_TENSORS = 64
MAX_NAME, MAX_DIMS = 31, 63  # bytes


def rows(tensors: Mapping[str, Tensor]) -> List[Row]:
    """What the harness is told of ``tensors``, in their order. Raises TypeError and ValueError for what it could not take."""
    if not isinstance(tensors, Mapping):
        raise TypeError(f"tensors(case) returns a dict of In, Out, InOut and Scratch by name, not {type(tensors).__name__}")
    if len(tensors) > MAX_TENSORS:
        raise ValueError(f"tensors(case) describes {len(tensors)} tensors; at most {MAX_TENSORS} are possible")
    for name, tensor in tensors.items():
        check(name, tensor)
    if not any(isinstance(t, (Out, InOut)) for t in tensors.values()):
        raise ValueError("tensors(case) has no Out and no InOut, so nothing could be checked")
    return [row(name, t) for name, t in tensors.items()]


def check(name: Any, tensor: Any) -> None:
    if not isinstance(name, str) or not name.isidentifier() or len(name.encode()) > MAX_NAME:
        raise ValueError(f"{name!r} cannot name a tensor: it takes an identifier of at most {MAX_NAME} bytes, for t.NAME")
    if name == "state":
        raise ValueError('a tensor cannot be named "state": t.state is what setup returned')
    if not isinstance(tensor, Tensor) or not tensor.role:
        raise TypeError(f"{name} is {tensor!r}, which is none of In, Out, InOut and Scratch")
    if len(tensor.dims.encode()) > MAX_DIMS:
        raise ValueError(f"the dims of {name} take more than {MAX_DIMS} bytes")


def row(name: str, t: Tensor) -> Row:
    return Row(name, t.dtype.code, t.role, t.shape, t.dims, t.fill.kind, t.flags, t.fill.a, t.fill.b, t.atol, t.rtol)


class Tensors:
    """The tensors of one set of buffers, as setup, launch and reference get them: ``t.x`` and ``t["x"]``.

    ``t.state`` is what ``setup`` returned. In ``reference`` all are float64 and scratch is None.
    """

    def __init__(self, views: Mapping[str, Any], state: Any = None) -> None:
        self.__dict__.update(views)
        self.state = state

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.__dict__ if name != "state")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"tensors(case) describes no {name!r}; it has {', '.join(self)}")
