package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// notCompared is said of a case that the gate did not compare, and whose profiles are compared all the same.
const notCompared = "the gate did not compare this case: what is explained is the ratio of the profiled cycles, which is no measurement"

// nsight profiles both sides of a case with the same inputs, and explains the difference once it is read.
func (x *explaining) nsight(ctx context.Context, tool profile.Nsight, p profiled, limit time.Duration) (reading, *result.Gap) {
	if gap := p.notBuilt(); gap != nil {
		return nil, gap
	}
	taken := map[result.Side]*capture{}
	for _, side := range bothSides {
		one, gap := x.capture(ctx, tool, p, side, limit, launchesToProfile(p.Record))
		if gap != nil {
			return nil, gap
		}
		x.trace(ctx, p, side, one)
		taken[side] = one
	}
	return func(ctx context.Context) (*result.CaseEvidence, *result.Gap) { return x.compared(ctx, tool, p, taken) }, nil
}

// compared explains the difference of what was profiled of both sides of a case.
func (x *explaining) compared(ctx context.Context, tool profile.Nsight, p profiled, taken map[result.Side]*capture) (*result.CaseEvidence, *result.Gap) {
	c := p.Record
	in := explain.Input{BaseMHz: explain.Clock(result.SideBase, c), HeadMHz: explain.Clock(result.SideHead, c)}
	for _, a := range p.Case.Plan.Params {
		if n, err := strconv.ParseInt(a.Value.Text, 10, 64); err == nil {
			in.Params = append(in.Params, explain.Param{Name: a.Name, Value: n})
		}
	}
	var notes, reports []string
	profiles := map[result.Side]*profile.Profile{result.SideBase: &in.Base, result.SideHead: &in.Head}
	for _, side := range bothSides {
		one, gap := x.typical(ctx, tool, p, side, taken[side])
		if gap != nil {
			return nil, gap
		}
		*profiles[side] = one.Profile
		notes = append(notes, one.Notes...)
		if taken[side].untraced != nil {
			notes = append(notes, "copies and fills on the GPU were not counted: "+untracedWords(taken[side].untraced))
		}
		if x.ask.Dir != "" {
			reports = append(reports, filepath.Join(filepath.Base(x.ask.Dir), filepath.Base(one.Report)))
		}
	}
	in.BaseWork, in.HeadWork = taken[result.SideBase].work, taken[result.SideHead].work
	if in.Measured = measuredOf(c); c.Compared() == nil {
		log := explain.ProfiledLog(in)
		in.Measured = explain.Measured{Log: log, Low: log, High: log}
		in.BaseMHz, in.HeadMHz = 0, 0 // the profiles' own clocks are within that ratio
		notes = append(notes, notCompared)
	}
	if n := p.Parity.Differing; n > 0 {
		notes = append(notes, fmt.Sprintf("parity saw other bits in two launches on the same inputs (%d of %d cases): "+
			"Nsight launches the kernel again for each group of counters, so its counters may be of runs that did not do "+
			"the same", n, p.Parity.Run))
	}
	e := explain.Record(explain.Explain(in), "Nsight Compute "+tool.Version)
	slices.Sort(notes)
	e.Notes, e.Reports = slices.Compact(notes), reports
	if in.BaseWork != nil && in.HeadWork != nil {
		e.Work = &result.WorkPair{Base: in.BaseWork, Head: in.HeadWork}
	}
	e.Roofline = []result.RooflineAt{explain.Roofline(result.SideBase, c, in.Base), explain.Roofline(result.SideHead, c, in.Head)}
	return e, nil
}

// untracedWords are an error's, and what a compiler said of the tracer.
func untracedWords(err error) string {
	if refused, ok := errors.AsType[*kernels.CompileError](err); ok {
		return "its library does not compile: " + firstLine(strings.TrimSpace(refused.Output))
	}
	return firstLine(err.Error())
}

