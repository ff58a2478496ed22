"""Element types: the words of perfgate.yaml, and what arrays of each framework call them."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union


class DType(str):
    """An element type, and its word in perfgate.yaml: ``case.dtype == "f16"``.

    ``code`` is its number in perfgate.h, ``bytes`` the size of an element.
    """

    code: int
    bytes: int
    floating: bool

    def __new__(cls, word: str, code: int, size: int, floating: bool) -> "DType":
        self = super().__new__(cls, word)
        self.code, self.bytes, self.floating = code, size, floating
        return self

    def __repr__(self) -> str:
        return "perfgate." + str(self)

    @property
    def torch(self) -> Any:
        """The torch.dtype, for tensors that a kernel makes of its own. Raises TypeError where this torch has none."""
        import torch

        found = getattr(torch, TORCH[self], None)
        if found is None:
            raise TypeError(f"torch {torch.__version__} has no {TORCH[self]}, which {self} needs")
        return found

    @property
    def numpy(self) -> Any:
        """The numpy.dtype. Raises TypeError for bf16 and fp8 where ml_dtypes is not installed."""
        import numpy

        if self in NUMPY:
            return numpy.dtype(NUMPY[self])
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(f"numpy has no {self}; the package ml_dtypes brings one") from None
        return numpy.dtype(getattr(ml_dtypes, TORCH[self]))


f64 = DType("f64", 1, 8, True)
f32 = DType("f32", 2, 4, True)
f16 = DType("f16", 3, 2, True)  # IEEE binary16
bf16 = DType("bf16", 4, 2, True)
f8e4m3 = DType("f8e4m3", 5, 1, True)  # OCP E4M3FN: no infinity, at most 448
f8e5m2 = DType("f8e5m2", 6, 1, True)  # OCP E5M2: at most 57344
i64 = DType("i64", 7, 8, False)
i32 = DType("i32", 8, 4, False)
i8 = DType("i8", 9, 1, False)
u8 = DType("u8", 10, 1, False)

ALL: Dict[str, DType] = {str(d): d for d in (f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i8, u8)}

TORCH = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
    "i64": "int64", "i32": "int32", "i8": "int8", "u8": "uint8",
}
NUMPY = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4", "i8": "|i1", "u8": "|u1"}
CODES: Dict[int, DType] = {d.code: d for d in ALL.values()}

_NAMES = {name: ALL[word] for word, name in TORCH.items()}


def dtype(of: Union[DType, str, Any]) -> DType:
    """The element type that ``of`` names: a word such as "f16", a torch.dtype, a numpy dtype or scalar type.

    Raises TypeError where it names none.
    """
    if isinstance(of, DType):
        return of
    found: Optional[DType] = None
    if isinstance(of, str):
        found = ALL.get(of) or _NAMES.get(of)
    else:
        name = str(getattr(of, "name", None) or getattr(of, "__name__", None) or of)
        found = _NAMES.get(name.rpartition(".")[2])
    if found is None:
        raise TypeError(f"{of!r} is no element type; there are {', '.join(ALL)}")
    return found
