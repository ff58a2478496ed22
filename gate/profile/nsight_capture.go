package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// Capture is what one job gave.
type Capture struct {
	Profile  Profile
	Exported Exported
	Command  []string // that made the report, for people
	Report   string   // "" if there is none
	Seconds  float64  // of wall time
	Notes    []string // what was tolerated
	Message  string   // what ncu and the harness printed, as far as it was kept
}

// warmLaunches come before the one that is profiled: code and clocks are then warm as in the gate's samples.
const warmLaunches = 3

// within does a part of a job in what is left of its time.
func (j Job) within(ctx context.Context, c *Capture, do func(context.Context) error) error {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, j.Limit-time.Duration(c.Seconds*float64(time.Second)))
	defer cancel()
	err := do(limited)
	c.Seconds += time.Since(start).Seconds()
	if limited.Err() != nil && ctx.Err() == nil && err != nil {
		return j.outOfTime(c.Message)
	}
	return err
}

// mostUnknown is how often a report is made again without metrics that ncu names as unknown.
const mostUnknown = 3

// Collect makes the report of a job, without the metrics that this ncu or GPU does not know if there are some; without any where it keeps
// finding others.
func (t Nsight) Collect(ctx context.Context, j Job) (c Capture, err error) {
	err = j.within(ctx, &c, func(ctx context.Context) (err error) {
		c, err = t.collectKnown(ctx, j)
		return err
	})
	return c, err
}

func (t Nsight) collectKnown(ctx context.Context, j Job) (Capture, error) {
	c, err := t.collect(ctx, j)
	var notes []string
	for tried := 1; len(j.Metrics) > 0; tried++ {
		var failure *Failure
		if !errors.As(err, &failure) || failure.Kind != result.GapUnknownMetric {
			break
		}
		if left := withoutUnknown(j.Metrics, c.Message); len(left) < len(j.Metrics) && tried <= mostUnknown {
			notes = append(notes, "a metric is not known here, and was left away: "+failure.Message)
			j.Metrics = left
		} else {
			notes = append(notes, "not every metric is known here ("+failure.Message+"), so only the sections were collected")
			j.Metrics = nil
		}
		c, err = t.collect(ctx, j)
	}
	c.Notes = append(c.Notes, notes...)
	return c, err
}

// withoutUnknown are the metrics that ncu does not name as unknown, which it does by a regular expression that begins with theirs.
func withoutUnknown(metrics []string, said string) []string {
	var unknown []string
	for line := range strings.Lines(said) {
		if strings.Contains(line, "Failed to find metric") {
			unknown = append(unknown, metricWord().FindAllString(strings.ReplaceAll(line, `\.`, "."), -1)...)
		}
	}
	return slices.DeleteFunc(slices.Clone(metrics), func(name string) bool { return slices.Contains(unknown, name) })
}

// metricWord is a word that could be a metric's name.
var metricWord = text.Pattern(`\w+(?:\.\w+)*`)

// Read exports the report of a capture and parses it. It needs no GPU.
func (t Nsight) Read(ctx context.Context, j Job, c *Capture) error {
	return j.within(ctx, c, func(ctx context.Context) error { return t.read(ctx, j, c) })
}

func (t Nsight) read(ctx context.Context, j Job, c *Capture) error {
	dir, err := os.MkdirTemp(j.Runner.Dir, "ncu-export-")
	if err != nil {
		return fmt.Errorf("make a folder for ncu: %w", err)
	}
	defer os.RemoveAll(dir)
	in := child.Spec{Path: t.Path, Env: environment(child.Scrub(os.Environ()), dir)}
	in = j.Runner.Sandbox.Tool(in, dir, append(t.installed(), c.Report)...)
	if c.Exported, err = t.Export(ctx, c.Report, in); err != nil {
		return err
	}
	c.Profile, err = Read(strings.NewReader(c.Exported.Raw), strings.NewReader(c.Exported.Details))
	switch {
	case err != nil && len(c.Profile.Kernels) == 0:
		return NewFailure(result.GapUnreadableReport, err.Error())
	case len(c.Profile.Kernels) == 0:
		return NewFailure(result.GapNothingProfiled, "")
	case err != nil:
		c.Notes = append(c.Notes, "Nsight's rules could not be read: "+cmp.Or(c.Exported.NoDetails, err).Error())
	}
	return nil
}

// outOfTime says that the limit was over, or what ncu said before that explains it.
func (j Job) outOfTime(said string) error {
	if f := Recognise(said); f.Kind == result.GapNotReplayable {
		return f
	}
	f := NewFailure(result.GapTimeLimit, "")
	f.Text = fmt.Sprintf("profiling took longer than %s", j.Limit.Round(time.Second))
	return f
}

