package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/sandbox"
)

// Tracer counts kernels, copies and fills, which Nsight Compute does not: it sees kernels only. It uses CUPTI's records, for which no permission is needed.
type Tracer struct {
	Nvcc    string // path of the compiler, in whose toolkit CUPTI lies; where it does not, the loader may find it
	Scratch string

	library string // "": not built yet
}

func (t *Tracer) build(ctx context.Context) (err error) {
	if t.library != "" {
		return nil
	}
	dir, err := os.MkdirTemp(t.Scratch, "tracer-")
	if err != nil {
		return err
	}
	path, err := kernels.BuildTracer(ctx, dir)
	if err == nil {
		t.library = path
	}
	return err
}

// cupti is where the toolkit has it, "" where it is in none of the usual places.
func (t *Tracer) cupti() string {
	nvcc, err := filepath.EvalSymlinks(t.Nvcc)
	for _, place := range []string{"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib"} {
		path := filepath.Join(filepath.Dir(nvcc), "..", place, "libcupti.so")
		if _, missing := os.Stat(path); err == nil && missing == nil {
			return path
		}
	}
	return ""
}

// ErrNotTraced says that a process left no count.
var ErrNotTraced = errors.New("its process left no count: CUPTI is not where the CUDA toolkit or the loader has it, or another tool uses it")

// Trace runs a job again, without a profiler, and counts what its launches have the GPU do.
func (t *Tracer) Trace(ctx context.Context, j Job) (result.DeviceWork, error) {
	if err := t.build(ctx); err != nil {
		return result.DeviceWork{}, err
	}
	dir, err := os.MkdirTemp(j.Runner.Dir, "trace-")
	if err != nil {
		return result.DeviceWork{}, fmt.Errorf("make a folder for a trace: %w", err)
	}
	defer os.RemoveAll(dir)
	limited, cancel := context.WithTimeout(ctx, j.Limit)
	defer cancel()
	file := filepath.Join(dir, "trace.json")
	s := setting{dir: dir, env: []string{"CUDA_INJECTION64_PATH=" + t.library, "PERFGATE_TRACE=" + file}, reads: []string{t.library}}
	if cupti := t.cupti(); cupti != "" {
		s.env = append(s.env, "PERFGATE_CUPTI="+cupti)
		s.reads = append(s.reads, sandbox.Toolchain(cupti).Read...)
	}
	j.Times = 1
	if _, err := j.launch(limited, s); err != nil {
		return result.DeviceWork{}, err
	}
	return readTraces(file)
}

// What a trace may be: code under test could have written it.
const (
	maxTrace   = 64 << 10
	mostTraces = 100
	mostWork   = 1 << 53 // of a count, bytes or nanoseconds
)

// kernelSum is how a trace names kernels among what it counts.
const kernelSum = "kernel"

// traceLine is what one process that used the GPU left.
type traceLine struct {
	Region bool `json:"region"` // it started and stopped the profiler, and this is of what ran in between
	Sums   []struct {
		Kind  result.TransferKind `json:"kind"`
		Count int64               `json:"count"`
		Bytes int64               `json:"bytes"`
		NS    int64               `json:"ns"`
	} `json:"sums"`
}

// readTraces adds up what processes left, each in a file of its own. Where a process has a region, those without one have no part in the launch.
func readTraces(path string) (work result.DeviceWork, err error) {
	files, _ := filepath.Glob(path + ".*") // the pattern is well-formed
	if len(files) == 0 {
		return work, ErrNotTraced
	}
	var all []traceLine
	for _, file := range files[:min(len(files), mostTraces)] {
		var line traceLine
		text, err := untrusted.Read(file, maxTrace)
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			return work, fmt.Errorf("the count of a process cannot be read: %w", err)
		}
		all = append(all, line)
	}
	work.Process = !slices.ContainsFunc(all, func(l traceLine) bool { return l.Region })
	sums := map[result.TransferKind]result.Transfer{}
	for _, line := range all {
		for _, s := range line.Sums {
			for _, n := range []int64{s.Count, s.Bytes, s.NS} {
				if n < 0 || n > mostWork {
					return work, fmt.Errorf("the count of a process cannot be read: it has %d", n)
				}
			}
			if line.Region == work.Process {
				continue
			}
			t := sums[s.Kind]
			sums[s.Kind] = result.Transfer{Kind: s.Kind, Count: t.Count + s.Count, Bytes: t.Bytes + s.Bytes, Seconds: t.Seconds + float64(s.NS)/1e9}
		}
	}
	work.Kernels, work.KernelSeconds = sums[kernelSum].Count, sums[kernelSum].Seconds
	for _, kind := range result.TransferKinds {
		if sums[kind].Count > 0 {
			work.Transfers = append(work.Transfers, sums[kind])
		}
	}
	return work, nil
}
