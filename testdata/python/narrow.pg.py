"""A kernel whose sum cancels, and references that are asked of it in float32; the kernel's name says which."""
import numpy as np
import perfgate as pg


def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}


def shifted(x):
    return (x + 1000) - 1000


def launch(case, t):
    t.y[:] = shifted(t.x)
    if case.kernel == "off_by_a_tenth":
        t.y[:] *= np.float32(1.1)


def reference(case, t):
    if case.kernel == "written_in_place":
        t.y[:] = shifted(t.x)
        return None
    if case.kernel == "only_in_float64" and t.x.dtype != np.float64:
        raise TypeError
    if case.kernel == "widened_by_itself":
        return shifted(t.x.astype(np.float64))
    if case.kernel == "of_another_shape" and t.x.dtype != np.float64:
        return shifted(t.x[:1])
    return shifted(t.x)
