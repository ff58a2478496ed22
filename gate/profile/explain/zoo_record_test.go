package explain_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
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

// TestRecord measures and profiles every planted fault on the GPU of this machine and leaves pairs.jsonl and the exports in
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
	until := os.Getenv("PERFGATE_ZOO_UNTIL")
	if until == "built" {
		return
	}
	r.choose()
	if os.Getenv("PERFGATE_ZOO_CHECKED") == "" {
		r.step("parity", r.checkAll)
	}
	if until == "checked" {
		return
	}
	r.step("times", r.measureAll)
	r.step("profiles", r.profileAll)
	r.step("side by side", r.sideBySide)
}

// recorder builds, checks, times and profiles the sides of all faults. Few processes do all of it: one takes libraries one after the
// other, an interpreter has one adapter and tells sides by a parameter.
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
	built   string // folder of what was built, PERFGATE_ZOO_BUILT: another run may have built it while others measured
	configs map[string]*config.Config
	faults  []Fault
	libs    map[string]string // key of dir, adapter's kernel and flag: path of the library
	sides   []*side           // each once, base before its heads
	pairs   []Pair
	mu      sync.Mutex
	files   []string
}

func newRecorder(t *testing.T, out string) *recorder {
	ctx := context.Background()
	arch, err := exec.Command("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		t.Fatal("no NVIDIA GPU here: ", err)
	}
	r := &recorder{
		t: t, ctx: ctx, out: out, configs: map[string]*config.Config{}, libs: map[string]string{},
		target: kernels.Target{Device: result.DeviceCUDA, Arch: "sm_" + strings.ReplaceAll(strings.TrimSpace(string(arch)), ".", "")},
	}
	if r.nvcc, err = kernels.FindNVCC(ctx); err != nil {
		t.Fatal(err)
	}
	if r.tool, err = profile.FindNsight(ctx, r.nvcc.Path, ""); err != nil {
		t.Fatal(err)
	}
	explain.Must(t, os.MkdirAll(out, 0o755))
	return r
}

// step does a part of it and says how long that took.
func (r *recorder) step(name string, do func()) {
	start := time.Now()
	do()
	fmt.Printf("%s: %.1f s\n", name, time.Since(start).Seconds())
}

// readFaults reads the list and the configurations of the examples; only names one example.
func (r *recorder) readFaults(only string) {
	text, err := os.ReadFile(r.list)
	explain.Must(r.t, err)
	var all []Fault
	explain.Must(r.t, yaml.Unmarshal(text, &all))
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
	if r.built = os.Getenv("PERFGATE_ZOO_BUILT"); r.built == "" {
		r.built = r.t.TempDir()
	}
	harness := sync.OnceValue(func() error { // adapters in Python are imported by it
		var err error
		r.harness, err = kernels.BuildHarness(r.ctx, r.nvcc, r.target, r.built, r.t.TempDir(), nil)
		return err
	})
	jobs := map[string]func() (string, error){}
	for _, f := range r.faults {
		for _, flag := range []string{"", f.Flag} {
			jobs[r.key(f, flag)] = func() (string, error) {
				if k, _ := r.configs[f.Dir].Kernel(f.Kernel); config.IsPython(k.Adapter) {
					if err := harness(); err != nil {
						return "", err
					}
				}
				return r.build(f, flag, r.t.TempDir())
			}
		}
	}
	slots := make(chan struct{}, 15)
	var wait sync.WaitGroup
	wait.Go(func() { _ = harness() })
	for key, job := range jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			path, err := job()
			r.mu.Lock()
			defer r.mu.Unlock()
			if err != nil {
				r.t.Errorf("%s: %v", key, err)
				return
			}
			r.libs[key] = path
		}()
	}
	wait.Wait()
	explain.Must(r.t, harness())
	fmt.Printf("built %d libraries in %.0f s\n", len(r.libs), time.Since(start).Seconds())
}

// key says which sides have a library together: of an adapter in Python all.
func (r *recorder) key(f Fault, flag string) string {
	k, _ := r.configs[f.Dir].Kernel(f.Kernel)
	if config.IsPython(k.Adapter) {
		return f.Dir + "/" + k.Adapter
	}
	return f.Dir + "/" + f.Kernel + " " + flag
}

func (r *recorder) build(f Fault, flag, scratch string) (string, error) {
	k, ok := r.configs[f.Dir].Kernel(f.Kernel)
	if !ok {
		return "", fmt.Errorf("no kernel %s", f.Kernel)
	}
	tree, err := filepath.Abs(filepath.Join(filepath.Dir(r.list), f.Dir))
	if err != nil {
		return "", err
	}
	spec := kernels.BuildSpec{Kernel: f.Kernel, Tree: tree, AdapterTree: tree, Adapter: k.Adapter, Sources: k.Sources, Flags: slices.Clone(k.Flags)}
	b := &kernels.Builder{Compiler: r.nvcc, Target: r.target, Cache: filepath.Join(scratch, "cache"), Scratch: scratch}
	if config.IsPython(k.Adapter) {
		found, err := kernels.FindInterpreter(r.ctx, kernels.InterpreterSpec{Name: "python3", Scratch: scratch})
		if err != nil {
			return "", err
		}
		spec.Python, b.Runner = &found, kernels.RunnerSpec{Harness: r.harness.Path, Dir: scratch}
	} else if flag != "" {
		spec.Flags = append(spec.Flags, strings.Fields(flag)...)
	}
	if spec.Python != nil {
		lib, err := b.Build(r.ctx, spec)
		return lib.Path, err
	}
	kept := filepath.Join(r.built, strings.Map(fileName, r.key(f, flag))+".so")
	if _, err := os.Stat(kept); err == nil {
		return kept, nil
	}
	lib, err := b.Build(r.ctx, spec)
	if err != nil {
		return "", err
	}
	return kept, os.Rename(lib.Path, kept)
}

func fileName(c rune) rune {
	if strings.ContainsRune("/ -=", c) {
		return '_'
	}
	return c
}

func (r *recorder) caseOf(f Fault) (plan.Case, bool) {
	k, _ := r.configs[f.Dir].Kernel(f.Kernel)
	measured, err := plan.Measured(k)
	explain.Must(r.t, err)
	for _, c := range measured {
		if c.ID().Args() == f.Case {
			return c, true
		}
	}
	return plan.Case{}, false
}

func (r *recorder) pack() {
	path := filepath.Join(r.out, pairsFile)
	f, err := os.Create(path)
	explain.Must(r.t, err)
	explain.Must(r.t, Write(f, r.pairs))
	f.Close()
	part := filepath.Join(r.out, "zoo.part")
	archive, err := os.Create(part)
	explain.Must(r.t, err)
	zipped := gzip.NewWriter(archive)
	files := tar.NewWriter(zipped)
	for _, name := range append(r.files, path) {
		text, err := os.ReadFile(name)
		explain.Must(r.t, err)
		explain.Must(r.t, files.WriteHeader(&tar.Header{Name: filepath.Base(name), Mode: 0o644, Size: int64(len(text))}))
		if _, err := files.Write(text); err != nil {
			r.t.Fatal(err)
		}
	}
	explain.Must(r.t, errors.Join(files.Close(), zipped.Close(), archive.Close(), os.Rename(part, filepath.Join(r.out, "zoo.tar.gz"))))
}
