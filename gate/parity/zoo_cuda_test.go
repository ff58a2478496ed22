package parity_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// How long the kernels of the GPU get: a borrowed one is given back, and another run goes on from there.
var (
	rightTime = flag.Duration("zoo.time", time.Hour, "time for the wrong CUDA kernels together, or the right ones, which each get their share of: fewer seeds")
	zooOnly   = flag.String("zoo.only", "", "a regular expression for the CUDA kernels, wrong ones as in \"sum HalfSum\"; empty: all")
	rightFrom = flag.Int("zoo.from", 0, "the first seed of the right CUDA kernels, of those that -zoo.right counts")
)

// atomics is the one right kernel that adds with atomics, so that its launches may differ in the last bits.
const atomics = "histogram"

var openCUDAZoo = sync.OnceValues(func() (*zoo, error) {
	out, err := exec.Command("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader", "--id=0").Output()
	if err != nil {
		return nil, errNoGPU
	}
	nvcc, err := kernels.FindNVCC(context.Background())
	if err != nil {
		return nil, err
	}
	arch := "sm_" + strings.ReplaceAll(strings.TrimSpace(string(out)), ".", "")
	z, err := newZoo(filepath.Join(*zooDir, "cuda"), nvcc, kernels.Target{Device: result.DeviceCUDA, Arch: arch})
	if err == nil {
		runners.start = z.startRunner
		z.start = runners.get
	}
	return z, err
})

var errNoGPU = errors.New("no NVIDIA GPU here: what this covers is covered by no other test")

func cudaZoo(t *testing.T) *zoo {
	t.Helper()
	z, err := openCUDAZoo()
	if errors.Is(err, errNoGPU) || errors.Is(err, kernels.ErrNoNVCC) {
		t.Skip(err)
	}
	must(t, err)
	return z
}

var runners = &stable{running: map[string]*keptRunner{}}

// stable keeps one runner a library alive from check to check: to start one takes longer on a GPU than a hundred cases.
type stable struct {
	start   func(ctx context.Context, library string) (kernels.Process, error)
	mu      sync.Mutex
	running map[string]*keptRunner
}

func (s *stable) get(ctx context.Context, library string) (kernels.Process, error) {
	s.mu.Lock()
	kept := s.running[library]
	s.mu.Unlock()
	if kept != nil && !kept.dead {
		return kept, nil
	}
	r, err := s.start(ctx, library)
	if err != nil {
		return nil, err
	}
	kept = &keptRunner{Process: r}
	s.mu.Lock()
	s.running[library] = kept
	s.mu.Unlock()
	return kept, nil
}

// end ends the runner of a library that nobody needs any more: each holds memory of the GPU.
func (s *stable) end(library string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept := s.running[library]; kept != nil && !kept.dead {
		kept.Process.Close()
	}
	delete(s.running, library)
}

// keptRunner does not end when it is closed, but when its process does.
type keptRunner struct {
	kernels.Process
	dead bool
}

func (k *keptRunner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	err := k.Process.Call(ctx, op, what, args, answer, limit)
	var fault *kernels.RunnerError
	if errors.As(err, &fault) && fault.Code.EndsProcess() {
		k.dead = true
	}
	return err
}

func (k *keptRunner) Close() {
	if k.dead {
		k.Process.Close()
	}
}

// codes of a failure that an entry of zoo.yaml expects. Several things can be wrong at once, and a wrong output is one of them.
var codes = map[string][]result.Code{
	"mismatch":      {result.CodeWrongOutput},
	"unwritten":     {result.CodeWrongOutput},
	"guard-broken":  {result.CodeGuardBroken, result.CodeWrongOutput},
	"input-changed": {result.CodeInputChanged, result.CodeWrongOutput},
	"device-fault":  {result.CodeDeviceFault},
}

