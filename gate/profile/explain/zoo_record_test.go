package explain_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// examples' list of faults is what is recorded, unless PERFGATE_ZOO_LIST names another in the repository.
const examples = "kernels/examples/faults_cuda.yaml"

// TestRecord measures and profiles every planted fault on the GPU of this machine and leaves pairs.csv and the exports in
// the folder that PERFGATE_ZOO_OUT names, as zoo.tar.gz. docs/measurements/evidence/run.sh runs it.
func TestRecord(t *testing.T) {
	out := os.Getenv("PERFGATE_ZOO_OUT")
	if out == "" {
		t.Skip("PERFGATE_ZOO_OUT names no folder to record into")
	}
	r := newRecorder(t, out)
	if r.list = os.Getenv("PERFGATE_ZOO_LIST"); r.list == "" {
		r.list = examples
	}
	r.list = filepath.Join("../../..", r.list)
	only := os.Getenv("PERFGATE_ZOO_ONLY")
	if only != "" {
		r.prefix = strings.TrimSuffix(only, "_cuda") + "_"
	}
	r.readFaults(only)
	r.buildAll()
	r.recordAll()
	r.exports.Wait()
	r.pack()
	r.sideBySide()
}

type recorder struct {
	t       *testing.T
	ctx     context.Context
	out     string
	list    string // of faults; their folders lie beside it
	prefix  string // of the names of profiles, so that recordings of single examples can lie together
	target  kernels.Target
	nvcc    kernels.Compiler
	tool    profile.Nsight
	harness kernels.Harness
	configs map[string]*config.Config
	faults  []Fault
	libs    map[string]string // dir + flag + adapter + kernel's sources: path of the library
	pairs   []Pair
	mu      sync.Mutex
	exports sync.WaitGroup
	files   []string
	values  map[string]measured
	taken   map[string]string
}

type measured struct{ ns, mhz []float64 }

