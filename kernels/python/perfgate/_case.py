"""A kernel and one assignment of its parameters."""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Mapping, Tuple, Union

from ._dtypes import ALL, DType


Row = Tuple[str, str, int]  # name, text as in perfgate.yaml, and the integer or the code of a dtype


class MissingParameter(AttributeError, KeyError):
    """A parameter that perfgate.yaml does not declare for this kernel."""

    def __str__(self) -> str:
        return str(self.args[0])


class Case:
    """``case.R`` is the value of parameter R: an int, or a DType where the configuration has the word of one.

    ``case.kernel`` is the kernel's name, so that one adapter can hold several; ``case["kernel"]`` is a parameter of that name.
    ``case.device`` is "cpu" or "cuda". ``case.stream`` is the address of the cudaStream_t that all work belongs on, 0 on a CPU: torch and
    CuPy have it as their current stream already, Numba takes ``numba.cuda.external_stream(case.stream)``.
    A name that is no parameter raises MissingParameter.
    """

    __slots__ = ("kernel", "device", "stream", "_params")

    def __init__(self, kernel: str, params: Union[Mapping[str, Union[int, DType]], Iterable[Row]], device: str = "cpu", stream: int = 0) -> None:
        self.kernel = kernel
        self.device = device
        self.stream = stream
        if isinstance(params, Mapping):
            self._params: Dict[str, Union[int, DType]] = dict(params)
        else:
            self._params = {name: ALL.get(text, value) for name, text, value in params}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked by copy and pickle, of objects that are not ready
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Any:
        try:
            return self._params[name]
        except KeyError:
            has = ", ".join(self._params) or "none"
            raise MissingParameter(f'{self.kernel} has no parameter "{name}" in perfgate.yaml (it has {has})') from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __contains__(self, name: object) -> bool:
        return name in self._params

    def items(self) -> Tuple[Tuple[str, Union[int, DType]], ...]:
        """Name and value of every parameter, in declared order."""
        return tuple(self._params.items())

    def __str__(self) -> str:
        words = ",".join(f"{name}={value}" for name, value in self._params.items())
        return f"{self.kernel}/{words}" if words else self.kernel

    __repr__ = __str__

