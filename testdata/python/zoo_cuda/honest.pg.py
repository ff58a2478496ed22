"""Done right, by torch, in place."""
from torch_saxpy import compute, computed, reference, tensors  # noqa: F401


def launch(case, t):
    compute(t)