func newRecorder(t *testing.T, out string) *recorder {
	ctx := context.Background()
	arch, err := exec.Command("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		t.Fatal("no NVIDIA GPU here: ", err)
	}
	r := &recorder{
		t: t, ctx: ctx, out: out, configs: map[string]*config.Config{}, libs: map[string]string{}, values: map[string]measured{}, taken: map[string]string{},
		target: kernels.Target{Device: result.DeviceCUDA, Arch: "sm_" + strings.ReplaceAll(strings.TrimSpace(string(arch)), ".", "")},
	}
	if r.nvcc, err = kernels.FindNVCC(ctx); err != nil {
		t.Fatal(err)
	}
	if r.tool, err = profile.FindNsight(ctx, r.nvcc.Path, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// readFaults reads the list and the configurations of the examples; only names one example.
func (r *recorder) readFaults(only string) {
	text, err := os.ReadFile(r.list)
	if err != nil {
		r.t.Fatal(err)
	}
	var all []Fault
	if err := yaml.Unmarshal(text, &all); err != nil {
		r.t.Fatal(err)
	}
	for _, f := range all {
		if only != "" && f.Dir != only {
			continue
		}
		r.faults = append(r.faults, f)
		if r.configs[f.Dir] == nil {
			if r.configs[f.Dir], err = config.Load(filepath.Join(filepath.Dir(r.list), f.Dir, "perfgate.yaml")); err != nil {
				r.t.Fatal(err)
			}
		}
	}
}

// buildAll builds base and head of every fault, as many at once as there are processors to spare.
func (r *recorder) buildAll() {
	start := time.Now()
	harness := make(chan error, 1)
	go func() {
		var err error
		r.harness, err = kernels.BuildHarness(r.ctx, r.nvcc, r.target, r.t.TempDir(), r.t.TempDir())
		harness <- err
	}()
	type job struct{ dir, kernel, flag string }
	var jobs []job
	for _, f := range r.faults {
		for _, flag := range []string{"", f.Flag} {
			if j := (job{f.Dir, f.Kernel, flag}); !slices.Contains(jobs, j) {
				jobs = append(jobs, j)
			}
		}
	}
	slots := make(chan struct{}, 15)
	var wait sync.WaitGroup
	for _, j := range jobs {
		scratch := r.t.TempDir()
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			path, err := r.build(j.dir, j.kernel, j.flag, scratch)
			r.mu.Lock()
			defer r.mu.Unlock()
			if err != nil {
				r.t.Errorf("%s %s %s: %v", j.dir, j.kernel, j.flag, err)
				return
			}
			r.libs[key(j.dir, j.kernel, j.flag)] = path
		}()
	}
	wait.Wait()
	if err := <-harness; err != nil {
		r.t.Fatal(err)
	}
	fmt.Printf("built %d libraries in %.0f s\n", len(r.libs), time.Since(start).Seconds())
}

func key(dir, kernel, flag string) string { return dir + "/" + kernel + " " + flag }

func (r *recorder) build(dir, kernel, flag, scratch string) (string, error) {
	k, ok := r.configs[dir].Kernel(kernel)
	if !ok {
		return "", fmt.Errorf("no kernel %s", kernel)
	}
	tree, err := filepath.Abs(filepath.Join(filepath.Dir(r.list), dir))
	if err != nil {
		return "", err
	}
	flags := slices.Clone(k.Flags)
	if flag != "" {
		flags = append(flags, flag)
	}
	b := &kernels.Builder{Compiler: r.nvcc, Target: r.target, Cache: filepath.Join(scratch, "cache"), Scratch: scratch}
	lib, err := b.Build(r.ctx, kernels.BuildSpec{Kernel: kernel, Tree: tree, AdapterTree: tree, Adapter: k.Adapter, Sources: k.Sources, Flags: flags})
	return lib.Path, err
}

func (r *recorder) recordAll() {
	for _, f := range r.faults {
		base, head := key(f.Dir, f.Kernel, ""), key(f.Dir, f.Kernel, f.Flag)
		if r.libs[base] == "" || r.libs[head] == "" {
			continue
		}
		c, ok := r.caseOf(f)
		if !ok {
			r.t.Errorf("%s has no measured case %s", f.Kernel, f.Case)
			continue
		}
		r.pair(f, c, base, head)
		if again := (Fault{Dir: f.Dir, Kernel: f.Kernel, Case: f.Case}); !slices.ContainsFunc(r.pairs, func(p Pair) bool { return p.Flag == "" && p.Kernel == f.Kernel && p.Case == f.Case }) {
			r.again(again, c, base)
		}
	}
}

func (r *recorder) caseOf(f Fault) (plan.Case, bool) {
	k, _ := r.configs[f.Dir].Kernel(f.Kernel)
	measured, err := plan.Measured(k)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range measured {
		if c.Args() == f.Case {
			return c, true
		}
	}
	return plan.Case{}, false
}

// pair records a fault. Base is measured and profiled once for all faults of a kernel's case.
func (r *recorder) pair(f Fault, c plan.Case, base, head string) {
	p := Pair{Fault: f}
	b, h := r.measure(base, c), r.measure(head, c)
	if len(b.ns) == 0 || len(h.ns) == 0 {
		return
	}
	p.Log, p.Low, p.High = Summary(b.ns, h.ns)
	p.BaseMHz, p.HeadMHz = mean(b.mhz), mean(h.mhz)
	p.Base, p.Head = r.profile(base, c, ""), r.profile(head, c, "")
	if p.Base != "" && p.Head != "" {
		r.pairs = append(r.pairs, p)
	}
}

// again records an A/A pair: base profiled twice. That its ratio is not 1 is luck; what is asked is whether a cause is named
// for a change that the gate took for sure, however small.
func (r *recorder) again(f Fault, c plan.Case, base string) {
	b := r.measure(base, c)
	if len(b.ns) < 2 {
		return
	}
	p := Pair{Fault: f, BaseMHz: mean(b.mhz), HeadMHz: mean(b.mhz)}
	p.Log, p.Low, p.High = Summary(b.ns[:1], b.ns[1:2])
	p.Base, p.Head = r.profile(base, c, ""), r.profile(base, c, "again")
	if p.Base != "" && p.Head != "" {
		r.pairs = append(r.pairs, p)
	}
}

func mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x / float64(len(xs))
	}
	return sum
}

// measure takes the medians of two fresh processes.
func (r *recorder) measure(lib string, c plan.Case) measured {
	id := lib + " " + c.Args()
	if m, ok := r.values[id]; ok {
		return m
	}
	var m measured
	for range 2 {
		runner, err := kernels.StartRunner(r.ctx, kernels.RunnerSpec{Harness: r.harness.Path, Library: r.libs[lib], Dir: r.t.TempDir()})
		if err != nil {
			r.t.Errorf("%s: %v", id, err)
			return measured{}
		}
		var reply kernels.TimeReply
		err = runner.Call(r.ctx, "warm", "", map[string]any{"limitNs": 4e8, "fixed": true}, nil, time.Minute)
		if err == nil {
			err = runner.Call(r.ctx, "time", id, kernels.TimeCommand{
				Case: c.Spec(), Seed: "7", Oracle: "relaunch", LimitNS: 6e8,
				Method: kernels.Method{Clock: "event", How: kernels.HowLoop, Block: true, Launches: 1, Pool: 2, Samples: 15, Cache: "cold"},
			}, &reply, time.Minute)
		}
		runner.Close()
		if err != nil {
			r.t.Errorf("%s: %v", id, err)
			return measured{}
		}
		slices.Sort(reply.Samples)
		m.ns = append(m.ns, reply.Samples[len(reply.Samples)/2])
		m.mhz = append(m.mhz, reply.Canary.ClockMHz)
	}
	r.values[id] = m
	return m
}

