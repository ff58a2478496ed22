"""A product of matrices in Triton. Its settings come from the environment where tune sets them; for some a multiprocessor has too little shared memory."""
import os

import torch
import triton
import triton.language as tl

KNOBS = {"ROWS": 64, "COLUMNS": 64, "WARPS": 4, "STAGES": 3}
SETTING = {name: int(os.environ.get("PERFGATE_TUNE_" + name, value)) for name, value in KNOBS.items()}


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEEP: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    deep = tl.arange(0, DEEP)
    a_at = a_ptr + row[:, None] * k + deep[None, :]
    b_at = b_ptr + deep[:, None] * n + column[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for at in range(0, k, DEEP):
        a = tl.load(a_at, mask=(row[:, None] < m) & (deep[None, :] + at < k), other=0.0)
        b = tl.load(b_at, mask=(deep[:, None] + at < k) & (column[None, :] < n), other=0.0)
        total = tl.dot(a, b, total)
        a_at += DEEP
        b_at += DEEP * n
    tl.store(c_ptr + row[:, None] * n + column[None, :], total.to(tl.float16), mask=(row[:, None] < m) & (column[None, :] < n))


def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, setting=SETTING) -> None:
    """Writes a (m, k) times b (k, n), float16 and contiguous, into c (m, n)."""
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, setting["ROWS"]), triton.cdiv(n, setting["COLUMNS"]))
    matmul_kernel[grid](a, b, c, m, n, k, ROWS=setting["ROWS"], COLUMNS=setting["COLUMNS"], DEEP=128, num_warps=setting["WARPS"], num_stages=setting["STAGES"])
