import importlib
import os
import sys
import tempfile
import unittest
import warnings

import support  # noqa: F401
from perfgate import _patched
from test_errors import SHOWN, side

try:
    import torch
except ImportError:
    torch = None

OVERRIDES = """import torch
lib = torch.library.Library("aten", "IMPL")
lib.impl("cumsum", lambda x, dim, dtype=None: x * 0, "CPU")
"""
OF_ITS_OWN = """import torch
lib = torch.library.Library("of_test_patched", "DEF")
lib.define("twice(Tensor x) -> Tensor")
lib.impl("twice", lambda x: 2 * x, "CPU")
"""
MODE = """from torch.overrides import TorchFunctionMode
class Zeros(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {})) * 0
mode = Zeros()
mode.__enter__()
"""


@unittest.skipIf(torch is None, "torch is not installed")
class BetweenTorchAndItsKernels(unittest.TestCase):
    def said(self, source, undo=""):
        """What is said of a side that has a module."""
        with tempfile.TemporaryDirectory() as tree, side(tree), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch has words of its own for an operator that is implemented again
            with open(os.path.join(tree, "between.py"), "w") as f:
                f.write(source)
            sys.path.insert(0, tree)
            importlib.invalidate_caches()
            try:
                module = importlib.import_module("between")
                said = _patched.replaced(SHOWN)
                exec(undo, vars(module))
                return said
            finally:
                sys.path.remove(tree)
                sys.modules.pop("between", None)

    def test_operators_of_torch(self):
        said = self.said(OVERRIDES, undo="del lib")
        self.assertIn('operators of torch are replaced by a torch.library.Library in global "lib" of between.py', said)
        self.assertEqual(torch.ones(2).cumsum(0).tolist(), [1, 2])

    def test_operators_of_its_own(self):
        self.assertEqual(self.said(OF_ITS_OWN), "")

    @unittest.skipIf(torch is not None and not hasattr(torch.overrides, "_get_current_function_mode_stack"), "this torch does not say which modes are on")
    def test_modes(self):
        said = self.said(MODE, undo="mode.__exit__(None, None, None)")
        self.assertIn("the TorchFunctionMode Zeros of between.py is on", said)
        self.assertEqual(self.said("import torch\n"), "")


if __name__ == "__main__":
    unittest.main()
