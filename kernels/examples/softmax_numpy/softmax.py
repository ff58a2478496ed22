"""Softmax over rows with numpy."""

import numpy as np

# What tests and the demo plant here, in a copy: "", "twice" or "double". ../faults_python.yaml says what each does.
FAULT = ""


def softmax(x: np.ndarray, out: np.ndarray) -> None:
    """Writes softmax over the last dimension of ``x`` (rows, columns) into ``out``."""
    if FAULT == "double":  # float64 all the way
        x = x.astype(np.float64)
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        out[...] = e / e.sum(axis=-1, keepdims=True)
        return
    np.subtract(x, x.max(axis=-1, keepdims=True), out=out)
    if FAULT == "twice":  # the exponential once for nothing
        np.exp(out)
    np.exp(out, out=out)
    out /= out.sum(axis=-1, keepdims=True)
