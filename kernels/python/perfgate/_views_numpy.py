"""numpy arrays over host memory; Numba and ctypes take them as they are."""

from __future__ import annotations

import contextlib
from typing import Any, Tuple

from ._dtypes import CODES
from ._views import Memory, TYPESTR, Views, numel


class Numpy(Views):
    """bf16 and fp8 arrive as ml_dtypes has them, where it is installed, else as their bits in an unsigned type."""

    name = "numpy"

    def __init__(self) -> None:
        super().__init__()
        import numpy

        self.numpy = numpy

    def view(self, pointer: int, shape: Tuple[int, ...], dtype: int, name: str = "") -> Any:
        kind = CODES[dtype]
        bits = self.numpy.asarray(self.watch(Memory(pointer, shape, TYPESTR[kind], on_gpu=False), name, pointer, numel(shape) * kind.bytes))
        try:
            return bits.view(kind.numpy)
        except TypeError:
            return bits

    def owns(self, value: Any) -> bool:
        return type(value) is self.numpy.ndarray or (isinstance(value, self.numpy.generic) and type(value).__module__ == "numpy")

    def overwrite(self, value: Any) -> None:
        if not isinstance(value, self.numpy.ndarray):
            return  # a scalar is a copy
        bits = self.once(value).view(f"u{value.itemsize}")
        with contextlib.suppress(ValueError):  # memory that is no array's, such as that of bytes, cannot be written
            make_writable(bits)
            bits[...] = self.numpy.iinfo(bits.dtype).max

    def pointer(self, value: Any) -> int:
        return value.ctypes.data if isinstance(value, self.numpy.ndarray) else -1


def make_writable(array: Any) -> None:
    """Also what it is a view of, which only the array that owns the memory allows: else a flag would keep a remembered result."""
    if not array.flags.writeable:
        if hasattr(array.base, "flags"):
            make_writable(array.base)
        array.flags.writeable = True
