import contextlib
import os
import sys
import tempfile
import types
import unittest

import support  # noqa: F401
from perfgate import _case, _errors

SHOWN = "bench/k.pg.py"


@contextlib.contextmanager
def side(tree):
    """A tree under test, as the bridge names it."""
    sys.modules["perfgate._bridge"] = types.SimpleNamespace(TREE=tree, SHOWN=SHOWN)
    try:
        yield
    finally:
        del sys.modules["perfgate._bridge"]


def raised(source, filename=SHOWN, call=None):
    """What running source raises, compiled as that file."""
    space = {"__name__": "k"}
    try:
        exec(compile(source, filename, "exec"), space)
        if call:
            space[call]()
    except BaseException as e:
        return e
    raise AssertionError("nothing was raised")


class Describe(unittest.TestCase):
    def described(self, source, **more):
        return _errors.describe(raised(source, **more), SHOWN)

    def test_type_message_and_place(self):
        text = self.described("def launch():\n    x = [1]\n    return x[7]\n", call="launch")
        self.assertEqual(text, "IndexError: list index out of range\nat bench/k.pg.py:3 in launch")

    def test_innermost_frame_of_the_users(self):
        with tempfile.TemporaryDirectory() as tree, side(tree):
            path = os.path.join(tree, "lib", "mine.py")
            os.makedirs(os.path.dirname(path))
            with open(path, "w") as f:
                f.write("import json\ndef parse():\n    return json.loads('{')\n")
            sys.path.insert(0, os.path.dirname(path))
            try:
                text = self.described("import mine\ndef launch():\n    mine.parse()\n", call="launch")
            finally:
                sys.path.pop(0)
        self.assertIn("JSONDecodeError: ", text)
        self.assertIn("\nat lib/mine.py:3 in parse: return json.loads('{')", text)

    def test_packages_in_a_venv_of_the_tree_are_not_the_users(self):
        with tempfile.TemporaryDirectory() as tree, side(tree):
            inside = os.path.join(tree, ".venv", "lib", "python3", "site-packages", "torch", "f.py")
            self.assertEqual(_errors.user_file(inside, SHOWN), "")
            self.assertEqual(_errors.user_file(os.path.join(tree, "src", "f.py"), SHOWN), os.path.join("src", "f.py"))
            self.assertEqual(_errors.user_file(_errors.__file__, SHOWN), "")
            self.assertEqual(_errors.user_file(os.path.join(tree + "2", "f.py"), SHOWN), "")

    def test_what_ends_a_program(self):
        self.assertTrue(self.described("import sys\nsys.exit(3)").startswith("it called sys.exit(3)\nat bench/k.pg.py:2"))
        self.assertTrue(self.described("exit()" if "exit" in vars(__builtins__ if isinstance(__builtins__, types.ModuleType) else types) else "raise SystemExit").startswith("it called sys.exit()"))
        self.assertTrue(self.described("raise KeyboardInterrupt").startswith("it raised KeyboardInterrupt"))

    def test_syntax_errors_have_their_own_place(self):
        text = _errors.describe(raised("x = = 2\n"), SHOWN)
        self.assertEqual(text.splitlines(), ["SyntaxError: invalid syntax", "at bench/k.pg.py:1: x = = 2"])

    def test_a_missing_module_names_the_interpreter(self):
        text = self.described("import no_such_module.sub")
        self.assertIn("ModuleNotFoundError: No module named 'no_such_module'", text)
        self.assertIn(sys.executable, text)
        self.assertIn('"python:" in perfgate.yaml', text)

    def test_messages_are_one_line_and_bounded(self):
        text = self.described("raise ValueError('a\\n\\n  b\\tc\\n' + 'x' * 5000)")
        self.assertTrue(text.startswith("ValueError: a / b c / xxx"))
        self.assertLessEqual(len(text.encode()), _errors.MOST)
        self.assertEqual(len(text.splitlines()), 2)

    def test_a_compilers_error_is_found_in_what_torch_quotes(self):
        printed = "[1/3] g++ " + "-I/include " * 200 + "\na.cpp:1:10: fatal error: b.h: No such file or directory\n" + "ninja: build stopped"
        told = self.described(f"raise RuntimeError({('Error building extension k: ' + printed)!r})")
        self.assertIn("RuntimeError: Error building extension k", told)
        self.assertIn("... a.cpp:1:10: fatal error: b.h: No such file or directory\n", told)

    def test_hostile_exceptions(self):
        text = self.described("class E(Exception):\n def __str__(self): raise E\nraise E()")
        self.assertIn("its message cannot be had", text)
        self.described("raise ValueError('\\ud800')").encode()

    def test_a_cause_is_told(self):
        text = self.described("def f():\n try:\n  1/0\n except ZeroDivisionError as e:\n  raise RuntimeError('compile failed') from e\nf()")
        self.assertIn("RuntimeError: compile failed", text)
        self.assertIn("caused by ZeroDivisionError: division by zero", text)

    def test_remedies(self):
        self.assertIn("compute capability", self.described("raise RuntimeError('CUDA error: no kernel image is available for execution')"))
        self.assertIn("update the driver", self.described("raise RuntimeError('The NVIDIA driver on your system is too old (found version 11040)')"))
        self.assertIn("build: {command: ...}", self.described("raise OSError('/side/build/libk.so: cannot open shared object file: No such file or directory')"))
        self.assertIn("another version", self.described("raise OSError('libdep.so.2: cannot open shared object file: No such file or directory')"))
        locks = "exec(compile('raise PermissionError(13, \"Permission denied\")', '/usr/lib/python3/multiprocessing/synchronize.py', 'exec'))"
        self.assertIn("--sandbox=off", self.described(locks))


class Codes(unittest.TestCase):
    def test_codes(self):
        OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {})
        for exc, code in [(MemoryError(), "out-of-memory"), (OutOfMemoryError(), "out-of-memory"), (RuntimeError("CUDA out of memory. Tried"), "out-of-memory"),
                          (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), "out-of-memory"),
                          (_case.MissingParameter("x"), "missing-parameter"), (ValueError("x"), None), (SystemExit(1), None)]:
            self.assertEqual(_errors.code(exc), code)


if __name__ == "__main__":
    unittest.main()
