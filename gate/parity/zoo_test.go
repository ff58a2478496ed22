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
)

// The zoo is too slow for many seeds in every test run; docs/measurements/parity/run.sh asks for more.
var (
	zooSeeds   = flag.Int("zoo.seeds", 1, "seeds on which every wrong kernel must be caught")
	rightSeeds = flag.Int("zoo.right", 2, "seeds on which every right kernel must pass")
	zooTable   = flag.String("zoo.table", "", "write a Markdown table of cases to the first failure to this file")
	zooGrid    = flag.Bool("zoo.grid", false, "also run the fixed matrix of 27 cases on attention, for the table")
)

const zooDir = "../../testdata/parity"

// animal is a line of zoo.yaml, or a right kernel where Flag is empty.
type animal struct {
	File     string `yaml:"file"`
	Kernel   string `yaml:"kernel"`
	Flag     string `yaml:"flag"`
	Expected string `yaml:"expected"`
	Grid     *bool  `yaml:"grid"`
	What     string `yaml:"what"`
}

func (a animal) name() string { return a.Kernel + " " + strings.TrimPrefix(a.Flag, "-DWRONG=") }

// zoo is everything that the tests below share: it is built once.
type zoo struct {
	harness string
	scratch string
	kernels map[string]config.Kernel
	wrong   []animal

	mu        sync.Mutex
	builder   *kernels.Builder
	libraries map[string]string
}

var openZoo = sync.OnceValues(func() (*zoo, error) {
	dir, err := os.MkdirTemp("", "perfgate-zoo-")
	if err != nil {
		return nil, err
	}
	zooTemp = dir
	ctx := context.Background()
	cfg, err := config.Load(filepath.Join(zooDir, "perfgate.yaml"))
	if err != nil {
		return nil, err
	}
	z := &zoo{scratch: dir, kernels: map[string]config.Kernel{}, libraries: map[string]string{}}
	for _, k := range cfg.Kernels {
		z.kernels[k.Name] = k
	}
	b, err := os.ReadFile(filepath.Join(zooDir, "zoo.yaml"))
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(b, &z.wrong); err != nil {
		return nil, err
	}
	compiler, err := kernels.FindCompiler(ctx)
	if err != nil {
		return nil, err
	}
	cache, err := kernels.CacheDir()
	if err != nil {
		return nil, err
	}
	harness, err := kernels.BuildHarness(ctx, compiler, kernels.CPU, cache, dir)
	if err != nil {
		return nil, err
	}
	z.harness = harness.Path
	z.builder = &kernels.Builder{Compiler: compiler, Cache: cache, Scratch: dir}
	return z, nil
})

var zooTemp string

func TestMain(m *testing.M) {
	code := m.Run()
	if zooTemp != "" {
		os.RemoveAll(zooTemp)
	}
	os.Exit(code)
}