// collect makes a report in a private folder, where what runs under ncu may write, and keeps it.
func (t Nsight) collect(ctx context.Context, j Job) (Capture, error) {
	dir, err := os.MkdirTemp(j.Runner.Dir, "ncu-")
	if err != nil {
		return Capture{}, fmt.Errorf("make a folder for ncu: %w", err)
	}
	defer os.RemoveAll(dir)
	made := filepath.Join(dir, "report"+reportSuffix)
	want := Want{
		Set: j.Set, Metrics: j.Metrics, Cold: j.Cache != "hot", Report: made, Log: filepath.Join(dir, "ncu.log"),
		Children: kernels.IsHosted(j.Runner.Library), // ncu takes the interpreter that the harness becomes for another program
	}
	if j.Program != nil {
		want.Children, want.Kernel, want.Once = true, j.Program.Kernel, j.Program.Once
	}
	c := Capture{Command: t.Command(want)}
	c.Message, err = j.launch(ctx, setting{under: c.Command, dir: dir, reads: t.installed()})
	if _, unmade := os.Stat(made); err != nil && (j.Program == nil || unmade != nil) {
		return c, err
	}
	if err != nil { // ncu ends a program once it has seen enough, and a benchmark may have something to say against that
		c.Notes = append(c.Notes, "the benchmark did not end well under ncu, which made its report before: "+err.Error())
	}
	if _, err := os.Stat(made); err != nil {
		return c, Recognise(c.Message)
	}
	if err := keep(made, j.Report); err != nil {
		return c, fmt.Errorf("keep a profile: %w", err)
	}
	c.Report = j.Report
	return c, nil
}

// keep copies a report to where it stays. What runs under ncu could have made a link of it, so only a file is taken.
func keep(from, to string) error {
	in, err := untrusted.Open(from, maxReport)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxReport))
	return errors.Join(err, out.Close())
}

// maxReport is more than any report of a few kernels has.
const maxReport = 1 << 30

// packages is where NVIDIA's packages put Nsight Compute. The ncu of a CUDA toolkit is a script that starts the one there. Tests
// change it.
var packages = "/opt/nvidia"

// installed are the folders that ncu and its parts may lie in.
func (t Nsight) installed() []string {
	return append(sandbox.Toolchain(t.Path).Read, packages)
}

// setting is what a job runs in: under a profiler, or with a library in its process.
type setting struct {
	under []string // a command that starts it
	dir   string   // which it may write to
	reads []string // in the sandbox
	env   []string
}

// launch runs a job and returns what it printed, and the profiler that it may run under.
func (j Job) launch(ctx context.Context, s setting) (said string, err error) {
	s.env = append([]string{"LC_ALL=C"}, s.env...)
	if j.Program != nil {
		return j.launchProgram(ctx, s)
	}
	spec := j.Runner
	spec.Dir, spec.Under, spec.Apart = s.dir, s.under, len(s.under) > 0
	spec.Env = append(s.env, spec.Env...)
	spec.Reads = slices.Concat(spec.Reads, s.reads)
	spec.Writes = append(slices.Clone(spec.Writes), s.dir)
	runner, err := kernels.StartRunner(ctx, spec)
	if err != nil {
		said = readLog(s.dir)
		return said, explainRunner(err, said)
	}
	var reply kernels.ProfileReply
	what := kernels.ProfileCommand{Case: j.Case, Seed: j.Seed, Cache: j.Cache, Warm: warmLaunches, Times: max(j.Times, 1)}
	callErr := runner.Call(ctx, "profile", j.Case.Kernel, what, &reply, j.Limit)
	out, endErr := runner.End(ctx, j.Limit)
	said = readLog(s.dir) + "\n" + out.Stdout + "\n" + out.Stderr
	switch {
	case callErr != nil:
		return said, explainRunner(callErr, said)
	case endErr != nil && ctx.Err() != nil:
		return said, ctx.Err()
	case endErr != nil:
		return said, Recognise(said)
	}
	return said, nil
}

// launchProgram runs a benchmark, outside of a sandbox.
func (j Job) launchProgram(ctx context.Context, s setting) (said string, err error) {
	spec := j.Program.Command
	spec.Under, spec.Scratch, spec.Sandbox, spec.Memory = s.under, s.dir, nil, 0
	spec.Env = append(s.env, spec.Env...)
	spec.Limit = 2 * j.Limit // the limit of the job is over before
	end, err := kernels.RunCommand(ctx, spec)
	said = readLog(s.dir) + "\n" + end.Stdout
	if err != nil && ctx.Err() != nil {
		return said, ctx.Err()
	}
	if err != nil {
		return said, explainRunner(err, said)
	}
	return said, nil
}

// maxLog is how much of ncu's own words is read: it prints a line for each kernel.
const maxLog = 256 << 10

func readLog(dir string) string {
	f, err := untrusted.Open(filepath.Join(dir, "ncu.log"), untrusted.NoLimit)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxLog)) // what can be read of it is better than nothing
	return string(b)
}

// explainRunner turns the failure of a runner under ncu into what ncu said of it, or into what the runner says.
func explainRunner(err error, said string) error {
	var fault *kernels.RunnerError
	if !errors.As(err, &fault) {
		return err
	}
	f := Recognise(said + "\n" + fault.Printed + "\n" + fault.Message)
	if f.Kind == result.GapOther && f.Message == "" {
		words := strings.TrimSpace(fault.Message)
		if last := lastLine(fault.Printed); last != "" {
			words = last + ": " + words
		}
		f = NewFailure(result.GapKernelFailed, words)
	}
	return f
}
