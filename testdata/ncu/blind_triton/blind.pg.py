"""How perfgate shapes, launches and checks the kernels of programs.py: `slow` tells head from base."""

import perfgate as pg
import torch

import programs


def tensors(case):
    name = case.kernel
    if name in ("matmul", "linear_gelu", "wide_tile"):
        M, N, K = case.M, case.N, case.K
        return {"a": pg.In(M, K, dtype="f16"), "b": pg.In(K, N, dtype="f16", fill=pg.normal(0, K**-0.5)), "c": pg.Out(M, N, dtype="f16")}
    if name == "activation":
        return {"x": pg.In(case.n, dtype="f16"), "y": pg.Out(case.n, dtype="f16")}
    if name == "polynomial":
        return {"x": pg.In(case.n, fill=pg.uniform(-1, 1), fixed=True), "y": pg.Out(case.n)}
    if name == "histogram":
        return {"x": pg.In(case.n, dtype="i32", fill=pg.uniform(0, 255), fixed=True), "bins": pg.Scratch(256, dtype="i32"), "y": pg.Out(case.n // 16384, dtype="i32")}
    if name == "partial_sums":
        return {"x": pg.In(case.n), "y": pg.Out(1024)}
    if name == "bias":
        shape = (case.images, case.channels, case.side, case.side)
        return {"x": pg.In(shape), "b": pg.In(case.channels), "y": pg.Out(shape)}
    rows, columns = case.rows, case.columns
    if name == "residual_norm":
        given = {name: pg.In(rows, columns, dtype="f16") for name in "xr"}
        return {**given, "w": pg.In(columns, dtype="f16"), "s": pg.Scratch(rows, columns, dtype="f16"), "y": pg.Out(rows, columns, dtype="f16")}
    if name == "cross_entropy":
        return {"x": pg.In(rows, columns, dtype="f16"), "target": pg.In(rows, dtype="i32", fill=pg.uniform(0, columns - 1), fixed=True), "y": pg.Out(rows)}
    if name == "column_sums":
        return {"x": pg.In(rows, columns), "sums": pg.Scratch(columns), "y": pg.Out(rows // 64, columns)}
    return {"x": pg.In(rows, columns), "y": pg.Out(rows, columns)}


def launch(case, t):
    given = [getattr(t, name) for name in tensors(case)]
    programs.FUNCTIONS[case.kernel](*given, bool(case.slow))


def ragged(x):
    rows = x.shape[0]
    row = torch.arange(rows, device=x.device)
    steps = 1 + row * 256 // rows
    steps[rows - 64:] = 8 * 256
    return 1 + (x - 1) * torch.pow(torch.tensor(0.999, dtype=torch.float64, device=x.device), steps)[:, None]


def series(x):
    y = x
    for _ in range(64):
        y = y * y * 0.25 + x * 0.125
    return y


def reference(case, t):  # float64
    name = case.kernel
    if name in ("matmul", "wide_tile"):
        return t.a @ t.b
    if name == "linear_gelu":
        c = t.a @ t.b
        return c * torch.sigmoid(1.702 * c)
    if name == "residual_norm":
        s = t.x + t.r
        return s * torch.rsqrt((s * s).mean(-1, keepdim=True) + 1e-5) * t.w
    if name == "cross_entropy":
        return torch.logsumexp(t.x, -1) - t.x.gather(1, t.target[:, None].long())[:, 0]
    simple = {
        "column_softmax": lambda: torch.softmax(t.x, 0), "activation": lambda: t.x * torch.sigmoid(t.x), "polynomial": lambda: series(t.x),
        "histogram": lambda: t.x.view(-1, 16384).sum(-1).to(torch.int32), "partial_sums": lambda: t.x.view(1024, -1).sum(-1),
        "bias": lambda: t.x + t.b[:, None, None], "ragged": lambda: ragged(t.x), "column_sums": lambda: t.x.view(-1, 64, case.columns).sum(1),
        "unit_norm": lambda: t.x * torch.rsqrt((t.x * t.x).sum(-1, keepdim=True) + 1e-6),
    }
    return simple[name]()
