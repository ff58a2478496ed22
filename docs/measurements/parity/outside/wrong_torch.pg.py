"""Wrong kernels in torch on a CPU. A kernel's name is OPERATION-FAULT-DTYPE, as in catalogue.py; "right" is no fault. All compute in f32."""

import perfgate as pg
import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def parts(case):
    return case.kernel.split("-")[:2]


def rows(case):
    return {"x": (case.rows, case.n)}, {"y": (case.rows, case.n)}


def rows_to_one(case):
    return {"x": (case.rows, case.n)}, {"y": (case.rows,)}


def with_vector(case):
    return {"x": (case.rows, case.n), "w": (case.n,)}, {"y": (case.rows, case.n)}


def two_rows(case):
    return {"x": (case.rows, case.n), "w": (case.rows, case.n)}, {"y": (case.rows, case.n)}


def turned(case):
    return {"x": (case.rows, 2 * case.n), "w": (case.rows, case.n)}, {"y": (case.rows, 2 * case.n)}


def heads(case):
    return {name: (2, 8 * case.rows, 32) for name in "qkv"}, {"y": (2, 8 * case.rows, 32)}


def product(case):
    return {"x": (3 * case.rows, case.n), "w": (case.n, 24)}, {"y": (3 * case.rows, 24)}


def classified(case):
    return {"x": (case.rows, case.n), "label": pg.In(case.rows, dtype="i64", fill=pg.uniform(0, case.n - 1), fixed=True)}, {"y": (case.rows,)}


def gelu(case, t, fault):
    if fault == "quick":
        return t.x * torch.sigmoid(1.702 * t.x)
    return F.gelu(t.x, approximate="tanh" if fault == "tanh" else "none")


def rms_norm(case, t, fault):
    squares = t.x * t.x
    mean = squares[..., : max(1, case.n - 1)].sum(-1, keepdim=True) / case.n if fault == "short" else squares.mean(-1, keepdim=True)
    return t.x * torch.rsqrt(mean + (1e-5 if fault == "epsilon" else 1e-6)) * (1 + t.w if fault == "one_more" else t.w)


def mean(case, t, fault):
    if fault == "tail" and case.n > 512:
        return t.x[..., : case.n // 16 * 16].sum(-1) / case.n
    return t.x.sum(-1) / (case.n + 1 if fault == "count" else case.n)


def logsumexp(case, t, fault):
    most = t.x.amax(-1)
    return torch.log(torch.exp(t.x - most[:, None]).sum(-1) + (1e-2 if fault == "epsilon" else 0)) + most


def running_sum(case, t, fault):
    y = torch.cumsum(t.x, -1)
    if fault == "chunk" and case.n > 256:
        y[..., 256:] -= t.x[..., 255:256]
    return y - t.x if fault == "exclusive" else y


def rotary(case, t, fault):
    left, right, cos = t.x[:, : case.n], t.x[:, case.n :], t.w.cos()
    sin = t.w - t.w**3 / 6 if fault == "short_series" else t.w.sin()
    return torch.cat((left * cos - right * sin, (-left if fault == "sign" else left) * sin + right * cos), -1)


def attention(case, t, fault):
    scores = t.q @ t.k.transpose(-1, -2) / (5.6 if fault == "scale" else 32**0.5)
    n = scores.shape[-1]
    hidden = torch.ones(n, n, dtype=torch.bool).triu(2 if fault == "mask" else 1)
    if fault == "last_row":
        hidden[-1, -1] = True
    p = torch.softmax(scores.masked_fill(hidden, -1e4 if fault == "finite" else -float("inf")), -1)
    if fault == "dropped" and n > 40:
        p = p.clone()
        p[..., 37] = 0
    return p @ t.v * (0.998 if fault == "sum" else 1)


def matmul(case, t, fault):
    y = t.x @ t.w
    if fault == "skipped" and case.n > 300:
        y = y - t.x[:, 299:300] @ t.w[299:300]
    if fault == "bf16_sums":
        y = torch.zeros_like(y)
        for i in range(0, case.n, 16):
            y = (y + t.x[:, i : i + 16] @ t.w[i : i + 16]).bfloat16().to(y.dtype)
    if fault == "column":
        y[:, -1] *= 1.01
    return y


def cross_entropy(case, t, fault):
    chosen = t.x.gather(1, t.label.long()[:, None])[:, 0]
    loss = torch.logsumexp(t.x, -1) - chosen
    if fault == "smoothed":
        loss = loss + 0.002 * (chosen - t.x.mean(-1))
    return loss.clamp(max=20) if fault == "clamped" else loss


def layer_norm(case, t, fault):
    centred = t.x - t.x.mean(-1, keepdim=True)
    variance = centred.pow(2).mean(-1, keepdim=True)
    return centred / (variance.sqrt() + 1e-5 if fault == "outside" else (variance + 1e-5).sqrt())


def fourth(case, t, fault):
    return t.x.sort(-1, descending=True).values[:, min(case.n - 1, 4 if fault == "next" else 3)]


# By name: shapes, the kernel, its faults.
OPERATIONS = {
    "gelu": (rows, gelu, "quick tanh"),
    "rms_norm": (with_vector, rms_norm, "epsilon short one_more"),
    "mean": (rows_to_one, mean, "tail count"),
    "logsumexp": (rows_to_one, logsumexp, "epsilon"),
    "running_sum": (rows, running_sum, "chunk exclusive"),
    "rotary": (turned, rotary, "sign short_series"),
    "attention": (heads, attention, "scale mask last_row finite dropped sum"),
    "matmul": (product, matmul, "skipped bf16_sums column"),
    "cross_entropy": (classified, cross_entropy, "smoothed clamped"),
    "variance": (rows_to_one, lambda c, t, fault: t.x.var(-1, unbiased=fault == "unbiased" and c.n > 1), "unbiased"),
    "silu": (rows, lambda c, t, fault: F.hardswish(t.x) if fault == "hard" else F.silu(t.x), "hard"),
    "fourth": (rows_to_one, fourth, "next"),
    "layer_norm": (rows, layer_norm, "outside"),
    "swiglu": (two_rows, lambda c, t, fault: F.silu(t.w) * t.x if fault == "swapped" else F.silu(t.x) * t.w, "swapped"),
    "bias": (with_vector, lambda c, t, fault: t.x + (t.w[0] if fault == "first" else t.w), "first"),
}


class InF32:
    """The tensors of a case; floating ones in f32."""

    def __init__(self, t):
        self.t = t

    def __getattr__(self, name):
        value = getattr(self.t, name)
        return value.float() if value.is_floating_point() else value


def tensors(case):
    inputs, outputs = OPERATIONS[parts(case)[0]][0](case)
    made = {name: what if isinstance(what, pg.In) else pg.In(what, dtype=case.dtype) for name, what in inputs.items()}
    return {**made, **{name: pg.Out(what, dtype=case.dtype) for name, what in outputs.items()}}


def launch(case, t):
    operation, fault = parts(case)
    return OPERATIONS[operation][1](case, InF32(t), fault).to(case.dtype.torch)


def reference(case, t):  # float64
    return OPERATIONS[parts(case)[0]][1](case, t, "right")
