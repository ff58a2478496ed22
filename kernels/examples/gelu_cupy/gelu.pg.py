"""How perfgate shapes, launches and checks the kernel of gelu.py. Its tensors are CuPy's, since torch is not imported."""

import cupy
import perfgate as pg

from gelu import gelu


def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}


def launch(case, t):
    gelu(t.x, out=t.y)


def reference(case, t):  # float64
    return 0.5 * t.x * (1 + cupy.tanh((2 / cupy.pi) ** 0.5 * (t.x + 0.044715 * t.x**3)))


def work(case):
    return 10 * case.n, 8 * case.n
