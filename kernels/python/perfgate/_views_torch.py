"""torch tensors over memory of the harness."""

from __future__ import annotations

import contextlib
import ctypes
import sys
from typing import Any, ContextManager, Iterator, Optional, Sequence, Tuple

from ._dtypes import CODES
from ._errors import AdapterError, headline
from ._rounding_torch import BFLOAT_LEAST, HALF_BITS, HALF_LEAST, UNIT, random_roundings
from ._views import Memory, Views, numel

# Types that every torch can wrap; all others are views of one of the same size.
PLAIN = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4", "i8": "|i1", "u8": "|u1"}
BITS = {1: ("|u1", "uint8"), 2: ("<i2", "int16")}


class Torch(Views):
    name = "torch"
    device = "cpu"

    def __init__(self) -> None:
        super().__init__()
        import torch

        self.torch = torch
        # Methods and properties of the class below torch.Tensor, which nobody can change: one that the adapter gave a tensor, or its class, could
        # compute when it is asked.
        self.plain = torch.Tensor.__bases__[0]

    def view(self, pointer: int, shape: Tuple[int, ...], dtype: int, name: str = "") -> Any:
        kind = CODES[dtype]
        wanted = kind.torch
        if not numel(shape):
            return self.torch.empty(shape, dtype=wanted, device=self.device)
        typestr, bits = (PLAIN[kind], "") if kind in PLAIN else BITS[kind.bytes]
        flat = self.flat(pointer, numel(shape), numel(shape) * kind.bytes, typestr, bits or str(wanted).rpartition(".")[2], name)
        return flat.view(wanted).reshape(shape) if bits else flat.reshape(shape)

    def flat(self, pointer: int, count: int, size: int, typestr: str, dtype: str, name: str) -> Any:
        """``count`` elements, ``size`` bytes, as a tensor of one dimension."""
        raise NotImplementedError

    @contextlib.contextmanager
    def rounding_f32(self, tensors: Sequence[Any], whole: Sequence[Any]) -> Iterator[None]:
        with random_roundings(self.torch, tensors, self.torch.float32, UNIT, 0, whole):
            yield

    def rounding_stored(self, tensors: Sequence[Any], whole: Sequence[Any], bits: int) -> Optional[ContextManager[Any]]:
        return random_roundings(self.torch, tensors, self.torch.float64, 2.0**-bits, HALF_LEAST if bits == HALF_BITS else BFLOAT_LEAST, whole)

    def owns(self, value: Any) -> bool:
        return type(value) in (self.torch.Tensor, self.torch.nn.Parameter) and self.plain.device.__get__(value).type == self.device

    def holds(self, value: Any, memory: range) -> bool:
        storage = getattr(self.torch, "UntypedStorage", None)
        if storage is not None and type(value) is storage:
            return storage.data_ptr(value) in memory
        return super().holds(value, memory)

    def pointer(self, value: Any) -> int:
        return self.plain.data_ptr(value)

    def shape(self, value: Any) -> Tuple[int, ...]:
        return tuple(self.plain.shape.__get__(value))

    def dtype(self, value: Any) -> str:
        return str(self.plain.dtype.__get__(value)).rpartition(".")[2]

    def strides(self, value: Any) -> Tuple[int, ...]:
        return tuple(step * self.width(value) for step in self.plain.stride(value))

    def width(self, value: Any) -> int:
        return self.plain.element_size(value)

    def store(self, name: str, view: Any, value: Any, exact: bool = False) -> None:
        if self.owns(value) and not exact and (self.plain.is_neg(value) or self.plain.is_conj(value)):
            raise AdapterError(f"it returned {name} as a view that is negated or conjugated when it is read: return {name}.resolve_neg() or .resolve_conj()")
        super().store(name, view, value, exact)

    def copy(self, view: Any, value: Any) -> None:
        self.plain.copy_(view, self.plain.detach(value))

    def single(self, value: Any) -> Any:
        return self.plain.float(value)

    def overwrite(self, value: Any) -> None:
        bits = {1: (self.torch.uint8, 0xFF), 2: (self.torch.int16, -1), 4: (self.torch.int32, -1), 8: (self.torch.int64, -1)}
        kind, ones = bits[self.width(value)]
        with self.torch.inference_mode():  # a result may be of that mode, and takes no writing outside of it
            self.once(self.plain.detach(value)).view(kind).fill_(ones)


class TorchOnCPU(Torch):
    def flat(self, pointer: int, count: int, size: int, typestr: str, dtype: str, name: str) -> Any:
        memory = self.watch((ctypes.c_char * size).from_address(pointer), name, pointer, size)
        return self.torch.frombuffer(memory, dtype=getattr(self.torch, dtype), count=count)


