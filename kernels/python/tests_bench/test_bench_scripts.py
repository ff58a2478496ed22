"""What scripts see of the functions that are replaced, and what becomes of their calls."""

import math
import sys

from support import ScriptTest

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
        answer = self.run_script(SOFTMAX, mode="list", competitors=["torch"])
        ours = [c for c in answer["cases"] if c["provider"] == "triton"]
        theirs = [c for c in answer["cases"] if c["provider"] == "torch"]
        self.assertEqual(len(ours), 12)
        self.assertEqual([c["place"] for c in ours], [c["place"] for c in theirs])
        self.assertEqual(len({c["place"] for c in ours}), 12)
        names = self.names(SOFTMAX, wanted=["*N=256,provider=triton,*"], competitors=["*provider=torch*"])
        self.assertEqual(names, [POINT.format(256, "triton"), POINT.format(256, "torch")])
        self.assertEqual(self.names(SOFTMAX, wanted=["*N=384,provider=triton,*"], competitors=["cublas"]), [POINT.format(384, "triton")])

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
