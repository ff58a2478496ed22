"""What scripts see of the functions that are replaced, and what becomes of their calls."""

import math
import os
import sys
from unittest import mock

from support import ScriptTest, forget

from perfgate import _imports

SOFTMAX = """
    import triton
    from torch.cuda import launch

    @triton.testing.perf_report(triton.testing.Benchmark(
        x_names=["N"], x_vals=[128 * i for i in range(1, 101)], line_arg="provider", line_vals=["triton", "torch"],
        line_names=["Triton", "Torch"], plot_name="softmax performance", args={"M": 4096}))
    def benchmark(M, N, provider):
        called.append((M, N, provider))
        ms, low, high = triton.testing.do_bench(lambda: launch(N * 10), quantiles=[0.5, 0.2, 0.8])
        return N / ms, N / high, N / low

    called = []
    frame = benchmark.run(print_data=True, show_plots=True, save_path="nowhere")
    print("called", len(called), frame)
"""
POINT = "softmax_performance/N={},provider={},M=4096"


class Points(ScriptTest):
    def test_a_spread_is_offered_where_nobody_names_points(self):
        answer = self.run_script(SOFTMAX, mode="list")
        names = [c["name"] for c in answer["cases"]]
        self.assertEqual(len(names), 12)
        for provider in ("triton", "torch"):
            for n in (128, 12800, 2688):
                self.assertIn(POINT.format(n, provider), names)
        self.assertEqual(answer["notes"], ["softmax_performance: 12 of its 200 points, spread evenly; `cases` names others"])
        self.assertEqual(len(answer["others"]), 188)
        self.assertIn("called 12 None", self.printed)
        self.assertEqual(answer["cases"][0]["provider"], "triton")
        self.assertEqual(answer["cases"][0]["params"][0], {"name": "N", "value": "128"})

    def test_globs_choose_any_point(self):
        names = self.names(SOFTMAX, wanted=["softmax_performance/N={256,384},*"])
        self.assertIn(POINT.format(256, "torch"), names)
        names = self.names(SOFTMAX, wanted=["*N=256,provider=triton,*"])
        self.assertEqual(names, [POINT.format(256, "triton")])

    def test_lines_of_a_library_come_along_with_the_points_that_they_stand_beside(self):
        answer = self.run_script(SOFTMAX, mode="list", rivals=["torch"])
        ours = [c for c in answer["cases"] if c["provider"] == "triton"]
        theirs = [c for c in answer["cases"] if c["provider"] == "torch"]
        self.assertEqual(len(ours), 12)
        self.assertEqual([c["place"] for c in ours], [c["place"] for c in theirs])
        self.assertEqual(len({c["place"] for c in ours}), 12)
        names = self.names(SOFTMAX, wanted=["*N=256,provider=triton,*"], rivals=["*provider=torch*"])
        self.assertEqual(names, [POINT.format(256, "triton"), POINT.format(256, "torch")])
        self.assertEqual(self.names(SOFTMAX, wanted=["*N=384,provider=triton,*"], rivals=["cublas"]), [POINT.format(384, "triton")])

    def test_head_is_asked_for_what_base_chose(self):
        asked = [POINT.format(256, "triton"), POINT.format(99, "triton")]
        self.assertEqual(self.names(SOFTMAX, cases=asked), asked[:1])

    def test_what_is_not_asked_for_is_not_even_called(self):
        asked = [POINT.format(12800, "torch")]
        answer, rows = self.measure(SOFTMAX, asked)
        self.assertEqual(list(rows), asked)
        self.assertIn("called 1 None", self.printed)
        self.assertEqual(rows[asked[0]]["planned"], len(rows[asked[0]]["samples"]))

    def test_several_arguments_on_the_axis_and_several_plots(self):
        names = self.names("""
            import triton
            def bench(M, N, causal, mode): triton.testing.do_bench(print)
            plots = [triton.testing.Benchmark(["M", "N"], [(1, 2), 3], "mode", ["fwd"], ["Fwd"], f"attn-causal={c}", {"causal": c}) for c in (True, False)]
            triton.testing.perf_report(plots)(bench).run()
        """)
        self.assertEqual(names, [
            "attn-causal=True/M=1,N=2,mode=fwd,causal=True", "attn-causal=True/M=3,N=3,mode=fwd,causal=True",
            "attn-causal=False/M=1,N=2,mode=fwd,causal=False", "attn-causal=False/M=3,N=3,mode=fwd,causal=False"])

    def test_a_point_that_times_twice_is_two_cases(self):
        text = """
            import triton
            from torch.cuda import launch
            @triton.testing.perf_report(triton.testing.Benchmark(["N"], [1, 2], "p", ["a"], ["A"], "both", {}))
            def bench(N, p):
                return triton.testing.do_bench(lambda: launch(50_000 * N)) / triton.testing.do_bench(lambda: launch(90_000 * N))
            bench.run()
        """
        answer, rows = self.measure(text, ["both/N=2,p=a,call=2"])
        self.assertEqual(list(rows), ["both/N=2,p=a,call=2"])
        self.assertEqual(rows["both/N=2,p=a,call=2"]["place"], "both/N=2,p=a,call=2")
        self.assertAlmostEqual(rows["both/N=2,p=a,call=2"]["samples"][3], 180_000, delta=2_000)
        self.assertEqual(len(self.names(text)), 4)

    def test_a_point_that_times_nothing_is_said(self):
        text = """
            import time, triton
            @triton.testing.perf_report(triton.testing.Benchmark(["N"], [1], "p", ["a"], ["A"], "own", {}))
            def bench(N, p): return time.perf_counter()
            bench.run()
        """
        self.assertEqual(self.names(text), ["own/N=1,p=a"])
        _, rows = self.measure(text)
        self.assertIn("timed nothing", rows["own/N=1,p=a"]["failed"])

    def test_a_point_that_fails_leaves_the_others(self):
        text = """
            import triton
            from torch.cuda import launch
            def kernel(n):
                if n == 2:
                    raise ValueError("no block size fits\\n 2")
                launch(50_000)
            @triton.testing.perf_report(triton.testing.Benchmark(["N"], [1, 2, 3], "p", ["a"], ["A"], "plot", {}))
            def bench(N, p): return triton.testing.do_bench(lambda: kernel(N))
            bench.run(print_data=True)
        """
        answer, rows = self.measure(text)
        self.assertEqual(answer["error"], "")
        self.assertIn("samples", rows["plot/N=1,p=a"])
        self.assertIn("samples", rows["plot/N=3,p=a"])
        failed = [c for c in self.calibrated["cases"] if c.get("failed")]
        self.assertEqual([c["name"] for c in failed], ["plot/N=2,p=a"], "one row for what failed")
        self.assertRegex(failed[0]["failed"], r"^ValueError: no block size fits / 2 at script.py:\d+ in kernel: raise ValueError")
        self.assertEqual(len(self.calibrated["cases"]), 3)

    def test_the_table_is_made_only_where_it_is_asked_for(self):
        sys.modules["pandas"] = None
        self.addCleanup(sys.modules.pop, "pandas")
        answer = self.run_script(SOFTMAX.replace("print_data=True", "return_df=True"), want=1, mode="list")
        self.assertIn("ModuleNotFoundError", answer["error"])
        self.assertEqual(len(answer["cases"]), 12, "what was listed before is there")


