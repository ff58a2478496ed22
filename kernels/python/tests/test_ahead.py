"""What a process does before what is under test is there."""

import sys
import types
import unittest

import support  # noqa: F401
from perfgate import _ahead


class NameCompiler(unittest.TestCase):
    def named(self, module, digest):
        sys.modules[module] = types.SimpleNamespace(triton_key=digest)
        self.addCleanup(sys.modules.pop, module)
        _ahead.name_compiler()

    def test_asks_once_where_it_is(self):
        asked = []
        self.named("triton.compiler.compiler", lambda: asked.append("asked"))
        self.assertEqual(asked, ["asked"])

    def test_leaves_what_fails_to_the_first_kernel(self):
        self.named("triton.runtime.cache", lambda: 1 / 0)


if __name__ == "__main__":
    unittest.main()