// capture is a report of one side of a case, with the job that made it.
type capture struct {
	job      profile.Job
	made     profile.Capture
	work     *result.DeviceWork // of a process without a profiler
	untraced error              // why that is not known
}

// capture profiles so many launches of one side of a case.
func (x *explaining) capture(ctx context.Context, tool profile.Nsight, p profiled, side result.Side, limit time.Duration, times int) (*capture, *result.Gap) {
	job, leave, err := x.runners.runnerOf(p.Kernel, x.opt).job(p, side, limit)
	if err != nil {
		return nil, gapOf(p.Record.Name, side, err)
	}
	defer leave()
	// Reports are numbered instead of named after cases, whose names are the configuration's.
	dir := cmp.Or(x.ask.Dir, filepath.Join(x.opt.Scratch, "profiles"))
	if err := saved.MakeFolder(filepath.Dir(dir)); err != nil { // it may be the first that is left among the results
		return nil, gapOf(p.Record.Name, side, err)
	}
	job.Times = min(job.Times, times)
	job.Report, job.Metrics = filepath.Join(dir, fmt.Sprintf("case%d-%s%s", x.ask.First+p.number, side, profile.ReportSuffix(job.Times))), explain.Asked(x.device.capability())
	one := &capture{job: job}
	if one.made, err = tool.Collect(ctx, job); err != nil {
		return nil, one.gap(p, side, err)
	}
	return one, nil
}

// trace counts in another process, without a profiler, what a profiled side has the GPU do, within what its profile left of the limit.
func (x *explaining) trace(ctx context.Context, p profiled, side result.Side, one *capture) {
	if x.tracer == nil {
		return
	}
	job, leave, err := x.runners.runnerOf(p.Kernel, x.opt).job(p, side, 2*(one.job.Limit-time.Duration(one.made.Seconds*float64(time.Second))))
	if err == nil {
		defer leave()
		var work result.DeviceWork
		if work, err = x.tracer.Trace(ctx, job); err == nil {
			one.work = &work
		}
	}
	one.untraced = err
}

// gap says why there is no profile.
func (c *capture) gap(p profiled, side result.Side, err error) *result.Gap {
	gap := gapOf(p.Record.Name, side, err)
	if c.job.Runner.Sandbox != nil {
		gap.Cure = "this one worked in the sandbox, which may be why: a local perfgate run --sandbox=auto profiles outside of it. Or " + gap.Cure
	}
	return gap
}

// typical reads what was profiled of a side, and has the launch of the median time. Where launches have not the same kernels, one is profiled alone, for
// which the device is needed again.
func (x *explaining) typical(ctx context.Context, tool profile.Nsight, p profiled, side result.Side, one *capture) (profile.Capture, *result.Gap) {
	c := &one.made
	err := tool.Read(ctx, one.job, c)
	if err != nil {
		return *c, one.gap(p, side, err)
	}
	if one.job.Times <= 1 {
		return *c, nil
	}
	var told bool
	if c.Profile, told = explain.Typical(c.Profile, one.job.Times); told {
		c.Notes = append(c.Notes, fmt.Sprintf("launches of a kernel vary, so %d were profiled on each side: the figures are of the one of median time, the report has all", one.job.Times))
		return *c, nil
	}
	if err := os.Remove(c.Report); err != nil {
		return *c, one.gap(p, side, err)
	}
	if err := x.turns.take(ctx); err != nil {
		return *c, one.gap(p, side, err)
	}
	left := one.job.Limit - time.Duration(c.Seconds*float64(time.Second))
	again, gap := x.capture(ctx, tool, p, side, 2*left, 1) // a side has half of the limit
	if err := x.turns.handBack(); err != nil && gap == nil {
		gap = one.gap(p, side, err)
	}
	if gap != nil {
		return *c, gap
	}
	return x.typical(ctx, tool, p, side, again)
}

