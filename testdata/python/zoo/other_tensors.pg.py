"""Describes smaller tensors from the second time on."""
import perfgate as pg
from saxpy import compute, reference  # noqa: F401

asked = 0


def tensors(case):
    global asked
    asked += 1
    n = case.n if asked == 1 else case.n * 4
    return {"a": pg.In(1, fill=pg.uniform(1, 2)), "x": pg.In(n), "y0": pg.In(n), "y": pg.Out(n)}


def launch(case, t):
    compute(t)
