"""What roundings of intermediates do to a result: Monte Carlo arithmetic (Parker, "Monte Carlo Arithmetic", 1997)."""

from __future__ import annotations

import contextlib
import struct
import zlib
from typing import Any, ContextManager, Dict, Iterable

UNIT = 2.0**-24  # of float32
LOOKED_AT = 16  # elements of each tensor, for a seed


def random_roundings(torch: Any, tensors: Iterable[Any], dtype: Any, unit: float) -> ContextManager[Any]:
    """Within it each operation gets its operands of ``dtype`` moved by ``unit``, relative, up or down at random, the same for the same ``tensors``.

    A reference alone does not always show what a right kernel loses: a softmax that one logit wins is exactly 1 in one order of operations, and a
    unit less in another. In float32 a softmax is computed by the logarithm of its sum, as kernels do that keep it for the way back: that loses a unit
    of the largest logit.
    """
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch.utils._pytree import tree_map
    except ImportError:  # an older torch
        return contextlib.nullcontext()
    generators: Dict[Any, Any] = {}
    seed = seed_of(tensors)

    def moved(operand: Any) -> Any:
        if not isinstance(operand, torch.Tensor) or operand.dtype != dtype:
            return operand
        if operand.device not in generators:
            generators[operand.device] = torch.Generator(operand.device).manual_seed(seed)
        up = torch.randint(0, 2, operand.shape, generator=generators[operand.device], device=operand.device, dtype=dtype)
        return torch.where(operand.isfinite(), torch.addcmul(operand, operand, 2 * up - 1, value=unit), operand)

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
            args, kwargs = tree_map(moved, args), tree_map(moved, kwargs)
            if func in by_logarithm and args[0].dtype == torch.float32:
                return by_logarithm[func](*args[:2])
            return func(*args, **kwargs)

    return Rounding()


def seed_of(tensors: Iterable[Any]) -> int:
    """Of what is finite: outputs hold NaN before they are written."""
    heads = (t.reshape(-1)[:LOOKED_AT] for t in tensors if t is not None)
    total = sum(float(head[head.isfinite()].sum()) for head in heads)
    return zlib.crc32(struct.pack("<d", total))  # generators on a CPU look at 32 bits of a seed
