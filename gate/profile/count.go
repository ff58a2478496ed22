package profile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Counter counts the instructions of one launch on a CPU: the kernel's own counters or perf where the machine has counters for it, else
// callgrind. It says how many, not how fast: the clock is the gate's.
type Counter struct {
	Name   string // perf_event_open, perf or callgrind
	path   string
	events []event // of perf_event_open
}

// ErrNoCounter says that nothing here can count instructions.
var ErrNoCounter = errors.New("neither perf (with counters) nor valgrind is here to count instructions")

// FindCounter looks for what works here. Virtual machines often have perf and no counters for it.
func FindCounter(ctx context.Context) (Counter, error) {
	if countsHardware() {
		return Counter{Name: kernelCounters, events: hardware}, nil
	}
	return findProgram(ctx)
}

// Instead is another counter for what this one cannot count, such as a process that it may not look into; not ok where there is none.
func (t Counter) Instead(ctx context.Context) (other Counter, ok bool) {
	if t.Name != kernelCounters {
		return Counter{}, false
	}
	other, err := findProgram(ctx)
	return other, err == nil
}

// findProgram looks for a program that counts.
func findProgram(ctx context.Context) (Counter, error) {
	if path, err := exec.LookPath("perf"); err == nil {
		out, err := child.Run(ctx, child.Spec{Path: path, Args: []string{"stat", "-x,", "-e", perfEvent, "true"}})
		if _, parsed := parsePerf(out.Stderr); err == nil && parsed == nil {
			return Counter{Name: "perf", path: path}, nil
		}
	}
	if path, err := exec.LookPath("valgrind"); err == nil {
		return Counter{Name: "callgrind", path: path}, nil
	}
	if ctx.Err() != nil {
		return Counter{}, ctx.Err()
	}
	return Counter{}, ErrNoCounter
}

// ErrCountTime says that counting took longer than its job allows.
var ErrCountTime = errors.New("counting took too long")

const perfEvent = "instructions:u"

// Counted is what was counted of one launch.
type Counted struct {
	Instructions float64 // in user mode, as all of these
	Cycles       float64 // 0 where it is not counted, as the next two
	CacheMisses  float64
	BranchMisses float64
	// Features of the processor that the tool hides, where code that ran asks which there are: it may have taken another path than when it
	// was timed.
	Hidden []string
}

// Count counts one launch. Its error is an ErrCountTime where the limit of the job is over.
func (t Counter) Count(ctx context.Context, j Job) (n Counted, err error) {
	limited, cancel := context.WithTimeout(ctx, j.Limit)
	defer cancel()
	start := time.Now()
	switch t.Name {
	case kernelCounters:
		n, err = t.attach(limited, j)
	case "perf":
		n.Instructions, err = t.perf(limited, j)
	default:
		n, err = t.callgrind(limited, j)
	}
	// The runner keeps the limit as well, and may be the first to notice.
	if err != nil && ctx.Err() == nil && (limited.Err() != nil || time.Since(start) >= j.Limit) {
		return Counted{}, fmt.Errorf("%w: more than %s (%w)", ErrCountTime, j.Limit.Round(time.Second), err)
	}
	return n, err
}

// Simulates says that the counter runs the code on a processor of its own making: what else the machine does changes no count.
func (t Counter) Simulates() bool { return t.Name == "callgrind" }

// callgrind counts inside pg_launch alone.
func (t Counter) callgrind(ctx context.Context, j Job) (Counted, error) {
	command := func(file string) []string {
		return []string{t.path, "--tool=callgrind", "--quiet", "--collect-atstart=no", "--toggle-collect=pg_launch", "--callgrind-out-file=" + file}
	}
	text, shown, err := t.under(ctx, j, 0, command)
	if err != nil {
		return Counted{}, err
	}
	n, err := parseCallgrind(text)
	asking := dispatching(j.Runner.Library, text)
	if err != nil || len(asking) == 0 {
		return Counted{Instructions: n}, err
	}
	alone, err := kernels.StartRunner(ctx, j.Runner) // as it was timed
	if err != nil {
		return Counted{}, err
	}
	defer alone.Close()
	hidden := hiddenFrom(shown, alone.Hello.Features)
	if !slices.ContainsFunc(asking, func(path string) bool { return couldUse(path, hidden) }) {
		hidden = nil
	}
	return Counted{Instructions: n, Hidden: hidden}, nil
}

// perfLaunches are counted above the same without them: what is left is theirs.
const perfLaunches = 20

func (t Counter) perf(ctx context.Context, j Job) (float64, error) {
	command := func(file string) []string { return []string{t.path, "stat", "-x,", "-e", perfEvent, "-o", file, "--"} }
	var n [2]float64
	for i, launches := range []int{0, perfLaunches} {
		text, _, err := t.under(ctx, j, launches, command)
		if err != nil {
			return 0, err
		}
		if n[i], err = parsePerf(text); err != nil {
			return 0, err
		}
	}
	if n[1] <= n[0] {
		return 0, errors.New("the count did not grow with the launches")
	}
	return (n[1] - n[0]) / perfLaunches, nil
}

// under runs one profile command of a harness under a program that writes a file, and returns that, and what the processor looked like.
func (t Counter) under(ctx context.Context, j Job, warm int, command func(file string) []string) (text string, shown []string, err error) {
	dir, err := os.MkdirTemp(j.Runner.Dir, "count-")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for %s: %w", t.Name, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "counts")
	spec := j.Runner
	spec.Dir, spec.Under, spec.MemoryBytes = dir, command(file), 0 // valgrind needs addresses of its own
	spec.Writes = append(spec.Writes, dir)
	runner, err := kernels.StartRunner(ctx, spec)
	if err != nil {
		return "", nil, err
	}
	callErr := runner.Call(ctx, "profile", j.Case.Kernel, kernels.ProfileCommand{Case: j.Case, Seed: j.Seed, Cache: j.Cache, Warm: warm, Times: 1}, nil, j.Limit)
	_, endErr := runner.End(ctx, time.Minute)
	if err := errors.Join(callErr, endErr); err != nil {
		return "", nil, err
	}
	counted, err := untrusted.Read(file, maxFile)
	if err != nil {
		return "", nil, fmt.Errorf("read what %s counted: %w", t.Name, err)
	}
	return string(counted), runner.Hello.Features, nil
}

const maxFile = 64 << 20

var totals = text.Pattern(`(?m)^(?:summary|totals): ([0-9]+)`)

// parseCallgrind reads the total of a callgrind file.
func parseCallgrind(text string) (float64, error) {
	m := totals().FindStringSubmatch(text)
	if m == nil {
		return 0, errors.New("callgrind's file has no total")
	}
	return positive(m[1], "callgrind saw no instruction in pg_launch")
}

// parsePerf reads `perf stat -x,`: value, unit, event, …
func parsePerf(text string) (float64, error) {
	for line := range strings.Lines(text) {
		fields := strings.Split(line, ",")
		if len(fields) > 2 && strings.HasPrefix(fields[2], "instructions") {
			return positive(fields[0], "perf has no counter for instructions here: "+strings.TrimSpace(fields[0]))
		}
	}
	return 0, errors.New("perf said nothing of instructions")
}

func positive(text, otherwise string) (float64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 {
		return 0, errors.New(otherwise)
	}
	return float64(n), nil
}
