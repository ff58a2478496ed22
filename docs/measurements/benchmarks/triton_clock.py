"""Finds out why do_bench and perfgate's method differ for kernels that use much power: both as they are, and each with a trait of the other's.

usage: triton_clock.py TUTORIALS OUT SECONDS NAME...      TUTORIALS and NAME as in triton_record.py
Records processes, a name after the other, for SECONDS. OUT/NAME.clock.jsonl gets a line for each process, and OUT/power.csv what the driver said meanwhile
(power.py). A process times the script's own function in all WAYS, in an order by lot, the card idle for a while before each.

A launch has a stamp before it and behind it: a block on each multiprocessor that reads its cycle counter and the global clock (ns). So the frequency
of the multiprocessors during each launch is measured, and what the launch took in cycles. The stamps lie between the events, and take about 3 us.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import time

import triton_record as record  # first: it puts perfgate's package on the path

import torch
import triton
import triton.language as tl
import triton.testing
from perfgate.bench_cuda import Cuda
from perfgate.bench_triton import tuning

PAUSE = 0.15   # s without work before each way
SHORT = 5      # ms of do_bench's launches, in the place of 100, and no warm-up
LONG = 4       # times the samples of ours
SMS = 256      # places for stamps of a launch
MOST = 2048    # launches that have places
record.SECONDS = 30  # that a process may take


@triton.jit(do_not_specialize=["slot"])
def stamp(out, slot, PLACES: tl.constexpr):
    sm = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    cycles = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    ns = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    at = out + (slot * PLACES + sm) * 2
    tl.store(at, cycles)
    tl.store(at + 1, ns)


class Stamped:
    """A function with a stamp before it and behind it."""

    def __init__(self, fn):
        self._fn, self._next = fn, 0
        self._grid = (torch.cuda.get_device_properties(0).multi_processor_count,)
        self._stamps = torch.zeros((2 * MOST, SMS, 2), dtype=torch.int64, device="cuda")

    def __call__(self):
        slot = self._next % MOST
        self._next += 1
        stamp[self._grid](self._stamps, 2 * slot, SMS, num_warps=1)
        self._fn()
        stamp[self._grid](self._stamps, 2 * slot + 1, SMS, num_warps=1)

    def latest(self, count):
        """(MHz, thousands of cycles) of each of the latest launches: medians over the multiprocessors that have both stamps."""
        slots = [i % MOST for i in range(self._next - min(count, self._next), self._next)]
        stamps = self._stamps.view(MOST, 2, SMS, 2)[slots].cpu()
        before, after = stamps[:, 0], stamps[:, 1]
        passed = (after - before).double()
        passed[~((before[..., 1] > 0) & (after[..., 1] > before[..., 1]))] = float("nan")
        mhz, cycles = (1e3 * passed[..., 0] / passed[..., 1]).nanmedian(1).values, passed[..., 0].nanmedian(1).values / 1e3
        return list(zip(mhz.tolist(), cycles.tolist()))


def flush_of_do_bench():
    """What do_bench writes zeros to before a launch."""
    cache = triton.runtime.driver.active.get_empty_cache_for_benchmark()
    return lambda: triton.runtime.driver.active.clear_cache(cache)


def back_to_back(fn, flush, count, period_ns=0):
    """ns of launches that are enqueued as do_bench enqueues them; with a period each is waited for, and the next comes when the period is over."""
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(count)]
    for start, stop in events:
        began = time.perf_counter_ns()
        flush()
        start.record()
        fn()
        stop.record()
        if period_ns:
            stop.synchronize()
            while time.perf_counter_ns() - began < period_ns:
                pass
    torch.cuda.synchronize()
    return [start.elapsed_time(stop) * 1e6 for start, stop in events]


class Ways:
    """All ways to time one function. ``tensors`` are its inputs, which some ways set to zero."""

    def __init__(self, fn, tensors):
        self.fn, self.tensors = Stamped(fn), tensors
        self.work = record.Calls(self.fn)
        self.device = Cuda(torch)
        self.device.first(self.work)
        began = time.time()
        self.device.settle()
        self.settled = time.time() - began
        self.method, _ = self.device.method(self.work, None)
        self.sample = self.device.sampler(self.work, self.method)
        self.period = self._period()
        self.all = {
            "do_bench": self.do_bench,
            "do_bench, inputs zero": lambda: self.zero(self.do_bench),
            "do_bench, 5 ms": lambda: triton_ms(self.fn, warmup=0, rep=SHORT),
            "do_bench, our period": lambda: back_to_back(self.fn, flush_of_do_bench(), self.method.samples, self.period),
            "ours": self.ours,
            "ours, inputs zero": lambda: self.zero(self.ours),
            "ours, four times as long": lambda: [self.sample() for _ in range(LONG * self.method.samples)],
            "ours, back to back": lambda: back_to_back(self.fn, self._flush, self.method.samples),
            "ours, do_bench's flush": self._with_their_flush,
        }

    def _period(self):
        began = time.perf_counter_ns()
        for _ in range(20):
            self.sample()
        return (time.perf_counter_ns() - began) / 20

    def do_bench(self):
        return triton_ms(self.fn)

    def ours(self):
        return [self.sample() for _ in range(self.method.samples)]

    def _flush(self):
        self.device._buffer.fill_(1)

    def _with_their_flush(self):
        buffer, self.device._buffer = self.device._buffer, torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        try:
            return self.ours()
        finally:
            self.device._buffer = buffer

    def zero(self, way):
        """The same work with inputs of zeros: as many instructions and bytes, and less power."""
        kept = [t.detach().clone() for t in self.tensors]
        for t in self.tensors:
            t.detach().zero_()
        try:
            return way()
        finally:
            for t, values in zip(self.tensors, kept):
                t.detach().copy_(values)


def triton_ms(fn, real=triton.testing.do_bench, **arguments):
    return [ms * 1e6 for ms in real(fn, return_mode="all", **arguments)]


def tensors_of(fn):
    return [c.cell_contents for c in fn.__closure__ or () if isinstance(c.cell_contents, torch.Tensor)]


def process(name, seed):
    """A process of the script: its function at its point, in all ways."""
    found, began = {}, time.time()

    def caught(fn, quantiles=None, real=triton.testing.do_bench, **arguments):
        if tuning(sys._getframe(1)):
            return real(fn, quantiles=quantiles, **arguments)
        fn()
        torch.cuda.synchronize()
        ways = Ways(fn, tensors_of(fn))
        found.update(tensors=len(ways.tensors), settled=ways.settled, period=ways.period, samples=ways.method.samples, ways={})
        for way in random.Random(seed).sample(list(ways.all), len(ways.all)):
            torch.cuda.synchronize()
            time.sleep(PAUSE)
            start = time.monotonic()
            ns = ways.all[way]()
            torch.cuda.synchronize()
            stop = time.monotonic()
            stamps = ways.fn.latest(len(ns))
            found["ways"][way] = {
                "from": start, "to": stop, "ns": [round(v) for v in ns],
                "mhz": [round(mhz, 1) for mhz, _ in stamps], "kcycles": [round(k, 2) for _, k in stamps],
            }
        return [1.0] * len(quantiles) if quantiles else 1.0

    scope = record.script_scope(name)
    triton.testing.do_bench = caught
    for args in record.cases(name).values():
        scope[record.SCRIPTS[name][1]].fn(**args)
    return {"process": seed, "seconds": round(time.time() - began, 2), "uuid": str(torch.cuda.get_device_properties(0).uuid), **found}


def main():
    rig, seconds = record.Rig(*sys.argv[1:3]), float(sys.argv[3])
    here = os.path.dirname(os.path.abspath(__file__))
    log = subprocess.Popen([sys.executable, os.path.join(here, "power.py"), os.path.join(rig.out, "power.csv")])
    try:
        until, i = time.time() + seconds, 0
        while time.time() < until:
            for name in sys.argv[4:]:
                rig.record(name, ".clock", 1, lambda _: process(name, i))
            i += 1
            if not any(os.path.getsize(os.path.join(rig.out, name + ".clock.jsonl")) for name in sys.argv[4:]):
                sys.exit("no process of the first round came to its end: see the logs")
    finally:
        log.terminate()
        log.wait()


if __name__ == "__main__":
    main()
