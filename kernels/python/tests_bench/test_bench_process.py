"""What of a process a script changes is put back, what it is asked, what it imports, and the names of its rows."""

import os
import sys
from unittest import mock

from support import ScriptTest, forget
from test_bench_scripts import SOFTMAX

from perfgate import _imports


class Process(ScriptTest):
    def test_everything_is_put_back(self):
        before = list(sys.meta_path), sys.argv, list(sys.path), sys.modules["__main__"]
        import triton
        import torch.utils.benchmark.utils.timer as timer

        had = triton.testing.do_bench, triton.testing.do_bench_cudagraph, triton.testing.Mark.run, triton.Autotuner.run, timer.Timer.timeit
        for want, text in ((0, SOFTMAX), (1, "import triton\nassert triton.testing.do_bench.__wrapped__\n1 / 0")):
            self.run_script(text, want=want, mode="list")
            now = triton.testing.do_bench, triton.testing.do_bench_cudagraph, triton.testing.Mark.run, triton.Autotuner.run, timer.Timer.timeit
            self.assertEqual(now, had)
            self.assertEqual((list(sys.meta_path), sys.argv, list(sys.path), sys.modules["__main__"]), before)

    def test_nothing_is_imported_that_the_script_does_not_import(self):
        forget()
        self.run_script("""
            import os, sys
            assert not any(m in sys.modules for m in ("torch", "triton", "numpy")), "imported before the script could set its environment"
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        """, mode="list")

    def test_the_script_runs_as_itself(self):
        with open("helper.py", "w", encoding="utf-8") as f:
            f.write("import __main__\nvalue = 7\n")
        answer = self.run_script("""
            import sys, os, helper, __main__, pickle
            assert __name__ == "__main__" and sys.argv == ["script.py", "--quick"] and __file__ == os.path.abspath("script.py")
            def f(): return helper.value
            assert __main__.f is f and pickle.loads(pickle.dumps(f)) is f
            sys.exit()
        """, args=["--quick"], mode="list")
        self.assertEqual(answer["error"], "")
        del sys.modules["helper"]

    def test_the_tree_goes_before_what_is_installed(self):
        import os

        os.makedirs("src/tuned")
        os.makedirs("installed/tuned")
        for folder in ("src", "installed"):
            with open(f"{folder}/tuned/__init__.py", "w", encoding="utf-8") as f:
                f.write(f"where = {folder!r}\n")
        sys.path.append(os.path.abspath("installed"))
        self.addCleanup(sys.path.remove, os.path.abspath("installed"))
        self.run_script("import tuned\nassert tuned.where == 'src', tuned.where", mode="list")

    def test_how_a_script_ends(self):
        for text, error in (
            ("raise SystemExit(3)", "it called sys.exit(3) at script.py:1"),
            ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name' at script.py:1"),
            ("x = (", "SyntaxError: '(' was never closed at script.py:1"),
            ("raise KeyboardInterrupt", "it raised KeyboardInterrupt at script.py:1"),
        ):
            with self.subTest(text):
                self.assertTrue(self.run_script(text, want=1, mode="list")["error"].startswith(error))

    def test_threads_that_time_at_once_are_told_so(self):
        text = """
            import threading, triton
            from torch.cuda import launch
            other = threading.Thread(target=lambda: triton.testing.do_bench(lambda: launch(30_000)))
            def work():
                if {while_timed} and not other.ident:
                    other.start(); other.join()
                launch(50_000)
            def bench(): return triton.testing.do_bench(work)
            if not {while_timed}:
                other.start(); other.join()
            bench()
        """
        _, rows = self.measure(text.format(while_timed=False))
        self.assertEqual([(name, "failed" in row) for name, row in rows.items()], [("<lambda>/call=1", False), ("bench/call=1", False)])
        answer = self.run_script(text.format(while_timed=True), mode="calibrate", cases=["bench/call=1", "<lambda>/call=1"])
        self.assertEqual({c["name"]: "another thread" in c.get("failed", "") for c in answer["cases"]}, {"bench/call=1": False, "<lambda>/call=1": True})

    def test_a_script_that_cannot_take_nan_is_told_where_it_comes_from(self):
        self.assertEqual(len(self.names("import triton\nmin(triton.testing.do_bench(print, return_mode='all'))")), 1)
        text = "import triton\nint(triton.testing.do_bench(print))"
        answer = self.run_script(text, mode="list", want=1)
        self.assertRegex(answer["error"], "cannot convert float NaN.*do_bench had returned nan for what was not asked for")
        self.assertNotIn("had returned", self.run_script("import triton\n1 / 0", mode="list", want=1)["error"])

    def test_an_error_of_the_kernel_reaches_the_script(self):
        answer = self.run_script("""
            import triton
            def work(): raise MemoryError("too large")
            try:
                triton.testing.do_bench(work)
            except MemoryError:
                print("caught")
        """, mode="calibrate", cases=["script/call=1"])
        self.assertIn("caught", self.printed)
        self.assertTrue(answer["cases"][0]["failed"].startswith("MemoryError: too large at script.py:"))


