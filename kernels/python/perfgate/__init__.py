"""What an adapter in Python imports: ``import perfgate as pg``.

An adapter is a file ``x.pg.py`` that perfgate.yaml names. It defines

    tensors(case) -> dict               the tensors of a case by name: pg.In, pg.Out, pg.InOut, pg.Scratch; None: not supported
    launch(case, t)                     the work under test: writes t's outputs, or returns them (collected outside of the clock)
    reference(case, t)                  optional: the same in float64, on the same device; writes or returns
    fill(case, values, seed, t)         optional, on the host: writes the inputs whose fill is pg.custom
    written(case, t) -> dict            optional, on the host: which elements a launch writes, where it is not all of them
    work(case) -> (flops, bytes)        optional: operations and bytes that any implementation needs, for rates
    setup(case, t)                      optional, untimed: autotune, compile, workspace; what it returns is t.state
    teardown(state)                     optional

``case`` has the parameters of perfgate.yaml as attributes, ``t`` the tensors: torch tensors where the adapter imports torch, else CuPy
or numpy arrays, all of them views of memory that perfgate owns. See docs/python.md.
"""

from ._case import Case, MissingParameter
from ._dtypes import DType, bf16, dtype, f8e4m3, f8e5m2, f16, f32, f64, i8, i32, i64, u8
from ._tensors import FREE, KEPT, WRITTEN, Fill, In, InOut, Out, Scratch, Tensor, Tensors, constant, custom, normal, sequence, uniform

__all__ = [
    "FREE", "KEPT", "WRITTEN", "Case", "DType", "Fill", "In", "InOut", "MissingParameter", "Out", "Scratch", "Tensor", "Tensors",
    "bf16", "constant", "custom", "dtype", "f16", "f32", "f64", "f8e4m3", "f8e5m2", "i32", "i64", "i8", "normal", "sequence", "u8", "uniform",
]
