"""How perfgate shapes, launches and checks the kernels of programs.py: `slow` tells head from base."""

import perfgate as pg
import torch

import programs


def tensors(case):
    if case.kernel == "swiglu":
        rows, columns = case.rows, case.columns
        halves = {name: pg.Scratch(rows, columns, dtype="f16") for name in "ab"}
        return {"x": pg.In(rows, 2 * columns, dtype="f16"), **halves, "y": pg.Out(rows, columns, dtype="f16")}
    if case.kernel == "few_rows":
        rows, columns = case.rows, case.columns
        parts = {name: pg.Scratch(rows, 64, dtype="f32") for name in ("most", "total")}
        return {"x": pg.In(rows, columns, dtype="f32"), **parts, "y": pg.Out(rows, columns, dtype="f32")}
    shape = (case.heads, case.S, 64)
    given = {name: pg.In(*shape, dtype="f16") for name in "qkv"}
    if case.kernel == "attention":
        given["s"] = pg.Scratch(case.heads, case.S, case.S, dtype="f32")
        given["p"] = pg.Scratch(case.heads, case.S, case.S, dtype="f16")
    return {**given, "o": pg.Out(*shape, dtype="f16")}


def launch(case, t):
    slow = bool(case.slow)
    if case.kernel == "swiglu":
        programs.gated(t.x, t.a, t.b, t.y, slow)
    elif case.kernel == "few_rows":
        programs.few_rows(t.x, t.most, t.total, t.y, slow)
    elif case.kernel == "attention" and slow:
        programs.attention_by_steps(t.q, t.k, t.v, t.s, t.p, t.o)
    else:
        programs.attention(t.q, t.k, t.v, t.o, serial=slow)


def reference(case, t):  # float64
    if case.kernel == "swiglu":
        a, b = t.x.chunk(2, -1)
        return a * torch.sigmoid(a) * b
    if case.kernel == "few_rows":
        return torch.softmax(t.x, -1)
    return torch.softmax(t.q @ t.k.transpose(-1, -2) / 8, -1) @ t.v
