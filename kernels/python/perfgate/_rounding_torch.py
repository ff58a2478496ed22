"""What roundings of intermediates do to a result: Monte Carlo arithmetic (Parker, "Monte Carlo Arithmetic", 1997)."""

from __future__ import annotations

import contextlib
import itertools
import struct
import zlib
from typing import Any, ContextManager, Iterable, Sequence

UNIT = 2.0**-24  # of float32
HALF_BITS, HALF_LEAST = 11, 2.0**-25  # of float16: bits of precision, and half of its least positive value
BFLOAT_LEAST = 2.0**-134  # the same of bfloat16
MIXERS = (-7046029254386353131, -4658895280553007687, -7723592293110705685)  # of splitmix64, as signed numbers
LOOKED_AT = 16  # elements of each tensor, for a seed


def random_roundings(torch: Any, tensors: Sequence[Any], dtype: Any, unit: float, least: float = 0, whole: Sequence[Any] = ()) -> ContextManager[Any]:
    """Within it each operation gets its operands of ``dtype`` moved by ``unit``, relative, and ``least``, up or down at random, the same for the same
    ``tensors``. Equal values of an operand move alike, as they are rounded alike. What an operation gives as integers (indices, masks) follows from
    operands as they are, and ``whole`` tensors, which hold integers, and their views never move.

    A reference alone does not always show what a right kernel loses: a softmax that one logit wins is exactly 1 in one order of operations, and a
    unit less in another. In float32 a softmax is computed by the logarithm of its sum, as kernels do that keep it for the way back: that loses a unit
    of the largest logit.
    """
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch.utils._pytree import tree_flatten, tree_map
    except ImportError:  # an older torch
        return contextlib.nullcontext()
    fixed = {memory_of(t) for t in whole if t is not None}
    salts = itertools.count(seed_of(tensors) << 20)

    def moved(operand: Any) -> Any:
        if not isinstance(operand, torch.Tensor) or operand.dtype != dtype or memory_of(operand) in fixed:
            return operand
        mixed = operand.view(torch.int64 if dtype == torch.float64 else torch.int32).to(torch.int64) + next(salts)
        for factor in MIXERS:
            mixed = (mixed ^ (mixed >> 29)) * factor
        sign = torch.where(mixed < 0, -1.0, 1.0).to(dtype)
        return torch.where(operand.isfinite(), torch.addcmul(operand, operand, sign, value=unit) + least * sign, operand)

    def log_softmax(x: Any, dim: int) -> Any:
        return x - moved(torch.logsumexp(moved(x), dim, keepdim=True))

    def softmax(x: Any, dim: int) -> Any:
        return moved(log_softmax(x, dim)).exp()

    by_logarithm = {torch.ops.aten._softmax.default: softmax, torch.ops.aten._log_softmax.default: log_softmax}

    class Rounding(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if any(r.alias_info is not None for r in func._schema.returns):  # views, and what is written in place
                return func(*args, **kwargs)
            near, nearby = tree_map(moved, args), tree_map(moved, kwargs)
            if func in by_logarithm and args[0].dtype == torch.float32:
                return by_logarithm[func](*near[:2])
            results = func(*near, **nearby)
            integers = any(isinstance(r, torch.Tensor) and not r.is_floating_point() for r in tree_flatten(results)[0])
            return func(*args, **kwargs) if integers else results

    return Rounding()


def memory_of(tensor: Any) -> int:
    storage = tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage()
    return int(storage.data_ptr())


def seed_of(tensors: Iterable[Any]) -> int:
    """Of what is finite: outputs hold NaN before they are written."""
    heads = (t.reshape(-1)[:LOOKED_AT] for t in tensors if t is not None)
    total = sum(float(head[head.isfinite()].sum()) for head in heads)
    return zlib.crc32(struct.pack("<d", total))  # generators on a CPU look at 32 bits of a seed