class Calls(ScriptTest):
    SCRIPT = """
        import triton
        from triton.testing import do_bench
        from torch.cuda import launch

        def compare(ns):
            return do_bench(lambda: launch(ns)), do_bench(lambda: launch(2 * ns), return_mode="median")

        seen = [compare(50_000), compare(60_000), triton.testing.do_bench_cudagraph(lambda: launch(70_000))]
        print(seen)
    """

    def test_names_are_place_and_order(self):
        self.assertEqual(self.names(self.SCRIPT), ["compare/call=1", "compare/call=2", "compare/call=3", "compare/call=4", "script/call=1"])
        self.assertIn("nan", self.printed, "what was not timed is no number")

    def test_the_script_gets_the_real_number_of_what_was_timed(self):
        answer, rows = self.measure(self.SCRIPT, ["compare/call=2", "script/call=1"])
        self.assertEqual(sorted(rows), ["compare/call=2", "script/call=1"])
        seen = eval(self.printed, {"nan": math.nan})
        self.assertTrue(math.isnan(seen[0][0]) and math.isnan(seen[1][1]))
        self.assertAlmostEqual(seen[0][1], 0.1, delta=0.002)
        self.assertAlmostEqual(seen[2], 0.07, delta=0.002)
        self.assertEqual(rows["compare/call=2"]["offered"], "do_bench")
        self.assertEqual(rows["script/call=1"]["offered"], "do_bench_cudagraph")

    def test_a_name_that_comes_again_is_another_case(self):
        names = self.names("""
            import triton
            bench = triton.testing.Benchmark(["N"], [1], "p", ["a"], ["A"], "plot", {})
            for _ in range(2):
                triton.testing.perf_report(bench)(lambda N, p: triton.testing.do_bench(print)).run()
        """)
        self.assertEqual(names, ["plot/N=1,p=a", "plot/N=1,p=a,again=2"])

    def test_shapes_of_what_do_bench_returns(self):
        self.measure("""
            import math
            from triton.testing import do_bench
            from torch.cuda import launch
            work = lambda: launch(50_000)
            a, b = do_bench(work), do_bench(work, quantiles=[0.5, 0.2, 0.8])
            c, d = do_bench(work, quantiles=(0.5,)), do_bench(work, return_mode="all")
            assert isinstance(a, float) and len(b) == 3 and isinstance(c, float) and isinstance(d, list) and len(d) > 4, (a, b, c, d)
            try:
                do_bench(work, return_mode="worst")
            except ValueError as e:
                print("refused", e)
            else:
                raise SystemExit(3)
        """, [f"script/call={i}" for i in range(1, 6)])
        self.assertIn("refused", self.printed)

    def test_percentiles_of_an_older_triton(self):
        import triton.testing

        from perfgate import bench_triton
        from perfgate.bench_ask import Ask
        from perfgate.bench_session import Session

        def do_bench(fn, warmup=25, rep=100, grad_to_none=None, percentiles=(0.2, 0.8)):
            raise AssertionError

        timing = bench_triton._timing(Session(Ask("list")), do_bench, "do_bench")
        self.assertEqual(len(timing(print)), 3)
        self.assertTrue(math.isnan(timing(print, percentiles=None)))

    def test_gradients_are_dropped_before_every_call(self):
        self.measure("""
            from triton.testing import do_bench
            from torch.cuda import launch
            class Leaf: grad = None
            x = Leaf()
            def backward():
                assert x.grad is None
                x.grad = 1
                launch(2_000)
            do_bench(backward, grad_to_none=[x])
        """)

    def test_what_fn_times_itself_is_its_own_business(self):
        answer, rows = self.measure("""
            import triton
            from torch.cuda import launch
            def work():
                assert triton.testing.do_bench(lambda: None) == triton.testing.REAL
                launch(50_000)
            triton.testing.do_bench(work)
        """)
        self.assertEqual(list(rows), ["script/call=1"])


