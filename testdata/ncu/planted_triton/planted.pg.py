"""How perfgate shapes, launches and checks the planted examples: `fault` is the number of what is planted."""

import perfgate as pg
import torch

from variants import planted


def tensors(case):
    if case.kernel == "attention":
        shape = (case.B, case.H, case.S, 64)
        return {**{name: pg.In(shape, dtype="f16") for name in "qkv"}, "o": pg.Out(shape, dtype="f16")}
    shape, dtype = (case.rows, case.columns), "f16" if case.kernel == "layernorm" else "f32"
    given = {"x": pg.In(shape, dtype=dtype)}
    if case.kernel == "layernorm":
        given |= {"w": pg.In(case.columns, dtype=dtype, fill=pg.normal(1, 0.1)), "b": pg.In(case.columns, dtype=dtype, fill=pg.normal(0, 0.1))}
    return {**given, "y": pg.Out(shape, dtype=dtype)}


def setup(case, t):
    launch(case, t)  # attention chooses among its configurations


def launch(case, t):
    function = planted(case.kernel, case.fault)
    if case.kernel == "attention":
        return function(t.q, t.k, t.v, bool(case.causal), out=t.o)
    if case.kernel == "layernorm":
        return function(t.x, t.w, t.b)
    return function(t.x, out=t.y)


def reference(case, t):  # float64
    if case.kernel == "softmax":
        return torch.softmax(t.x, -1)
    if case.kernel == "layernorm":
        return torch.nn.functional.layer_norm(t.x, (case.columns,), t.w, t.b)
    scores = t.q @ t.k.transpose(-1, -2) / 8
    if case.causal:
        scores = scores.masked_fill(torch.ones(case.S, case.S, dtype=torch.bool, device=t.q.device).triu(1), -float("inf"))
    return torch.softmax(scores, -1) @ t.v
