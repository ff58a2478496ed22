"""Layer normalisation over rows: a program a row, the whole row in registers."""

import torch
import triton
import triton.language as tl

# What tests and the demo plant here, in a copy: "", "one_warp" or "reread". ../faults_python.yaml says what each does.
FAULT = ""


@triton.jit
def layernorm_kernel(x_ptr, w_ptr, b_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr, FAULT: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(x_ptr + start + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, 0) / columns
    if FAULT == "reread":  # a row from memory again for each step
        x = tl.load(x_ptr + start + at + (mean * 0.0).to(tl.int32), mask=inside, other=0.0, volatile=True).to(tl.float32)
    centred = tl.where(inside, x - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / columns + eps)
    if FAULT == "reread":
        x = tl.load(x_ptr + start + at + (scale * 0.0).to(tl.int32), mask=inside, other=0.0, volatile=True).to(tl.float32)
        centred = tl.where(inside, x - mean, 0.0)
    w = tl.load(w_ptr + at, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(b_ptr + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y_ptr + start + at, centred * scale * w + b, mask=inside)


def layernorm(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    """``x`` (rows, columns) normalised over its columns, times ``w`` plus ``b`` (columns)."""
    y = torch.empty_like(x)
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    warps = 1 if FAULT == "one_warp" else min(16, max(1, block // 256))
    layernorm_kernel[(rows,)](x, w, b, y, columns, eps, BLOCK=block, FAULT=FAULT, num_warps=warps)
    return y
