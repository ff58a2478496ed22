"""CuPy arrays over GPU memory, and plain objects for Numba and others that read ``__cuda_array_interface__``."""

from __future__ import annotations

import sys
from typing import Any, Optional, Tuple

from ._dtypes import CODES, DType
from ._errors import AdapterError, headline
from ._views import Memory, Raw, RawArray, TYPESTR, Views, numel


class Cupy(Views):
    """bf16 and fp8 arrive as their bits in an unsigned type."""

    name = "cupy"

    def __init__(self) -> None:
        super().__init__()
        import cupy

        self.cupy = cupy
        self._stream: Optional[int] = None
        self._pool: Any = None
        self._outer: Any = None

    def start(self) -> None:
        try:
            self.cupy.cuda.runtime.free(0)
        except Exception as e:
            raise AdapterError(f"CuPy {self.cupy.__version__} cannot use the GPU: {headline(e)}") from e

    def view(self, pointer: int, shape: Tuple[int, ...], dtype: int, name: str = "") -> Any:
        cupy, kind = self.cupy, CODES[dtype]
        size = numel(shape) * kind.bytes
        memory = self.watch(Memory(pointer, shape, TYPESTR[kind], on_gpu=True), name, pointer, size)
        owned = cupy.cuda.UnownedMemory(pointer, max(1, size), memory)
        return cupy.ndarray(shape, cupy.dtype(TYPESTR[kind]), cupy.cuda.MemoryPointer(owned, 0))

    def use_stream(self, stream: int) -> None:
        if stream != self._stream:
            self.cupy.cuda.ExternalStream(stream).use()
            self._stream = stream

    def owns(self, value: Any) -> bool:
        return type(value) is self.cupy.ndarray

    def overwrite(self, value: Any) -> None:
        ndarray = self.cupy.ndarray  # its methods: attributes of the adapter's own could have their names
        ndarray.fill(ndarray.view(self.once(value), f"i{value.itemsize}"), -1)

    def pointer(self, value: Any) -> int:
        return value.data.ptr

    def begin_recording(self) -> None:
        pool = self.cupy.cuda.MemoryPool()
        self._outer = self.cupy.cuda.get_allocator()
        self.cupy.cuda.set_allocator(pool.malloc)
        self._pool = pool

    def end_recording(self) -> None:
        self.cupy.cuda.set_allocator(self._outer)

    def release(self) -> str:
        kept = super().release()
        self._pool = None
        return kept


class RawOnGPU(Raw):
    """Arrays of Numba where it is imported, else objects with ``pointer`` and ``__cuda_array_interface__``."""

    on_gpu = True

    def __init__(self) -> None:
        super().__init__()
        self._of_numba: Optional[type] = None

    def view(self, pointer: int, shape: Tuple[int, ...], dtype: int, name: str = "") -> Any:
        raw = super().view(pointer, shape, dtype, name)
        numba = sys.modules.get("numba.cuda")
        if not numba or not numel(shape):
            return raw
        array = numba.as_cuda_array(raw, sync=False)
        self._of_numba = type(array)
        return array

    def owns(self, value: Any) -> bool:
        """No class of the adapter's own, whose interface could compute when it is read."""
        return type(value) in (RawArray, self._of_numba)

    def pointer(self, value: Any) -> int:
        return value.__cuda_array_interface__["data"][0]

    def dtype(self, value: Any) -> str:
        return str(value.dtype) if isinstance(value.dtype, DType) else super().dtype(value)