class Questions(ScriptTest):
    def test_bad_ones_are_refused(self):
        import contextlib
        import io

        from perfgate import bench

        good = '{"version":1,"mode":"list"}'
        method = '{"clock":"event","how":"fast","launches":1,"samples":1,"cache":"hot","launchNs":1,"limitNs":1}'
        for text, why in (
            ("{", "no JSON"), ("[]", "not of version 1"), ('{"version":2,"mode":"list"}', "not of version 1"), ('{"version":1,"mode":"run"}', "none of"),
            ('{"version":1,"mode":"measure"}', "without cases"), ('{"version":1,"mode":"measure","cases":[],"methods":{"a":{}}}', "a method that is none"),
            ('{"version":1,"mode":"measure","cases":[],"methods":{"a":' + method + "}}", "how 'fast'"), (None, "usage"), (good, "usage"),
        ):
            with self.subTest(text):
                environ = {"PERFGATE_BENCH_OUT": "out.json"}
                if text is not None:
                    environ["PERFGATE_BENCH_ASK"] = text
                said = io.StringIO()
                with contextlib.redirect_stderr(said):
                    self.assertEqual(bench.main([] if text == good else ["script.py"], environ), 2)
                self.assertIn(why, said.getvalue())


class Imports(ScriptTest):
    """What later processes may import before they are asked."""

    def imports(self, text, mode="list"):
        import torch

        installed = mock.patch.object(_imports, "installed", lambda: [os.path.dirname(os.path.dirname(torch.__file__))])
        with installed:
            return self.run_script(text, mode=mode, **({} if mode == "list" else {"cases": []}))["imports"]

    def test_installed_packages_in_their_order(self):
        with open("cupy.py", "w", encoding="utf-8"):
            pass
        self.assertEqual(self.imports("import triton, torch, cupy, json\n" + "triton.testing.do_bench(lambda: None)\n"), ["torch", "triton"])
        self.assertEqual(self.imports("import triton, torch\n", mode="measure"), [])

    def test_not_where_the_script_sets_variables_that_they_may_read(self):
        self.assertEqual(self.imports("import os\nos.environ['PERFGATE_TEST_SET'] = '1'\nimport triton, torch\n"), [])


class Names(ScriptTest):
    def test_words(self):
        from perfgate.bench_names import LONGEST, Names, joined, word

        class Dtype:
            def __str__(self):
                return "torch.float16"

        class Opaque:
            pass

        for value, want in ((1.5, "1.5"), (True, "True"), (None, "None"), ((64, 128), "64x128"), ("a b/c,d", "a_b_c_d"), (Dtype(), "float16"),
                            (Opaque(), "Opaque"), (len, "len"), ("", "_"), ("é\x1b\n", "é_")):
            self.assertEqual(word(value), want)
        long = Names().take(joined("plot", {"x": "ü" * 300}))
        self.assertLessEqual(len(long.encode()), LONGEST)
        names = Names()
        self.assertNotEqual(names.take("x" * 300 + "1"), names.take("x" * 300 + "2"))

    def test_a_spread_has_ends_and_every_line(self):
        from perfgate.bench_spread import spread

        lanes = [[f"{line}{x}" for x in range(50)] for line in "abcd"]
        chosen = spread(lanes)
        self.assertEqual(len(chosen), 12)
        self.assertLessEqual({"a0", "a49", "d0", "d49"}, chosen)
        many = [[f"{line}.{x}" for x in range(3)] for line in range(40)]
        self.assertEqual(len(spread(many)), 12)
        self.assertEqual(spread([["only"]]), {"only"})
        self.assertEqual(spread([]), set())