// profile profiles a case once for each purpose and exports it beside what goes on.
func (r *recorder) profile(lib string, c plan.Case, purpose string) string {
	id := lib + " " + c.Args() + " " + purpose
	if name, ok := r.taken[id]; ok {
		return name
	}
	name := fmt.Sprintf("%s%03d", r.prefix, len(r.taken))
	r.taken[id] = name
	job := profile.Job{
		Runner: kernels.RunnerSpec{Harness: r.harness.Path, Library: r.libs[lib], Dir: r.t.TempDir()}, Case: c.Spec(), Seed: "7", Cache: "cold",
		Report: filepath.Join(r.out, name+".ncu-rep"), Limit: 2 * time.Minute, Metrics: explain.Asked(),
	}
	ctx, cancel := context.WithTimeout(r.ctx, job.Limit)
	defer cancel()
	start := time.Now()
	capture, err := r.tool.Collect(ctx, job)
	if err != nil {
		r.t.Errorf("%s: %v", id, err)
		r.taken[id] = ""
		return ""
	}
	fmt.Printf("%s %.1f s %s\n", name, time.Since(start).Seconds(), id)
	r.exports.Add(1)
	go func() {
		defer r.exports.Done()
		r.export(job, capture, name)
	}()
	return name
}

func (r *recorder) export(job profile.Job, capture profile.Capture, name string) {
	if err := r.tool.Read(r.ctx, job, &capture); err != nil {
		r.t.Errorf("%s: %v", name, err)
		return
	}
	for page, text := range map[string]string{"raw": capture.Exported.Raw, "details": capture.Exported.Details} {
		path := filepath.Join(r.out, name+"."+page+".csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.t.Error(err)
			return
		}
		r.mu.Lock()
		r.files = append(r.files, path)
		r.mu.Unlock()
	}
}

// sideBySide profiles both sides of the last fault with the chosen sections and with the full set, exports included.
func (r *recorder) sideBySide() {
	if len(r.faults) == 0 {
		return
	}
	f := r.faults[len(r.faults)-1]
	c, _ := r.caseOf(f)
	for _, set := range []string{"", "full"} {
		start := time.Now()
		for _, flag := range []string{"", f.Flag} {
			_, err := r.tool.Run(r.ctx, profile.Job{
				Runner: kernels.RunnerSpec{Harness: r.harness.Path, Library: r.libs[key(f.Dir, f.Kernel, flag)], Dir: r.t.TempDir()}, Case: c.Spec(), Seed: "7", Cache: "cold",
				Report: filepath.Join(r.t.TempDir(), "x.ncu-rep"), Limit: 2 * time.Minute, Metrics: explain.Asked(), Set: set,
			})
			if err != nil {
				r.t.Error(err)
				return
			}
		}
		fmt.Printf("both sides of %s/%s (%s), %s: %.1f s\n", f.Kernel, f.Case, f.Flag, map[string]string{"": "chosen sections", "full": "--set full"}[set], time.Since(start).Seconds())
	}
}

func (r *recorder) pack() {
	path := filepath.Join(r.out, "pairs.csv")
	f, err := os.Create(path)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := Write(f, r.pairs); err != nil {
		r.t.Fatal(err)
	}
	f.Close()
	archive, err := os.Create(filepath.Join(r.out, "zoo.tar.gz"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer archive.Close()
	zipped := gzip.NewWriter(archive)
	defer zipped.Close()
	files := tar.NewWriter(zipped)
	defer files.Close()
	for _, name := range append(r.files, path) {
		text, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		if err := files.WriteHeader(&tar.Header{Name: filepath.Base(name), Mode: 0o644, Size: int64(len(text))}); err != nil {
			r.t.Fatal(err)
		}
		if _, err := files.Write(text); err != nil {
			r.t.Fatal(err)
		}
	}
}
