"""Problems of task formats, through the functions that stand for an adapter: without a harness, on a CPU."""

import contextlib
import os
import sys
import unittest

import support  # finds the package
from perfgate import _case, _errors, _tensors

try:
    import torch
    from perfgate import _task, _task_data, _task_gpumode, _task_kernelbench
except ImportError:
    torch = None

PROBLEMS = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "testdata", "tasks"))


@contextlib.contextmanager
def problem(path, solution="", choices=None, files=None):
    """The functions of an adapter for a problem of testdata/tasks. What was imported goes again: the next one has modules of the same names."""
    before, finders, folders, grad = dict(sys.modules), list(sys.meta_path), list(sys.path), torch.is_grad_enabled()
    try:
        if path.endswith(".py"):
            yield _task_kernelbench.functions(PROBLEMS, files or [("problem", path, text(path))], solution)
        else:
            yield _task_gpumode.functions(PROBLEMS, files or modules(path), choices or {}, solution)
    finally:
        for name in set(sys.modules) - set(before):
            if name in ("reference", "utils", "task", "problem", "submission"):
                del sys.modules[name]
        sys.meta_path[:], sys.path[:] = finders, folders
        torch.set_grad_enabled(grad)


def text(path):
    with open(os.path.join(PROBLEMS, path), encoding="utf-8") as f:
        return f.read()


def modules(folder):
    rows = [("utils", "gpu_mode/utils.py", text("gpu_mode/utils.py")), ("reference", folder + "/reference.py", text(folder + "/reference.py"))]
    if os.path.exists(os.path.join(PROBLEMS, folder, "task.py")):
        rows.append(("task", folder + "/task.py", text(folder + "/task.py")))
    return rows


def made(source, **others):
    """A problem of GPU MODE from the text of its reference."""
    return [("utils", "gpu_mode/utils.py", text("gpu_mode/utils.py")), ("reference", "made/reference.py", source)]


class Judged:
    """What the harness does with an adapter: buffers, inputs from a seed, a launch, the reference, the comparison."""

    def __init__(self, functions, **params):
        self.functions = functions
        self.case = _case.Case("k", params)
        self.tensors = functions["tensors"](self.case)
        self.rows = {row.name: row for row in _tensors.rows(self.tensors)}
        self.memory = _tensors.Tensors({name: self.poisoned(t) for name, t in self.tensors.items()})

    def poisoned(self, tensor):
        made = torch.empty(tensor.shape, dtype=tensor.dtype.torch)
        return made.fill_(float("nan")) if made.is_floating_point() else made.fill_(-1 if tensor.dtype != "u8" else 255)

    def fill(self, seed):
        for name, tensor in self.tensors.items():
            if isinstance(tensor, (_tensors.Out, _tensors.Scratch)):
                self.memory[name].copy_(self.poisoned(tensor))
        self.functions["fill"](self.case, "spec", seed, self.memory)

    def setup(self):
        self.memory.state = self.functions["setup"](self.case, self.memory)

    def launch(self):
        for name, value in self.functions["launch"](self.case, self.memory).items():
            if value is not self.memory[name]:
                self.memory[name].copy_(value)

    def wrong(self):
        """Names of outputs that are not what the reference makes of the same inputs."""
        exact = _tensors.Tensors({name: self.memory[name].double() for name in self.tensors})
        self.functions["reference"](self.case, exact)
        found = []
        for name, row in self.rows.items():
            if row.role in (2, 3):
                got, want = self.memory[name].double(), exact[name]
                if not bool(((got - want).abs() <= row.atol + row.rtol * want.abs()).all()):
                    found.append(name)
        return found

    def run(self, seeds=(1, 2)):
        bad = []
        for seed in seeds:
            self.fill(seed)
            if self.memory.state is None:
                self.setup()
            self.launch()
            bad += self.wrong()
        return bad


