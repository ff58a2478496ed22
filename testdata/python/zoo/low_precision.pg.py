"""Claims float32 and computes in float16."""
import numpy as np
from saxpy import reference, tensors  # noqa: F401


def launch(case, t):
    t.y[:] = t.x.astype(np.float16) * t.a.astype(np.float16) + t.y0.astype(np.float16)
