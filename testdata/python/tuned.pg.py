"""A tuner as Triton's is: it tries its configurations once, and launches the best. Triton itself is not needed."""

import sys
import types

import numpy as np

import perfgate as pg


class Config:
    def __init__(self, **values):
        self.kwargs, self.num_warps, self.num_stages = values, 4, 3


class Autotuner:
    def __init__(self, fn, configs):
        self.fn, self.configs, self.best_config = fn, configs, None

    def run(self, *arguments):
        if self.best_config not in self.configs:
            self.best_config = self.configs[-1]
        self.fn(*arguments, **self.best_config.kwargs)


sys.modules["triton.runtime.autotuner"] = types.ModuleType("triton.runtime.autotuner")
sys.modules["triton.runtime.autotuner"].Autotuner = Autotuner


def scale_kernel(x, y, BLOCK):
    for start in range(0, len(x), BLOCK):
        np.multiply(x[start:start + BLOCK], 2, out=y[start:start + BLOCK])


tuned = Autotuner(scale_kernel, [Config(BLOCK=1000), Config(BLOCK=2000), Config(BLOCK=5000)])


def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}


def launch(case, t):
    tuned.run(t.x, t.y)


def reference(case, t):
    return 2 * t.x
