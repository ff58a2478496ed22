import perfgate as pg
import torch

from matmul import matmul


def tensors(case):
    return {
        "a": pg.In((case.m, case.k), dtype="f16", dims="row,deep"), "b": pg.In((case.k, case.n), dtype="f16", dims="deep,column"),
        "c": pg.Out((case.m, case.n), dtype="f16", dims="row,column"),
    }


def launch(case, t):
    matmul(t.a, t.b, t.c)


def reference(case, t):  # float64
    return torch.matmul(t.a, t.b)


def work(case):
    return 2 * case.m * case.n * case.k, 2 * (case.m * case.k + case.k * case.n + case.m * case.n)
