"""Holds on to the tensors of every case."""
from saxpy import compute, reference, tensors  # noqa: F401

SEEN = []


def launch(case, t):
    compute(t)
    SEEN.append(t.x[1:])
