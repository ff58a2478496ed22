"""Lets a thread launch the work a moment later."""
import threading
import time

import torch
from torch_saxpy import compute, computed, reference, tensors  # noqa: F401


def late(t):
    time.sleep(0.005)
    with torch.cuda.stream(torch.cuda.Stream()):
        compute(t)


def launch(case, t):
    threading.Thread(target=late, args=(t,), daemon=True).start()
