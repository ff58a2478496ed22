"""Kernels of Triton and torch that are right, and the mistakes that people make in them; the kernel's name says which is launched."""

import perfgate as pg
import torch
import triton
import triton.language as tl

TILE = 32


@triton.jit
def softmax_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < n
    here = tl.program_id(0) * n + at
    if KIND == "softmax_zero_padding":
        x = tl.load(x_ptr + here, mask=inside, other=0.0)
    else:
        x = tl.load(x_ptr + here, mask=inside, other=-float("inf"))
    top = tl.max(x, 0)
    if KIND == "softmax_unstable":
        top = top * 0.0
    e = tl.exp(x - top)
    tl.store(y_ptr + here, e / tl.sum(e, 0), mask=inside)


@triton.jit
def layernorm_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < n
    here = tl.program_id(0) * n + at
    x = tl.load(x_ptr + here, mask=inside, other=0.0)
    mean = tl.sum(x, 0) / n
    if KIND == "layernorm_by_block":
        mean = tl.sum(x, 0) / BLOCK
    centred = x - mean
    if KIND != "layernorm_padding":
        centred = tl.where(inside, centred, 0.0)
    variance = tl.sum(centred * centred, 0) / n
    if KIND == "layernorm_one_pass":
        variance = tl.maximum(tl.sum(x * x, 0) / n - mean, 0.0)
    tl.store(y_ptr + here, centred / tl.sqrt(variance + 1e-5), mask=inside)


