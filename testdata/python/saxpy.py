"""What the animals of this folder have in common: y = a x + y0 for n elements, in float32."""

import numpy as np
import perfgate as pg


def tensors(case):
    n = case.n
    return {"a": pg.In(1, fill=pg.uniform(1, 2)), "x": pg.In(n), "y0": pg.In(n), "y": pg.Out(n)}


def compute(t, y=None):
    np.multiply(t.x, t.a[0], out=t.y if y is None else y)
    np.add(t.y if y is None else y, t.y0, out=t.y if y is None else y)


def compute_long(t):
    for _ in range(20):
        compute(t)


def computed(t):
    y = np.empty_like(t.x)
    compute(t, y)
    return y


def reference(case, t):
    return t.a * t.x + t.y0
