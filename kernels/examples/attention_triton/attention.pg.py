"""How perfgate shapes, launches and checks the kernel of attention.py, and tunes it outside of the clock."""

import perfgate as pg
import torch

from attention import attention


def tensors(case):
    shape = (case.B, case.H, case.S, case.D)
    given = {name: pg.In(shape, dtype="f16", dims="b,h,s,d") for name in "qkv"}
    return {**given, "o": pg.Out(shape, dtype="f16", dims="b,h,s,d")}


def setup(case, t):
    launch(case, t)  # the first launch of a shape tries the configurations


def launch(case, t):
    attention(t.q, t.k, t.v, bool(case.causal), out=t.o)


def reference(case, t):  # float64
    scores = t.q @ t.k.transpose(-1, -2) / case.D**0.5
    if case.causal:
        later = torch.ones(case.S, case.S, dtype=torch.bool, device=t.q.device).triu(1)
        scores = scores.masked_fill(later, -float("inf"))
    return torch.softmax(scores, -1) @ t.v


def work(case):
    heads = case.B * case.H
    return 4 * heads * case.S * case.S * case.D // (2 if case.causal else 1), 4 * heads * case.S * case.D * 2
