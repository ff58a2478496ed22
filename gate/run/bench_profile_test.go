package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// slowedBench is what would be measured of a benchmark whose head takes far longer, up to where a profiler looks at it. The program notes
// what it is called with.
func slowedBench(t *testing.T, yaml string) (*explaining, profiled, string) {
	t.Helper()
	said := filepath.Join(t.TempDir(), "said")
	script := "echo \"$@\" $PERFGATE_BENCH_CASES >>" + said + "\necho kernel,case,ns\nfor i in 1 2; do echo k,n=1,1000\necho k,n=2,2000; done\n"
	files := map[string]string{"bench.sh": script}
	opt := benchSides(t, repo.TrustWorktree, yaml, files, files)
	s, v := foundRun(t, opt)
	x := s.explaining()
	x.tracer = nil // a test of its own
	return x, theCase(comparedAs(v.Builds.On[0], result.Regression, 1e6, 5.48e6)), said
}

const (
	benchOfKernel = "    bench: {command: sh bench.sh, format: csv, kernel: attn}\n    cases: [\"k/n=1\"]\n"
	benchOfNone   = "    bench: {command: sh bench.sh, format: csv}\n"
)

// The program runs under Nsight Compute on both sides, asked for the one case, and its profiles are explained like a kernel's.
func TestNsightExplainsABenchmark(t *testing.T) {
	t.Parallel()
	x, p, said := slowedBench(t, benchOfKernel)
	must(t, os.Truncate(said, 0))
	e, gap := explained(t, x, fakeNsight(t, ""), p, time.Minute)
	if e == nil {
		t.Fatalf("gap: %+v", gap)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != "grid-too-small" || e.Log != p.Record.Compared().Theta {
		t.Errorf("%+v", e)
	}
	if text, _ := os.ReadFile(said); string(text) != "k/n=1\nk/n=1\n" {
		t.Errorf("it was asked for %q", text)
	}
	if left, _ := filepath.Glob(filepath.Join(x.opt.Scratch, "bench/k/*/out-*")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

// What a benchmark copies and fills is counted in a process without the profiler, which is asked for the same case.
func TestCopiesOfABenchmarkAreCounted(t *testing.T) {
	t.Parallel()
	x, p, said := slowedBench(t, benchOfKernel)
	x.tracer = &profile.Tracer{Scratch: x.opt.Scratch}
	for side, copies := range map[string]string{p.Kernel.Base.Runs.Tree: "0", p.Kernel.Head.Runs.Tree: "1"} {
		path := filepath.Join(side, "bench.sh")
		trace := `[ -z "$PERFGATE_TRACE" ] || echo '{"region":true,"sums":[{"kind":"kernel","count":1,"ns":1000},{"kind":"device-to-device","count":` + copies + `,"bytes":4194304,"ns":4480}]}' >"$PERFGATE_TRACE.$$"` + "\n"
		write(t, path, trace+read(t, path))
	}
	e, gap := explained(t, x, fakeNsightOf(t, alikeRecordings(t), ""), p, time.Minute)
	if e == nil {
		t.Fatalf("gap: %+v", gap)
	}
	if len(e.Causes) != 1 || e.Causes[0].ID != explain.MoreTransfers || e.Work == nil || len(e.Work.Base.Transfers) != 0 || e.Work.Head.Transferred(result.DeviceToDevice).Count != 1 {
		t.Errorf("%+v", e)
	}
	if text, _ := os.ReadFile(said); !strings.HasSuffix(string(text), strings.Repeat("k/n=1\n", 4)) {
		t.Errorf("it was asked for %q", text)
	}
}

// alikeRecordings is a folder where both sides have the profile of the good one.
func alikeRecordings(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, page := range []string{"raw", "details"} {
		text := read(t, "../../testdata/ncu/recorded/attn_good."+page+".csv")
		for _, side := range []string{"good", "serial"} {
			write(t, filepath.Join(dir, "attn_"+side+"."+page+".csv"), text)
		}
	}
	return dir
}

// A benchmark that fails under Nsight Compute is a gap of its side, with what it printed. One that is ended after its launch was seen is none.
func TestBenchmarkFailsUnderNsight(t *testing.T) {
	t.Parallel()
	x, p, _ := slowedBench(t, benchOfKernel)
	e, gap := explained(t, x, fakeNsight(t, `echo "CUDA error 700" >&2; exit 3`), p, time.Minute)
	if e != nil || gap == nil || gap.Kind != result.GapKernelFailed || gap.Side != result.SideBase || !strings.Contains(gap.Message, "CUDA error 700") || gap.Cure == "" {
		t.Errorf("%+v, %+v", e, gap)
	}
	e, gap = explained(t, x, fakeNsight(t, `echo report >"$report.ncu-rep"; kill -9 $$`), p, time.Minute)
	if e == nil || len(e.Causes) != 1 || len(e.Notes) != 1 || !strings.Contains(e.Notes[0], "did not end well under ncu") {
		t.Errorf("%+v, %+v", e, gap)
	}
	e, gap = explained(t, x, fakeNsight(t, "sleep 50"), p, time.Second)
	if e != nil || gap == nil || gap.Kind != result.GapTimeLimit {
		t.Errorf("%+v, %+v", e, gap)
	}
}

// Where no profiler can look at a launch, that is said with what helps. Nothing is started for it.
func TestBenchmarkThatCannotBeProfiled(t *testing.T) {
	t.Parallel()
	cuda := kernels.Target{Device: result.DeviceCUDA, Arch: "sm_90"}
	for name, tt := range map[string]struct {
		yaml   string
		target kernels.Target
		box    *kernels.Sandbox
		cure   string // "" where a profiler can
	}{
		"on a CPU":                  {benchOfKernel, kernels.CPU, nil, "perf record"},
		"in the sandbox":            {benchOfKernel, cuda, &kernels.Sandbox{Commands: true}, "a local perfgate run"},
		"without a name":            {benchOfNone, cuda, nil, "kernel, next to command"},
		"all cases in one process":  {benchOfKernel, cuda, nil, "runs only this case"},
		"nvbench":                   {strings.Replace(benchOfNone, "csv", "nvbench", 1), cuda, nil, ""},
		"nvbench, several named":    {strings.NewReplacer("csv", "nvbench", "bench.sh", "bench.sh -b k -b l").Replace(benchOfNone), cuda, nil, "leave them out"},
		"nvbench, at a desk":        {strings.Replace(benchOfNone, "csv", "nvbench", 1), cuda, &kernels.Sandbox{}, ""},
		"google-benchmark":          {strings.Replace(benchOfNone, "csv", "google-benchmark", 1), cuda, nil, "kernel, next to command"},
		"google-benchmark, by name": {strings.Replace(benchOfKernel, "csv", "google-benchmark", 1), cuda, nil, ""},
	} {
		x, p, said := slowedBench(t, benchOfKernel)
		opt := benchSides(t, repo.TrustWorktree, tt.yaml, map[string]string{}, map[string]string{})
		p.Kernel.Plan.Kernel = opt.Trusted.Config.Kernels[0]
		x.device.target, x.runners.box.runners = tt.target, tt.box
		must(t, os.Remove(said))
		if gap := x.runners.runnerOf(p.Kernel, x.opt).notProfiled(p); (gap == nil) != (tt.cure == "") || gap != nil && (gap.Kind != result.GapNotSupported || !strings.Contains(gap.Cure, tt.cure) || gap.Case != "k/n=1") {
			t.Errorf("%s: %+v", name, gap)
		}
		if _, err := os.Stat(said); err == nil {
			t.Errorf("%s: the benchmark ran", name)
		}
	}
}
