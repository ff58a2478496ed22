"""The code under test. Replace it with your kernel."""

import numpy as np


def scale_add(a: float, x: np.ndarray, y: np.ndarray) -> None:
    """y += a * x, in place."""
    y += np.asarray(a, x.dtype) * x
