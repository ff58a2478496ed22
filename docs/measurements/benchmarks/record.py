"""Records processes of benchmarks by other tools, each program against itself: sides A and B in turn, which of them first by lot.

usage: record.py FOLDER [PROCESSES]      FOLDER/TOOL/A and FOLDER/TOOL/B get a JSON file for each process, for replay.py
Needs Debian's libbenchmark-dev, python3-pytest-benchmark and hyperfine, and a C++ compiler.
"""
import os
import random
import subprocess
import sys

GOOGLE = """#include <benchmark/benchmark.h>
static unsigned spin(long n) { unsigned x = 1; for (long i = 0; i < n; i++) x = x * 1664525u + 1013904223u; return x; }
static void BM_spin(benchmark::State &s) { for (auto _ : s) benchmark::DoNotOptimize(spin(s.range(0))); }
BENCHMARK(BM_spin)->Arg(20000)->Arg(40000);
BENCHMARK_MAIN();
"""
PYTEST = """import pytest
def spin(n):
    x = 1
    for i in range(n):
        x = x * 5 & 65535
    return x
@pytest.mark.parametrize("n", [2000, 20000])
def test_spin(benchmark, n):
    benchmark(spin, n)
"""
SHELL = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done\n"

COMMANDS = {
    "google-benchmark": ["./spin", "--benchmark_min_time=0.02", "--benchmark_repetitions=3", "--benchmark_out_format=json", "--benchmark_out={}"],
    "pytest-benchmark": ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--benchmark-min-rounds=5", "--benchmark-max-time=0.1",
                         "--benchmark-timer=time.process_time", "--benchmark-json={}", "test_spin.py"],
    "hyperfine": ["hyperfine", "-N", "--runs", "5", "-n", "spin", "sh spin.sh", "--export-json", "{}"],
}


def main():
    folder, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 40
    os.makedirs(folder)
    os.chdir(folder)
    for name, text in (("spin.cc", GOOGLE), ("test_spin.py", PYTEST), ("spin.sh", SHELL)):
        with open(name, "w") as file:
            file.write(text)
    subprocess.run(["c++", "-O1", "-std=c++17", "-o", "spin", "spin.cc", "-lbenchmark", "-lpthread"], check=True)
    random.seed(5)
    for n in range(count):
        for tool, command in COMMANDS.items():
            for side in random.sample("AB", 2):
                os.makedirs(os.path.join(tool, side), exist_ok=True)
                out = os.path.join(folder, tool, side, f"{n:02}.json")
                subprocess.run([word.format(out) for word in command], check=True, capture_output=True)


main()
