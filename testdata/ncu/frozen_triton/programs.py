"""Attention, a gated product and a softmax in Triton, and with ``slow`` what their sources say is slower."""

import triton
import triton.language as tl


@triton.jit
def attend(q_ptr, k_ptr, v_ptr, o_ptr, S, scale, TILE: tl.constexpr, D: tl.constexpr, ALL: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * S * D
    dims = tl.arange(0, D)
    tiles = tl.cdiv(S, TILE)
    first = 0 if ALL else tl.program_id(0)
    last = tiles if ALL else tl.program_id(0) + 1
    for tile in range(first, last):
        rows = tile * TILE + tl.arange(0, TILE)
        at = head + rows[:, None] * D + dims[None, :]
        q = tl.load(q_ptr + at)
        most = tl.full((TILE,), -1e30, tl.float32)
        total = tl.zeros((TILE,), tl.float32)
        mixed = tl.zeros((TILE, D), tl.float32)
        for start in range(0, S, TILE):
            keys = start + tl.arange(0, TILE)
            there = head + keys[:, None] * D + dims[None, :]
            scores = tl.dot(q, tl.trans(tl.load(k_ptr + there))) * scale
            top = tl.maximum(most, tl.max(scores, 1))
            share = tl.exp(scores - top[:, None])
            old = tl.exp(most - top)
            total = total * old + tl.sum(share, 1)
            mixed = tl.dot(share.to(tl.float16), tl.load(v_ptr + there), mixed * old[:, None])
            most = top
        tl.store(o_ptr + at, (mixed / total[:, None]).to(tl.float16))


def attention(q, k, v, o, serial):
    heads, S, D = q.shape
    grid = (1, heads) if serial else (triton.cdiv(S, 64), heads)
    attend[grid](q, k, v, o, S, D**-0.5, TILE=64, D=D, ALL=serial, num_warps=4, num_stages=2)


@triton.jit
def scores_of(q_ptr, k_ptr, s_ptr, S, scale, TILE: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(2).to(tl.int64)
    dims = tl.arange(0, D)
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    keys = tl.program_id(1) * TILE + tl.arange(0, TILE)
    q = tl.load(q_ptr + head * S * D + rows[:, None] * D + dims[None, :])
    k = tl.load(k_ptr + head * S * D + keys[:, None] * D + dims[None, :])
    tl.store(s_ptr + head * S * S + rows[:, None] * S + keys[None, :], tl.dot(q, tl.trans(k)) * scale)


@triton.jit
def softmax_of(s_ptr, p_ptr, S: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * S + tl.arange(0, S)
    s = tl.load(s_ptr + at)
    e = tl.exp(s - tl.max(s, 0))
    tl.store(p_ptr + at, (e / tl.sum(e, 0)).to(tl.float16))


@triton.jit
def mix_of(p_ptr, v_ptr, o_ptr, S, TILE: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1).to(tl.int64)
    dims = tl.arange(0, D)
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    mixed = tl.zeros((TILE, D), tl.float32)
    for start in range(0, S, TILE):
        keys = start + tl.arange(0, TILE)
        p = tl.load(p_ptr + head * S * S + rows[:, None] * S + keys[None, :])
        mixed = tl.dot(p, tl.load(v_ptr + head * S * D + keys[:, None] * D + dims[None, :]), mixed)
    tl.store(o_ptr + head * S * D + rows[:, None] * D + dims[None, :], mixed.to(tl.float16))


def attention_by_steps(q, k, v, s, p, o):
    heads, S, D = q.shape
    tiles = triton.cdiv(S, 64)
    scores_of[(tiles, tiles, heads)](q, k, s, S, D**-0.5, TILE=64, D=D, num_warps=4)
    softmax_of[(heads * S,)](s, p, S=S, num_warps=4)
    mix_of[(tiles, heads)](p, v, o, S, TILE=64, D=D, num_warps=4, num_stages=2)


@triton.jit
def gate_rows(a_ptr, b_ptr, y_ptr, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        a = tl.load(a_ptr + row * stride + at, mask=inside).to(tl.float32)
        b = tl.load(b_ptr + row * stride + at, mask=inside).to(tl.float32)
        tl.store(y_ptr + row * columns + at, (a * tl.sigmoid(a) * b).to(tl.float16), mask=inside)


@triton.jit
def copy_half(x_ptr, y_ptr, columns, offset, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * 2 * columns + offset + at, mask=at < columns)
        tl.store(y_ptr + row * columns + at, x, mask=at < columns)


def gated(x, a, b, y, slow):
    rows, columns = y.shape
    if slow:
        copy_half[(rows,)](x, a, columns, 0, BLOCK=1024, num_warps=4)
        copy_half[(rows,)](x, b, columns, columns, BLOCK=1024, num_warps=4)
        gate_rows[(rows,)](a, b, y, columns, columns, BLOCK=1024, num_warps=4)
    else:
        gate_rows[(rows,)](x, x[:, columns:], y, columns, 2 * columns, BLOCK=1024, num_warps=4)


@triton.jit
def look_at(x_ptr, most_ptr, total_ptr, columns, each, BLOCK: tl.constexpr):
    row, part = tl.program_id(1).to(tl.int64), tl.program_id(0)
    most = tl.full((BLOCK,), -1e30, tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(part * each, (part + 1) * each, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-1e30)
        top = tl.maximum(most, x)
        total = total * tl.exp(most - top) + tl.exp(x - top)
        most = top
    top = tl.max(most, 0)
    to = row * tl.num_programs(0) + part
    tl.store(most_ptr + to, top)
    tl.store(total_ptr + to, tl.sum(total * tl.exp(most - top), 0))


@triton.jit
def write_out(x_ptr, most_ptr, total_ptr, y_ptr, columns, each, BLOCK: tl.constexpr, PARTS: tl.constexpr):
    row, part = tl.program_id(1).to(tl.int64), tl.program_id(0)
    parts = row * PARTS + tl.arange(0, PARTS)
    most = tl.load(most_ptr + parts)
    top = tl.max(most, 0)
    total = tl.sum(tl.load(total_ptr + parts) * tl.exp(most - top), 0)
    for start in range(part * each, (part + 1) * each, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * columns + at, mask=at < columns)
        tl.store(y_ptr + row * columns + at, tl.exp(x - top) / total, mask=at < columns)


def few_rows(x, most, total, y, slow):
    rows, columns = x.shape
    parts = 1 if slow else 64
    each = triton.cdiv(triton.cdiv(columns, parts), 2048) * 2048
    look_at[(parts, rows)](x, most, total, columns, each, BLOCK=2048, num_warps=8)
    write_out[(parts, rows)](x, most, total, y, columns, each, BLOCK=2048, PARTS=parts, num_warps=8)
