"""Softmax over rows: a program a row, the whole row in registers."""

import torch
import triton
import triton.language as tl

# What tests and the demo plant here, in a copy: "", "arithmetic", "strided" or "passes". ../faults_python.yaml says what each does.
# "hundredth" is no fault but a dose of work: every hundredth row once more.
FAULT = ""


@triton.jit
def softmax_kernel(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr, FAULT: tl.constexpr):
    row = tl.program_id(0)
    if FAULT == "hundredth":
        row = row % rows
    start = row.to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    if FAULT == "strided":  # neighbours in a warp are 32 elements apart
        at = (at % 32) * (BLOCK // 32) + at // 32
    inside = at < columns
    x = tl.load(x_ptr + start + at, mask=inside, other=-float("inf")).to(tl.float32)
    if FAULT == "passes":  # through memory once more
        tl.store(y_ptr + start + at, x, mask=inside)
        tl.debug_barrier()
        x = tl.load(y_ptr + start + at, mask=inside, other=-float("inf"), volatile=True).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    if FAULT == "arithmetic":  # 200 multiply-adds an element that change nothing to speak of
        for i in range(200):
            e = e * 1.0000001 - e * 0.0000001 * (i - i + 1)
    tl.store(y_ptr + start + at, e / tl.sum(e, 0), mask=inside)


def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Writes softmax over the last dimension of ``x`` (rows, columns), contiguous, into ``out``."""
    rows, columns = x.shape
    block = max(32, triton.next_power_of_2(columns))
    programs = rows + rows // 100 if FAULT == "hundredth" else rows
    softmax_kernel[(programs,)](x, out, rows, columns, BLOCK=block, FAULT=FAULT, num_warps=min(16, max(1, block // 256)))
