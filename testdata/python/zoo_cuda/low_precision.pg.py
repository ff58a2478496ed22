"""Claims float32 and computes in bfloat16."""
import torch
from torch_saxpy import compute, computed, reference, tensors  # noqa: F401


def launch(case, t):
    t.y.copy_(torch.addcmul(t.y0.bfloat16(), t.x.bfloat16(), t.a.bfloat16()))
