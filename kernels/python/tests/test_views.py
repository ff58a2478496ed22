import gc
import math
import os
import signal
import struct
import sys
import tempfile
import types
import unittest
import unittest.mock

import support
from perfgate import _autotune, _dtypes, _errors, _patched, _views, _views_torch
from test_errors import side

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None


class Everywhere:
    """What views of every framework on a CPU hold to."""

    def setUp(self):
        self.views = self.make()

    def buffer(self, values, fmt="f"):
        b = support.Buffer(struct.calcsize(fmt) * len(values))
        struct.pack_into(f"{len(values)}{fmt}", b.memory, 0, *values)
        return b

    def test_a_view_is_the_memory_itself(self):
        b = self.buffer([1, 2, 3, 4, 5, 6])
        x = self.views.view(b.pointer, (2, 3), 2, "x")
        self.assertEqual(tuple(x.shape), (2, 3))
        self.assertEqual(float(x[1, 0]), 4.0)
        x[1, 0] = 9
        self.assertEqual(struct.unpack_from("f", b.memory, 12)[0], 9.0)
        self.assertEqual(self.views.pointer(x), b.pointer)

    def test_scalars_and_empty_tensors(self):
        b = self.buffer([7])
        x = self.views.view(b.pointer, (), 2)
        self.assertEqual((tuple(x.shape), float(x)), ((), 7.0))
        self.assertEqual(tuple(self.views.view(b.pointer, (0, 3), 2).shape), (0, 3))

    def test_every_type_has_its_size(self):
        for kind in _dtypes.ALL.values():
            if kind.startswith("f8") and not self.has_fp8():
                continue
            b = support.Buffer(8 * kind.bytes)
            x = self.views.view(b.pointer, (2, 4), kind.code)
            self.assertEqual((tuple(x.shape), x.itemsize if hasattr(x, "itemsize") else x.element_size()), ((2, 4), kind.bytes), kind)
            self.assertEqual(self.views.pointer(x), b.pointer)

    def test_returned_values_are_collected(self):
        b = self.buffer([0, 0])
        y = self.views.view(b.pointer, (2,), 2)
        self.views.store("y", y, self.array([3, 4], "float32"))
        self.assertEqual(struct.unpack_from("2f", b.memory, 0), (3, 4))

    def test_wrong_returns_are_told(self):
        y = self.views.view(self.buffer([0, 0]).pointer, (2,), 2)
        for value, exact, words in [
            (self.array([1, 2, 3], "float32"), False, "it returned y of shape (3,); tensors(case) says (2,)"),
            (self.array([1, 2], "float64"), False, "it returned y as float64; tensors(case) says float32"),
            ([1, 2], False, f"it returned list for y, not a plain {self.views.name} array on this device"),
        ]:
            with self.assertRaises(_errors.AdapterError) as caught:
                self.views.store("y", y, value, exact)
            self.assertEqual(str(caught.exception), words)

    def test_a_reference_stays_in_float64(self):
        y = self.views.view(self.buffer([0, 0], "d").pointer, (2,), 1)
        with self.assertRaises(_errors.AdapterError) as caught:
            self.views.store("y", y, self.array([1, 2], "float32"), exact=True)
        self.assertIn("the reference returned y as float32", str(caught.exception))
        self.views.store("y", y, self.array([1, 2], "int64"), exact=True)
        self.assertEqual(float(y[1]), 2.0)

    def test_outputs_are_paired(self):
        one, two = self.array([1], "float32"), self.array([2], "float32")
        outputs = self.views.outputs
        self.assertEqual(outputs(["y"], None), [])
        self.assertEqual(outputs(["y"], one), [("y", one)])
        self.assertEqual([n for n, _ in outputs(["y", "z"], (one, two))], ["y", "z"])
        self.assertEqual([n for n, _ in outputs(["y", "z"], {"z": one})], ["z"])
        for names, value, words in [(["y", "z"], one, "it returned 1 value, and there are 2 outputs (y, z)"), (["y"], {"q": one}, "it returned q, which is no output")]:
            with self.assertRaises(_errors.AdapterError) as caught:
                outputs(names, value)
            self.assertIn(words, str(caught.exception))

    def test_what_was_returned_is_spoilt(self):
        b = self.buffer([1, 2, 3, 4])
        x = self.views.view(b.pointer, (4,), 2, "x")
        for kind in ("float64", "float32", "float16", "int64", "int8", "uint8"):
            whole = self.array([[1, 2, 3], [4, 5, 6]], kind)
            self.views.spoil(whole[:, 1:])
            spoilt = [bool(v != v) if "float" in kind else int(v) in (-1, 255) for v in whole.reshape(6)]
            self.assertEqual(spoilt, [False, True, True] * 2, kind)
        for value in (self.array(5, "float32"), self.broadcast(self.array([5], "float32"), (3,)), self.result(self.array([5, 6], "float32"))):
            self.views.spoil(value)
            self.assertTrue(bool((value != value).all()))
        self.views.spoil(self.array([], "float32"))
        self.views.spoil(x)
        self.views.spoil(x[1:3])
        self.assertEqual(struct.unpack_from("4f", b.memory, 0), (1, 2, 3, 4))  # the harness's own

    def test_which_elements_are_written(self):
        b = support.Buffer(3)
        elements = self.views.view(b.pointer, (3,), 10)
        self.views.mark("y", elements, self.array([True, False, True], "bool"))
        self.assertEqual(b.bytes(), b"\1\0\1")
        self.views.mark("y", elements, self.array([2, 1, 0], "uint8"))
        self.assertEqual(b.bytes(), b"\2\1\0")
        for value, words in [
            (self.array([1, 0, 1], "int64"), "written gave an array of int64 for y: it takes"),
            ([True], "written gave list for y: it takes"),
            (self.array([True], "bool"), "written gave y the shape (1,); tensors(case) says (3,)"),
        ]:
            with self.assertRaises(_errors.AdapterError) as caught:
                self.views.mark("y", elements, value)
            self.assertIn(words, str(caught.exception))

    def test_the_harness_s_own_output_needs_no_collecting(self):
        b = self.buffer([0, 0, 0])
        y = self.views.view(b.pointer, (2,), 2)
        self.assertTrue(self.views.is_view(y, y))
        self.assertTrue(self.views.is_view(y, y[:]))
        self.assertFalse(self.views.is_view(y, y[:1]))
        self.assertFalse(self.views.is_view(y, self.array([1, 2], "float32")))
        self.assertFalse(self.views.is_view(y, None))

    def test_what_could_compute_when_it_is_read_is_refused(self):
        y = self.views.view(self.buffer([0, 0]).pointer, (2,), 2)
        with self.assertRaises(_errors.AdapterError) as caught:
            self.views.store("y", y, self.lazy([1, 2]))
        self.assertIn("it returned Lazy for y, not a plain", str(caught.exception))

        class Lazy(dict):
            def items(self):
                raise AssertionError("asked")

        self.assertEqual(self.views.outputs(["y"], Lazy(y=1)), [("y", 1)])

        class Later(tuple):
            def __iter__(self):
                raise AssertionError("asked")

            __class__ = property(__iter__)

        self.assertEqual(self.views.outputs(["y"], Later([1])), [("y", 1)])

    def test_what_is_kept_after_a_case_is_named(self):
        with side("/nowhere"):
            module = types.ModuleType("mine")
            module.__file__ = "/nowhere/src/mine.py"
            sys.modules["mine"] = module
            try:
                b = self.buffer([1, 2])
                module.CACHE = {"a": [self.views.view(b.pointer, (2,), 2, "x")[1:]]}
                kept = self.views.release()
                module.CACHE.clear()
                module.CACHE.update(self.words_for_memory(self.views.view(b.pointer, (2,), 2, "x")))
                self.assertEqual("CACHE" in self.views.release(), bool(module.CACHE))
                module.CACHE.clear()
                free = self.views.view(b.pointer, (2,), 2, "x")
                del free
                self.assertEqual(self.views.release(), "")
            finally:
                del sys.modules["mine"]
        self.assertIn('global "CACHE" of src/mine.py still holds tensor x of a case that is over', kept)

    def words_for_memory(self, view):
        """What the framework has for the memory of an array, beside arrays."""
        return {}

    def test_what_a_library_keeps_is_not_the_users_fault(self):
        library = types.ModuleType("library")
        library.__file__ = "/usr/lib/python3/dist-packages/library.py"
        sys.modules["library"] = library
        try:
            with side("/nowhere"):
                b = self.buffer([1])
                library.LAST = self.views.view(b.pointer, (1,), 2, "x")
                self.assertEqual(self.views.release(), "")
        finally:
            del sys.modules["library"]


