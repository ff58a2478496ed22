"""Done right: it must pass every time."""
from saxpy import compute, reference, tensors  # noqa: F401


def launch(case, t):
    compute(t)