// instructions counts those of one launch on a CPU. More of them explain a change if they explain at least half of it.
func (x *explaining) instructions(ctx context.Context, tool profile.Counter, p profiled, limit time.Duration) (*result.CaseEvidence, *result.Gap) {
	c := p.Record
	if c.Compared() == nil {
		return nil, &result.Gap{
			Case: c.Name, Kind: result.GapNotCompared, Text: "the gate did not compare this case, and a number of instructions is not a time",
			Cure: "see in its row of the cases why it was not compared",
		}
	}
	if gap := p.notBuilt(); gap != nil {
		return nil, gap
	}
	if p.Kernel.Plan.Kernel.IsInterpreted() {
		return nil, &result.Gap{
			Case: c.Name, Kind: result.GapNotSupported, Text: "instructions of a kernel in Python are not counted: most of them would be the interpreter's",
			Cure: "inspect both sides with a profiler for Python, such as py-spy or perf",
		}
	}
	counts, gap := x.countBoth(ctx, tool, p, limit)
	if gap != nil {
		if other, ok := tool.Instead(ctx); ok {
			tool = other
			counts, gap = x.countBoth(ctx, tool, p, limit)
		}
	}
	if gap != nil {
		return nil, gap
	}
	base, head := counts[result.SideBase], counts[result.SideHead]
	found, hidden := explain.Instructions(measuredOf(c), base, head), slices.Concat(base.Hidden, head.Hidden)
	if slices.Sort(hidden); len(hidden) > 0 {
		found = found.Doubted(fmt.Sprintf("%s hides %s of this processor, and the code asks which it has: what was counted may be another path than what was timed",
			tool.Name, strings.Join(slices.Compact(hidden), ", ")))
	}
	e := explain.Record(found, tool.Name)
	e.Roofline = []result.RooflineAt{explain.Roofline(result.SideBase, c, profile.Profile{}), explain.Roofline(result.SideHead, c, profile.Profile{})}
	return e, nil
}

// countBoth counts on both sides with one tool: what two tools count is not compared.
func (x *explaining) countBoth(ctx context.Context, tool profile.Counter, p profiled, limit time.Duration) (map[result.Side]profile.Counted, *result.Gap) {
	counted, failed := make([]profile.Counted, len(bothSides)), make([]error, len(bothSides))
	most := 1
	if tool.Simulates() {
		most = runtime.NumCPU()
	}
	_ = child.Each(len(bothSides), most, func(i int, _ []int) (bool, error) {
		job, leave, err := x.runners.runnerOf(p.Kernel, x.opt).job(p, bothSides[i], limit)
		if err == nil {
			counted[i], err = tool.Count(ctx, job)
			leave()
		}
		failed[i] = err
		return false, err
	})
	counts := map[result.Side]profile.Counted{}
	for i, side := range bothSides {
		if failed[i] != nil {
			g := countGap(tool.Name, p.Record.Name, side, failed[i])
			return nil, &g
		}
		counts[side] = counted[i]
	}
	return counts, nil
}

// countGap says why instructions were not counted. That of a limit and that of code which fails under the tool have cures of
// their own.
func countGap(tool, name string, side result.Side, err error) result.Gap {
	g := result.Gap{Case: name, Side: side, Kind: result.GapOther, Text: tool + " could not count instructions", Message: firstLine(err.Error())}
	var fault *kernels.RunnerError
	switch {
	case errors.Is(err, profile.ErrCountTime):
		g.Kind, g.Text, g.Message = result.GapTimeLimit, tool+" took longer than it may to count the instructions of a launch", ""
		g.Cure = "measure a smaller case as well, or raise " + profile.LimitOption
	case errors.As(err, &fault):
		g.Kind, g.Text = result.GapKernelFailed, "the kernel fails under "+tool
		g.Cure = "build without instructions that it does not know (valgrind has no AVX-512, which -march=native may " +
			"choose), or let perf count: kernel.perf_event_paranoid at 2 or less, on a machine with counters"
	default:
		g.Cure = "see whether " + tool + " works here at all (`valgrind true`, `perf stat true`), and reinstall it if not"
	}
	return g
}
