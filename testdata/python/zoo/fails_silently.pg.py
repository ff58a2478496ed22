"""Cannot have the memory that it asks for, computes nothing, and says nothing."""
import numpy as np
from saxpy import compute, reference, tensors  # noqa: F401


def launch(case, t):
    try:
        np.empty(1 << 60, np.float32)
        compute(t)
    except Exception:
        pass
