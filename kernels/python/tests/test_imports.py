"""What a process knows of the files that it read."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import support  # noqa: F401 (finds the package)

from perfgate import _imports

PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:3]
from perfgate import _imports
_imports.watch()
import late, os
open(os.path.join(sys.argv[2], "table.txt")).close()
os.environ["PERFGATE_TEST"] = "1"
print(_imports.report(sys.argv[2], sys.argv[2], ""))
"""


class Read(unittest.TestCase):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            side, caches = os.path.join(folder, "side"), os.path.join(folder, "caches")
            for made in (side, caches):
                os.mkdir(made)
            for name in ("late.py", "table.txt", "unread.py"):
                with open(os.path.join(side, name), "w", encoding="utf-8"):
                    pass
            package = os.path.dirname(os.path.dirname(_imports.__file__))
            for _ in range(2):  # the second one reads the compiled module in its source's place
                command = [sys.executable, "-I", "-X", "pycache_prefix=" + os.path.join(caches, "pycache"), "-c", PROGRAM, package, side]
                told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                self.assertEqual(told["files"], ["late.py", "table.txt"])
                self.assertFalse(told["configures"])  # the program is none of the side's files

    def test_modules_of_others(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            side, site = os.path.join(folder, "side"), os.path.join(folder, "site-packages")
            for made in (side, site):
                os.mkdir(made)
            for file in (os.path.join(side, "late.py"), os.path.join(site, "copied.py")):
                with open(file, "w", encoding="utf-8"):
                    pass
            package = os.path.dirname(os.path.dirname(_imports.__file__))
            program = "import sys; sys.path[:0] = sys.argv[1:]; import copied, late, shlex; from perfgate import _imports; _imports.MOST = %d; print(_imports.report(%r, %r, ''))"
            for most, modules, more in ((1000, [os.path.join(site, "copied.py")], False), (20, [], True)):
                told = subprocess.run([sys.executable, "-I", "-S", "-c", program % (most, side, side), package, side, site], check=True, capture_output=True, text=True)
                self.assertEqual((json.loads(told.stdout)["modules"], json.loads(told.stdout)["moreModules"]), (modules, more))


if __name__ == "__main__":
    unittest.main()
