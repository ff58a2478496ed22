import builtins
import importlib
import os
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import support  # noqa: F401
from perfgate import _own, _patched
from perfgate._errors import AdapterError
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


BELOW = """import torch
class Cheap:
    def __getattr__(self, name):
        return getattr(torch, name)
forward, functional = torch.nn.Linear.forward, torch.nn.functional.torch
{}
"""


@unittest.skipIf(torch is None, "torch is not installed")
class BetweenTorchAndItsKernels(unittest.TestCase):
    def test_below_its_functions(self):
        back = "torch.nn.Linear.forward, torch.nn.functional.torch = forward, functional"
        for change, place in (
            ("torch.nn.Linear.forward = lambda self, x: x", "torch.nn.modules.linear.Linear.forward is replaced by between.py:6"),
            ("torch.nn.functional.torch = Cheap()", "torch.nn.functional.torch is replaced by an object of this side"),
            ("import sys; sys.modules['torch.fft'] = Cheap()", "torch.fft is replaced by an object of between"),
        ):
            fft = sys.modules["torch.fft"]
            try:
                self.assertIn(place, self.said(BELOW.format(change), undo=back))
            finally:
                sys.modules["torch.fft"] = fft
        self.assertEqual(self.said(BELOW.format("")), "")

    def test_what_was_looked_through_before(self):
        """What has not changed is passed over: a function's code, a value and an object's kind count as changes."""
        self.assertEqual(self.said(BELOW.format("")), "")
        for change, undo, place in (
            ("old = forward.__code__; forward.__code__ = (lambda self, input: input).__code__", "forward.__code__ = old", "torch.nn.modules.linear.Linear.forward is replaced by between.py:6"),
            ("old = torch.Tensor.tolist; torch.Tensor.tolist = lambda self: []", "del torch.Tensor.tolist", "torch.Tensor.tolist is replaced by between.py:6"),
            (
                "f = torch.nn.functional.softmax; old = f.__code__; f.__code__ = (lambda input, dim=None, _stacklevel=3, dtype=None: input).__code__", "f.__code__ = old",
                "torch.nn.functional.softmax is replaced by between.py:6",
            ),
        ):
            self.assertIn(place, self.said(BELOW.format(change), undo=undo))
            self.assertEqual(self.said(BELOW.format("")), "")

    def test_whose_an_object_is_turns_out_later(self):
        early = "import torch, sys\nCheap = type('Cheap', (), {'__module__': 'between_later'})\ntorch.nn.modules.linear.cheap = Cheap()\n"
        late = "import os, types\nm = types.ModuleType('between_later')\nm.__file__ = os.path.join(os.path.dirname(__file__), 'later.py')\nsys.modules['between_later'] = m\n"
        try:
            self.assertEqual(self.said(early), "")
            self.assertIn("linear.cheap is replaced by an object of this side", self.said(early.replace("torch.nn.modules.linear.cheap = Cheap()\n", "") + late))
        finally:
            vars(torch.nn.modules.linear).pop("cheap", None)
            sys.modules.pop("between_later", None)

    def test_what_a_library_asks_users_for(self):
        given = "import sys, types, os\nm = types.ModuleType('{0}')\nm.__file__, m._allocator = os.__file__, lambda *a: None\nsys.modules['{0}'] = m\n"
        for module, place in (("triton.runtime._allocation", ""), ("triton.runtime.driver", "triton.runtime.driver._allocator is replaced")):
            with unittest.mock.patch.dict(sys.modules):
                said = self.said(given.format(module))
                (self.assertIn if place else self.assertEqual)(place, said)

    def test_one_function_in_the_place_of_another(self):
        _patched.remember()
        for change, undo, place in (
            ("old = torch.exp; torch.exp = torch.abs", "torch.exp = old", "torch.exp is replaced by torch.abs"),
            ("import math; old = torch.Tensor.exp; torch.Tensor.exp = math.fabs", "torch.Tensor.exp = old", "torch.Tensor.exp is replaced by math.fabs"),
            ("torch.of_its_own = torch.abs", "del torch.of_its_own", ""),  # nobody calls by that name
        ):
            said = self.said(BELOW.format(change), undo=undo)
            (self.assertIn if place else self.assertEqual)(place, said)
            self.assertEqual(self.said(BELOW.format("")), "")

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
                _patched._looks = _patched.Looks()
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


class OurOwn(unittest.TestCase):
    def test_what_is_replaced(self):
        with side("/nowhere"):
            space = {}
            exec(compile("def mine(*a):\n    return ''\n", "/nowhere/src/fast.py", "exec"), space)
            check = _own.watched()
            check()
            for holder, name, value in ((_patched, "hooks", len), (_patched, "user_file", space["mine"]), (_own, "of_side", None), (builtins, "sorted", space["mine"]), (builtins, "len", sum)):
                whole = getattr(holder, name)
                setattr(holder, name, value)
                try:
                    with self.assertRaises(AdapterError) as caught:
                        check()
                finally:
                    setattr(holder, name, whole)
                self.assertIn(f"{holder.__name__}.{name} is replaced", str(caught.exception))
            with unittest.mock.patch.object(builtins, "print", space["mine"]), unittest.mock.patch.object(builtins, "sorted", lambda *a: []):
                check()  # a program's own way to print, and what is no file of the side

    @unittest.skipUnless(hasattr(sys, "monitoring"), "Python 3.12 and later have it")
    def test_a_tool_that_monitors(self):
        space = {}
        exec(compile("def hook(*_):\n    pass\n", "/nowhere/src/fast.py", "exec"), space)
        with side("/nowhere"):
            sys.monitoring.use_tool_id(4, "later")
            try:
                sys.monitoring.register_callback(4, sys.monitoring.events.PY_START, space["hook"])
                for _ in range(2):
                    self.assertIn("src/fast.py:1 is installed as a callback of sys.monitoring (PY_START)", _patched.hooks(SHOWN))
                sys.monitoring.register_callback(4, sys.monitoring.events.PY_START, None)
                self.assertEqual(_patched.hooks(SHOWN), "")
            finally:
                sys.monitoring.free_tool_id(4)


if __name__ == "__main__":
    unittest.main()
