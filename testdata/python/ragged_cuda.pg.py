"""ragged.pg.py in torch, for a GPU: fill and written are asked on the host."""

import perfgate as pg
import torch


def tensors(case):
    return {
        "lengths": pg.In(case.rows, dtype="i32", fill=pg.custom),
        "x": pg.In(case.rows, case.n),
        "y": pg.Out(case.rows, case.n),
        "sums": pg.InOut(case.rows, dtype="f64"),
    }


def fill(case, values, seed, t):
    assert t.x is None and t.lengths.shape == (case.rows,) and t.lengths.device.type == "cpu"
    t.lengths.copy_(torch.randint(0, case.n + 1, (case.rows,), generator=torch.Generator().manual_seed(seed % 2**63)))


def inside(case, lengths):
    return torch.arange(case.n, device=lengths.device)[None, :] < lengths[:, None]


def written(case, t):
    sums = torch.full((case.rows,), pg.WRITTEN, dtype=torch.uint8)
    sums[t.lengths == 0] = pg.KEPT
    return {"y": inside(case, t.lengths), "sums": sums}


def launch(case, t):
    mask = inside(case, t.lengths)
    rest = torch.zeros_like(t.y) if case.kernel == "writes_all" else t.y
    t.y.copy_(torch.where(mask, 2 * t.x, rest))
    t.sums.copy_(torch.where(t.lengths > 0, torch.where(mask, t.x, 0.0).double().sum(1), t.sums))


def reference(case, t):
    lengths = t.lengths.long()
    mask = inside(case, lengths)
    t.y.copy_(torch.where(mask, 2 * t.x, t.y))
    t.sums.copy_(torch.where(lengths > 0, torch.where(mask, t.x, 0.0).sum(1), t.sums))
