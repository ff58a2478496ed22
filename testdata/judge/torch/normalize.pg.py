import perfgate as pg
import torch

from normalize import normalize


def tensors(case):
    shape = (case.rows, case.cols)
    return {"x": pg.In(shape), "y": pg.Out(shape)}


def launch(case, t):
    normalize(t.x, t.y)


def reference(case, t):  # float64
    variance, mean = torch.var_mean(t.x, dim=1, keepdim=True, correction=0)
    return (t.x - mean) / torch.sqrt(variance + 1e-5)


def work(case):
    return 5 * case.rows * case.cols, 8 * case.rows * case.cols
