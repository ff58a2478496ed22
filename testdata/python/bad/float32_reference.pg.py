from saxpy import compute, tensors  # noqa: F401


def launch(case, t):
    compute(t)


def reference(case, t):
    return (t.a * t.x + t.y0).astype("float32")