@unittest.skipUnless(numpy, "needs numpy")
class OfNumpy(Everywhere, unittest.TestCase):
    def make(self):
        return _views.choose("cpu", {"arrays": "numpy"})

    def array(self, values, dtype):
        return numpy.array(values, dtype)

    def broadcast(self, value, shape):
        return numpy.broadcast_to(value, shape)

    def result(self, value):
        value.flags.writeable = False
        return value

    def test_memory_that_is_no_array_s_is_not_written(self):
        text = b"\0\0\0\0"
        self.views.spoil(numpy.frombuffer(text, "float32"))
        self.assertEqual(text, b"\0\0\0\0")

    def lazy(self, values):
        return numpy.array(values, "float32").view(type("Lazy", (numpy.ndarray,), {}))

    def has_fp8(self):
        return True  # as bits

    def test_bf16_without_ml_dtypes_is_its_bits(self):
        b = support.Buffer(2)
        b.memory[1] = 0x3F  # 0x3f00 is 0.5
        x = self.views.view(b.pointer, (1,), 4)
        self.assertIn(str(x.dtype), ("uint16", "bfloat16"))
        self.assertEqual(bytes(x.tobytes()), b"\x00\x3f")


@unittest.skipUnless(torch, "needs torch")
class OfTorch(Everywhere, unittest.TestCase):
    def make(self):
        return _views.choose("cpu", {"arrays": "torch"})

    def array(self, values, dtype):
        return torch.tensor(values, dtype=getattr(torch, dtype))

    def broadcast(self, value, shape):
        return value.expand(shape)

    def result(self, value):
        with torch.inference_mode():
            return value * 2

    def lazy(self, values):
        return torch.Tensor(values).as_subclass(type("Lazy", (torch.Tensor,), {}))

    def has_fp8(self):
        return hasattr(torch, "float8_e5m2")

    def words_for_memory(self, view):
        return {"storage": view.untyped_storage() if hasattr(view, "untyped_storage") else view.storage()}

    def test_bf16_has_its_type(self):
        b = support.Buffer(4)
        b.memory[1], b.memory[3] = 0x3F, 0x40
        x = self.views.view(b.pointer, (2,), 4)
        self.assertEqual((x.dtype, x.tolist()), (torch.bfloat16, [0.5, 2.0]))

    def test_a_result_with_a_gradient_is_collected(self):
        b = self.buffer([0.0])
        y = self.views.view(b.pointer, (1,), 2)
        self.views.store("y", y, torch.ones(1, requires_grad=True) * 3)
        self.assertFalse(y.requires_grad)
        self.assertEqual(y.item(), 3.0)

    def test_methods_that_a_tensor_was_given_are_not_called(self):
        b = self.buffer([0.0, 0.0])
        y = self.views.view(b.pointer, (2,), 2)
        value = torch.tensor([1.0, 2.0])
        for tensor in (y, value):
            for name in ("detach", "copy_", "data_ptr", "stride", "element_size", "float", "view", "fill_"):
                setattr(tensor, name, lambda *_: self.fail("asked"))
        self.assertFalse(self.views.is_view(y, value))
        self.views.store("y", y, value)
        self.views.spoil(value)
        self.assertEqual(y.tolist(), [1.0, 2.0])
        self.assertTrue(bool((value != value).all()))
        self.assertEqual(self.views.single(value).dtype, torch.float32)

    def test_methods_that_the_class_was_given_are_not_called(self):
        def never(*_):
            raise AssertionError("it was asked")

        b = self.buffer([0.0, 0.0])
        y, value = self.views.view(b.pointer, (2,), 2), torch.ones(2)
        with unittest.mock.patch.object(torch.Tensor, "copy_", never), unittest.mock.patch.object(torch.Tensor, "shape", property(never)):
            self.views.store("y", y, value)
        self.assertEqual(y.tolist(), [1.0, 1.0])

    def test_a_view_that_is_negated_when_it_is_read(self):
        y = self.views.view(self.buffer([0.0, 0.0]).pointer, (2,), 2)
        with self.assertRaisesRegex(_errors.AdapterError, "negated or conjugated when it is read"):
            self.views.store("y", y, torch._neg_view(torch.ones(2)))
        self.views.store("y", y, torch._neg_view(torch.ones(2)).resolve_neg())

    def test_a_type_that_this_torch_lacks(self):
        if self.has_fp8():
            self.skipTest("this torch has fp8")
        with self.assertRaises(TypeError) as caught:
            self.views.view(support.Buffer(1).pointer, (1,), 5)
        self.assertIn("has no float8_e4m3fn, which f8e4m3 needs", str(caught.exception))


