package profile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// Counter counts the instructions of one launch on a CPU: perf where the machine has counters for it, else callgrind. It says
// how many, not how fast: the clock is the gate's.
type Counter struct {
	Name string // callgrind or perf
	path string
}

// ErrNoCounter says that nothing here can count instructions.
var ErrNoCounter = errors.New("neither perf (with counters) nor valgrind is here to count instructions")

// FindCounter looks for a tool that works here. Virtual machines often have perf and no counters for it.
func FindCounter(ctx context.Context) (Counter, error) {
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

// Count is the number of instructions of one launch in user mode. Its error is an ErrCountTime where the limit of the job is over.
func (t Counter) Count(ctx context.Context, j Job) (n float64, err error) {
	limited, cancel := context.WithTimeout(ctx, j.Limit)
	defer cancel()
	start := time.Now()
	if t.Name == "perf" {
		n, err = t.perf(limited, j)
	} else {
		n, err = t.callgrind(limited, j)
	}
	// The runner keeps the limit as well, and may be the first to notice.
	if err != nil && ctx.Err() == nil && (limited.Err() != nil || time.Since(start) >= j.Limit) {
		return 0, fmt.Errorf("%w: more than %s (%w)", ErrCountTime, j.Limit.Round(time.Second), err)
	}
	return n, err
}

// callgrind counts inside pg_launch alone.
func (t Counter) callgrind(ctx context.Context, j Job) (float64, error) {
	return t.under(ctx, j, 0, func(file string) []string {
		return []string{t.path, "--tool=callgrind", "--quiet", "--collect-atstart=no", "--toggle-collect=pg_launch", "--callgrind-out-file=" + file}
	}, parseCallgrind)
}

// perfLaunches are counted above the same without them: what is left is theirs.
const perfLaunches = 20

func (t Counter) perf(ctx context.Context, j Job) (float64, error) {
	command := func(file string) []string { return []string{t.path, "stat", "-x,", "-e", perfEvent, "-o", file, "--"} }
	var n [2]float64
	for i, launches := range []int{0, perfLaunches} {
		var err error
		if n[i], err = t.under(ctx, j, launches, command, parsePerf); err != nil {
			return 0, err
		}
	}
	if n[1] <= n[0] {
		return 0, errors.New("the count did not grow with the launches")
	}
	return (n[1] - n[0]) / perfLaunches, nil
}

// under runs one profile command of a harness under a program that writes a file, and reads that.
func (t Counter) under(ctx context.Context, j Job, warm int, command func(file string) []string, parse func(string) (float64, error)) (float64, error) {
	dir, err := os.MkdirTemp(j.Runner.Dir, "count-")
	if err != nil {
		return 0, fmt.Errorf("make a folder for %s: %w", t.Name, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "counts")
	spec := j.Runner
	spec.Dir, spec.Under, spec.MemoryBytes = dir, command(file), 0 // valgrind needs addresses of its own
	spec.Writes = append(spec.Writes, dir)
	runner, err := kernels.StartRunner(ctx, spec)
	if err != nil {
		return 0, err
	}
	callErr := runner.Call(ctx, "profile", j.Case.Kernel, kernels.ProfileCommand{Case: j.Case, Seed: j.Seed, Cache: j.Cache, Warm: warm}, nil, j.Limit)
	_, endErr := runner.End(ctx, time.Minute)
	if err := errors.Join(callErr, endErr); err != nil {
		return 0, err
	}
	f, err := os.Open(file)
	if err != nil {
		return 0, fmt.Errorf("read what %s counted: %w", t.Name, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return 0, fmt.Errorf("read what %s counted: %w", t.Name, err)
	}
	return parse(string(text))
}

const maxFile = 64 << 20

var totals = regexp.MustCompile(`(?m)^(?:summary|totals): ([0-9]+)`)

// parseCallgrind reads the total of a callgrind file.
func parseCallgrind(text string) (float64, error) {
	m := totals.FindStringSubmatch(text)
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
