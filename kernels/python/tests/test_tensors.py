import math
import unittest

import support  # noqa: F401
import perfgate as pg
from perfgate import _tensors


class Rows(unittest.TestCase):
    def test_a_row_has_the_fields_of_pg_tensor(self):
        tensors = {
            "x": pg.In(2, 3, dtype="bf16", fill=pg.uniform(-1, 2), fixed=True, nonfinite=True, dims="r,n"),
            "y": pg.Out([4], dtype="f64", atol=1e-3, rtol=1e-2),
            "s": pg.Scratch(dtype="u8"),
            "z": pg.InOut(5, dtype="i32", fill=pg.sequence(1, 2)),
        }
        self.assertEqual(_tensors.rows(tensors), [
            ("x", 4, 1, (2, 3), "r,n", 2, 3, -1.0, 2.0, 0.0, 0.0),
            ("y", 1, 2, (4,), "", 0, 0, 0.0, 0.0, 1e-3, 1e-2),
            ("s", 10, 4, (), "", 0, 0, 0.0, 0.0, 0.0, 0.0),
            ("z", 8, 3, (5,), "", 4, 0, 1.0, 2.0, 0.0, 0.0),
        ])

    def test_impossible_tensors_are_refused_in_words(self):
        for make, words in {
            lambda: pg.In(1.5): "a dimension is an integer, not 1.5",
            lambda: pg.In(-1): "a dimension is 0 or more, not -1",
            lambda: pg.In(*[1] * 9): "at most 8 dimensions",
            lambda: pg.In(1, dtype="f15"): "'f15' is no element type; there are f64",
            lambda: pg.In(1, fill=3): "3 is no fill",
            lambda: pg.In(2, 2, dims="a"): "names 1 dimensions of 2",
            lambda: pg.Out(1, atol=math.nan): "a tolerance is a number from 0",
            lambda: pg.uniform(2, 1): "from low to high",
            lambda: pg.normal(0, 0): "standard deviation over 0",
            lambda: _tensors.rows([]): "a dict of In, Out, InOut and Scratch",
            lambda: _tensors.rows({"x": pg.In(1)}): "no Out and no InOut",
            lambda: _tensors.rows({"x": 1, "y": pg.Out(1)}): "x is 1, which is none of In, Out",
            lambda: _tensors.rows({"a b": pg.Out(1)}): "cannot name a tensor",
            lambda: _tensors.rows({"a" * 32: pg.Out(1)}): "at most 31 bytes",
            lambda: _tensors.rows({"state": pg.Out(1)}): "t.state is what setup returned",
            lambda: _tensors.rows({f"t{i}": pg.Out(1) for i in range(65)}): "at most 64",
            lambda: _tensors.rows({"x": _tensors.Tensor(1)}): "none of In, Out",
        }.items():
            with self.subTest(words), self.assertRaises((TypeError, ValueError)) as caught:
                make()
            self.assertIn(words, str(caught.exception))

    def test_tensors_by_name(self):
        t = _tensors.Tensors({"x": 1, "y": 2}, state="s")
        self.assertEqual((t.x, t["y"], t.state, list(t)), (1, 2, "s", ["x", "y"]))
        with self.assertRaises(AttributeError) as caught:
            t.q
        self.assertIn("it has x, y", str(caught.exception))


class Types(unittest.TestCase):
    def test_names_of_frameworks(self):
        class Fake:  # as torch has them
            def __str__(self):
                return "torch.bfloat16"

        self.assertIs(pg.dtype(Fake()), pg.bf16)
        self.assertIs(pg.dtype("float8_e4m3fn"), pg.f8e4m3)
        self.assertIs(pg.dtype(pg.f16), pg.f16)
        with self.assertRaises(TypeError):
            pg.dtype(float)

    def test_codes_are_those_of_perfgate_h(self):
        import os
        import re
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "native", "perfgate.h")
        with open(path) as f:
            header = f.read()
        for word in ("f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u8"):
            code = int(re.search(rf"PG_{word.upper()} = (\d+)", header).group(1))
            self.assertEqual(pg.dtype(word).code, code, word)
        for role, cls in {"IN": pg.In, "OUT": pg.Out, "INOUT": pg.InOut, "SCRATCH": pg.Scratch}.items():
            self.assertEqual(cls.role, int(re.search(rf"PG_{role} = (\d)", header).group(1)))
        for name, fill in {"NORMAL": pg.normal(), "UNIFORM": pg.uniform(0, 1), "CONSTANT": pg.constant(1), "SEQUENCE": pg.sequence()}.items():
            self.assertEqual(fill.kind, int(re.search(rf"PG_FILL_{name} = (\d)", header).group(1)))
        for name, flag in {"PG_FILL_FIXED": _tensors.FILL_FIXED, "PG_ALLOW_NONFINITE": _tensors.ALLOW_NONFINITE, "PG_MAX_TENSORS": _tensors.MAX_TENSORS,
                           "PG_MAX_RANK": _tensors.MAX_RANK}.items():
            self.assertEqual(flag, int(re.search(rf"{name} =? ?(\d+)", header).group(1)), name)


class Cases(unittest.TestCase):
    def test_parameters_are_attributes(self):
        c = pg.Case("k", [("R", "64", 64), ("dtype", "bf16", 4), ("kernel", "3", 3)], "cuda", 77)
        self.assertEqual((c.R, c.dtype, c.dtype.bytes, c.kernel, c["kernel"], c.device, c.stream), (64, "bf16", 2, "k", 3, "cuda", 77))
        self.assertEqual(str(c), "k/R=64,dtype=bf16,kernel=3")
        self.assertEqual(list(c), ["R", "dtype", "kernel"])
        self.assertTrue("R" in c and "Q" not in c)

    def test_a_missing_parameter_says_which_there_are(self):
        with self.assertRaises(pg.MissingParameter) as caught:
            pg.Case("k", {"R": 1}).N
        self.assertEqual(str(caught.exception), 'k has no parameter "N" in perfgate.yaml (it has R)')


if __name__ == "__main__":
    unittest.main()
