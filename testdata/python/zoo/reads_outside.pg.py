"""Takes its last element from behind the end of the input."""
import numpy as np
from saxpy import compute, reference, tensors  # noqa: F401


def launch(case, t):
    compute(t)
    t.y[-1] = np.lib.stride_tricks.as_strided(t.x, (case.n + 1,), (4,))[case.n] * t.a[0] + t.y0[-1]
