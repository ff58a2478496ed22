package parity_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// codes of a failure that an entry of zoo.yaml expects. Several things can be wrong at once, and a wrong output is one of them.
var codes = map[string][]result.Code{
	"mismatch":      {result.CodeWrongOutput},
	"unwritten":     {result.CodeWrongOutput},
	"trespass":      {result.CodeWrongOutput},
	"guard-broken":  {result.CodeGuardBroken, result.CodeWrongOutput},
	"input-changed": {result.CodeInputChanged, result.CodeWrongOutput},
	"device-fault":  {result.CodeDeviceFault},
}

// Every wrong kernel of the zoo is caught with the default budget.
func TestZooIsCaught(t *testing.T) {
	kernelstest.Live(t)
	z := theZoo(t)
	z.catchAll(t, z.wrong)
}

// shareOfTime is what each of so many kernels gets, so that the last have time as well.
func shareOfTime(kernels int) time.Duration {
	return *zooTime * time.Duration(max(1, *zooAtOnce)) / time.Duration(max(1, kernels))
}

// catchAll checks that wrong kernels fail, and as what zoo.yaml expects, unless it is a GPU's list that a CPU is tried on.
func (z *zoo) catchAll(t *testing.T, wrong []animal) {
	own := flag.Lookup("zoo.dir").DefValue == *zooDir
	if len(z.wrong) == 0 || own && len(z.wrong) < 25 {
		t.Fatalf("%d wrong kernels: zoo.yaml was not read", len(z.wrong))
	}
	rows, grids, ours := make([]string, len(wrong)), make([]string, len(wrong)), make([]int, len(wrong))
	var matrix atomic.Int64 // time, over all processes
	share := shareOfTime(len(wrong))
	inParallel(t, len(wrong), func(i int) {
		a, until := wrong[i], time.Now().Add(share)
		library := z.library(t, a.Kernel, a.Flag)
		defer runners.end(library)
		found := map[result.Code]int{}
		counts := z.catch(t, a, library, until, func(seed int, f result.ParityFailure) {
			found[f.Code]++
			if (own || z.target.IsCUDA()) && !slices.Contains(codes[a.Expected], f.Code) {
				t.Errorf("%s with seed %d: %s (%s), want %s", a.name(), seed, f.Code, f.Message, a.Expected)
			}
		})
		grids[i], ours[i] = "n/a", median(counts)
		if *zooGrid && a.Kernel == "attention" {
			began := time.Now()
			grids[i] = z.grid(t, a, !z.target.IsCUDA())
			matrix.Add(int64(time.Since(began)))
		}
		rows[i] = fmt.Sprintf("| %s | %s | %d of %d | %d | %d | %s | %s |", a.name(), a.What, caught(counts), len(counts), ours[i], slices.Max(counts), counted(found), grids[i])
		t.Log(rows[i])
	})
	if *zooGrid {
		t.Logf("the matrix: %.1f s in all. %s", time.Duration(matrix.Load()).Seconds(), sideBySide(grids, ours))
		rows = append(rows, "", sideBySide(grids, ours))
	}
	writeTable(t, "| kernel | fault | caught on seeds | median cases to the first failure | most | as | matrix of 27 cases |\n|:--|:--|--:|--:|--:|:--|--:|\n", rows)
}

func TestRightKernelsPass(t *testing.T) {
	theZoo(t).passAll(t)
}

// asked says whether -zoo.only asks for a kernel.
func (z *zoo) asked(name string) bool {
	return !z.target.IsCUDA() || regexp.MustCompile(*zooOnly).MatchString(name)
}

// names of the right kernels that are asked for.
func (z *zoo) names() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(z.kernels)), func(name string) bool { return !z.asked(name) })
}

// passAll checks that right kernels pass. On a GPU the launches of the one that adds with atomics may differ in the last bits.
func (z *zoo) passAll(t *testing.T) {
	names, cuda := z.names(), z.target.IsCUDA()
	rows := make([]string, len(names))
	share := shareOfTime(len(names))
	inParallel(t, len(names), func(i int) {
		library := z.library(t, names[i], "")
		defer runners.end(library)
		worst, cases, seeds, differing := 0.0, 0, 0, 0
		for until := time.Now().Add(share); *rightFrom+seeds < *rightSeeds && time.Now().Before(until); seeds++ {
			out := z.check(t, names[i], library, uint64(1000+*rightFrom+seeds))
			worst, cases, differing = max(worst, out.MaxRatio), cases+out.Run, differing+out.Differing
			may := cuda && names[i] == "histogram"
			if out.Status != result.ParityPassed || out.Reason != nil || !may && out.Differing > 0 || !cuda && len(out.Warnings) > 0 {
				t.Errorf("%s with seed %d: %+v %+v", names[i], 1000+*rightFrom+seeds, out, out.Failure)
			}
		}
		if seeds == 0 {
			t.Errorf("%s was not run", names[i])
		}
		rows[i] = fmt.Sprintf("| %s | %d to %d | %d | %.2g | %d |", names[i], *rightFrom, *rightFrom+seeds-1, cases, worst, differing)
		t.Log(rows[i])
	})
	writeTable(t, "\n| right kernel | seeds passed, of 0 to 199 | cases | worst error over tolerance | cases whose two launches differ |\n|:--|--:|--:|--:|--:|\n", rows)
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