@triton.jit
def sum_kernel(x_ptr, y_ptr, n, last, TILE: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for start in range(0, last, TILE):
        at = start + tl.arange(0, TILE)
        total += tl.sum(tl.load(x_ptr + row * n + at, mask=at < n, other=0.0), 0)
    tl.store(y_ptr + row, total)


@triton.jit
def sum_tiles_kernel(x_ptr, y_ptr, n, TILE: tl.constexpr, KIND: tl.constexpr):
    at = tl.program_id(0) * TILE + tl.arange(0, TILE)
    row = tl.program_id(1)
    part = tl.sum(tl.load(x_ptr + row * n + at, mask=at < n, other=0.0), 0)
    if KIND == "sum_race":
        tl.store(y_ptr + row, tl.load(y_ptr + row) + part)
    else:
        tl.atomic_add(y_ptr + row, part)


@triton.jit
def gemm_kernel(x_ptr, w_ptr, y_ptr, rows, n, TILE: tl.constexpr, KIND: tl.constexpr):
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    acc = tl.zeros([TILE, TILE], tl.float32)
    for start in range(0, n, TILE):
        k = start + tl.arange(0, TILE)
        seen = k < n
        if KIND == "gemm_no_k_mask":
            seen = k >= 0
        x = tl.load(x_ptr + i[:, None] * n + k[None, :], mask=(i[:, None] < rows) & seen[None, :], other=0.0)
        w = tl.load(w_ptr + k[:, None] * n + j[None, :], mask=seen[:, None] & (j[None, :] < n), other=0.0)
        if KIND == "gemm_tf32":
            acc += tl.dot(x, w, input_precision="tf32")
        else:
            acc += tl.dot(x, w, input_precision="ieee")
    tl.store(y_ptr + i[:, None] * n + j[None, :], acc, mask=(i[:, None] < rows) & (j[None, :] < n))


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, y_ptr, rows, scale, D: tl.constexpr, TILE: tl.constexpr, CAUSAL: tl.constexpr, KIND: tl.constexpr):
    queries = tl.program_id(0) * TILE + tl.arange(0, TILE)
    dims = tl.arange(0, D)
    q = tl.load(q_ptr + queries[:, None] * D + dims[None, :], mask=queries[:, None] < rows, other=0.0)
    top = tl.full([TILE], -float("inf"), tl.float32)
    total = tl.zeros([TILE], tl.float32)
    acc = tl.zeros([TILE, D], tl.float32)
    last = rows
    if KIND == "causal_skips_last_tile":
        last = tl.maximum(tl.program_id(0), 1) * TILE
    for start in range(0, last, TILE):
        keys = start + tl.arange(0, TILE)
        k = tl.load(k_ptr + keys[None, :] * D + dims[:, None], mask=keys[None, :] < rows, other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * scale
        if KIND != "attention_padding":
            scores = tl.where(keys[None, :] < rows, scores, -float("inf"))
        if KIND == "causal_late":
            scores = tl.where(keys[None, :] <= queries[:, None] + 1, scores, -float("inf"))
        elif CAUSAL:
            scores = tl.where(keys[None, :] <= queries[:, None], scores, -float("inf"))
        higher = tl.maximum(top, tl.max(scores, 1))
        p = tl.exp(scores - higher[:, None])
        shrink = tl.exp(top - higher)
        v = tl.load(v_ptr + keys[:, None] * D + dims[None, :], mask=keys[:, None] < rows, other=0.0)
        if KIND != "attention_no_rescale":
            acc = acc * shrink[:, None]
        acc += tl.dot(p, v, input_precision="ieee")
        total = total * shrink + tl.sum(p, 1)
        top = higher
    tl.store(y_ptr + queries[:, None] * D + dims[None, :], acc / total[:, None], mask=queries[:, None] < rows)


DEPTH = 32  # of attention's vectors


def family(case):
    return case.kernel.partition("_")[0]


def tensors(case):
    rows, n = case.rows, case.n
    if family(case) in ("attention", "causal"):
        return {**{name: pg.In(rows, DEPTH) for name in "qkv"}, "y": pg.Out(rows, DEPTH)}
    if family(case) == "gemm":
        return {"x": pg.In(rows, n), "w": pg.In(n, n), "y": pg.Out(rows, n)}
    if family(case) == "sum":
        return {"x": pg.In(rows, n), "y": pg.Out(rows)}
    if family(case) == "gather":
        return {"x": pg.In(rows, n), "i": pg.In(rows, dtype="i32", fill=pg.uniform(0, rows - 1), fixed=True), "y": pg.Out(rows, n)}
    return {"x": pg.In(rows, n), "y": pg.Out(rows, n)}


def by_row(kernel, case, t):
    kernel[(case.rows,)](t.x, t.y, case.n, BLOCK=triton.next_power_of_2(case.n), KIND=case.kernel)


def sums(case, t):
    last = case.n // TILE * TILE if case.kernel == "sum_without_tail" else case.n
    sum_kernel[(case.rows,)](t.x, t.y, case.n, last, TILE=TILE)


def sums_of_tiles(case, t):
    if case.kernel != "sum_not_cleared":
        t.y.zero_()
    sum_tiles_kernel[(triton.cdiv(case.n, TILE), case.rows)](t.x, t.y, case.n, TILE=TILE, KIND=case.kernel)


def gemm(case, t):
    grid = (triton.cdiv(case.rows, TILE), triton.cdiv(case.n, TILE))
    gemm_kernel[grid](t.x, t.w, t.y, case.rows, case.n, TILE=TILE, KIND=case.kernel)


def attention(case, t):
    scale = 1.0 if case.kernel == "attention_unscaled" else DEPTH**-0.5
    grid = (triton.cdiv(case.rows, TILE),)
    attention_kernel[grid](t.q, t.k, t.v, t.y, case.rows, scale, D=DEPTH, TILE=TILE, CAUSAL=family(case) == "causal", KIND=case.kernel)


def gelu(x):
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


def sample_variance(case, t):
    return (t.x - t.x.mean(-1, keepdim=True)) / torch.sqrt(t.x.var(-1, keepdim=True) + 1e-5)


# What is launched, by the name of the kernel, else by its family's.
LAUNCHES = {
    "softmax": lambda case, t: by_row(softmax_kernel, case, t),
    "softmax_columns": lambda case, t: torch.softmax(t.x, 0),
    "softmax_half": lambda case, t: torch.softmax(t.x.half(), -1).float(),
    "layernorm": lambda case, t: by_row(layernorm_kernel, case, t),
    "layernorm_sample_variance": sample_variance,
    "sum": sums,
    "sum_tiles": sums_of_tiles,
    "sum_race": sums_of_tiles,
    "sum_not_cleared": sums_of_tiles,
    "sum_half": lambda case, t: t.x.half().sum(-1).float(),
    "gemm": gemm,
    "gemm_transposed": lambda case, t: t.x @ t.w.T,
    "gemm_half": lambda case, t: (t.x.half() @ t.w.half()).float(),
    "attention": attention,
    "causal": attention,
    "gelu": lambda case, t: gelu(t.x),
    "gelu_sigmoid": lambda case, t: t.x * torch.sigmoid(1.702 * t.x),
    "gather": lambda case, t: t.x[t.i.long()],
    "gather_next": lambda case, t: t.x[(t.i.long() + 1) % case.rows],
    "cumsum": lambda case, t: t.x.cumsum(-1),
    "cumsum_restarts": lambda case, t: torch.cat([part.cumsum(-1) for part in t.x.split(TILE, -1)], -1),
}


def launch(case, t):
    return LAUNCHES.get(case.kernel, LAUNCHES[family(case)])(case, t)


def reference(case, t):  # float64
    kind = family(case)
    if kind in ("attention", "causal"):
        scores = t.q @ t.k.T * DEPTH**-0.5
        if kind == "causal":
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -float("inf"))
        return torch.softmax(scores, -1) @ t.v
    return {
        "softmax": lambda: torch.softmax(t.x, -1),
        "layernorm": lambda: torch.nn.functional.layer_norm(t.x, (case.n,)),
        "sum": lambda: t.x.sum(-1),
        "gemm": lambda: t.x @ t.w,
        "gelu": lambda: gelu(t.x),
        "gather": lambda: t.x[t.i.long()],
        "cumsum": lambda: t.x.cumsum(-1),
    }[kind]()
