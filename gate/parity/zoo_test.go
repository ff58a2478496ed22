package parity_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// The zoo is too slow for many seeds in every test run; docs/measurements/parity/run.sh asks for more.
var (
	zooSeeds   = flag.Int("zoo.seeds", 1, "seeds on which every wrong kernel must be caught")
	rightSeeds = flag.Int("zoo.right", 1, "seeds on which every right kernel must pass")
	rightFrom  = flag.Int("zoo.from", 0, "the first seed of the right kernels, of those that -zoo.right counts: another run may go on from there")
	zooTime    = flag.Duration("zoo.time", time.Hour, "time for the wrong kernels together, or the right ones, which each get their share of: fewer seeds")
	zooOnly    = flag.String("zoo.only", "", "a regular expression for the CUDA kernels, wrong ones as in \"sum HalfSum\"; empty: all")
	zooTable   = flag.String("zoo.table", "", "add Markdown tables to this file")
	zooAtOnce  = flag.Int("zoo.at-once", runtime.NumCPU(), "kernels that are checked at the same time")
	zooCases   = flag.Int("zoo.cases", 0, "cases a seed; 0: as the configuration says")
	zooGrid    = flag.Bool("zoo.grid", false, "also run the fixed matrix of 27 cases on attention, for the table")
)

var zooDir = flag.String("zoo.dir", "../../testdata/parity", "folder of perfgate.yaml, zoo.yaml and the kernels")

// animal is a line of zoo.yaml, or a right kernel where Flag is empty.
type animal struct {
	File     string `yaml:"file"`
	Kernel   string `yaml:"kernel"`
	Flag     string `yaml:"flag"`
	Expected string `yaml:"expected"`
	Grid     *bool  `yaml:"grid"`
	What     string `yaml:"what"`
	Passes   string `yaml:"passes"`
}

func (a animal) name() string { return a.Kernel + " " + strings.TrimPrefix(a.Flag, "-DWRONG=") }

// zoo is everything that the tests on one device share.
type zoo struct {
	harness  string
	tree     string // folder of its perfgate.yaml, zoo.yaml and adapters
	scratch  string
	compiler kernels.Compiler
	target   kernels.Target
	cache    string
	start    func(ctx context.Context, library string) (kernels.Process, error)
	kernels  map[string]config.Kernel
	wrong    []animal

	mu        sync.Mutex
	libraries map[string]func() (kernels.Library, error)
	faults    map[string]int // of a path of a library: the fault that its processes have, where all faults are in one library
}

// newZoo reads the zoo in a folder and builds the harness for its device.
func newZoo(tree string, compiler kernels.Compiler, target kernels.Target) (*zoo, error) {
	dir, err := os.MkdirTemp("", "perfgate-zoo-")
	if err != nil {
		return nil, err
	}
	zooTemp = append(zooTemp, dir)
	if tree, err = filepath.Abs(tree); err != nil {
		return nil, err
	}
	cfg, err := config.Load(filepath.Join(tree, "perfgate.yaml"))
	if err != nil {
		return nil, err
	}
	z := &zoo{tree: tree, scratch: dir, compiler: compiler, target: target, kernels: map[string]config.Kernel{}, libraries: map[string]func() (kernels.Library, error){}, faults: map[string]int{}}
	for _, k := range cfg.Kernels {
		z.kernels[k.Name] = k
	}
	if z.wrong, err = wrongKernels(tree); err != nil {
		return nil, err
	}
	if z.cache, err = kernelstest.Shared(); err != nil {
		return nil, err
	}
	harness, err := kernels.BuildHarness(context.Background(), compiler, target, z.cache, dir, nil)
	z.harness, z.start = harness.Path, z.startRunner
	return z, err
}

// wrongKernels reads the zoo.yaml of a folder.
func wrongKernels(tree string) ([]animal, error) {
	b, err := os.ReadFile(filepath.Join(tree, "zoo.yaml"))
	if err != nil {
		return nil, err
	}
	var all []animal
	err = yaml.Unmarshal(b, &all)
	return all, err
}

var openZoo = sync.OnceValues(func() (*zoo, error) {
	compiler, err := kernels.FindCompiler(context.Background())
	if err != nil {
		return nil, err
	}
	return newZoo(*zooDir, compiler, kernels.CPU)
})

