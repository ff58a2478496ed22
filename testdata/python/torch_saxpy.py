"""What the animals of zoo_cuda have in common: y = a x + y0 for n elements, in float32, on a GPU."""

import perfgate as pg
import torch
import triton
import triton.language as tl


def tensors(case):
    n = case.n
    return {"a": pg.In(1, fill=pg.uniform(1, 2)), "x": pg.In(n), "y0": pg.In(n), "y": pg.Out(n)}


def compute(t, y=None):
    torch.addcmul(t.y0, t.x, t.a, out=t.y if y is None else y)


def computed(t):
    return torch.addcmul(t.y0, t.x, t.a)


def reference(case, t):
    return t.a * t.x + t.y0


@triton.jit
def saxpy_kernel(a_ptr, x_ptr, y0_ptr, y_ptr, n, beyond, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    y = tl.load(a_ptr) * tl.load(x_ptr + at, mask=inside) + tl.load(y0_ptr + at, mask=inside)
    tl.store(y_ptr + at, y, mask=at < n + beyond)


def in_triton(t, beyond=0):
    n = t.x.numel()
    saxpy_kernel[(triton.cdiv(n + beyond, 1024),)](t.a, t.x, t.y0, t.y, n, beyond, BLOCK=1024)