class WithoutAFramework(unittest.TestCase):
    def test_raw_arrays_say_where_they_lie(self):
        views = _views.choose("cpu", {"arrays": "raw"})
        b = support.Buffer(16)
        x = views.view(b.pointer, (4,), 2, "x")
        self.assertEqual((x.pointer, x.shape, x.dtype), (b.pointer, (4,), "f32"))
        import ctypes
        ctypes.memset(x, 1, 4)
        self.assertEqual(b.bytes()[:5], b"\1\1\1\1\0")

    def test_an_unknown_framework(self):
        with self.assertRaises(_errors.AdapterError) as caught:
            _views.choose("cpu", {"arrays": "cupy"})
        self.assertIn("arrays is 'cupy'; on a CPU it is one of torch, numpy, raw", str(caught.exception))


class TorchOfAGPU(unittest.TestCase):
    """What a torch that cannot use the GPU is told, on fakes."""

    def started(self, **cuda):
        fake = types.SimpleNamespace(__version__="2.11.0", version=types.SimpleNamespace(cuda=cuda.pop("version")), cuda=types.SimpleNamespace(**cuda))
        views = _views_torch.TorchOnGPU.__new__(_views_torch.TorchOnGPU)
        views.torch = fake
        with self.assertRaises(_errors.AdapterError) as caught:
            views.start()
        return str(caught.exception)

    def test_built_without_cuda(self):
        self.assertIn("torch 2.11.0 is built without CUDA", self.started(version=None))

    def test_of_another_cuda_than_the_driver(self):
        def init():
            raise RuntimeError("The NVIDIA driver on your system is too old (found version 12020)")

        words = self.started(version="13.0", init=init)
        self.assertIn("torch 2.11.0, built for CUDA 13.0, cannot use the GPU", words)
        self.assertIn("too old (found version 12020)", words)


