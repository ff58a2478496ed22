"""The Triton examples as one adapter, so that one process measures all of their cases, and PyTorch's own attention beside them."""

import perfgate as pg
import torch
import torch.nn.functional as F

from attention_triton.attention import attention
from layernorm_triton.layernorm import layernorm
from softmax_triton.softmax import softmax


def tensors(case):
    if case.kernel == "softmax":
        shape = (case.rows, case.columns)
        return {"x": pg.In(shape, dtype=case.dtype), "y": pg.Out(shape, dtype=case.dtype)}
    if case.kernel == "layernorm":
        shape, dtype = (case.rows, case.columns), case.dtype
        scales = {"w": pg.In(case.columns, dtype=dtype, fill=pg.normal(1, 0.1)), "b": pg.In(case.columns, dtype=dtype, fill=pg.normal(0, 0.1))}
        return {"x": pg.In(shape, dtype=dtype), **scales, "y": pg.Out(shape, dtype=dtype)}
    shape = (case.B, case.H, case.S, case.D)
    return {**{name: pg.In(shape, dtype="f16") for name in "qkv"}, "o": pg.Out(shape, dtype="f16")}


def setup(case, t):
    launch(case, t)  # compiles; attention tries its configurations


def launch(case, t):
    if case.kernel == "softmax":
        return softmax(t.x, out=t.y)
    if case.kernel == "layernorm":
        return layernorm(t.x, t.w, t.b)
    if case.kernel == "sdpa":
        return F.scaled_dot_product_attention(t.q, t.k, t.v, is_causal=bool(case.causal))
    return attention(t.q, t.k, t.v, bool(case.causal), out=t.o)


def reference(case, t):  # float64
    if case.kernel == "softmax":
        return torch.softmax(t.x, -1)
    if case.kernel == "layernorm":
        return F.layer_norm(t.x, (case.columns,), t.w, t.b)
    scores = t.q @ t.k.transpose(-1, -2) / case.D**0.5
    if case.causal:
        later = torch.ones(case.S, case.S, dtype=torch.bool, device=t.q.device).triu(1)
        scores = scores.masked_fill(later, -float("inf"))
    return torch.softmax(scores, -1) @ t.v


def work(case):
    if case.kernel in ("softmax", "layernorm"):
        elements = case.rows * case.columns
        return (5 if case.kernel == "softmax" else 8) * elements, 2 * elements * case.dtype.bytes
    heads = case.B * case.H
    return 4 * heads * case.S * case.S * case.D // (2 if case.causal else 1), 4 * heads * case.S * case.D * 2
