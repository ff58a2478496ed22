"""Rows of different lengths, by offsets that no fill describes: fill makes them, and written says which elements a launch leaves alone."""

import numpy as np

import perfgate as pg


def tensors(case):
    return {
        "lengths": pg.In(case.rows, dtype="i32", fill=pg.custom),
        "x": pg.In(case.rows, case.n),
        "y": pg.Out(case.rows, case.n),
        "sums": pg.InOut(case.rows, dtype="f64"),
    }


def fill(case, values, seed, t):
    assert t.x is None and t.lengths.shape == (case.rows,)
    t.lengths[:] = np.random.default_rng(seed).integers(0, case.n, case.rows, endpoint=True)


def lengths_mask(case, lengths):
    return np.arange(case.n)[None, :] < lengths[:, None]


def written(case, t):
    sums = np.full(case.rows, pg.WRITTEN, np.uint8)
    sums[t.lengths == 0] = pg.KEPT
    return {"y": lengths_mask(case, t.lengths), "sums": sums}


def launch(case, t):
    for row, length in enumerate(t.lengths):
        if length or case.kernel == "writes_all":
            t.y[row, :length] = 2 * t.x[row, :length]
            t.sums[row] = t.x[row, :length].sum()
            if case.kernel == "writes_all":
                t.y[row, length:] = 0


def reference(case, t):
    lengths = t.lengths.astype(int)
    mask = lengths_mask(case, lengths)
    t.y[mask] = 2 * t.x[mask]
    t.sums[lengths > 0] = np.where(mask, t.x, 0).sum(1)[lengths > 0]