class Autotune(unittest.TestCase):
    def setUp(self):
        class Autotuner:
            def __init__(self, name, configs):
                self.fn = types.SimpleNamespace(__name__=name)
                self.configs, self.cache = configs, {}

        module = types.ModuleType("triton.runtime.autotuner")
        module.Autotuner = Autotuner
        sys.modules["triton.runtime.autotuner"] = module
        self.addCleanup(sys.modules.pop, "triton.runtime.autotuner")
        config = lambda block, warps: types.SimpleNamespace(kwargs={"BLOCK": block}, num_warps=warps, num_stages=3, num_ctas=1, maxnreg=None)
        self.tuner = Autotuner("softmax_kernel", [config(64, 4), config(128, 4), config(128, 8)])

    def test_what_was_chosen(self):
        self.assertEqual(_autotune.chosen(), "")
        self.tuner.best_config = self.tuner.configs[1]
        self.assertEqual(_autotune.chosen(), "softmax_kernel: BLOCK=128, num_warps=4, num_stages=3")
        _autotune.forget()
        self.assertEqual(_autotune.chosen(), "")
        self.tuner.configs, self.tuner.best_config = self.tuner.configs[:1], self.tuner.configs[0]
        self.assertEqual(_autotune.chosen(), "")  # there was nothing to choose

    def test_the_name_of_a_kernel_whose_function_was_let_go(self):
        released = types.SimpleNamespace(fn=types.SimpleNamespace(fn=None), inductor_meta={"kernel_name": "triton_poi_fused_gelu_0"})
        self.assertEqual(_autotune.function_of(released), "triton_poi_fused_gelu_0")
        released.fn.__name__ = "softmax_kernel"
        self.assertEqual(_autotune.function_of(released), "softmax_kernel")

    def test_what_is_pinned(self):
        self.addCleanup(_autotune.pins, "")
        every = self.tuner.configs[:]
        for pin, remain in [("BLOCK=128, num_warps=8", every[2:]), ("BLOCK = 128", every[1:])]:
            self.tuner.configs = every[:]
            _autotune.pins(f"softmax_kernel: {pin}")
            _autotune.apply()
            _autotune.apply()
            _autotune.all_applied()
            self.assertEqual(self.tuner.configs, remain)

    def test_what_was_chosen_before_is_chosen_again_where_it_can_be(self):
        self.addCleanup(_autotune.pins, "")
        every = self.tuner.configs[:]
        for before, remain in [("softmax_kernel?: BLOCK=128, num_warps=4, num_stages=3", every[1:2]), ("softmax_kernel?: BLOCK=1", every), ("other?: BLOCK=64", every),
                               ("softmax_kernel: BLOCK=64\nsoftmax_kernel?: BLOCK=128", every[:1])]:
            self.tuner.configs = every[:]
            _autotune.pins(before)
            _autotune.apply()
            _autotune.all_applied()
            self.assertEqual(self.tuner.configs, remain)

    def test_a_tuner_that_is_made_later_is_known_without_another_look_at_all_objects(self):
        self.assertEqual(_autotune.autotuners(), [self.tuner])
        with unittest.mock.patch("gc.get_referrers", side_effect=AssertionError("it walks over all objects")):
            later = type(self.tuner)("later", self.tuner.configs)
            self.assertEqual(_autotune.autotuners(), [self.tuner, later])
            del later
            self.assertEqual(_autotune.autotuners(), [self.tuner])

    def test_a_pin_that_means_nothing(self):
        self.addCleanup(_autotune.pins, "")
        _autotune.pins("softmax_kernel: BLOCK=96")
        with self.assertRaises(_errors.AdapterError) as caught:
            _autotune.apply()
        self.assertIn("pin: softmax_kernel has no configuration with BLOCK=96; it has BLOCK=64, num_warps=4, num_stages=3; BLOCK=128", str(caught.exception))
        _autotune.pins("softmax: BLOCK=64")
        _autotune.apply()
        with self.assertRaises(_errors.AdapterError) as caught:
            _autotune.all_applied()
        self.assertIn("there is no @triton.autotune on a function softmax; there are: softmax_kernel", str(caught.exception))


