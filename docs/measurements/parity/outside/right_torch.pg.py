"""Right kernels of torch on a CPU that no part of the bound was chosen by. A kernel's name is OPERATION-DTYPE, as in catalogue.py."""

import perfgate as pg
import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def rows(case):
    return {"x": (case.rows, case.n)}, {"y": (case.rows, case.n)}


def rows_to_one(case):
    return {"x": (case.rows, case.n)}, {"y": (case.rows,)}


def two_rows(case):
    return {"x": (case.rows, case.n), "z": (case.rows, case.n)}, {"y": (case.rows, case.n)}


def two_rows_to_one(case):
    return {"x": (case.rows, case.n), "z": (case.rows, case.n)}, {"y": (case.rows,)}


def doubled_rows(case):
    return {"x": (case.rows, 2 * case.n)}, {"y": (case.rows, case.n)}


def scaled_rows(case):
    return {"x": (case.rows, case.n), "w": (case.n,), "b": (case.n,)}, {"y": (case.rows, case.n)}


def ragged(case):
    return {"x": (case.rows, case.n), "len": pg.In(case.rows, dtype="i64", fill=pg.uniform(0, case.n), fixed=True)}, {"y": (case.rows,)}


def ragged_rows(case):
    return ragged(case)[0], {"y": (case.rows, case.n)}


def indices(case):
    return {"x": (case.rows, case.n)}, {"y": pg.Out(case.rows, case.n, dtype="i64")}


def index(case):
    return {"x": (case.rows, case.n)}, {"y": pg.Out(case.rows, dtype="i64")}


def integers(case):
    return {"x": pg.In(case.rows, case.n, dtype="i8")}, {"y": pg.Out(case.rows, dtype="i32")}


def gated(case):
    return {"x": (case.m, case.k), "h": (case.m, case.n), "w": (3 * case.n, case.k), "u": (3 * case.n, case.n)}, {"y": (case.m, case.n)}


def pairs(case):
    return {"x": (case.m, case.k)}, {"y": (case.m, case.m)}


def heads(case):
    return {"q": (2, case.m, case.k), "k": (2, case.n, case.k), "v": (2, case.n, case.k)}, {"y": (2, case.m, case.k)}


def lower(case):
    return {"x": (case.m, case.m), "w": (case.m, case.n)}, {"y": (case.m, case.n)}


def volumes(case):
    return {"x": (1, case.c, 5, case.size, 4), "w": (4, case.c, 3, 3, 3)}, {"y": (1, 4, 5, case.size, 4)}


def images(case):
    return {"x": (2, case.c, case.size, case.size), "w": (4, case.c, 3, 3)}, {"y": (2, 4, case.size, case.size)}


def columns(case):
    return {"x": (2, 9 * case.c, case.size**2)}, {"y": (2, case.c, case.size, case.size)}