func theZoo(t testing.TB) *zoo {
	t.Helper()
	z, err := openZoo()
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// library builds an animal, once. Building is not what is tested: one at a time will do.
func (z *zoo) library(t testing.TB, kernel, flag string, more ...string) string {
	t.Helper()
	z.mu.Lock()
	defer z.mu.Unlock()
	key := kernel + flag + strings.Join(more, " ")
	if path := z.libraries[key]; path != "" {
		return path
	}
	k := z.kernels[kernel]
	flags := slices.Concat(k.Flags, more)
	if flag != "" {
		flags = append(flags, flag)
	}
	tree, err := filepath.Abs(zooDir)
	if err != nil {
		t.Fatal(err)
	}
	lib, err := z.builder.Build(context.Background(), kernels.BuildSpec{Kernel: kernel, Tree: tree, AdapterTree: tree, Adapter: k.Adapter, Flags: flags})
	if err != nil {
		t.Fatalf("%s %s: %v", kernel, flag, err)
	}
	z.libraries[key] = lib.Path
	return lib.Path
}

func (z *zoo) options(t testing.TB, seed uint64) parity.Options {
	return parity.Options{
		Scratch: t.TempDir(), Seed: strconv.FormatUint(seed, 10), Repro: "perfgate parity", CaseLimit: time.Minute,
		Start: func(ctx context.Context, library string) (parity.Runner, error) {
			r, err := kernels.StartRunner(ctx, kernels.RunnerSpec{Harness: z.harness, Library: library, Dir: z.scratch})
			if err != nil {
				return nil, err
			}
			return r, nil
		},
	}
}

func (z *zoo) subject(k config.Kernel, library string, cases []plan.FuzzCase) parity.Subject {
	return parity.Subject{Kernel: k.Name, Head: library, Cases: cases, ATol: k.Parity.ATol, RTol: k.Parity.RTol}
}

func (z *zoo) check(t testing.TB, kernel, library string, seed uint64) result.Parity {
	t.Helper()
	k := z.kernels[kernel]
	out, err := parity.Run(context.Background(), z.subject(k, library, plan.Fuzz(k, seed, k.Parity.Cases)), z.options(t, seed))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// catch counts the cases until an animal fails, for each seed; 0 where it got away.
func (z *zoo) catch(t *testing.T, a animal) []int {
	library := z.library(t, a.Kernel, a.Flag)
	var cases []int
	for seed := range *zooSeeds {
		out := z.check(t, a.Kernel, library, uint64(seed+1))
		if out.Status != result.ParityFailed {
			t.Errorf("%s (%s) is not caught with seed %d: %s %s", a.name(), a.What, seed+1, out.Status, out.Reason)
			cases = append(cases, 0)
			continue
		}
		cases = append(cases, out.Run)
		if f := out.Failure; seed == 0 {
			t.Logf("%s: %s, %s: %s", a.name(), f.Case, f.Values, f.Message)
		}
	}
	return cases
}

// Every wrong kernel of the zoo is caught with the default budget.
func TestZooIsCaught(t *testing.T) {
	z := theZoo(t)
	if len(z.wrong) < 25 {
		t.Fatalf("%d wrong kernels: zoo.yaml was not read", len(z.wrong))
	}
	rows := make([]string, len(z.wrong))
	inParallel(t, len(z.wrong), func(i int) {
		a := z.wrong[i]
		counts := z.catch(t, a)
		grid := "n/a"
		if *zooGrid && a.Kernel == "attention" {
			grid = z.grid(t, a)
		}
		rows[i] = fmt.Sprintf("| %s | %s | %d of %d | %d | %d | %s |", a.name(), a.What, caught(counts), len(counts), median(counts), slices.Max(counts), grid)
	})
	if *zooTable != "" && !t.Failed() {
		header := "| kernel | fault | caught on seeds | median cases to the first failure | most | fixed matrix |\n|:--|:--|--:|--:|--:|--:|\n"
		if err := os.WriteFile(*zooTable, []byte(header+strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRightKernelsPass(t *testing.T) {
	z := theZoo(t)
	var names []string
	for name := range z.kernels {
		names = append(names, name)
	}
	inParallel(t, len(names), func(i int) {
		library := z.library(t, names[i], "")
		var worst float64
		for seed := range *rightSeeds {
			out := z.check(t, names[i], library, uint64(1000+seed))
			worst = max(worst, out.MaxRatio)
			if out.Status != result.ParityPassed || out.Differing > 0 || len(out.Warnings) > 0 {
				t.Errorf("%s with seed %d: %+v %+v", names[i], 1000+seed, out, out.Failure)
			}
		}
		t.Logf("%s: worst error %.2g of the tolerance", names[i], worst)
	})
}

// blind hides the reference, so that only declared relations are left.
type blind struct{ parity.Runner }

func (b blind) Has(function string) bool { return function != "reference" && b.Runner.Has(function) }

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
		opt := z.options(t, 3)
		start := opt.Start
		opt.Start = func(ctx context.Context, library string) (parity.Runner, error) {
			r, err := start(ctx, library)
			return blind{r}, err
		}
		out, err := parity.Run(context.Background(), z.subject(k, z.library(t, "attention", flag), plan.Fuzz(k, 3, 60)), opt)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := check(""); out.Status != result.ParityPassed || out.Oracle != parity.OracleRelations || out.Elements == 0 {
		t.Errorf("the right kernel: %+v %+v", out, out.Failure)
	}
	for _, flag := range []string{"-DWRONG=BatchStride", "-DWRONG=HeadsTransposed"} {
		out := check(flag)
		t.Logf("%s: %s %+v", flag, out.Status, out.Failure)
		if flag == "-DWRONG=BatchStride" && (out.Failure == nil || out.Failure.Code != parity.CodeRelation) {
			t.Errorf("%s: %+v %+v", flag, out, out.Failure)
		}
	}
}

func caught(counts []int) int {
	n := 0
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}

func median(counts []int) int {
	sorted := slices.Sorted(slices.Values(counts))
	return sorted[len(sorted)/2]
}

func inParallel(t *testing.T, n int, work func(i int)) {
	t.Helper()
	var wait sync.WaitGroup
	slots := make(chan struct{}, max(1, runtime.NumCPU()))
	for i := range n {
		wait.Add(1)
		go func() {
			defer wait.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			work(i)
		}()
	}
	wait.Wait()
}