class Tuners(ScriptTest):
    """Calls by which a configuration is chosen reach Triton's own function, and are no cases."""

    KERNEL = """
        import triton
        from torch.cuda import launch
        def kernel(n, BLOCK=0): launch(100_000 // BLOCK)
        configs = [triton.Config({"BLOCK": b}, num_warps=w) for b, w in ((1, 4), (2, 8))]
    """

    def check(self, text, config="kernel: BLOCK=1, num_warps=4, num_stages=3"):
        import textwrap

        answer, rows = self.measure(textwrap.dedent(self.KERNEL) + textwrap.dedent(text), ["script/call=1"])
        self.assertEqual(list(rows), ["script/call=1"])
        self.assertEqual(rows["script/call=1"].get("config"), config)
        return rows

    def test_of_triton(self):
        self.check("""
            tuned = triton.autotune(configs, key=["n"])(kernel)
            triton.testing.do_bench(lambda: tuned.run(7))
            assert triton.testing.calls == ["do_bench"] * 2, triton.testing.calls
        """)

    def test_with_a_function_of_the_users(self):
        self.check("""
            def mine(call, quantiles):
                ms = triton.testing.do_bench(call, quantiles=quantiles)
                assert ms == [triton.testing.REAL] * 3, ms
                return [-m for m in ms]
            tuned = triton.autotune(configs, key=["n"], do_bench=mine)(kernel)
            triton.testing.do_bench(lambda: tuned.run(7))
        """)

    def test_before_anything_is_timed(self):
        self.check("""
            tuned = triton.autotune(configs, key=["n"])(kernel)
            tuned.run(3)
            assert len(triton.testing.calls) == 2
            triton.testing.do_bench(lambda: tuned.run(3))
        """)

    def test_made_from_tritons_class(self):
        self.check("""
            class Mine(triton.Autotuner):
                def run(self, n):
                    self.best_config = min(self.configs, key=lambda c: triton.testing.do_bench(lambda: self.fn(n, **c.kwargs)))
                    return self.fn(n, **self.best_config.kwargs)
            tuned = Mine(kernel, configs)
            tuned.run(1)
            assert len(triton.testing.calls) == 2, triton.testing.calls
            triton.testing.do_bench(lambda: tuned.run(7))
        """, config=None)

    def test_of_inductor(self):
        self.check("""
            import types
            inductor = types.ModuleType("torch._inductor.runtime.benchmarking")
            exec("import triton\\ndef choose(f): return triton.testing.do_bench(f)", inductor.__dict__)
            assert inductor.choose(lambda: None) == triton.testing.REAL
            triton.testing.do_bench(lambda: kernel(1, BLOCK=1))
        """, config=None)

    def test_a_kernel_with_one_configuration_chose_nothing(self):
        self.check("""
            tuned = triton.autotune(configs[:1], key=["n"])(kernel)
            triton.testing.do_bench(lambda: tuned.run(7))
        """, config=None)


