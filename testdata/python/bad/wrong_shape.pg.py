from saxpy import compute, computed, reference, tensors  # noqa: F401


def launch(case, t):
    return computed(t)[:-1]
