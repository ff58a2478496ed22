"""What a process keeps of the files that it read and of the programs that it started."""

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
_imports.keep(sys.argv[2], sys.argv[2])
import late, subprocess, os
open(os.path.join(sys.argv[2], "table.txt")).close()
subprocess.run(["uname"], stdout=subprocess.DEVNULL)
subprocess.run([sys.executable, "-c", ""])
os.environ["PERFGATE_TEST"] = "1"
print(_imports.report(sys.argv[2], sys.argv[2], ""))
"""


class Kept(unittest.TestCase):
    def test_files_and_programs(self):
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
                with open(os.path.join(caches, "opened"), encoding="utf-8") as f:
                    lines = [json.loads(line) for line in f]
                os.remove(os.path.join(caches, "opened"))
                self.assertEqual(sorted({line["file"] for line in lines if "file" in line}), ["late.py", "table.txt"])
                self.assertEqual([line["program"] for line in lines if "program" in line], [os.path.basename(sys.executable)])
                self.assertEqual(told["files"], ["late.py", "table.txt"])
                self.assertFalse(told["configures"])  # the program is none of the side's files


if __name__ == "__main__":
    unittest.main()
