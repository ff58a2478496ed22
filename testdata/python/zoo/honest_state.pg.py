"""Done right, with a workspace from setup and a table of its own that never changes."""
import numpy as np
from saxpy import reference, tensors  # noqa: F401


def setup(case, t):
    return np.empty(case.n, np.float32)


def launch(case, t):
    np.multiply(t.x, t.a[0], out=t.state)
    np.add(t.state, t.y0, out=t.y)
