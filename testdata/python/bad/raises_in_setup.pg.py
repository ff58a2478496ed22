from saxpy import compute, computed, reference, tensors  # noqa: F401


def setup(case, t):
    return {}["workspace"]


def launch(case, t):
    compute(t)
