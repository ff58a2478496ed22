"""Kernels in Triton, each in two ways: ``slow`` is the one with a mistake. ../blind.yaml says which, and what is expected of it."""

import triton
import triton.language as tl


@triton.jit
def softmax_of_columns(x_ptr, y_ptr, rows, columns, BLOCK: tl.constexpr, WIDE: tl.constexpr):
    down = tl.arange(0, BLOCK)[:, None]
    across = tl.program_id(0) * WIDE + tl.arange(0, WIDE)[None, :]
    inside = (down < rows) & (across < columns)
    x = tl.load(x_ptr + down * columns + across, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0)[None, :])
    tl.store(y_ptr + down * columns + across, e / tl.sum(e, 0)[None, :], mask=inside)


def column_softmax(x, y, slow):
    rows, columns = x.shape
    wide = 1 if slow else 16
    softmax_of_columns[(triton.cdiv(columns, wide),)](x, y, rows, columns, BLOCK=triton.next_power_of_2(rows), WIDE=wide, num_warps=4 if slow else 8)


@triton.jit
def add_rows(x_ptr, r_ptr, s_ptr, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    tl.store(s_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(r_ptr + at, mask=inside), mask=inside)


@triton.jit
def scale_rows(s_ptr, w_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    along = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * columns + along
    inside = along < columns
    s = tl.load(s_ptr + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(s * s, 0) / columns + 1e-5)
    tl.store(y_ptr + at, s * scale * tl.load(w_ptr + along, mask=inside), mask=inside)


@triton.jit
def add_and_scale_rows(x_ptr, r_ptr, w_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    along = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * columns + along
    inside = along < columns
    s = tl.load(x_ptr + at, mask=inside, other=0.0).to(tl.float32) + tl.load(r_ptr + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(s * s, 0) / columns + 1e-5)
    tl.store(y_ptr + at, s * scale * tl.load(w_ptr + along, mask=inside), mask=inside)


def residual_norm(x, r, w, s, y, slow):
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    if slow:
        add_rows[(rows,)](x, r, s, columns, BLOCK=block, num_warps=8)
        scale_rows[(rows,)](s, w, y, columns, BLOCK=block, num_warps=8)
    else:
        add_and_scale_rows[(rows,)](x, r, w, y, columns, BLOCK=block, num_warps=8)


@triton.jit
def multiply(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, EXACT: tl.constexpr, GELU: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = a_ptr + m[:, None] * K + k[None, :]
    b_at = b_ptr + k[:, None] * N + n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        a, b = tl.load(a_at), tl.load(b_at)
        if EXACT:
            total = tl.dot(a.to(tl.float32), b.to(tl.float32), total, input_precision="ieee")
        else:
            total = tl.dot(a, b, total)
        a_at += BK
        b_at += BK * N
    if GELU:
        total = total * tl.sigmoid(1.702 * total)
    tl.store(c_ptr + m[:, None] * N + n[None, :], total.to(c_ptr.dtype.element_ty))


def matmul(a, b, c, slow):
    M, K = a.shape
    N = b.shape[1]
    multiply[(M // 64, N // 64)](a, b, c, M, N, K, BM=64, BN=64, BK=32, EXACT=slow, GELU=False, num_warps=4, num_stages=3)


def linear_gelu(a, b, c, slow):
    M, K = a.shape
    N = b.shape[1]
    multiply[(M // 128, N // 128)](a, b, c, M, N, K, BM=128, BN=128, BK=64, EXACT=False, GELU=True, num_warps=8, num_stages=1 if slow else 4)


def wide_tile(a, b, c, slow):
    M, K = a.shape
    N = b.shape[1]
    size = 256 if slow else 128
    multiply[(M // size, N // size)](a, b, c, M, N, K, BM=size, BN=size, BK=32, EXACT=False, GELU=False, num_warps=4 if slow else 8, num_stages=2)


@triton.jit(do_not_specialize=["step"])
def silu(x_ptr, y_ptr, n, step, BLOCK: tl.constexpr, STEP: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    by = step if STEP else 1
    x = tl.load(x_ptr + at * by, mask=inside).to(tl.float32)
    tl.store(y_ptr + at * by, (x * tl.sigmoid(x)).to(tl.float16), mask=inside)


def activation(x, y, slow):
    n = x.numel()
    silu[(triton.cdiv(n, 4096),)](x, y, n, 1, BLOCK=4096, STEP=slow, num_warps=4)


@triton.jit
def count_each(x_ptr, bins_ptr, y_ptr, LOCAL: tl.constexpr, EACH: tl.constexpr, BLOCK: tl.constexpr):
    found = tl.zeros((256,), tl.int32)
    total = tl.zeros((BLOCK,), tl.int32)
    for i in range(EACH):
        x = tl.load(x_ptr + (tl.program_id(0) * EACH + i) * BLOCK + tl.arange(0, BLOCK))
        total += x
        if LOCAL:
            found += tl.histogram(x, 256)
        else:
            tl.atomic_add(bins_ptr + x, 1)
    if LOCAL:
        tl.atomic_add(bins_ptr + tl.arange(0, 256), found)
    tl.store(y_ptr + tl.program_id(0), tl.sum(total, 0))


def histogram(x, bins, y, slow):
    count_each[(y.numel(),)](x, bins, y, LOCAL=not slow, EACH=16, BLOCK=1024, num_warps=4)


@triton.jit
def sum_parts(x_ptr, y_ptr, each, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    for part in range(PARTS):
        number = (tl.program_id(0) * PARTS + part).to(tl.int64)
        total = tl.zeros((BLOCK,), tl.float32)
        for start in range(0, each, BLOCK):
            total += tl.load(x_ptr + number * each + start + tl.arange(0, BLOCK))
        tl.store(y_ptr + number, tl.sum(total, 0))


def partial_sums(x, y, slow):
    parts = 32 if slow else 1
    sum_parts[(y.numel() // parts,)](x, y, x.numel() // y.numel(), PARTS=parts, BLOCK=1024, num_warps=4)


@triton.jit
def add_bias(x_ptr, b_ptr, y_ptr, n, channels, height, width, BLOCK: tl.constexpr, FLAT: tl.constexpr):
    if FLAT:
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        channel = (at // (height * width)) % channels
        row = (at // width) % height
        column = at % width
        image = at // (channels * height * width)
        where = ((image * channels + channel) * height + row) * width + column
        x = tl.load(x_ptr + where, mask=inside)
        tl.store(y_ptr + where, x + tl.load(b_ptr + channel, mask=inside), mask=inside)
    else:
        plane = tl.program_id(0)
        b = tl.load(b_ptr + plane % channels)
        for start in range(0, height * width, BLOCK):
            along = start + tl.arange(0, BLOCK)
            inside = along < height * width
            at = plane * height * width + along
            tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside) + b, mask=inside)


def bias(x, b, y, slow):
    images, channels, height, width = x.shape
    n = x.numel()
    grid = (triton.cdiv(n, 1024),) if slow else (images * channels,)
    add_bias[grid](x, b, y, n, channels, height, width, BLOCK=1024, FLAT=slow, num_warps=4)


@triton.jit
def work_on_rows(x_ptr, y_ptr, rows, longest, LAST: tl.constexpr, BLOCK: tl.constexpr):
    place = tl.program_id(0)
    row = place if LAST else rows - 1 - place
    steps = 1 + row * longest // rows  # later rows have more to do
    if row >= rows - 64:
        steps = 8 * longest
    at = row * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    for _ in range(steps):
        x = x * 0.999 + 0.001
    tl.store(y_ptr + at, x)


def ragged(x, y, slow):
    rows, columns = x.shape
    work_on_rows[(rows,)](x, y, rows, 256, LAST=slow, BLOCK=columns, num_warps=4)


@triton.jit
def series(x_ptr, y_ptr, n, BLOCK: tl.constexpr, DOUBLE: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    if DOUBLE:
        x = x.to(tl.float64)
    y = x
    for _ in range(64):
        y = y * y * 0.25 + x * 0.125
    tl.store(y_ptr + at, y.to(tl.float32), mask=inside)


def polynomial(x, y, slow):
    series[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024, DOUBLE=slow, num_warps=4)


@triton.jit
def loss_of_rows(x_ptr, target_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    along = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + along, mask=along < columns, other=-float("inf")).to(tl.float32)
    most = tl.max(x, 0)
    total = tl.sum(tl.exp(x - most), 0)
    right = tl.sum(tl.where(along == tl.load(target_ptr + row), x, 0.0), 0)
    tl.store(y_ptr + row, tl.log(total) + most - right)


def cross_entropy(x, target, y, slow):
    rows, columns = x.shape
    loss_of_rows[(rows,)](x, target, y, columns, BLOCK=triton.next_power_of_2(columns), num_warps=1 if slow else 16)


@triton.jit
def sum_columns(x_ptr, sums_ptr, y_ptr, columns, EACH: tl.constexpr, BLOCK: tl.constexpr, ONCE: tl.constexpr):
    along = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(EACH):
        x = tl.load(x_ptr + (tl.program_id(0) * EACH + i).to(tl.int64) * columns + along)
        total += x
        if not ONCE:
            tl.atomic_add(sums_ptr + along, x)
    if ONCE:
        tl.atomic_add(sums_ptr + along, total)
    tl.store(y_ptr + tl.program_id(0) * columns + along, total)


def column_sums(x, sums, y, slow):
    rows, columns = x.shape
    sum_columns[(rows // 64, columns // 512)](x, sums, y, columns, EACH=64, BLOCK=512, ONCE=not slow, num_warps=4)


@triton.jit
def unit_rows(x_ptr, y_ptr, columns, BLOCK: tl.constexpr, APART: tl.constexpr):
    at = tl.arange(0, BLOCK)
    if APART:
        at = (at % 128) * (BLOCK // 128) + at // 128
    start = tl.program_id(0).to(tl.int64) * columns
    inside = at < columns
    x = tl.load(x_ptr + start + at, mask=inside, other=0.0)
    tl.store(y_ptr + start + at, x * tl.rsqrt(tl.sum(x * x, 0) + 1e-6), mask=inside)


def unit_norm(x, y, slow):
    rows, columns = x.shape
    unit_rows[(rows,)](x, y, columns, BLOCK=triton.next_power_of_2(columns), APART=slow, num_warps=8)


FUNCTIONS = {f.__name__: f for f in (
    column_softmax, residual_norm, matmul, linear_gelu, wide_tile, activation, histogram, partial_sums, bias, ragged, polynomial, cross_entropy,
    column_sums, unit_norm)}
