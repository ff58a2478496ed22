"""Arrays over memory that the harness owns, in the framework that the adapter uses. No byte is copied."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
import types
import weakref
from typing import Any, Callable, ContextManager, Dict, Iterable, List, Mapping, Optional, Sequence, Set, Tuple

from ._dtypes import CODES, DType
from ._errors import AdapterError, user_file

Shape = Tuple[int, ...]


def choose(device: str, namespace: Mapping[str, Any]) -> "Views":
    """The views for an adapter whose module has been loaded.

    Tensors are torch's where torch was imported, else CuPy's on a GPU, else numpy's on a CPU, else objects that say where their memory
    is. A global ``arrays`` of the adapter, one of these names, wins. Raises AdapterError where it names no framework of the device.
    """
    kinds = KINDS[device]
    wanted = check(device, namespace)
    if wanted is not None:
        __import__(wanted if wanted != "raw" else "ctypes")
        return made(kinds[wanted])
    for name, kind in kinds.items():
        if name in sys.modules or name == "raw":
            return made(kind)
    raise AssertionError("raw is always there")


def check(device: str, namespace: Mapping[str, Any]) -> Optional[str]:
    """The framework that an adapter asks for by its global ``arrays``; None where it leaves it open."""
    wanted = namespace.get("arrays")
    if wanted is not None and wanted not in KINDS[device]:
        raise AdapterError(f"arrays is {wanted!r}; on a {'GPU' if device == 'cuda' else 'CPU'} it is one of {', '.join(KINDS[device])}")
    return wanted


def of_host(views: "Views") -> "Views":
    """Those of the same framework for memory of the host. CuPy and Numba have numpy's."""
    name = views.name
    if name == "cupy" or (isinstance(views, Raw) and views.on_gpu and "numpy" in sys.modules):
        name = "numpy"
    return made(KINDS["cpu"][name])


def made(kind: str) -> "Views":
    module, _, name = kind.partition(":")
    return getattr(__import__(f"perfgate.{module}", fromlist=[name]), name)()


KINDS: Dict[str, Dict[str, str]] = {
    "cpu": {"torch": "_views_torch:TorchOnCPU", "numpy": "_views_numpy:Numpy", "raw": "_views:Raw"},
    "cuda": {"torch": "_views_torch:TorchOnGPU", "cupy": "_views_cupy:Cupy", "raw": "_views_cupy:RawOnGPU"},
}


