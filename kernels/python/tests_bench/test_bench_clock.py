"""The method: what is chosen, and that the samples are what the device did, on a simulated GPU and on this CPU."""

from support import ScriptTest

from perfgate import bench_device

SCRIPT = """
    import triton, torch
    from torch.cuda import launch, launch_elsewhere, item, randn
    def work():
        {body}
    triton.testing.do_bench(work)
"""
CASE = "script/call=1"


class Gpu(ScriptTest):
    def row(self, body, cases=(CASE,)):
        self.answer, rows = self.measure(SCRIPT.format(body=body), list(cases))
        self.assertNotIn("failed", rows[CASE])
        return rows[CASE]

    def test_a_long_launch_is_timed_alone_and_cold(self):
        self.gpu.host_ns = 60_000  # more than the launch itself: it must not be in the time
        row = self.row("launch(40_000, cold_ns=15_000)")
        m = row["method"]
        self.assertEqual((m["clock"], m["how"], m["launches"], m["cache"], m["block"]), ("event", "single", 1, "cold", True))
        self.assertEqual(m["flushBytes"], 100 << 20)
        for ns in row["samples"]:
            self.assertAlmostEqual(ns, 55_000, delta=10)
        self.assertTrue(5 <= len(row["samples"]) == m["samples"] <= 300)

    def test_a_sample_that_the_host_is_late_for_is_taken_again(self):
        row = self.row("n = torch.cuda.gpu; n.calls = getattr(n, 'calls', 0) + 1; launch(50_000, host_ns=900_000 if n.calls % 7 == 0 else 20_000); launch(50_000)")
        self.assertTrue(all(abs(ns - 100_000) < 1_000 for ns in row["samples"]), max(row["samples"]))

    def test_a_short_launch_is_batched_in_a_graph(self):
        self.gpu.host_ns = 30_000
        row = self.row("launch(2_000); launch(1_000)")
        m = row["method"]
        self.assertEqual((m["how"], m["cache"], m["launches"]), ("graph", "hot", 84))
        self.assertAlmostEqual(row["samples"][-1], 3_000, delta=10)

    def test_what_cannot_be_recorded_is_timed_in_a_loop_that_is_held_back(self):
        self.gpu.host_ns = 20_000
        row = self.row("assert torch.cuda.gpu.capturing is None; launch(3_000)")
        self.assertEqual((row["method"]["how"], row["method"]["block"]), ("loop", True))
        self.assertAlmostEqual(row["samples"][-1], 3_000, delta=50)

    def test_a_profiler_sees_one_launch_of_the_case(self):
        text = """
            import triton, torch
            def one(): torch.cuda.launch(7_000); torch.cuda.launch(8_000)
            triton.testing.do_bench(lambda: torch.cuda.launch(1_000))
            assert triton.testing.do_bench(one) != 0
            triton.testing.do_bench(lambda: torch.cuda.launch(2_000))
        """
        answer = self.run_script(text, mode="profile", cases=["script/call=2"])
        self.assertEqual(self.gpu.profiled, [7_000, 8_000])
        self.assertEqual([(c["name"], "samples" in c) for c in answer["cases"]], [("script/call=2", False)])
        self.assertFalse(self.gpu.profiling)

    def test_without_a_gpu_there_is_nothing_to_profile(self):
        self.gpu.available = False
        answer = self.run_script("import triton, torch; triton.testing.do_bench(lambda: None)", mode="profile", cases=[CASE], want=1)
        self.assertIn("torch has no GPU here", answer["error"])

    def test_what_waits_for_the_device_is_never_recorded(self):
        answer = self.run_script(SCRIPT.format(body="launch(3_000); item()") + "    randn()\n", mode="calibrate", cases=[CASE])
        row = answer["cases"][0]
        self.assertEqual((row["method"]["how"], row["method"]["block"]), ("loop", False))
        self.assertRegex(" ".join(row["notes"]), "waits for the device.*cannot be captured.*synchronizing")

    def test_a_recording_that_breaks_off_leaves_torch_in_order(self):
        body = "launch(3_000)\n        if torch.cuda.gpu.capturing is not None: raise torch.cuda.CapturedError('not now')"
        answer = self.run_script(SCRIPT.format(body=body) + "    randn()\n", mode="calibrate", cases=[CASE])
        self.assertEqual(answer["error"], "")
        self.assertIn("not now", answer["cases"][0]["notes"][0])

    def test_a_graph_without_the_work_in_it_is_not_believed(self):
        body = "launch(100 if torch.cuda.gpu.capturing is not None else 5_000)"
        answer = self.run_script(SCRIPT.format(body=body), mode="calibrate", cases=[CASE])
        self.assertEqual(answer["cases"][0]["method"]["how"], "loop")
        self.assertIn("another stream", answer["cases"][0]["notes"][0])

    def test_work_that_goes_on_elsewhere_is_an_error(self):
        answer = self.run_script(SCRIPT.format(body="launch(40_000); launch_elsewhere(400_000)"), mode="calibrate", cases=[CASE], want=1)
        self.assertIn("on another stream", answer["cases"][0]["failed"])

    def test_head_can_only_make_the_method_slower(self):
        base = self.row("launch(3_000)")["method"]
        self.assertEqual(base["how"], "graph")
        ask = {"mode": "calibrate", "cases": [CASE], "methods": {CASE: base}}
        same = self.run_script(SCRIPT.format(body="launch(4_000)"), **ask)["cases"][0]
        self.assertEqual((same["method"], same["notes"]), (base, []))
        loop = self.run_script(SCRIPT.format(body="launch(3_000); item()"), **ask)["cases"][0]["method"]
        self.assertEqual((loop["how"], loop["block"], loop["launches"]), ("loop", False, base["launches"]))

    def test_the_clock_has_to_hold(self):
        self.gpu.slow_clock_for = 40
        self.row("launch(40_000)")
        self.assertEqual(self.gpu.slow_clock_for, 0)

    def test_a_far_slower_head_stops_early(self):
        base = self.row("launch(40_000)")["method"]
        row = self.run_script(SCRIPT.format(body="launch(400_000_000)"), mode="measure", cases=[CASE], methods={CASE: base})["cases"][0]
        self.assertEqual((row["stopped"], len(row["samples"])), ("limit", 5))
        self.assertGreater(row["planned"], 5)

    def test_a_case_without_a_method_is_said(self):
        answer = self.run_script(SCRIPT.format(body="launch(40_000)"), mode="measure", cases=[CASE])
        self.assertIn("when its method was chosen", answer["cases"][0]["failed"])