var zooTemp []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range zooTemp {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func theZoo(t testing.TB) *zoo {
	t.Helper()
	z, err := openZoo()
	must(t, err)
	return z
}

func (z *zoo) startRunner(ctx context.Context, library string) (kernels.Process, error) {
	z.mu.Lock()
	fault := z.faults[library]
	z.mu.Unlock()
	r, err := kernels.StartRunner(ctx, kernels.RunnerSpec{Harness: z.harness, Library: library, Dir: z.scratch, Env: []string{fmt.Sprintf("ZOO_FAULT=%d", fault)}})
	if err != nil {
		return nil, err // not a nil *Runner in an interface
	}
	return r, nil
}

func (z *zoo) options(t testing.TB, seed uint64) parity.Options {
	return parity.Options{
		Scratch: t.TempDir(), Seed: strconv.FormatUint(seed, 10), Repro: "perfgate parity", CaseLimit: time.Minute, Start: z.start,
	}
}

func (z *zoo) subject(k config.Kernel, library string, cases []plan.FuzzCase) parity.Subject {
	return parity.Subject{Kernel: k.Name, Head: library, Cases: cases, Tolerances: parity.TolerancesOf(k.Parity.ATol, k.Parity.RTol, k.Parity.Matched, k.Parity.Accumulate)}
}

// run checks a subject, with options that may be changed.
func (z *zoo) run(t testing.TB, s parity.Subject, seed uint64, change ...func(*parity.Options)) result.Parity {
	t.Helper()
	opt := z.options(t, seed)
	for _, c := range change {
		c(&opt)
	}
	out, err := parity.Run(context.Background(), s, opt)
	must(t, err)
	return out
}

func unshrunk(o *parity.Options) { o.NoShrink = true }

func (z *zoo) check(t testing.TB, kernel, library string, seed uint64, change ...func(*parity.Options)) result.Parity {
	t.Helper()
	k := z.kernels[kernel]
	cases := k.Parity.Cases
	if *zooCases > 0 {
		cases = *zooCases
	}
	if testing.Short() {
		cases = min(cases, 20)
	}
	return z.run(t, z.subject(k, library, plan.Fuzz(k, seed, cases)), seed, change...)
}

// catch counts the cases until an animal fails, for each seed that there is time for; 0 where it got away. failed hears of its failures.
func (z *zoo) catch(t *testing.T, a animal, library string, until time.Time, failed func(seed int, f result.ParityFailure)) []int {
	var cases []int
	for seed := range *zooSeeds {
		if seed > 0 && !until.IsZero() && time.Now().After(until) {
			break
		}
		out := z.check(t, a.Kernel, library, uint64(seed+1), unshrunk)
		if out.Status != result.ParityFailed {
			if a.Passes == "" {
				t.Errorf("%s (%s) is not caught with seed %d: %s %s", a.name(), a.What, seed+1, out.Status, result.MessageOf(out.Reason))
			}
			cases = append(cases, 0)
			continue
		}
		cases = append(cases, out.Run)
		failed(seed+1, *out.Failure)
		if f := out.Failure; seed == 0 {
			t.Logf("%s: %s, %s: %s", a.name(), f.Case, f.Values, f.Message)
		}
	}
	return cases
}

// What parity may let pass is named where users read of it.
func TestWhatPassesIsNamed(t *testing.T) {
	page, err := os.ReadFile("../../docs/parity.md")
	must(t, err)
	cpu, err := wrongKernels(*zooDir)
	must(t, err)
	cuda, err := wrongKernels(filepath.Join(*zooDir, "cuda"))
	must(t, err)
	for _, a := range slices.Concat(cpu, cuda) {
		if a.Passes != "" && !strings.Contains(string(page), "`"+a.name()+"`") {
			t.Errorf("docs/parity.md does not name %s (%s), which passes: %s", a.name(), a.What, a.Passes)
		}
	}
}

// blind hides the reference, so that only declared relations are left.
type blind struct{ kernels.Process }

func (b blind) Has(function string) bool { return function != "reference" && b.Process.Has(function) }

// Attention obeys all three relations, and a kernel that mixes batches up does not: found with no oracle at all.
func TestRelationsOnARealKernel(t *testing.T) {
	z := theZoo(t)
	k := z.kernels["attention"]
	k.Parity.Metamorphic = []config.Relation{
		{Kind: config.RelationScale, Over: []string{"v"}},
		{Kind: config.RelationPermute, Over: []string{"q", "k", "v"}},
		{Kind: config.RelationSplit, Over: []string{"B"}},
	}
	check := func(flag string) result.Parity {
		return z.run(t, z.subject(k, z.library(t, "attention", flag), plan.Fuzz(k, 3, 60)), 3, func(o *parity.Options) {
			start := o.Start
			o.Start = func(ctx context.Context, library string) (kernels.Process, error) {
				r, err := start(ctx, library)
				return blind{r}, err
			}
		})
	}
	if out := check(""); out.Status != result.ParityPassed || out.Oracle != parity.OracleRelations || out.Elements == 0 {
		t.Errorf("the right kernel: %+v %+v", out, out.Failure)
	}
	for _, flag := range []string{"-DWRONG=BatchStride", "-DWRONG=HeadsTransposed"} {
		out := check(flag)
		t.Logf("%s: %s %+v", flag, out.Status, out.Failure)
		if flag == "-DWRONG=BatchStride" && (out.Failure == nil || out.Failure.Code != result.CodeRelation) {
			t.Errorf("%s: %+v %+v", flag, out, out.Failure)
		}
	}
}

func inParallel(t *testing.T, n int, work func(i int)) {
	t.Helper()
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(1, *zooAtOnce))
	for i := range n {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			work(i)
		})
	}
	wait.Wait()
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