class TorchOnGPU(Torch):
    device = "cuda"

    def __init__(self) -> None:
        super().__init__()
        self._stream: Optional[int] = None
        self._pool: Any = None
        self._recording: Any = None
        # Taken before code under test runs: what it puts in torch's place later does not reach the clock.
        self._external, self._set = self.torch.cuda.ExternalStream, self.torch.cuda.set_stream

    def start(self) -> None:
        torch = self.torch
        if torch.version.cuda is None:
            raise AdapterError(f"torch {torch.__version__} is built without CUDA, and this kernel runs on a GPU: install a torch with CUDA, or set \"device: cpu\"")
        try:
            torch.cuda.init()
            torch.zeros(1, device="cuda").add_(1)  # finds a torch without code for this GPU
        except Exception as e:
            raise AdapterError(f"torch {torch.__version__}, built for CUDA {torch.version.cuda}, cannot use the GPU{of_driver()}: {headline(e)}") from e

    @contextlib.contextmanager
    def rounding_f32(self, tensors: Sequence[Any], whole: Sequence[Any]) -> Iterator[None]:
        """TF32 is off: it is the default of convolutions, and adapters ask for it."""
        backends = self.torch.backends
        was = backends.cuda.matmul.allow_tf32
        backends.cuda.matmul.allow_tf32 = False
        try:
            with backends.cudnn.flags(enabled=backends.cudnn.enabled, benchmark=False, deterministic=True, allow_tf32=False), super().rounding_f32(tensors, whole):
                yield
        finally:
            backends.cuda.matmul.allow_tf32 = was

    def flat(self, pointer: int, count: int, size: int, typestr: str, dtype: str, name: str) -> Any:
        return self.torch.as_tensor(self.watch(Memory(pointer, (count,), typestr, on_gpu=True), name, pointer, size), device="cuda")

    def use_stream(self, stream: int) -> None:
        if stream == self._stream:
            return
        self._set(self._external(stream) if stream else self.torch.cuda.default_stream())
        if "cupy" in sys.modules:  # kernels of CuPy on torch's tensors
            sys.modules["cupy"].cuda.ExternalStream(stream).use()
        self._stream = stream

    def begin_recording(self) -> None:
        pool = private_pool(self.torch)
        if pool is None:
            return
        pool.__enter__()
        self._recording = pool

    def end_recording(self) -> None:
        if self._recording is None:
            return
        self._recording.__exit__(None, None, None)
        self._pool, self._recording = self._recording, None  # what the graph uses stays until the next one is there

    def release(self) -> str:
        kept = super().release()
        self._pool = None
        return kept


class private_pool_of_2_1:
    """torch.cuda.use_mem_pool for torch 2.1 to 2.4, which have its parts."""

    def __init__(self, torch: Any) -> None:
        self._torch, self._pool, self._device = torch, torch.cuda.graph_pool_handle(), torch.cuda.current_device()

    def __enter__(self) -> None:
        self._torch._C._cuda_beginAllocateCurrentStreamToPool(self._device, self._pool)

    def __exit__(self, *_: Any) -> None:
        self._torch._C._cuda_endAllocateCurrentStreamToPool(self._device, self._pool)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # at the end of the interpreter torch may be gone
            self._torch._C._cuda_releasePool(self._device, self._pool)


def private_pool(torch: Any) -> Any:
    """A context in which torch allocates from a pool that lives as long as the context; None for a torch that has none."""
    if hasattr(torch.cuda, "MemPool") and hasattr(torch.cuda, "use_mem_pool"):
        return kept_pool(torch)
    if hasattr(torch._C, "_cuda_endAllocateCurrentStreamToPool"):
        return private_pool_of_2_1(torch)
    return None


class kept_pool:
    """torch.cuda.use_mem_pool, and the pool itself."""

    def __init__(self, torch: Any) -> None:
        self._pool = torch.cuda.MemPool()
        self._context = torch.cuda.use_mem_pool(self._pool)

    def __enter__(self) -> None:
        self._context.__enter__()

    def __exit__(self, *_: Any) -> None:
        self._context.__exit__(*_)


def of_driver() -> str:
    """" (its driver has CUDA 12.4)", "" where there is no driver to ask."""
    try:
        version = ctypes.c_int()
        if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)) != 0:
            return ""
    except (OSError, AttributeError):
        return ""
    return f" (its driver has CUDA {version.value // 1000}.{version.value % 1000 // 10})"
