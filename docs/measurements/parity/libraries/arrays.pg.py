"""Functions of numpy, against the same in float64. A kernel's name is FUNCTION-DTYPE, as in catalogue.py."""

import numpy as np
import perfgate as pg

# By name: inputs, output, function.
FUNCTIONS = {
    "np_matmul": (lambda c: {"a": (c.m, c.k), "b": (c.k, c.n)}, lambda c: (c.m, c.n), lambda t: t.a @ t.b),
    "np_einsum": (
        lambda c: {"a": (3, c.m, c.k), "b": (3, c.k, c.n)}, lambda c: (3, c.m, c.n), lambda t: np.einsum("bik,bkj->bij", t.a, t.b)),
    "np_sum": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows,), lambda t: t.x.sum(axis=-1)),
    "np_sum_columns": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.n,), lambda t: t.x.sum(axis=0)),
    "np_mean": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows,), lambda t: t.x.mean(axis=-1)),
    "np_std": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows,), lambda t: t.x.std(axis=-1)),
    "np_cumsum": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows, c.n), lambda t: np.cumsum(t.x, axis=-1)),
    "np_norm": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows,), lambda t: np.linalg.norm(t.x, axis=-1)),
    "np_tanh": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows, c.n), lambda t: np.tanh(t.x)),
    "np_exp": (lambda c: {"x": (c.rows, c.n)}, lambda c: (c.rows, c.n), lambda t: np.exp(t.x)),
}


def function(case):
    return FUNCTIONS[case.kernel.partition("-")[0]]


def tensors(case):
    inputs, output, _ = function(case)
    made = {name: pg.In(shape, dtype=case.dtype) for name, shape in inputs(case).items()}
    return {**made, "y": pg.Out(output(case), dtype=case.dtype)}


def launch(case, t):
    with np.errstate(all="ignore"):
        return function(case)[2](t)


def reference(case, t):  # float64
    with np.errstate(all="ignore"):
        return function(case)[2](t)
