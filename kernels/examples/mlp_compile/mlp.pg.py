"""How perfgate shapes, launches and checks what torch.compile makes of mlp.py."""

import perfgate as pg

from mlp import compiled, mlp

WIDTH, HIDDEN = 512, 2048


def tensors(case):
    # Weights stay as a network has them: others make sums of two thousand products that f16 holds no digits of.
    return {
        "x": pg.In(case.batch, WIDTH, dtype="f16", dims="batch,width"),
        "w1": pg.In(HIDDEN, WIDTH, dtype="f16", fill=pg.normal(0, WIDTH**-0.5), fixed=True),
        "b1": pg.In(HIDDEN, dtype="f16", fill=pg.normal(0, 0.1), fixed=True),
        "w2": pg.In(WIDTH, HIDDEN, dtype="f16", fill=pg.normal(0, HIDDEN**-0.5), fixed=True),
        "b2": pg.In(WIDTH, dtype="f16", fill=pg.normal(0, 0.1), fixed=True),
        "y": pg.Out(case.batch, WIDTH, dtype="f16", dims="batch,width"),
    }


def setup(case, t):
    function = compiled()
    function(t.x, t.w1, t.b1, t.w2, t.b2)  # the first call compiles
    return function


def launch(case, t):
    return t.state(t.x, t.w1, t.b1, t.w2, t.b2)


def reference(case, t):  # float64, not compiled
    return mlp(t.x, t.w1, t.b1, t.w2, t.b2)


def work(case):
    weights = 2 * WIDTH * HIDDEN
    return 2 * case.batch * weights, 2 * (weights + HIDDEN + WIDTH + 2 * case.batch * WIDTH)