GATED = {"gate": [["relu"], ["sigmoid"]], "bias": [[], [True], [False]]}
GPU_MODE = [("scale_add", {}, {"size": 31, "seed": 4242}), ("histogram", {"contention": [[10], [90.5]]}, {"size": 784, "seed": 5, "contention": 1}),
            ("gated_linear", GATED, {"rows": 8, "features": 8, "gate": 1, "seed": 3, "bias": 2})]
KERNEL_BENCH = [("1_Scaled_matmul", "1_scaled_matmul"), ("2_Linear_relu", "2_linear_relu"), ("3_Nearest_code", "3_nearest_code")]


@unittest.skipIf(torch is None, "torch is not installed")
class GPUMode(unittest.TestCase):
    def test_right_slow_and_wrong_solutions(self):
        for name, choices, case in GPU_MODE:
            folder = "gpu_mode/" + name
            for solution, right in ((folder + "/submission.py", True), (f"bad/slow/{name}.py", True), ("", True), (f"bad/wrong/{name}.py", False)):
                with self.subTest(name, solution=solution), problem(folder, solution, choices) as functions:
                    self.assertEqual(not Judged(functions, **case).run(), right)

    def test_tolerances_are_those_of_the_check(self):
        with problem("gpu_mode/gated_linear", "", GATED) as functions:
            rows = Judged(functions, rows=2, features=8, gate=0, seed=3, bias=0).rows
            self.assertEqual((rows["out0"].rtol, rows["out1"].rtol), (1e-4, 2e-4))
            self.assertAlmostEqual(rows["out1"].atol, 2 * 8e-6)
        with problem("gpu_mode/scale_add") as functions:
            row = Judged(functions, size=8, seed=1).rows["out"]
            self.assertEqual((row.rtol, row.atol), (1e-5, 1e-8), "the helper's own defaults")
        with problem("gpu_mode/histogram", "", {"contention": [[10]]}) as functions:
            self.assertEqual(Judged(functions, size=64, contention=0, seed=1).rows["out"].rtol, 0)

    def test_tolerances_of_libraries(self):
        source = "import numpy, torch\ndef ref_kernel(data): return data * 2\ndef generate_input(n): return torch.rand(n)\ndef check_implementation(data, output):\n    want = data * 2\n    return "
        for asks, rtol, atol in (("torch.testing.assert_close(output, want) is None", 1.3e-6, 1e-5), ("bool(torch.isclose(output, want, rtol=2e-3).all())", 2e-3, 1e-8),
                                 ("numpy.testing.assert_allclose(output.numpy(), want.numpy(), atol=3e-4) is None", 1e-7, 3e-4),
                                 ("numpy.allclose(output.numpy(), want.numpy())", 1e-5, 1e-8), ("numpy.array_equal(output.numpy(), want.numpy())", 0, 1e-300)):
            with self.subTest(asks), problem("made", files=made(source + asks + ", ''\n")) as functions:
                row = Judged(functions, n=4).rows["out"]
                self.assertEqual((row.rtol, row.atol), (rtol, atol))

    def test_roles_and_layouts(self):
        with problem("gpu_mode/scale_add") as functions:
            self.assertEqual([(r.name, r.role) for r in Judged(functions, size=8, seed=1).rows.values()], [("in0", 1), ("in1", 1), ("out", 2)])
        with problem("gpu_mode/gated_linear", "", GATED) as functions:
            j = Judged(functions, rows=2, features=8, gate=1, seed=3, bias=2)
            self.assertEqual([r.role for r in j.rows.values()], [1, 1, 1, 1, 2, 2], "x, mask, weight and rotation; y and its norms")
            self.assertEqual(j.tensors["in1"].dtype, "u8", "bools lie there as bytes")
            seen = []
            j.setup()
            j.memory.state.launch = lambda data: seen.append(data) or j.functions["launch"]  # what a solution is given
            with self.assertRaises(_errors.AdapterError):
                j.launch()
            x, mask, weights, config = seen[0]
            self.assertEqual((mask.dtype, list(weights), config.gate, config.rotation.stride()), (torch.bool, ["proj.weight"], "sigmoid", (1, 8)))
            self.assertEqual(x.data_ptr(), j.memory["in0"].data_ptr(), "no byte is copied")

    def test_seeds_give_other_inputs_and_the_same_ones_again(self):
        with problem("gpu_mode/scale_add") as functions:
            j = Judged(functions, size=8, seed=5)
            inputs = []
            for seed in (1, 2, 1):
                j.fill(seed)
                inputs.append(j.memory["in0"].clone())
            self.assertFalse(torch.equal(inputs[0], inputs[1]))
            self.assertTrue(torch.equal(inputs[0], inputs[2]))

    def test_what_cannot_be_honoured_is_said(self):
        source = "import torch\nfrom utils import make_match_reference\ndef ref_kernel(data):\n    return data * 2\n"
        check = "check_implementation = make_match_reference(ref_kernel)\n"
        for say, tail in {
            "rule of its own": "def generate_input(n): return torch.ones(n)\ndef check_implementation(data, output): return bool((output - 2 * data).norm() < 1), ''\n",
            "refuses what its own": "def generate_input(n): return torch.ones(n)\ndef check_implementation(data, output): return 'no'\n",
            "gaps or overlaps": "def ref_kernel(data): return data.mul_(2)\ndef generate_input(n): return torch.ones(n, 4)[:, ::2]\n" + check,
            "layout": "def generate_input(n): return torch.eye(n).to_sparse()\n" + check,
            "cannot be rebuilt": "def generate_input(n): return torch.ones(n), (x for x in ())\n" + check,
            "follow from the seed": "def generate_input(n, seed): return torch.ones(n + seed)\n" + check,
            "writes to input": "def ref_kernel(data):\n    data.add_(1)\n    return data * 2\ndef generate_input(n): return torch.ones(n)\n" + check,
            "cannot compare": "def ref_kernel(data): return data.short()\ndef generate_input(n): return torch.ones(n)\n" + check,
            "where a tensor": "def ref_kernel(data): return 7\ndef generate_input(n): return torch.ones(n)\n" + check,
            "needs a GPU": "def generate_input(n): return torch.ones(n, device='meta')\n" + check,
            "defines no generate_input": check,
        }.items():
            with self.subTest(say), self.assertRaises(_errors.AdapterError) as raised:
                with problem("made", files=made(source + tail)) as functions:
                    j = Judged(functions, n=4, **({"seed": 1} if "seed" in tail else {}))
                    j.fill(9)
            expected = {"follow from the seed": "for another seed"}.get(say, say)
            self.assertIn(expected, str(raised.exception))

    def test_an_input_that_is_returned_is_an_output_that_is_restored(self):
        source = ("import torch\nfrom utils import make_match_reference\ndef ref_kernel(data):\n    total, x = data\n    total += x\n    return total\n"
                  "def generate_input(n): return torch.rand(n), torch.rand(n)\ncheck_implementation = make_match_reference(ref_kernel)\n")
        with problem("made", files=made(source)) as functions:
            self.assertEqual([(r.name, r.role) for r in Judged(functions, n=4).rows.values()], [("out", 3), ("in1", 1)])

    def test_a_submission_that_replaces_parts_of_the_problem_is_told(self):
        for cheat, changed in (("own_reference", "(reference.ref_kernel|utils.verbose_allclose)"), ("own_tolerance", "utils.(verbose_allclose|match_reference)"), ("own_code", "reference.ref_kernel")):
            with self.subTest(cheat), problem("gpu_mode/scale_add", f"bad/cheats/{cheat}.py") as functions:
                with self.assertRaisesRegex(_errors.SolutionError, changed + " was replaced or changed"):  # head's fault, and not the adapter's
                    Judged(functions, size=8, seed=1).run()
        for cheat, changed in (("own_model", "problem.Model.forward"), ("own_instance", "the reference's model.forward"), ("own_weights", "the reference's model.bias")):
            with self.subTest(cheat), problem("kernelbench/2_Linear_relu.py", f"bad/cheats/{cheat}.py") as functions:
                with self.assertRaisesRegex(_errors.SolutionError, changed + " was replaced or changed"):
                    Judged(functions, trial=0).run()

    def test_a_problem_may_change_what_it_holds(self):
        source = text("gpu_mode/scale_add/reference.py")
        for old, new in (("from task import input_t, output_t\n", "TABLE, CALLS = {}, 0\n"), (": input_t", ""), (" -> output_t", ""), (" -> input_t", ""),
                         ("    a, b, output = data\n", "    global CALLS\n    CALLS += 1\n    TABLE[CALLS] = data\n    a, b, output = data\n"),
                         ("    gen =", "    TABLE[size] = seed\n    gen =")):
            source = source.replace(old, new)
        for solution in ("bad/slow/scale_add.py", ""):  # the reference itself is a competitor
            with self.subTest(solution), problem("made", solution, files=made(source)) as functions:
                self.assertEqual(Judged(functions, size=4, seed=1).run(), [])

    def test_settings_of_the_solution_are_not_the_reference_s(self):
        source = ("import torch\nfrom utils import make_match_reference\n"
                  "def ref_kernel(data):\n    a, b = data\n    return a @ b + (torch.get_float32_matmul_precision() == 'highest')\n"
                  "def generate_input(n): return torch.rand(n, n), torch.rand(n, n)\ncheck_implementation = make_match_reference(ref_kernel)\n")
        with problem("made", files=made(source)) as functions:
            j = Judged(functions, n=4)
            self.assertEqual(j.run(), [])
            try:
                torch.set_float32_matmul_precision("medium")
                torch.backends.cudnn.deterministic = True
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    self.assertEqual(set(j.run()), {"out"})  # ours is of bfloat16, the reference is not, and has its own settings
                self.assertEqual((torch.get_float32_matmul_precision(), torch.backends.cudnn.deterministic), ("medium", True))
            finally:
                torch.set_float32_matmul_precision("highest")
                torch.backends.cudnn.deterministic = False

    def test_a_file_without_a_solution_is_the_fault_of_the_sources(self):
        with self.assertRaisesRegex(_errors.SolutionError, "defines no custom_kernel") as raised:
            with problem("gpu_mode/scale_add", "kernelbench/solutions/1_scaled_matmul.py"):
                pass
        self.assertEqual(_errors.code(raised.exception), "sources-load")

    def test_cheats_are_wrong(self):
        for name, solution, choices, case in (("scale_add", "left_over", {}, {"size": 8, "seed": 1}), ("scale_add", "half", {}, {"size": 8, "seed": 1}),
                                              ("scale_add", "shapes", {}, {"size": 9, "seed": 1}), ("scale_add", "by_pointer", {}, {"size": 8, "seed": 1}),
                                              ("gated_linear", "by_dict", GATED, {"rows": 2, "features": 8, "gate": 0, "seed": 1, "bias": 0})):
            with self.subTest(solution), problem("gpu_mode/" + name, f"bad/cheats/{solution}.py", choices) as functions:
                self.assertTrue(Judged(functions, **case).run())


