"""The same kernels under other clocks, in one fresh process: a plain loop of CUDA events and Triton's two timers.

    python3 anchors.py LIBRARIES PROCESS >> anchors.csv

The kernels are the adapters' own pg_launch, called through ctypes on tensors of PyTorch.
"""
import ctypes
import sys

import torch
import triton.testing


class Param(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("text", ctypes.c_char_p), ("value", ctypes.c_int64)]


class Case(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("count", ctypes.c_int32), ("kernel", ctypes.c_char_p), ("params", ctypes.POINTER(Param))]


def launcher(library, kernel, params, tensors):
    lib = ctypes.CDLL(library)
    entries = (Param * len(params))(*[Param(k.encode(), str(v).encode(), v) for k, v in params.items()])
    c = Case(ctypes.sizeof(Case), len(params), kernel.encode(), entries)
    data = (ctypes.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])

    def launch():
        if lib.pg_launch(ctypes.byref(c), data, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), None):
            raise RuntimeError("pg_launch failed")

    return launch


def event_loop(launch, flush):
    times = []
    for i in range(220):
        if flush is not None:
            flush.zero_()
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        launch()
        stop.record()
        torch.cuda.synchronize()
        if i >= 20:
            times.append(start.elapsed_time(stop) * 1e6)
    return sorted(times)[len(times) // 2]


def main():
    directory, process = sys.argv[1], sys.argv[2]
    f = lambda n: torch.randn(n, device="cuda")
    h = lambda: torch.randn(8, 8, 512, 64, device="cuda", dtype=torch.float16)
    flush = torch.empty(126 << 20, dtype=torch.int8, device="cuda")
    for name, library, kernel, params, tensors in [
        ("saxpy/n=16777216", "basics.so", "saxpy", {"n": 1 << 24}, [f(1), f(1 << 24), f(1 << 24), f(1 << 24)]),
        ("polynomial/n=1048576", "basics.so", "polynomial", {"n": 1 << 20, "degree": 512}, [f(1 << 20).clamp(-1, 1), f(1 << 20)]),
        ("saxpy/n=65536", "basics.so", "saxpy", {"n": 1 << 16}, [f(1), f(1 << 16), f(1 << 16), f(1 << 16)]),
        ("attention/B=8,S=512", "attention.so", "attention", {"B": 8, "H": 8, "S": 512, "D": 64, "causal": 0}, [h(), h(), h(), h()]),
    ]:
        launch = launcher(directory + "/" + library, kernel, params, tensors)
        for timer, ns in [
            ("event loop, hot", event_loop(launch, None)),
            ("event loop, flushed", event_loop(launch, flush)),
            ("do_bench", triton.testing.do_bench(launch, return_mode="median") * 1e6),
            ("do_bench_cudagraph", triton.testing.do_bench_cudagraph(launch, return_mode="median") * 1e6),
        ]:
            print(f'{process},"{name}",{timer.replace(",", "")},{ns:.2f}', flush=True)


with torch.cuda.stream(torch.cuda.Stream()):
    main()
