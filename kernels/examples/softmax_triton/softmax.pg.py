"""How perfgate shapes, launches and checks the kernel of softmax.py."""

import perfgate as pg
import torch

from softmax import softmax


def tensors(case):
    shape = (case.rows, case.columns)
    return {"x": pg.In(shape, dtype=case.dtype, dims="row,column"), "y": pg.Out(shape, dtype=case.dtype, dims="row,column")}


def launch(case, t):
    softmax(t.x, out=t.y)


def reference(case, t):  # float64
    return torch.softmax(t.x, -1)


def work(case):
    elements = case.rows * case.columns
    return 5 * elements, 2 * elements * case.dtype.bytes  # maximum, difference, exponential, sum, division
