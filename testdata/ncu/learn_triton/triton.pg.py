"""How perfgate shapes, launches and checks the kernels of programs.py: `slow` tells head from base."""

import perfgate as pg
import torch

import programs


def tensors(case):
    if case.kernel == "fused_softmax":
        rows, columns = case.rows, case.columns
        return {"x": pg.In(rows, columns, dtype="f32"), "most": pg.Scratch(rows, dtype="f32"), "total": pg.Scratch(rows, dtype="f32"), "y": pg.Out(rows, columns, dtype="f32")}
    if case.kernel == "dropout":
        return {"x": pg.In(case.n, dtype="f32"), "mask": pg.Scratch(case.n, dtype="i32"), "y": pg.Out(case.n, dtype="f32")}
    return {"a": pg.In(case.M, case.K, dtype="f16"), "b": pg.In(case.K, case.N, dtype="f16"), "c": pg.Out(case.M, case.N, dtype="f16")}


def launch(case, t):
    slow = bool(case.slow)
    if case.kernel == "fused_softmax":
        programs.softmax(t.x, t.most, t.total, t.y, slow)
    elif case.kernel == "dropout":
        programs.dropout(t.x, t.mask, t.y, 7, slow)
    elif case.kernel == "grouped_matmul":
        programs.matmul(t.a, t.b, t.c, 0 if slow else 8, 3)
    else:
        programs.matmul(t.a, t.b, t.c, 8, 1 if slow else 3)


def reference(case, t):  # float64
    if case.kernel == "fused_softmax":
        return torch.softmax(t.x, -1)
    if case.kernel == "dropout":
        return torch.where(programs.kept(case.n, t.x.device), t.x / 0.75, 0.0)
    return t.a @ t.b
