"""Right kernels of scipy and numpy that no part of the bound was chosen by. A kernel's name is FUNCTION-DTYPE, as in catalogue.py."""

import numpy as np
import perfgate as pg
import scipy.fft
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.spatial
import scipy.special

arrays = "numpy"


def rows(case):
    return {"x": (case.rows, case.n)}, (case.rows, case.n)


def rows_to_one(case):
    return {"x": (case.rows, case.n)}, (case.rows,)


def product(case):
    return {"a": (case.m, case.k), "b": (case.k, case.n)}, (case.m, case.n)


def distances(case):
    return {"a": (case.m, case.k), "b": (case.n, case.k)}, (case.m, case.n)


def outer(case):
    return {"a": (case.m,), "b": (case.n,)}, (case.m * case.n,)


def filtered(case):
    return {"x": (case.n,), "w": (33,)}, (case.n + 32,)


def vectors(case):
    return {"a": (case.rows, 3), "b": (case.rows, 3)}, (case.rows, 3)


def bins(case):
    return {"x": (case.rows, case.n)}, (16,)


def recursive(case, t):
    kind = t.x.dtype
    return scipy.signal.lfilter(np.asarray([0.1, 0.2, 0.1], kind), np.asarray([1, -0.5, 0.2], kind), t.x, axis=-1)


def sparse_product(case, t):
    return scipy.sparse.csr_matrix(np.where(np.abs(t.a) > 1, t.a, 0).astype(t.a.dtype)) @ t.b


def rms_norm(case, t):
    return t.x / np.sqrt(np.mean(t.x * t.x, axis=-1, keepdims=True) + t.x.dtype.type(1e-6))


def polynomial(case, t):
    return np.polyval(np.asarray([0.3, -1.2, 0.7, 0.1, -2], t.x.dtype), np.tanh(t.x))


# By name: shapes, the kernel, and what is right where that is another formula.
FUNCTIONS = {
    "logsumexp": (rows_to_one, lambda c, t: scipy.special.logsumexp(t.x, axis=-1)),
    "softmax": (rows, lambda c, t: scipy.special.softmax(t.x, axis=-1)),
    "log_softmax": (rows, lambda c, t: scipy.special.log_softmax(t.x, axis=-1)),
    "expit": (rows, lambda c, t: scipy.special.expit(t.x)),
    "erfc": (rows, lambda c, t: scipy.special.erfc(t.x)),
    "xlogy": (rows, lambda c, t: scipy.special.xlogy(np.abs(t.x), np.abs(t.x))),
    "uniform_filter": (rows, lambda c, t: scipy.ndimage.uniform_filter1d(t.x, 5, axis=-1)),
    "gaussian_filter": (rows, lambda c, t: scipy.ndimage.gaussian_filter1d(t.x, 2.0, axis=-1)),
    "median_filter": (rows, lambda c, t: scipy.ndimage.median_filter(t.x, size=(1, 3))),
    "recursive_filter": (rows, recursive),
    "fft_convolution": (filtered, lambda c, t: scipy.signal.fftconvolve(t.x, t.w), lambda c, t: np.convolve(t.x, t.w)),
    "dct": (rows, lambda c, t: scipy.fft.dct(t.x, axis=-1)),
    "sparse_product": (product, sparse_product),
    "cityblock": (distances, lambda c, t: scipy.spatial.distance.cdist(t.a, t.b, "cityblock")),
    "trapezoid": (rows_to_one, lambda c, t: np.trapz(t.x, axis=-1)),
    "spread": (rows_to_one, lambda c, t: np.ptp(t.x, axis=-1)),
    "running_product": (rows, lambda c, t: np.cumprod(1 + t.x / 128, axis=-1)),
    "running_logaddexp": (rows, lambda c, t: np.logaddexp.accumulate(t.x, axis=-1)),
    "histogram": (bins, lambda c, t: np.histogram(t.x, bins=16, range=(-3, 3))[0]),
    "polynomial": (rows, polynomial),
    "kronecker": (outer, lambda c, t: np.kron(t.a, t.b)),
    "cross": (vectors, lambda c, t: np.cross(t.a, t.b)),
    "rms_norm": (rows, rms_norm),
    "interpolated": (rows, lambda c, t: np.interp(t.x, np.linspace(-3, 3, 13), np.sin(np.linspace(-3, 3, 13)))),
    "hypotenuse": (rows_to_one, lambda c, t: np.hypot.reduce(t.x, axis=-1)),
}


def function(case):
    return FUNCTIONS[case.kernel.partition("-")[0]]


def tensors(case):
    inputs, output = function(case)[0](case)
    return {**{name: pg.In(shape, dtype=case.dtype) for name, shape in inputs.items()}, "y": pg.Out(output, dtype=case.dtype)}


def launch(case, t):
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(function(case)[1](case, t), dtype=t.y.dtype)


def reference(case, t):  # float64
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(function(case)[-1](case, t), dtype=np.float64)
