"""The adapter: tells perfgate how to shape, launch and check the kernel. The folder perfgate, next to this file, is for your editor; perfgate
runs with its own copy."""

import perfgate as pg
import torch  # noqa: F401  (so that t.x and t.y are torch tensors)

from scale_add import scale_add

SCALE = 1.5


def tensors(case):
    """What goes in, what comes out. `case` has the parameters of perfgate.yaml."""
    return {"x": pg.In(case.n, dtype=case.dtype), "y": pg.InOut(case.n, dtype=case.dtype)}


def launch(case, t):
    """The work under test; this call is what is timed. It writes t's outputs, or returns them."""
    scale_add(SCALE, t.x, t.y)


def reference(case, t):
    """The same in float64, as simply as possible: what parity compares with. Here all tensors are float64."""
    return t.y + SCALE * t.x


def work(case):
    """Operations and bytes that any implementation needs: gives GFLOP/s and GB/s in the report."""
    return 2 * case.n, 3 * case.n * case.dtype.bytes
