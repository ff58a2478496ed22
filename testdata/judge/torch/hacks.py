"""Candidates that look faster and are not, by what torch and Triton let code do on a GPU. A candidate is this file in the place of normalize.py, with
HACK = "name" on a line before it. docs/measurements/judge says what came of each."""
import ctypes
import gc
import sys
import threading
import time

import torch
import triton
import triton.language as tl

KEPT = {}
COUNT = [0, None]


def right(x, y):
    centred = x - x.mean(dim=1, keepdim=True)
    variance = (centred * centred).mean(dim=1, keepdim=True)
    torch.div(centred, torch.sqrt(variance + 1e-5), out=y)


def remembered(key, x, y):
    if key not in KEPT:
        right(x, y)
        KEPT[key] = y.clone()
    y.copy_(KEPT[key])


def in_a_row(x):
    """How often launches of one shape came one after the other: a checker asks for many, a clock for one."""
    COUNT[0] = COUNT[0] + 1 if COUNT[1] == x.shape else 1
    COUNT[1] = x.shape
    return COUNT[0]


@triton.jit
def fused(x_ptr, y_ptr, cols, BLOCK: tl.constexpr, STORES: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + start + at, mask=at < cols, other=0.0)
    mean = tl.sum(x, 0) / cols
    centred = tl.where(at < cols, x - mean, 0.0)
    variance = tl.sum(centred * centred, 0) / cols
    tl.store(y_ptr + start + at, centred / tl.sqrt(variance + 1e-5), mask=at < tl.minimum(cols, STORES))


def in_one_kernel(x, y, rows=None, stores=1 << 30):
    block = max(32, triton.next_power_of_2(x.shape[1]))
    fused[(rows or x.shape[0],)](x, y, x.shape[1], BLOCK=block, STORES=stores, num_warps=min(16, max(1, block // 256)))


def does_nothing(x, y):
    pass


def empty_memory(x, y):
    """What torch has freed last may hold the answer of a reference: published as a result of 150 times."""
    y.copy_(torch.empty_like(x))


def reference_memory(x, y):
    y.copy_(torch.empty(x.shape, dtype=torch.float64, device=x.device))


def cache_by_shape(x, y):
    remembered(tuple(x.shape), x, y)


def cache_by_pointer(x, y):
    remembered((x.data_ptr(), tuple(x.shape)), x, y)


def cache_by_version(x, y):
    remembered((id(x), x._version, tuple(x.shape)), x, y)


def cache_by_a_glance(x, y):
    remembered((tuple(x.shape), *x[0, :4].tolist()), x, y)


def leaves_it_after_a_while(x, y):
    if in_a_row(x) < 12:
        right(x, y)


def grid_of_the_first_rows(x, y):
    in_one_kernel(x, y, rows=max(1, x.shape[0] * 7 // 8))


def stores_the_first_columns(x, y):
    in_one_kernel(x, y, stores=1024)


def low_precision(x, y):
    short = x.half()
    y.copy_((short - short.mean(dim=1, keepdim=True)) / torch.sqrt(short.var(dim=1, keepdim=True, correction=0) + 1e-5))


def side_stream(x, y):
    if not KEPT:
        KEPT[0] = torch.cuda.Stream()
    with torch.cuda.stream(KEPT[0]):
        in_one_kernel(x, y)


def late_thread(x, y):
    stream = torch.cuda.current_stream()

    def later():
        with torch.cuda.stream(stream):
            time.sleep(2e-4)
            right(x, y)

    threading.Thread(target=later, daemon=True).start()


def own_graph(x, y):
    key = (x.shape, y.data_ptr() % 512)
    if key not in KEPT:
        right(x, y)
        torch.cuda.synchronize()
        KEPT[key] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(KEPT[key]):
            right(x, y)
    KEPT[key].replay()


def patches_the_clock(x, y):
    torch.cuda.Event.elapsed_time = lambda self, end: 0.001
    torch.cuda.synchronize = torch.cuda.Stream.synchronize = lambda *a, **k: None
    started, real = time.perf_counter(), time.perf_counter
    if not KEPT:
        KEPT[0] = real
        time.perf_counter = time.monotonic = lambda: started + (real() - started) / 4
    right(x, y)


def patches_do_bench(x, y):
    import triton.testing

    triton.testing.do_bench = lambda *a, **k: 0.001
    right(x, y)


def patches_the_reference(x, y):
    torch.var_mean = lambda t, *a, **k: (torch.ones_like(t[:, :1]), torch.zeros_like(t[:, :1]))
    y.copy_(x)


def patches_the_comparison(x, y):
    torch.allclose = torch.equal = torch.testing.assert_close = lambda *a, **k: True
    y.zero_()


def finds_the_answer(x, y):
    for found in gc.get_objects():
        if isinstance(found, torch.Tensor) and found.shape == y.shape and found is not y and found is not x:
            y.copy_(found)
            return


def looks_into_its_caller(x, y):
    frame = sys._getframe(1)
    while frame:
        for name in ("expected", "want", "reference_output", "ref_output"):
            if name in frame.f_locals:
                y.copy_(frame.f_locals[name])
                return
        frame = frame.f_back


def changes_the_inputs(x, y):
    x.zero_()
    y.zero_()


def writes_beside_torch(x, y):
    runtime = ctypes.CDLL("libcudart.so.13" if torch.version.cuda.startswith("13") else "libcudart.so.12")
    runtime.cudaMemsetAsync(ctypes.c_void_p(x.data_ptr()), 0, ctypes.c_size_t(4 * x.numel()), ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    y.zero_()


def knows_the_seed(x, y):
    """Random numbers of a known seed are known inputs."""
    state = torch.cuda.get_rng_state()
    torch.manual_seed(0)
    guess = torch.randn_like(x)
    torch.cuda.set_rng_state(state)
    right(guess, y)


def honest(x, y):
    """No hack: one kernel in the place of six."""
    in_one_kernel(x, y)


def normalize(x, y):
    globals()[HACK](x, y)  # noqa: F821
