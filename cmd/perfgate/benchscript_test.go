package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// scriptProject is a repository with a kernel that is a function of Python, and a benchmark script of its team: nothing in it knows of
// perfgate but the configuration, and the lines that put a simulated GPU in the place of torch.
func scriptProject(t *testing.T) *project {
	t.Helper()
	python := kernelstest.PythonWith(t, "numpy") // the system's: what a version manager puts on the PATH cannot be run in a sandbox
	p := newProject(t)
	p.dir = filepath.Join(filepath.Dir(p.dir), "scripted")
	must(t, os.CopyFS(filepath.Join(p.dir, "fakes"), os.DirFS("../../kernels/python/tests_bench/fakes")))
	p.write("kernel.py", "import torch\nSLOW = 1.0\n\n\ndef softmax(n, BLOCK):\n    torch.cuda.launch(n * SLOW)\n")
	p.write("bench.py", `import os, sys
sys.path.insert(0, "fakes")
import triton, torch, kernel
from perfgate import bench_cuda
bench_cuda.Cuda.now = staticmethod(torch.cuda.gpu.tick)
speed = 1 + os.getpid() % 7 * 1e-4
softmax = triton.autotune([triton.Config({"BLOCK": b}) for b in (64, 128)], key=["n"])(kernel.softmax)
@triton.testing.perf_report(triton.testing.Benchmark(["N"], [500, 9500, 29500], "provider", ["triton", "torch"], ["A", "B"], "softmax", {}))
def bench(N, provider):
    return triton.testing.do_bench(lambda: softmax.run(N * speed) if provider == "triton" else torch.cuda.launch(N))
bench.run(print_data=True)
`)
	p.write("perfgate.yaml", `version: 1
device: cpu
kernels:
  - name: softmax
    bench: {script: bench.py, format: triton, competitors: [torch]}
    files: [bench.py, fakes/**]
    python: `+python+`
    cases: ["*N=500,*", "*N=29500,*"]
`)
	p.commit("a benchmark")
	return p
}

func TestBenchmarkScript(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	p := scriptProject(t)
	const says = "softmax/N=500,provider=triton | softmax/N=29500,provider=triton | device events | hot cache | cache flushed before each | hides its tensors"
	p.expect(0, says, "perfgate", "run", "--base", "HEAD", "--time-identical", "-v")
	res, err := result.ReadFile(filepath.Join(p.dir, "perfgate-out", "result.json"))
	must(t, err)
	if competitors := res.Kernels[0].Competitors; len(competitors) != 1 || competitors[0].Name != "torch" || competitors[0].Status != result.CompetitorMeasured {
		t.Errorf("competitors: %+v", competitors)
	}
	for _, c := range res.Cases {
		if strings.Contains(c.Name, "torch") {
			t.Errorf("a competitor is gated: %s", c.Name)
		}
		torch := result.CompetitorNamed("torch")
		if q := c.Comparison(result.VariantHead, torch); !q.HasNumbers() || math.Abs(q.Ratio-1) > 0.02 || len(c.Of(torch)) != len(c.Of(result.VariantBase)) {
			t.Errorf("%s beside torch: %+v", c.Name, c.Comparisons)
		}
		if one := c.Processes[0]; one.Chosen != "softmax: BLOCK=64, num_warps=4, num_stages=3" || one.Planned != c.Method.Samples {
			t.Errorf("%s: %+v", c.Name, one)
		}
	}

	p.edit("kernel.py", "SLOW = 1.0", "SLOW = 1.03")
	p.expect(1, "slower | vs torch", "perfgate", "run", "--base", "HEAD")
	p.edit("kernel.py", "    torch.cuda.launch", "    assert n < 0, 'too wide'\n    torch.cuda.launch")
	p.expect(1, "AssertionError: too wide at kernel.py:6 in softmax", "perfgate", "run", "--base", "HEAD")
	p.clean()
}
