"""Works on the host, and only copies on the device."""
import torch
from torch_saxpy import compute, computed, reference, tensors  # noqa: F401


def launch(case, t):
    a, x, y0 = (v.cpu() for v in (t.a, t.x, t.y0))
    t.y.copy_(a * x + y0)