class Cpu(ScriptTest):
    """Real time: only what does not depend on how long anything takes."""

    def setUp(self):
        super().setUp()
        self.gpu.available = False
        self.addCleanup(setattr, bench_device, "SPAN_NS", bench_device.SPAN_NS)
        bench_device.SPAN_NS = 15e6

    def test_short_and_long(self):
        text = """
            import torch, torch.utils.benchmark as b
            b.Timer("pass", label="nothing").timeit(1)
            b.Timer("sum(range(200_000))", label="sum").timeit(1)
        """
        answer, rows = self.measure(text)
        short, long = rows["nothing/threads=1"], rows["sum/threads=1"]
        self.assertGreater(short["method"]["launches"], 100)
        self.assertEqual((short["method"]["cache"], long["method"]["cache"], long["method"]["launches"]), ("hot", "cold", 1))
        self.assertGreater(min(long["samples"]), max(short["samples"]))
        self.assertGreater(long["method"]["flushBytes"], 0)

    def test_what_waits_is_timed_by_the_wall_clock(self):
        answer, rows = self.measure("""
            import time, torch, torch.utils.benchmark as b
            b.Timer("time.sleep(0.002)", globals={"time": time}, label="sleep").timeit(1)
        """)
        self.assertEqual(rows["sleep/threads=1"]["method"]["clock"], "wall")
        self.assertGreater(min(rows["sleep/threads=1"]["samples"]), 2e6)

    def test_what_waits_now_and_then_says_so_beside_its_cpu_time(self):
        answer, rows = self.measure("""
            import itertools, time, torch, torch.utils.benchmark as b
            count = itertools.count(1)

            def sometimes():
                sum(range(50_000))
                if next(count) % 4 == 0:
                    time.sleep(0.02)

            b.Timer("f()", globals={"f": sometimes}, label="sometimes").timeit(1)
            b.Timer("sum(range(50_000))", label="never").timeit(1)
        """)
        sometimes, never = rows["sometimes/threads=1"], rows["never/threads=1"]
        self.assertEqual((sometimes["method"]["clock"], never["method"]["clock"]), ("thread", "thread"))
        self.assertGreater(sometimes["waitedNs"], 0.02e9 / 10)
        self.assertLess(never["waitedNs"], 0.02e9 / 100)