def pooled(case):
    return {"x": (2, case.c, case.size, case.size)}, {"y": (2, case.c, case.size // 2, case.size // 2)}


def sequences(case):
    return {"x": (2, case.c, case.size)}, {"y": (2, case.c, case.size)}


def groups(case):
    shape = (2, 4 * case.c, case.size)
    return {"x": shape, "z": shape}, {"y": shape}


def within(case, t, least=0):
    return torch.arange(case.n)[None] < t.len.long()[:, None].clamp(min=least)


def ragged_mean(case, t):
    zero = torch.zeros((), dtype=t.x.dtype)
    return torch.where(within(case, t), t.x, zero).sum(-1) / t.len.long().clamp(min=1).to(t.x.dtype)


def ragged_softmax(case, t):
    return torch.softmax(t.x.masked_fill(~within(case, t, 1), -float("inf")), -1)


def gru(case, t):
    return torch.gru_cell(t.x, t.h, t.w, t.u)


def exact_gru(case, t):
    (ir, iz, inew), (hr, hz, hnew) = (t.x @ t.w.t()).chunk(3, -1), (t.h @ t.u.t()).chunk(3, -1)
    z = (iz + hz).sigmoid()
    return (1 - z) * (inew + (ir + hr).sigmoid() * hnew).tanh() + z * t.h


def stepwise_norm(case, t):  # each step rounds to the dtype
    centred = t.x - t.x.mean(-1, keepdim=True)
    return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * t.w + t.b


def standardised(case, t):
    return (t.x - t.x.mean(-1, keepdim=True)) / (t.x.std(-1, unbiased=False, keepdim=True) + 1e-3)


def centred(x):
    return x - x.mean(-1, keepdim=True)


def gradient(function):
    def launch(case, t):
        x = t.x.detach().clone().requires_grad_()
        with torch.enable_grad():
            return torch.autograd.grad(function(x), x, t.z)[0]

    return launch


def stepwise_attention(case, t):
    return torch.softmax(t.q @ t.k.transpose(-1, -2) / case.k**0.5, -1) @ t.v


def integer_sum(case, t):
    return t.x.to(torch.float64).sum(-1).to(torch.int32 if t.x.dtype == torch.int8 else torch.float64)


# By name: shapes, the kernel, and what is right where that is another formula.
OPERATIONS = {
    "logaddexp": (two_rows, lambda c, t: torch.logaddexp(t.x, t.z)),
    "glu": (doubled_rows, lambda c, t: F.glu(t.x)),
    "elu": (rows, lambda c, t: F.elu(t.x)),
    "selu": (rows, lambda c, t: F.selu(t.x)),
    "logsigmoid": (rows, lambda c, t: F.logsigmoid(t.x)),
    "tanhshrink": (rows, lambda c, t: F.tanhshrink(t.x)),
    "huber": (two_rows, lambda c, t: F.huber_loss(t.x, t.z, reduction="none")),
    "expm1": (rows, lambda c, t: torch.expm1(t.x.clamp(max=20))),
    "steep_softplus": (rows, lambda c, t: F.softplus(t.x, beta=3)),
    "stepwise_norm": (scaled_rows, stepwise_norm),
    "standardised": (rows, standardised),
    "normalised": (rows, lambda c, t: F.normalize(t.x, dim=-1)),
    "covariance": (pairs, lambda c, t: centred(t.x) @ centred(t.x).t() / c.k),
    "gru": (gated, gru, exact_gru),
    "stepwise_attention": (heads, stepwise_attention),
    "ragged_mean": (ragged, ragged_mean),
    "ragged_softmax": (ragged_rows, ragged_softmax),
    "gelu_gradient": (two_rows, gradient(F.gelu)),
    "silu_gradient": (two_rows, gradient(F.silu)),
    "tanh_gradient": (two_rows, gradient(torch.tanh)),
    "log_softmax_gradient": (two_rows, gradient(lambda x: torch.log_softmax(x, -1))),
    "normalised_gradient": (two_rows, gradient(lambda x: F.normalize(x, dim=-1))),
    "groupnorm_gradient": (groups, gradient(lambda x: F.group_norm(x, 4))),
    "conv3d": (volumes, lambda c, t: F.conv3d(t.x, t.w, padding=1)),
    "dilated": (images, lambda c, t: F.conv2d(t.x, t.w, padding=2, dilation=2)),
    "fold": (columns, lambda c, t: F.fold(t.x, (c.size, c.size), 3, padding=1)),
    "lp_pool": (pooled, lambda c, t: F.lp_pool2d(t.x.abs(), 2, 2)),
    "local_response": (sequences, lambda c, t: F.local_response_norm(t.x, 3)),
    "cummax": (rows, lambda c, t: torch.cummax(t.x, -1).values),
    "median": (rows_to_one, lambda c, t: t.x.median(-1).values),
    "argmin": (index, lambda c, t: t.x.argmin(-1)),
    "argsort": (indices, lambda c, t: torch.sort(t.x, dim=-1, stable=True).indices),
    "bucketize": (indices, lambda c, t: torch.bucketize(t.x, torch.linspace(-2, 2, 33, dtype=t.x.dtype))),
    "integer_sum": (integers, integer_sum),
    "entropy": (rows_to_one, lambda c, t: -(torch.softmax(t.x, -1) * torch.log_softmax(t.x, -1)).sum(-1)),
    "deviation": (rows_to_one, lambda c, t: t.x.std(-1, unbiased=False)),
    "atan2": (two_rows, lambda c, t: torch.atan2(t.x, t.z)),
    "correlation": (two_rows_to_one, lambda c, t: (centred(t.x) * centred(t.z)).mean(-1)),
    "distances": (pairs, lambda c, t: (t.x[:, None] - t.x[None]).square().sum(-1)),
    "lower_product": (lower, lambda c, t: t.x.tril() @ t.w),
}


def operation(case):
    return OPERATIONS[case.kernel.partition("-")[0]]


def tensors(case):
    inputs, outputs = operation(case)[0](case)
    made = {name: what if isinstance(what, pg.In) else pg.In(what, dtype=case.dtype) for name, what in inputs.items()}
    return {**made, **{name: what if isinstance(what, pg.Out) else pg.Out(what, dtype=case.dtype) for name, what in outputs.items()}}


def launch(case, t):
    with torch.no_grad():
        return operation(case)[1](case, t)


def reference(case, t):  # float64
    return operation(case)[-1](case, t)