class Views:
    """Arrays of one framework on one device. Used by one thread."""

    name = ""

    def __init__(self) -> None:
        self._alive: List[Tuple[weakref.ref, str, range]] = []

    def start(self) -> None:
        """Begins to use the device, and raises AdapterError where the framework cannot."""

    def view(self, pointer: int, shape: Shape, dtype: int, name: str = "") -> Any:
        """``shape`` elements of the dtype of that number at ``pointer``, contiguous, row-major."""
        raise NotImplementedError

    def use_stream(self, stream: int) -> None:
        """Makes the cudaStream_t at that address the current one of this thread. On a CPU there is none."""

    def outputs(self, names: Sequence[str], value: Any) -> List[Tuple[str, Any]]:
        """What ``launch`` or ``reference`` returned, by the output that each is for. Raises AdapterError where that is not clear."""
        if value is None:
            return []
        # Types, and methods of the plain ones: what a class of the adapter's own computes when it is asked, its __class__ too, the clock would not see.
        kind = type(value)
        if issubclass(kind, dict):
            unknown = [str(name) for name in dict.keys(value) if name not in names]
            if unknown:
                raise AdapterError(f"it returned {', '.join(unknown)}, which {'is' if len(unknown) == 1 else 'are'} no output; the outputs are {', '.join(names)}")
            return list(dict.items(value))
        values = [*(tuple if issubclass(kind, tuple) else list).__iter__(value)] if issubclass(kind, (tuple, list)) else [value]
        if len(values) != len(names):
            raise AdapterError(f"it returned {count(values, 'value')}, and there {'is' if len(names) == 1 else 'are'} {count(names, 'output')} ({', '.join(names)}): return one for each, a dict by name, or None")
        return list(zip(names, values))

    def is_view(self, view: Any, value: Any) -> bool:
        """Whether ``value`` is the harness's own memory of that output, so that there is nothing to collect."""
        return value is view or (self.owns(value) and self.pointer(value) == self.pointer(view) and self.shape(value) == self.shape(view))

    def store(self, name: str, view: Any, value: Any, exact: bool = False) -> None:
        """Copies what was returned for an output into its view, once shape and dtype are right.

        ``exact``: of a reference, which may be of float64 or of any integer type; else the dtype is the view's.
        """
        if not self.owns(value):
            raise AdapterError(f"it returned {type(value).__name__} for {name}, not a plain {self.name} array on this device")
        if self.shape(value) != self.shape(view):
            raise AdapterError(f"it returned {name} of shape {self.shape(value)}; tensors(case) says {self.shape(view)}")
        got, wanted = self.dtype(value), self.dtype(view)
        if exact and got != wanted and "float" in got:
            raise AdapterError(f"the reference returned {name} as {got}: its inputs are float64, and what it computes has to stay so")
        if not exact and got != wanted:
            raise AdapterError(f"it returned {name} as {got}; tensors(case) says {wanted}")
        self.copy(view, value)

    def mark(self, name: str, view: Any, value: Any) -> None:
        """Copies what ``written`` says of an output into its view, which has a byte for each element."""
        if not self.owns(value) or self.dtype(value) not in ("bool", "uint8"):
            raise AdapterError(f"written gave {self.described(value)} for {name}: it takes a plain {self.name} array of bool, "
                               "or of uint8 with pg.KEPT, pg.WRITTEN and pg.FREE")
        if self.shape(value) != self.shape(view):
            raise AdapterError(f"written gave {name} the shape {self.shape(value)}; tensors(case) says {self.shape(view)}")
        self.copy(view, value)

    def described(self, value: Any) -> str:
        return f"an array of {self.dtype(value)}" if self.owns(value) else type(value).__name__

    def spoil(self, value: Any) -> None:
        """Overwrites what a launch returned with NaN, integers with ones, once it is collected: a later launch that leaves it as it finds it
        is wrong then. What reaches into the harness's memory is left alone: that has its own poison."""
        extent = self.extent(value)
        if len(extent) and not any(extent.start < memory.stop and memory.start < extent.stop for _, _, memory in self._alive):
            self.overwrite(value)

    def extent(self, value: Any) -> range:
        """The bytes of memory between its first element and its last."""
        strides, size = self.strides(value), self.width(value)
        if 0 in self.shape(value):
            return range(0)
        steps = [(n - 1) * step for n, step in zip(self.shape(value), strides)]
        start = self.pointer(value) + sum(step for step in steps if step < 0)
        return range(start, start + sum(abs(step) for step in steps) + size)

    # What those above need to know of the framework's arrays.
    def owns(self, value: Any) -> bool:
        """Whether it is an array of this framework on this device, and of no class of the adapter's own: that could compute when it is read."""
        raise NotImplementedError

    def pointer(self, value: Any) -> int:
        raise NotImplementedError

    def shape(self, value: Any) -> Shape:
        return tuple(value.shape)

    def dtype(self, value: Any) -> str:
        return str(value.dtype).rpartition(".")[2]

    def strides(self, value: Any) -> Tuple[int, ...]:
        """In bytes."""
        return tuple(value.strides)

    def width(self, value: Any) -> int:
        """Bytes of an element."""
        return int(value.itemsize)

    def copy(self, view: Any, value: Any) -> None:
        view[...] = value

    def single(self, value: Any) -> Any:
        """A copy in float32."""
        return value.astype("float32")

    def rounding_f32(self, tensors: Sequence[Any], whole: Sequence[Any]) -> ContextManager[Any]:
        """Within it, float32 is computed in float32 and nothing narrower; with torch, each operation on these ``tensors`` rounds once more, at random, but of what
        is ``whole``: integers."""
        return contextlib.nullcontext()

    def rounding_stored(self, tensors: Sequence[Any], whole: Sequence[Any], bits: int) -> Optional[ContextManager[Any]]:
        """Within it each operation on float64 moves its operands by 2**-bits, relative, up or down at random; None where operations cannot be told."""
        return None

    def overwrite(self, value: Any) -> None:
        """All bits of its elements are set: NaN in every floating type."""
        raise NotImplementedError

    def once(self, value: Any) -> Any:
        """A view that has each element once, where a broadcast repeats them."""
        return value[(..., *(slice(0, 1) if step == 0 else slice(None) for step in self.strides(value)))]

    def begin_recording(self) -> None:
        """What is allocated from now on belongs to a graph that is being recorded."""

    def end_recording(self) -> None:
        """The recording is over. Its memory stays until the next one ends, or the case is over."""

    def watch(self, memory: Any, name: str, pointer: int, size: int) -> Any:
        """Remembers an object that lives as long as any view of ``size`` bytes at ``pointer``."""
        self._alive.append((weakref.ref(memory), name, range(pointer, pointer + size)))
        return memory

    def release(self) -> str:
        """The case is over, and its memory will go. Says what of it a module of the user's still holds, "" for nothing."""
        if self._kept():
            gc.collect()
        kept, self._alive = self._kept(), []
        for name, memory in kept:
            holder = holder_of(lambda value: self.holds(value, memory))
            if holder:
                return f"{holder} still holds tensor {name} of a case that is over: its memory is perfgate's and goes with the case. Copy what has to stay"
        return ""

    def holds(self, value: Any, memory: range) -> bool:
        """Whether a value is an array in some memory, or the framework's own word for that memory."""
        return self.owns(value) and self.pointer(value) in memory

    def _kept(self) -> List[Tuple[str, range]]:
        return [(name, memory) for ref, name, memory in self._alive if ref() is not None]


