"""Runs scripts through perfgate.bench in this process, with a fake torch and triton."""

import contextlib
import io
import json
import os
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "fakes")]

from perfgate import bench, bench_cuda  # noqa: E402


def forget():
    """The next script imports its libraries anew."""
    for name in [n for n in sys.modules if n.split(".")[0] in ("torch", "triton", "tuned")]:
        del sys.modules[name]


class ScriptTest(unittest.TestCase):
    """A folder for the script of a test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        forget()
        import torch

        self.gpu = torch.cuda.gpu
        self.addCleanup(setattr, bench_cuda.Cuda, "now", bench_cuda.Cuda.now)
        bench_cuda.Cuda.now = staticmethod(self.gpu.tick)

    def script(self, text, name="script.py"):
        with open(name, "w", encoding="utf-8") as f:
            f.write(textwrap.dedent(text))
        return name

    def run_script(self, text, want=0, args=(), **ask):
        """Runs it and returns the answer. Keywords are the members of the question; ``want`` is the exit code."""
        script = self.script(text)
        environ = {"PERFGATE_BENCH_ASK": json.dumps({"version": 1, **ask}), "PERFGATE_BENCH_OUT": os.path.abspath("out.json")}
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            code = bench.main([script, *args], environ)
        self.printed = printed.getvalue()
        self.assertEqual(code, want, self.printed)
        self.assertEqual(environ, {}, "the script's environment has perfgate's variables")
        with open("out.json", encoding="utf-8") as f:
            return json.load(f)

    def names(self, text, **ask):
        return [case["name"] for case in self.run_script(text, mode="list", **ask)["cases"]]

    def measure(self, text, cases=None, want=0):
        """Lists, calibrates and measures: the rows by name, as a gate does on one side. Returns (answer, rows)."""
        if cases is None:
            cases = self.names(text)
        forget_keeps_gpu(self.gpu)
        self.calibrated = self.run_script(text, mode="calibrate", cases=cases, want=want)
        methods = {c["name"]: c["method"] for c in self.calibrated["cases"] if "method" in c}
        forget_keeps_gpu(self.gpu)
        answer = self.run_script(text, mode="measure", cases=cases, methods=methods, want=want)
        return answer, {c["name"]: c for c in answer["cases"]}


def forget_keeps_gpu(gpu):
    """As forget, and the simulated GPU stays the same."""
    forget()
    import torch

    torch.cuda.gpu = gpu
