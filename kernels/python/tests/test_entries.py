import unittest

import support  # noqa: F401
from perfgate import _entries, _errors

WHOLE = """
def tensors(case): pass
def launch(case, t): pass
def fill(case, values, seed, t): pass
def written(case, t): pass
def setup(case, t): pass
def reference(case, t): pass
def work(case): pass
def teardown(state): pass
"""
LEAST = "def tensors(case): pass\ndef launch(case, t): pass\n"


def checked(source):
    adapter = {"__name__": "perfgate_adapter"}
    exec(compile(source, "k.pg.py", "exec"), adapter)
    _entries.check(adapter, source, "bench/k.pg.py")


class Entries(unittest.TestCase):
    def refused(self, source, *words):
        with self.assertRaises(_errors.AdapterError, msg=source) as caught:
            checked(source)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_right_ones_pass(self):
        for source in (
            WHOLE, LEAST,
            LEAST + "def reference(case, tensors): pass\ndef setup(*a): pass\ndef teardown(state=None, more=1): pass\n",
            LEAST + "import functools\ndef inner(x): pass\n@functools.wraps(inner)\ndef reference(case, t): pass\n",
            LEAST + "reference = print\nfill = None\n",
            LEAST + "def references(case): pass\nreference = lambda case, t: references(case)\n",
            LEAST + "def fork(): pass\ndef word(): pass\ndef bill(): pass\nsteps = [fork(), word(), bill()]\n",
            LEAST + "def reference_numpy(case, t): pass\ndef set_up_tables(): pass\n",
            "from math import floor as refrence\n" + LEAST,
        ):
            checked(source)

    def test_other_arguments_are_refused(self):
        for name, arguments in _entries.SIGNATURES.items():
            right = f"def {name}({', '.join(arguments)})"
            for wrong in ("a, b, c, d, e", "", "*, case"):
                self.refused(WHOLE + f"def {name}({wrong}): pass\n", f"{name}(", "of bench/k.pg.py cannot be called as perfgate does", right)

    def test_slips_in_a_name_are_refused(self):
        for slip, meant in {
            "refrence": "reference", "Reference": "reference", "referenec": "reference", "refernce": "reference", "tear_down": "teardown",
            "set_up": "setup", "setUp": "setup", "fil": "fill", "wrok": "work", "writen": "written", "_reference": "reference",
        }.items():
            self.refused(LEAST + f"def {slip}(case, t): pass\n", f"defines {slip}, which nothing calls", f"def {meant}(")


if __name__ == "__main__":
    unittest.main()
