"""PyTorch's SDPA by one of its backends, for the tensors of kernels/examples/attention_cuda and attention_triton."""

import perfgate as pg
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def tensors(case):
    shape = (case.B, case.H, case.S, case.D)
    given = {name: pg.In(shape, dtype="f16", dims="b,h,s,d") for name in "qkv"}
    return {**given, "o": pg.Out(shape, dtype="f16", dims="b,h,s,d")}


def by(backend: SDPBackend):
    def launch(case, t):
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(t.q, t.k, t.v, is_causal=bool(case.causal))

    return launch
