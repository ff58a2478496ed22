"""The example in CuPy: `fault` is the number of what is planted."""

from pathlib import Path

import cupy
import perfgate as pg

EXAMPLE = Path(__file__).resolve().parents[3] / "kernels" / "examples" / "gelu_cupy" / "gelu.py"


def tensors(case):
    return {"x": pg.In(case.n), "y": pg.Out(case.n)}


def planted(fault):
    module = {}
    exec(EXAMPLE.read_text().replace('\nFAULT = ""\n', f'\nFAULT = "{fault}"\n'), module)
    return module["gelu"]


gelu = [planted(fault) for fault in ("", "strided")]


def launch(case, t):
    gelu[case.fault](t.x, out=t.y)


def reference(case, t):  # float64
    return 0.5 * t.x * (1 + cupy.tanh((2 / cupy.pi) ** 0.5 * (t.x + 0.044715 * t.x**3)))
