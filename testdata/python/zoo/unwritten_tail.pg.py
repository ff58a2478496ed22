"""Leaves the elements behind the last whole block of eight."""
from saxpy import computed, reference, tensors  # noqa: F401


def launch(case, t):
    whole = case.n - case.n % 8 - 8
    t.y[:whole] = computed(t)[:whole]
