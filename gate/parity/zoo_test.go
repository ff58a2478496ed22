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

// grid is the seed project's matrix: S in 448, 512, 640, D = 64, normal inputs; batch and heads scaled down by 16 and 4, since
// a float64 reference on one core would take minutes a case. Its tolerance is the original's.
func (z *zoo) grid(t *testing.T, a animal) string {
	k := z.kernels["attention"]
	atol, rtol := 2e-3, 1e-3
	k.Parity.ATol, k.Parity.RTol = &atol, &rtol
	var cases []plan.FuzzCase
	for _, text := range gridCases() {
		c, err := plan.ParseCase(k, text)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, plan.FuzzCase{Case: c, Values: "normal", Seed: plan.InputSeed(1, c, "normal"), Origin: 1})
	}
	opt := z.options(t, 1)
	opt.Limit = time.Hour
	out, err := parity.Run(context.Background(), z.subject(k, z.library(t, a.Kernel, a.Flag), cases), opt)
	if err != nil {
		t.Fatal(err)
	}
	if out.Status == result.ParityFailed {
		return strconv.Itoa(out.Run)
	}
	return "passes it"
}

func gridCases() []string {
	var out []string
	for _, s := range []int{448, 512, 640} {
		for _, b := range []int{1, 2, 3} {
			for _, h := range []int{1, 2, 4} {
				out = append(out, fmt.Sprintf("B=%d,H=%d,S=%d,D=64,causal=0", b, h, s))
			}
		}
	}
	return out
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

// BenchmarkSmallCases says how many cases of a saxpy-sized kernel are checked a second, process start excluded:
//
//	go test ./gate/parity -run '^$' -bench SmallCases
func BenchmarkSmallCases(b *testing.B) {
	z := theZoo(b)
	k := z.kernels["relu"]
	cases := plan.Fuzz(k, 7, b.N)
	opt := z.options(b, 7)
	opt.Limit = time.Hour
	library := z.library(b, "relu", "")
	start := opt.Start
	opt.Start = func(ctx context.Context, library string) (parity.Runner, error) {
		r, err := start(ctx, library)
		b.ResetTimer()
		return r, err
	}
	out, err := parity.Run(context.Background(), z.subject(k, library, cases), opt)
	if err != nil || out.Status != result.ParityPassed {
		b.Fatal(err, out)
	}
	b.ReportMetric(float64(out.Run)/b.Elapsed().Seconds(), "cases/s")
}
