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


if __name__ == "__main__":
    unittest.main()
