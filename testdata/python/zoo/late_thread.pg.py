"""Computes, but much later."""
import threading
import time

from saxpy import compute, reference, tensors  # noqa: F401


def late(t):
    time.sleep(0.02)
    compute(t)


def launch(case, t):
    threading.Thread(target=late, args=(t,), daemon=True).start()