class Timers(ScriptTest):
    SCRIPT = """
        import torch.utils.benchmark as benchmark
        from torch.cuda import launch
        for n in (50_000, 70_000):
            t = benchmark.Timer("launch(n)", setup="m = n", globals={"launch": launch, "n": n}, label="mm", sub_label=f"n={n}", description="fp16, cold")
            print(t.blocked_autorange().median, t.timeit(10).median, t.adaptive_autorange().median)
    """

    def test_names_are_labels(self):
        name = "mm/n={},fp16__cold,threads=1"
        first = [name.format(50000) + again for again in ("", ",again=2", ",again=3")]
        self.assertEqual(self.names(self.SCRIPT)[:3], first)
        answer, rows = self.measure(self.SCRIPT, [name.format(70000)])
        self.assertEqual(list(rows), [name.format(70000)])
        self.assertAlmostEqual(float(self.printed.split("\n")[1].split()[0]), 70e-6, delta=1e-6)

    def test_without_labels_the_place_names_it(self):
        self.assertEqual(self.names('import torch.utils.benchmark as b\nb.Timer("1 + 1").timeit(5)'), ["script/call=1"])

    def test_cpp_is_torchs_own(self):
        answer = self.run_script("""
            import torch.utils.benchmark as b
            assert b.Timer("x;", label="cpp", language="cpp").blocked_autorange().median == 77.0
        """, mode="list")
        self.assertEqual([(c["name"], c["skipped"]) for c in answer["cases"]], [("cpp/threads=1", True)])

    def test_names_of_a_statement_may_be_assigned(self):
        for available in (True, False):
            with self.subTest(gpu=available):
                self.gpu.available = available
                text = """
                    import torch, torch.utils.benchmark as b
                    b.Timer("total = total + sum(data); torch.cuda.launch(30_000)", globals={"torch": torch}, setup="total = 0; data = list(range(1000))", label="sum").timeit(9)
                """
                answer, rows = self.measure(text)
                self.assertGreater(min(rows["sum/threads=1"]["samples"]), 0)
                self.assertEqual(rows["sum/threads=1"]["method"]["clock"] == "event", available)


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
