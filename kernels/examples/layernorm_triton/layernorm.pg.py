"""How perfgate shapes, launches and checks the kernel of layernorm.py. It returns its output, which is collected outside of the clock."""

import perfgate as pg
import torch

from layernorm import layernorm


def tensors(case):
    shape, dtype = (case.rows, case.columns), case.dtype
    return {
        "x": pg.In(shape, dtype=dtype, dims="row,column"),
        "w": pg.In(case.columns, dtype=dtype, fill=pg.normal(1, 0.1)),
        "b": pg.In(case.columns, dtype=dtype, fill=pg.normal(0, 0.1)),
        "y": pg.Out(shape, dtype=dtype, dims="row,column"),
    }


def launch(case, t):
    return layernorm(t.x, t.w, t.b)


def reference(case, t):  # float64
    return torch.nn.functional.layer_norm(t.x, (case.columns,), t.w, t.b)


def work(case):
    elements = case.rows * case.columns
    return 8 * elements, (2 * elements + 2 * case.columns) * case.dtype.bytes