class Memory:
    """Where an array lies, for frameworks that ask for it by ``__array_interface__`` or ``__cuda_array_interface__``."""

    def __init__(self, pointer: int, shape: Shape, typestr: str, on_gpu: bool) -> None:
        interface = {"data": (pointer, False), "shape": shape, "typestr": typestr, "strides": None, "version": 3}
        setattr(self, "__cuda_array_interface__" if on_gpu else "__array_interface__", interface)


class RawArray(Memory):
    """An array for code that brings no framework: ``pointer``, ``shape`` and ``dtype``, and the array interface."""

    def __init__(self, pointer: int, shape: Shape, dtype: DType, on_gpu: bool) -> None:
        super().__init__(pointer, shape, TYPESTR[dtype], on_gpu)
        self.pointer, self.shape, self.dtype = pointer, shape, dtype

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.pointer)  # so that ctypes passes it to C as it is

    def __getitem__(self, key: Any) -> Any:
        raise AdapterError(self._plain())

    def __setitem__(self, key: Any, value: Any) -> None:
        raise AdapterError(self._plain())

    def _plain(self) -> str:
        frameworks = "torch or cupy" if hasattr(self, "__cuda_array_interface__") else "numpy or torch"
        return f"a tensor has no elements in Python, since the adapter has imported no framework: import {frameworks} at its top, which makes tensors its arrays"


class Raw(Views):
    """For adapters that import no framework, such as those of a C library by ctypes."""

    name = "raw"
    on_gpu = False

    def view(self, pointer: int, shape: Shape, dtype: int, name: str = "") -> Any:
        kind = CODES[dtype]
        return self.watch(RawArray(pointer, shape, kind, self.on_gpu), name, pointer, numel(shape) * kind.bytes)

    def owns(self, value: Any) -> bool:
        return type(value) is RawArray

    def pointer(self, value: Any) -> int:
        return value.pointer

    def copy(self, view: Any, value: Any) -> None:
        raise AdapterError("without numpy, torch or CuPy an output cannot be returned: write it in place")


# How the array interface names element types. bf16 and fp8 have no name there: their bits do.
TYPESTR: Dict[str, str] = {
    "f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "f8e4m3": "|u1", "f8e5m2": "|u1", "i64": "<i8", "i32": "<i4", "i8": "|i1", "u8": "|u1",
}


def count(things: Sequence[Any], what: str) -> str:
    return f"{len(things)} {what}{'' if len(things) == 1 else 's'}"


def numel(shape: Shape) -> int:
    n = 1
    for size in shape:
        n *= size
    return n


DEPTH = 6  # objects between a module and a tensor that it holds
WIDTH = 100_000  # objects that are looked at


def holder_of(is_kept: Callable[[Any], bool]) -> str:
    """The global of a user's module through which something is reached that is_kept, "" for none. What a library's own cache holds is not
    the user's fault, so the search begins at the user's modules and does not walk into other ones."""
    modules = [m for m in list(sys.modules.values()) if isinstance(m, types.ModuleType)]
    seen = {id(vars(m)) for m in modules}
    shown = str(getattr(sys.modules.get("perfgate._bridge"), "SHOWN", ""))
    for module in modules:
        path = getattr(module, "__file__", None)
        name = user_file(path, shown) if isinstance(path, str) else ""
        if not name:
            continue
        for key, value in list(vars(module).items()):
            if reaches(value, is_kept, seen):
                return f'global "{key}" of {name}'
    return ""


def reaches(start: Any, is_kept: Callable[[Any], bool], seen: Set[int]) -> bool:
    level = [start]
    for _ in range(DEPTH):
        following: List[Any] = []
        for value in level:
            if id(value) in seen or len(seen) > WIDTH or isinstance(value, types.ModuleType):
                continue
            seen.add(id(value))
            if is_kept(value):
                return True
            following += gc.get_referents(value)
        level = following
    return False