@unittest.skipIf(torch is None, "torch is not installed")
class KernelBench(unittest.TestCase):
    def test_right_slow_and_wrong_solutions(self):
        for name, file in KERNEL_BENCH:
            path = f"kernelbench/{name}.py"
            for solution, right in ((f"kernelbench/solutions/{file}.py", True), (f"bad/slow/{file}.py", True), ("", True), (f"bad/wrong/{file}.py", False)):
                with self.subTest(name, solution=solution), problem(path, solution) as functions:
                    self.assertEqual(not Judged(functions, trial=0).run(), right)

    def test_shapes_of_problems(self):
        """Each has its own reference as its solution, and inputs, arguments or outputs of another shape."""
        for what, init, inputs, forward in (
            ("arguments by name", "[[2.0], {'b': 3.0}]", "[torch.rand(4)]", "return x * self.a + self.b"),
            ("a dict of arguments", "{'b': 3.0, 'a': 2.0}", "{'y': torch.rand(4), 'x': torch.rand(4)}", "return x - self.b * y"),
            ("one tensor", "[1.0, 2.0]", "torch.rand(3, 4)", "return x * 2"),
            ("nested", "[1.0, 2.0]", "[[torch.rand(4), torch.rand(4)], {'w': torch.rand(4), 'n': 3}]", "return x[0] * y['w'] + x[1] * y['n']"),
            ("views", "[1.0, 2.0]", "[torch.rand(6, 8)[1::2, ::2], torch.rand(3, 1).expand(3, 4)]", "assert (x.stride(), y.stride()) == ((16, 2), (1, 0)); return x + y"),
            ("bools and indices", "[1.0, 2.0]", "[torch.rand(8, 2), (torch.rand(8, 6) > 0.5)[:, :2]]", "return x.masked_fill(y, 0)[torch.arange(3)], y"),
            ("named tuples and None", "[1.0, 2.0]", "[torch.rand(8, 4), None]", "return torch.max(x, 1), None, {'z': x}"),
            ("gradients", "[1.0, 2.0]", "[torch.rand(8, requires_grad=True)]", "torch.set_grad_enabled(True); return torch.autograd.grad((x ** 2).sum(), x)"),
            ("random numbers that do not count", "[1.0, 2.0]", "[torch.rand(8)]", "return x + 0 * torch.rand(8)"),
            ("statistics that do not count", "[1.0, 2.0]", "[torch.rand(8, 4)]", "return self.norm(x)"),
        ):
            source = ("import torch\nclass Model(torch.nn.Module):\n    def __init__(self, a, b):\n        super().__init__()\n        self.a, self.b, self.norm = a, b, torch.nn.BatchNorm1d(4)\n"
                      f"    def forward(self, x, y=None):\n        {forward}\ndef get_inputs(): return {inputs}\ndef get_init_inputs(): return {init}\n")
            with self.subTest(what), problem("made.py", files=[("problem", "made.py", source)]) as functions:
                self.assertEqual(Judged(functions, trial=0).run(), [])

    def test_a_reference_that_answers_anew_each_time_is_told(self):
        for forward in ("return x + torch.rand(8)", "self.calls = self.calls + 1; return x * self.calls", "self.kept += x; return self.kept * 1"):
            source = ("import torch\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.calls = 0\n"
                      f"        self.register_buffer('kept', torch.zeros(8))\n    def forward(self, x):\n        {forward}\n"
                      "def get_inputs(): return [torch.rand(8)]\ndef get_init_inputs(): return []\n")
            with self.subTest(forward), problem("made.py", files=[("problem", "made.py", source)]) as functions:
                with self.assertRaisesRegex(_errors.AdapterError, "asked again"):
                    Judged(functions, trial=0)

    def test_names_tolerances_and_precisions(self):
        with problem("kernelbench/3_Nearest_code.py") as functions:
            j = Judged(functions, trial=0)
            self.assertEqual(list(j.rows), ["x", "table", "rows", "out0", "out1"])
            self.assertEqual([str(t.dtype) for t in j.tensors.values()], ["f32", "f32", "i64", "i64", "f32"])
            self.assertEqual((j.rows["out1"].atol, j.rows["out1"].rtol), (1e-4, 1e-4))
        with problem("kernelbench/2_Linear_relu.py") as functions:
            from perfgate import bf16

            j = Judged(functions, dtype=bf16)
            self.assertEqual((str(j.tensors["x"].dtype), j.rows["out"].atol), ("bf16", 1e-2))


if __name__ == "__main__":
    unittest.main()