// Every wrong CUDA kernel is caught with the default budget, on a GPU.
func TestCUDAZooIsCaught(t *testing.T) {
	z := cudaZoo(t)
	if len(z.wrong) < 25 {
		t.Fatalf("%d wrong kernels: zoo.yaml was not read", len(z.wrong))
	}
	only := regexp.MustCompile(*zooOnly)
	wrong := slices.DeleteFunc(slices.Clone(z.wrong), func(a animal) bool { return !only.MatchString(a.name()) })
	rows, grids, ours := make([]string, len(wrong)), make([]string, len(wrong)), make([]int, len(wrong))
	z.buildAll(t, wrong)
	var matrix atomic.Int64 // time, over all processes
	share := shareOfTime(len(wrong))
	inParallel(t, len(wrong), func(i int) {
		a, until := wrong[i], time.Now().Add(share)
		library := z.library(t, a.Kernel, a.Flag)
		defer runners.end(library)
		found := map[result.Code]int{}
		cases := z.catch(t, a, library, until, func(seed int, f result.ParityFailure) {
			found[f.Code]++
			if !slices.Contains(codes[a.Expected], f.Code) {
				t.Errorf("%s with seed %d: %s (%s), want %s", a.name(), seed, f.Code, f.Message, a.Expected)
			}
		})
		grids[i], ours[i] = "n/a", median(cases)
		if *zooGrid && a.Kernel == "attention" {
			began := time.Now()
			grids[i] = z.grid(t, a, false)
			matrix.Add(int64(time.Since(began)))
		}
		rows[i] = fmt.Sprintf("| %s | %s | %d of %d | %d | %d | %s | %s |", a.name(), a.What, caught(cases), len(cases), ours[i], slices.Max(cases), counted(found), grids[i])
		t.Log(rows[i])
	})
	if *zooGrid {
		t.Logf("the matrix: %.1f s in all. %s", time.Duration(matrix.Load()).Seconds(), sideBySide(grids, ours))
		rows = append(rows, "", sideBySide(grids, ours))
	}
	writeTable(t, "| kernel | fault | caught on seeds | median cases to the first failure | most | as | matrix of 27 cases |\n|:--|:--|--:|--:|--:|:--|--:|\n", rows)
}

func TestRightCUDAKernelsPass(t *testing.T) {
	z := cudaZoo(t)
	var names []string
	only := regexp.MustCompile(*zooOnly)
	for name := range z.kernels {
		if only.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	rows := make([]string, len(names))
	var right []animal
	for _, name := range names {
		right = append(right, animal{Kernel: name})
	}
	z.buildAll(t, right)
	began := time.Now()
	share := shareOfTime(len(names))
	inParallel(t, len(names), func(i int) {
		library := z.library(t, names[i], "")
		defer runners.end(library)
		worst, cases, seeds, differing := 0.0, 0, 0, 0
		for until := time.Now().Add(share); *rightFrom+seeds < *rightSeeds && time.Now().Before(until); {
			out := z.check(t, names[i], library, uint64(1000+*rightFrom+seeds))
			worst, cases, seeds, differing = max(worst, out.MaxRatio), cases+out.Run, seeds+1, differing+out.Differing
			if out.Status != result.ParityPassed || out.Reason != nil || (names[i] != atomics && out.Differing > 0) {
				t.Errorf("%s with seed %d: %+v %+v", names[i], 999+*rightFrom+seeds, out, out.Failure)
			}
		}
		if seeds == 0 {
			t.Errorf("%s was not run", names[i])
		}
		rows[i] = fmt.Sprintf("| %s | %d to %d | %d | %.2g | %d |", names[i], *rightFrom, *rightFrom+seeds-1, cases, worst, differing)
		t.Log(rows[i])
	})
	writeTable(t, "\n| right kernel | seeds passed, of 0 to 199 | cases | worst error over tolerance | cases whose two launches differ |\n|:--|--:|--:|--:|--:|\n", rows)
	t.Logf("right kernels: %.1f s", time.Since(began).Seconds())
}

// buildAll builds on all cores: kernels are then checked a few at a time, since they share one GPU.
func (z *zoo) buildAll(t *testing.T, all []animal) {
	began := time.Now()
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, a := range all {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			z.library(t, a.Kernel, a.Flag)
		})
	}
	wait.Wait()
	t.Logf("%d libraries built in %.0f s", len(all), time.Since(began).Seconds())
}

// shareOfTime is what each of so many kernels gets, so that the last have time as well.
func shareOfTime(kernels int) time.Duration {
	return *rightTime * time.Duration(max(1, *zooAtOnce)) / time.Duration(kernels)
}

func counted(found map[result.Code]int) string {
	var words []string
	for code, n := range found {
		words = append(words, fmt.Sprintf("%s %d", code, n))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// writeTable adds to the file of -zoo.table, if there is one.
func writeTable(t *testing.T, header string, rows []string) {
	t.Helper()
	if *zooTable == "" {
		return
	}
	f, err := os.OpenFile(*zooTable, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(t, err)
	_, err = f.WriteString(header + strings.Join(rows, "\n") + "\n")
	must(t, errors.Join(err, f.Close()))
}
