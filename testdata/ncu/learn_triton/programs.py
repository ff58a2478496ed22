"""Four kernels as Triton's tutorials have them, and with ``slow`` what the tutorials say is slower. Written anew."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_row(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(x_ptr + start + at, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(y_ptr + start + at, e / tl.sum(e, 0), mask=inside)


@triton.jit
def row_maximum(x_ptr, most_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(most_ptr + row, tl.max(x, 0))


@triton.jit
def exponential(x_ptr, most_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns)
    tl.store(y_ptr + row * columns + at, tl.exp(x - tl.load(most_ptr + row)), mask=at < columns)


@triton.jit
def row_sum(y_ptr, sum_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(sum_ptr + row, tl.sum(tl.load(y_ptr + row * columns + at, mask=at < columns, other=0.0), 0))


@triton.jit
def divide(y_ptr, sum_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    y = tl.load(y_ptr + row * columns + at, mask=at < columns)
    tl.store(y_ptr + row * columns + at, y / tl.load(sum_ptr + row), mask=at < columns)


def softmax(x, most, total, y, slow):
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    if not slow:
        softmax_row[(rows,)](x, y, columns, BLOCK=block, num_warps=8)
        return
    row_maximum[(rows,)](x, most, columns, BLOCK=block, num_warps=8)
    exponential[(rows,)](x, most, y, columns, BLOCK=block, num_warps=8)
    row_sum[(rows,)](y, total, columns, BLOCK=block, num_warps=8)
    divide[(rows,)](y, total, columns, BLOCK=block, num_warps=8)


@triton.jit
def product(a_ptr, b_ptr, c_ptr, M, N, K, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr, GROUP: tl.constexpr):
    program = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, TILE_M), tl.cdiv(N, TILE_N)
    if GROUP == 0:  # row after row of tiles
        m, n = program // tiles_n, program % tiles_n
    else:  # GROUP rows of tiles at a time, so that programs that run together need the same columns
        first = program // (GROUP * tiles_n) * GROUP
        size = min(tiles_m - first, GROUP)
        m, n = first + program % (GROUP * tiles_n) % size, program % (GROUP * tiles_n) // size
    rows = (m * TILE_M + tl.arange(0, TILE_M)) % M
    columns = (n * TILE_N + tl.arange(0, TILE_N)) % N
    inner = tl.arange(0, TILE_K)
    a_at = a_ptr + rows[:, None] * K + inner[None, :]
    b_at = b_ptr + inner[:, None] * N + columns[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for _ in range(0, K, TILE_K):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += TILE_K
        b_at += TILE_K * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total.to(tl.float16))


def matmul(a, b, c, group, stages):
    (M, K), N = a.shape, b.shape[1]
    tile_m, tile_n = 128, 128
    product[(triton.cdiv(M, tile_m) * triton.cdiv(N, tile_n),)](a, b, c, M, N, K, TILE_M=tile_m, TILE_N=tile_n, TILE_K=64, GROUP=group, num_warps=8, num_stages=stages)


@triton.jit
def keep(at, seed):
    x = (at + seed).to(tl.uint32) * 2654435761
    x = (x ^ (x >> 16)) * 2246822519
    return ((x ^ (x >> 13)) & 1023) >= 256


@triton.jit
def make_mask(mask_ptr, n, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(mask_ptr + at, keep(at, seed).to(tl.int32), mask=at < n)


@triton.jit
def drop_by_mask(x_ptr, mask_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.load(mask_ptr + at, mask=at < n) != 0
    tl.store(y_ptr + at, tl.where(kept, tl.load(x_ptr + at, mask=at < n) / 0.75, 0.0), mask=at < n)


@triton.jit
def drop_by_seed(x_ptr, y_ptr, n, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.where(keep(at, seed), tl.load(x_ptr + at, mask=at < n) / 0.75, 0.0), mask=at < n)


def dropout(x, mask, y, seed, slow):
    n, block = x.numel(), 1024
    grid = (triton.cdiv(n, block),)
    if slow:
        make_mask[grid](mask, n, seed, BLOCK=block)
        drop_by_mask[grid](x, mask, y, n, BLOCK=block)
    else:
        drop_by_seed[grid](x, y, n, seed, BLOCK=block)


def kept(n, device):
    """What `keep` says of 0 to n-1 with seed 7."""
    m = 2**32 - 1
    x = (torch.arange(n, device=device, dtype=torch.int64) + 7) * 2654435761 & m
    x = (x ^ (x >> 16)) * 2246822519 & m
    return ((x ^ (x >> 13)) & 1023) >= 256