class Patched(unittest.TestCase):
    def test_a_library_s_function_that_is_the_users(self):
        with side("/nowhere"):
            self.assertEqual(_patched.replaced("bench/k.pg.py"), "")
            space = {}
            exec(compile("\ndef sqrt(x):\n    return 1.0\n", "/nowhere/src/fast.py", "exec"), space)
            whole, math.sqrt = math.sqrt, space["sqrt"]
            try:
                self.assertIn("math.sqrt is replaced by src/fast.py:2", _patched.replaced("bench/k.pg.py"))
            finally:
                math.sqrt = whole
            self.assertEqual(_patched.replaced("bench/k.pg.py"), "")

    def test_code_without_a_file_is_nobodys_in_a_folder_of_the_users(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as tree, side(tree):
            os.chdir(tree)
            try:
                self.assertEqual(_patched.replaced("bench/k.pg.py"), "")
            finally:
                os.chdir(before)

    def test_hooks_of_the_users(self):
        space = {}
        exec(compile("def hook(*_):\n    pass\n", "/nowhere/src/fast.py", "exec"), space)
        with side("/nowhere"):
            self.assertEqual(_patched.hooks("bench/k.pg.py"), "")
            gc.callbacks.append(space["hook"])
            try:
                self.assertIn("src/fast.py:1 is installed as a callback of the garbage collector", _patched.hooks("bench/k.pg.py"))
            finally:
                gc.callbacks.pop()
            before = signal.signal(signal.SIGUSR2, space["hook"])
            try:
                self.assertIn("src/fast.py:1 is installed as the handler of signal", _patched.hooks("bench/k.pg.py"))
            finally:
                signal.signal(signal.SIGUSR2, before)
            self.assertEqual(_patched.hooks("bench/k.pg.py"), "")


class RawTensors(unittest.TestCase):
    def test_elements_need_a_framework(self):
        """Who reads or writes an element of a tensor without a framework is told to import one."""
        for on_gpu, wanted in (False, "import numpy or torch"), (True, "import torch or cupy"):
            tensor = _views.RawArray(4096, (2,), _dtypes.CODES[2], on_gpu)
            with self.assertRaisesRegex(_errors.AdapterError, wanted):
                tensor[0]
            with self.assertRaisesRegex(_errors.AdapterError, wanted):
                tensor[:] = 1


if __name__ == "__main__":
    gc.collect()
    unittest.main()
