"""What roundings of intermediates do to a result: Monte Carlo arithmetic (Parker, "Monte Carlo Arithmetic", 1997)."""

from __future__ import annotations

import contextlib
import struct
import zlib
from typing import Any, ContextManager, Dict, Iterable

UNIT = 2.0**-24  # of float32
LOOKED_AT = 16  # elements of each tensor, for a seed


def random_roundings(torch: Any, tensors: Iterable[Any]) -> ContextManager[Any]:
    """Within it each operation moves its float32 results by a unit, up or down at random, the same for the same ``tensors``.

    A reference alone does not always show what a right kernel loses: a softmax that one logit wins is exactly 1 in one order of operations, and a
    unit less in another.
    """
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
        from torch.utils._pytree import tree_map
    except ImportError:  # an older torch
        return contextlib.nullcontext()
    generators: Dict[Any, Any] = {}
    seed = seed_of(tensors)

    def moved(result: Any) -> Any:
        if not isinstance(result, torch.Tensor) or result.dtype != torch.float32:
            return result
        if result.device not in generators:
            generators[result.device] = torch.Generator(result.device).manual_seed(seed)
        up = torch.randint(0, 2, result.shape, generator=generators[result.device], device=result.device, dtype=torch.float32)
        return torch.where(result.isfinite(), torch.addcmul(result, result, 2 * up - 1, value=UNIT), result)

    class Rounding(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            results = func(*args, **(kwargs or {}))
            aliases = any(r.alias_info is not None for r in func._schema.returns)  # views, and what is written in place
            return results if aliases else tree_map(moved, results)

    return Rounding()


def seed_of(tensors: Iterable[Any]) -> int:
    """Of what is finite: outputs hold NaN before they are written."""
    heads = (t.reshape(-1)[:LOOKED_AT] for t in tensors if t is not None)
    total = sum(float(head[head.isfinite()].sum()) for head in heads)
    return zlib.crc32(struct.pack("<d", total))  # generators on a CPU look at 32 bits of a seed
