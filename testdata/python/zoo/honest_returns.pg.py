"""Done right, and returned."""
from saxpy import computed, reference, tensors  # noqa: F401


def launch(case, t):
    return computed(t)
