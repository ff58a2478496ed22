"""numpy arrays over host memory; Numba and ctypes take them as they are."""

from __future__ import annotations

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

    def pointer(self, value: Any) -> int:
        return value.ctypes.data if isinstance(value, self.numpy.ndarray) else -1
