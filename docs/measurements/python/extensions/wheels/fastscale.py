"""y = 2 * x + 1, in Triton on a GPU."""
import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

PASSES = 1  # the default that a release changes

if triton is not None:

    @triton.jit
    def kernel(x, y, n, BLOCK: tl.constexpr, PASSES: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        for _ in range(PASSES):
            tl.store(y + at, 2 * tl.load(x + at, mask=at < n, volatile=True) + 1, mask=at < n)
            tl.debug_barrier()


def scale(x, y, passes=None):
    passes = passes or PASSES
    if x.is_cuda:
        kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024, PASSES=passes)
        return
    for _ in range(passes):
        torch.mul(x, 2, out=y)
        y += 1
