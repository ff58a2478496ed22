package profile

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/child"
)

// Nsight is an installed ncu.
type Nsight struct {
	Path    string
	Version string // such as 2025.3.1.0
}

// FindNsight is the first of NsightPaths that works with a driver; where none is known to, the first whose exports are read. What keeps it from
// being used is a *Failure.
func FindNsight(ctx context.Context, nvcc, driver string) (Nsight, error) {
	first, err := Nsight{}, error(NewFailure(result.GapAbsent, ""))
	for i, path := range NsightPaths(nvcc) {
		t, failure := AskNsight(ctx, path)
		if failure == nil && t.Accepts(driver) {
			return t, nil
		}
		if i == 0 || first.IsTooOld() && !t.IsTooOld() {
			first, err = t, failure
		}
	}
	return first, err
}

// NsightPaths are the ncu of this machine, each once: the one that NCU names, else those on the PATH, beside nvcc, in the usual
// place of the toolkit and where NVIDIA's packages put each version, the newest of these first.
func NsightPaths(nvcc string) []string {
	all := []string{os.Getenv("NCU")}
	if all[0] == "" {
		all = []string{"ncu", "/usr/local/cuda/bin/ncu"}
		if nvcc != "" {
			all = slices.Insert(all, 1, filepath.Join(filepath.Dir(nvcc), "ncu"))
		}
		packaged, _ := filepath.Glob(filepath.Join(packages, "nsight-compute/*/ncu"))
		slices.Sort(packaged)
		slices.Reverse(packaged)
		all = append(all, packaged...)
	}
	var found []string
	seen := map[string]bool{}
	for _, name := range all {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && !seen[real] {
			seen[real] = true
			found = append(found, path)
		}
	}
	return found
}

// askLimit bounds the question for a version.
const askLimit = 20 * time.Second

var nsightVersion = text.Pattern(`Version ([0-9][0-9.]*)`)

// AskNsight asks an ncu for its version. What keeps it from answering is a *Failure, and so is that its exports are not read.
func AskNsight(ctx context.Context, path string) (Nsight, error) {
	limited, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	t := Nsight{Path: path}
	out, err := child.Run(limited, child.Spec{Path: path, Args: []string{"--version"}})
	switch {
	case ctx.Err() != nil:
		return t, ctx.Err()
	case err != nil:
		return t, Recognise(out.Stdout + out.Stderr)
	}
	if m := nsightVersion().FindStringSubmatch(out.Stdout); m != nil {
		t.Version = m[1]
	}
	if t.IsTooOld() {
		return t, NewFailure(result.GapProfilerTooOld, path+" is "+t.Version)
	}
	return t, nil
}

// Sections are collected of every kernel, beside the metrics that are asked for by name: those that cost no pass more than what explanations
// read of them. SpeedOfLight and ComputeWorkloadAnalysis cost 6 of 16 on Hopper, and no named cause needs them.
var Sections = []string{"WarpStateStats", "LaunchStats", "Occupancy"}

// allSections are collected where metrics cannot be asked for by name: they have most of them.
var allSections = []string{
	"SpeedOfLight", "SpeedOfLight_RooflineChart", "MemoryWorkloadAnalysis", "MemoryWorkloadAnalysis_Tables", "ComputeWorkloadAnalysis", "SchedulerStats",
	"WarpStateStats", "LaunchStats", "Occupancy", "SourceCounters", "InstructionStats",
}

// Want says what to collect.
type Want struct {
	Set     string   // "" collects Sections and Metrics; otherwise a set such as full
	Metrics []string // beside the sections
	Cold    bool     // flush the caches before every pass
	Report  string   // path of the .ncu-rep
	Log     string   // path of what ncu says; "" leaves it on its standard output

	Children bool   // what the process starts is watched as well
	Kernel   string // a regular expression: one launch of a function with such a name is collected, and the process ended then
	Once     bool   // all launches of such functions are collected
}

// selection is what of a process is collected: what is launched between start and stop of the profiler, or launches by their names.
func (w Want) selection() []string {
	watched := "application-only"
	if w.Children {
		watched = "all"
	}
	if w.Kernel == "" {
		return []string{"--profile-from-start", "off", "--target-processes", watched}
	}
	named := []string{"--kernel-name", "regex:" + w.Kernel, "--target-processes", watched}
	if w.Once {
		return named
	}
	return append(named, "--launch-skip", strconv.Itoa(warmLaunches), "--launch-count", "1", "--kill", "yes")
}

// Command is the program and the arguments that a harness or a benchmark runs under. Clocks stay as the gate measured with.
func (t Nsight) Command(w Want) []string {
	cache := "none"
	if w.Cold {
		cache = "all"
	}
	cmd := append([]string{t.Path}, w.selection()...)
	cmd = append(cmd, "--clock-control", "none", "--cache-control", cache, "--force-overwrite", "--export", strings.TrimSuffix(w.Report, reportSuffix))
	if w.Log != "" {
		cmd = append(cmd, "--log-file", w.Log)
	}
	if w.Set != "" {
		return append(cmd, "--set", w.Set)
	}
	sections := Sections
	if len(w.Metrics) == 0 {
		sections = allSections
	}
	for _, s := range sections {
		cmd = append(cmd, "--section", s)
	}
	if len(w.Metrics) > 0 {
		cmd = append(cmd, "--metrics", strings.Join(w.Metrics, ","))
	}
	return cmd
}

// environment of ncu and of what runs under it: numbers as in C, and a folder of its own for its lock file.
func environment(environ []string, dir string) []string {
	return child.With(slices.Clone(environ), "LC_ALL=C", "TMPDIR="+dir)
}
