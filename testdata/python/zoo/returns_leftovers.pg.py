from saxpy import *  # noqa: F403

HALF = 5000


def reference(case, t):
    y = t.a * t.x + t.y0
    y[HALF:] = 0
    return y


def setup(case, t):
    return np.zeros(case.n, np.float32)  # noqa: F405


def launch(case, t):
    kept = t.state  # whose second half is right since setup, and which no launch writes
    kept[:HALF] = t.a[0] * t.x[:HALF] + t.y0[:HALF]
    return kept
