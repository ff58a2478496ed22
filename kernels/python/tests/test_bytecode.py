"""What is compiled of a package is read where it is."""

import importlib.util
import os
import py_compile
import subprocess
import sys
import tempfile
import unittest

import support

PACKAGE = os.path.abspath(support.sys.path[0])


class Share(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tree, self.installed, self.own = (os.path.join(self.folder.name, name) for name in ("tree", "installed", "own"))
        for folder, text in ((self.tree, "import fresh, stale, missing\n"), (self.installed, "")):
            os.mkdir(folder)
            for name in ("adapter",) if text else ("fresh", "stale", "missing"):
                with open(os.path.join(folder, name + ".py"), "w") as file:
                    file.write(text or "WORD = 'kept'\n")
        for name in ("fresh", "stale"):
            py_compile.compile(os.path.join(self.installed, name + ".py"))
        with open(os.path.join(self.installed, "stale.py"), "w") as file:
            file.write("WORD = 'changed since'\n")

    def compiled(self, *parts):
        return {name.split(".")[0] for _, _, files in os.walk(os.path.join(self.folder.name, *parts)) for name in files if name.endswith(".pyc")}

    def test_reads_what_is_current(self):
        code = f"""import sys
sys.path[:0] = {[PACKAGE, self.installed, self.tree]!r}
import perfgate._bytecode
perfgate._bytecode.share([{self.installed!r}], [{self.tree!r}])
import adapter, fresh, stale, missing
print(fresh.WORD, stale.WORD, missing.WORD)"""
        before = os.stat(importlib.util.cache_from_source(os.path.join(self.installed, "stale.py")))
        out = subprocess.run([sys.executable, "-I", "-X", "pycache_prefix=" + self.own, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertEqual(out, "kept changed since kept\n")
        self.assertEqual(self.compiled("own") & {"adapter", "fresh", "stale", "missing"}, {"adapter", "stale", "missing"})
        self.assertEqual(self.compiled("installed"), {"fresh", "stale"})
        self.assertEqual(self.compiled("tree"), set())
        after = os.stat(importlib.util.cache_from_source(os.path.join(self.installed, "stale.py")))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_believes_none_of_the_checkout(self):
        site = os.path.join(self.tree, ".venv", "lib", "site-packages")
        os.makedirs(site)
        link = os.path.join(self.folder.name, "by_link")
        os.symlink(site, link)
        source = os.path.join(site, "honest.py")
        for text in ("WORD = 'evil'\n", "WORD = 'fair'\n"):  # of one size and time, as bytecode knows its source
            with open(source, "w") as file:
                file.write(text)
            os.utime(source, (1e9, 1e9))
            if "evil" in text:
                py_compile.compile(source)
        for folder, checkouts, word in ((site, [], "evil"), (site, [self.tree], "fair"), (link, [self.tree], "fair")):
            code = f"""import sys
sys.path[:0] = {[PACKAGE, folder]!r}
import perfgate._bytecode
perfgate._bytecode.share([{folder!r}], {checkouts!r})
import honest
print(honest.WORD)"""
            own = tempfile.mkdtemp(dir=self.folder.name)
            out = subprocess.run([sys.executable, "-I", "-X", "pycache_prefix=" + own, "-c", code], capture_output=True, text=True, check=True).stdout
            self.assertEqual(out, word + "\n", (folder, checkouts))


if __name__ == "__main__":
    unittest.main()
