package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Profile says what is looked at beside the clock. The zero value profiles what the configuration thinks worth it.
type Profile struct {
	Policy string        // one of result.ProfilePolicies; "" is auto
	Dir    string        // where profiles are kept; "" keeps none
	Limit  time.Duration // of all profiles together; 0 means defaultProfileLimit
}

const defaultProfileLimit = 4 * time.Minute

// subject of a profile: a case and its kernel's builds.
type profiled struct {
	kernel *kernelRun
	index  int // into the cases of the kernel
	plan   plan.Case
}

func (p profiled) record() *result.Case { return &p.kernel.cases[p.index] }

// sideBuild is one side's build of a kernel.
type sideBuild struct {
	side    result.Side
	library kernels.Library
}

func (p profiled) sides() []sideBuild {
	return []sideBuild{{result.SideBase, p.kernel.base}, {result.SideHead, p.kernel.head}}
}

// evidence looks for the reasons of what was measured. It never fails a run: what cannot be had becomes a gap. The error
// is the context's.
func (r *run) evidence(ctx context.Context) error {
	start, waited := time.Now(), r.waited
	r.res.Evidence = &result.Evidence{Policy: r.opt.Profile.policy()}
	if r.res.Evidence.Policy != result.ProfileNever {
		if err := r.profileCases(ctx); err != nil {
			return err
		}
		r.staticEvidence(ctx)
	}
	r.res.Evidence.Scaling = explain.Remarkable(explain.Scaling(r.allCases(), r.device.multiprocessors()))
	r.res.Evidence.Seconds = (time.Since(start) - (r.waited - waited)).Seconds()
	r.res.Timings.RunnersS += r.res.Evidence.Seconds
	return ctx.Err()
}

func (p Profile) policy() string {
	if p.Policy == "" {
		return result.ProfileAuto
	}
	return p.Policy
}

func (p Profile) limit() time.Duration {
	if p.Limit == 0 {
		return defaultProfileLimit
	}
	return p.Limit
}

func (r *run) allCases() []result.Case {
	var all []result.Case
	for _, k := range r.kernels {
		all = append(all, k.cases...)
	}
	return all
}

// profileCases profiles what is worth it, worst first, until the limit is over.
func (r *run) profileCases(ctx context.Context) error {
	chosen := r.chooseCases()
	if len(chosen) == 0 {
		return nil
	}
	lock, gap, err := r.profilerLock(ctx)
	if err != nil {
		return err
	}
	if gap != nil {
		r.gap(*gap)
		return nil
	}
	defer lock.Release()
	until := time.Now().Add(r.opt.Profile.limit())
	look, gap := r.profiler(ctx)
	if gap != nil {
		r.gap(*gap)
		return ctx.Err()
	}
	r.removeOldProfiles()
	if !r.device.target.IsCUDA() {
		chosen = chosen[:1] // callgrind is slow, and a launch of another size executes the same code
	}
	for i, p := range chosen {
		left := time.Until(until)
		if left <= 0 {
			r.gap(result.Gap{Kind: result.GapLeftOut, Text: fmt.Sprintf("%d of %d cases were left out, the time for profiles was over", len(chosen)-i, len(chosen)), Cure: "raise " + profile.LimitOption})
			break
		}
		r.progress(Progress{Stage: StageProfile, What: p.record().Name, Done: i, Total: len(chosen)})
		if err := look(ctx, p, left); err != nil {
			return err
		}
	}
	return nil
}

// profilerLock keeps two profilers of this machine apart. It waits no longer than profiles may take; whoever still holds the
// lock then, or a lock that cannot be had at all, is a gap.
func (r *run) profilerLock(ctx context.Context) (*machine.Lock, *result.Gap, error) {
	start := time.Now()
	defer func() { r.waited += time.Since(start) }()
	wait, cancel := context.WithTimeout(ctx, r.opt.Profile.limit())
	defer cancel()
	held := ""
	lock, err := machine.Acquire(wait, "profiler", func(holder string) {
		held = holder
		r.progress(Progress{Stage: StageWait, What: holder})
	})
	switch {
	case err == nil:
		return lock, nil, nil
	case ctx.Err() != nil:
		return nil, nil, context.Cause(ctx)
	case wait.Err() != nil:
		return nil, gapOf("", "", profile.NewFailure(result.GapProfilerBusy, held)), nil
	}
	gap := gapOf("", "", profile.NewFailure(result.GapProfilerBusy, firstLine(err.Error())))
	gap.Text, gap.Cure = "the lock that keeps two profilers apart cannot be had", "let PERFGATE_LOCK_DIR name a folder that this user can write to"
	return nil, gap, nil
}

// removeOldProfiles keeps those of an earlier run from being taken for this one's.
func (r *run) removeOldProfiles() {
	if r.opt.Profile.Dir == "" {
		return
	}
	old, _ := filepath.Glob(filepath.Join(r.opt.Profile.Dir, "case*-*.ncu-rep")) // the pattern is well-formed
	for _, path := range old {
		os.Remove(path) // what stays is in nobody's way: this run's reports have the names that result.json gives
	}
}

func (r *run) chooseCases() []profiled {
	var all []result.Case
	var where []profiled
	for _, k := range r.kernels {
		planned := map[string]plan.Case{}
		for _, c := range k.plan.Measured {
			planned[c.Name()] = c
		}
		for i, c := range k.cases {
			all = append(all, c)
			where = append(where, profiled{kernel: k, index: i, plan: planned[c.Name]})
		}
	}
	var out []profiled
	for _, i := range explain.Choose(all, r.opt.Profile.policy(), r.config.Profile) {
		out = append(out, where[i])
	}
	return out
}

// looker gathers evidence on one case within a limit. Its error is the context's.
type looker func(ctx context.Context, p profiled, limit time.Duration) error

// profiler is what this machine has to look into a launch with, or the gap that it leaves.
func (r *run) profiler(ctx context.Context) (looker, *result.Gap) {
	if r.device.target.IsCUDA() {
		tool, err := profile.FindNsight(ctx, r.res.Toolchain.Compiler)
		if err != nil {
			return nil, gapOf("", "", err)
		}
		r.res.Evidence.Profiler = "Nsight Compute " + tool.Version
		return func(ctx context.Context, p profiled, limit time.Duration) error { return r.nsight(ctx, tool, p, limit) }, nil
	}
	tool, err := profile.FindCounter(ctx)
	if err != nil {
		return nil, &result.Gap{Kind: result.GapAbsent, Text: err.Error(), Cure: "install valgrind, or let perf count (kernel.perf_event_paranoid at 2 or less, on a machine with counters)"}
	}
	r.res.Evidence.Profiler = tool.Name
	return func(ctx context.Context, p profiled, limit time.Duration) error {
		return r.instructions(ctx, tool, p, limit)
	}, nil
}

func gapOf(name string, side result.Side, err error) *result.Gap {
	g := result.Gap{Kind: result.GapOther, Text: err.Error()}
	var failure *profile.Failure
	if errors.As(err, &failure) {
		g = failure.Gap
	}
	g.Case, g.Side = name, side
	return &g
}

func (r *run) gap(g result.Gap) { r.res.Evidence.Gaps = append(r.res.Evidence.Gaps, g) }

// notCompared is said of a case that the gate did not compare, and whose profiles are compared all the same.
const notCompared = "the gate did not compare this case: what is explained is the ratio of the profiled cycles, which is no measurement"

// nsight profiles both sides of a case with the same inputs and explains the difference.
func (r *run) nsight(ctx context.Context, tool profile.Nsight, p profiled, limit time.Duration) error {
	c := p.record()
	in := explain.Input{Params: integers(p.plan), BaseMHz: explain.Clock(result.SideBase, *c), HeadMHz: explain.Clock(result.SideHead, *c)}
	if gap := p.notBuilt(); gap != nil {
		r.gap(*gap)
		return nil
	}
	var notes, reports []string
	profiles := map[result.Side]*profile.Profile{result.SideBase: &in.Base, result.SideHead: &in.Head}
	for _, s := range p.sides() {
		spec := r.profiledSpec(s.library.Path)
		capture, err := tool.Run(ctx, profile.Job{
			Runner: spec, Case: p.plan.Spec(), Seed: strconv.FormatUint(r.opt.Seed, 10),
			Cache: p.kernel.plan.Kernel.Cache, Report: r.reportPath(p, s.side), Limit: limit / 2, Metrics: explain.Asked(),
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			g := gapOf(c.Name, s.side, err)
			if spec.Sandbox != nil {
				g.Cure = "this one worked in the sandbox, which may be why: at a desk, perfgate run --sandbox=auto profiles outside of it. Or " + g.Cure
			}
			r.gap(*g)
			return nil
		}
		*profiles[s.side] = capture.Profile
		notes = append(notes, capture.Notes...)
		if r.opt.Profile.Dir != "" {
			reports = append(reports, filepath.Join(filepath.Base(r.opt.Profile.Dir), filepath.Base(capture.Report)))
		}
	}
	if in.Measured = measuredOf(*c); c.Compared == nil {
		log := explain.ProfiledLog(in)
		in.Measured = explain.Measured{Log: log, Low: log, High: log}
		in.BaseMHz, in.HeadMHz = 0, 0 // the profiles' own clocks are within that ratio
		notes = append(notes, notCompared)
	}
	if n := p.kernel.record.Parity.Differing; n > 0 {
		notes = append(notes, fmt.Sprintf("parity saw other bits in two launches on the same inputs (%d of %d cases): "+
			"Nsight launches the kernel again for each group of counters, so its counters may be of runs that did not do "+
			"the same", n, p.kernel.record.Parity.Run))
	}
	c.Evidence = explain.Record(explain.Explain(in), r.res.Evidence.Profiler)
	slices.Sort(notes)
	c.Evidence.Notes, c.Evidence.Reports = slices.Compact(notes), reports
	c.Evidence.Roofline = []result.RooflineAt{explain.Roofline(result.SideBase, *c, in.Base), explain.Roofline(result.SideHead, *c, in.Head)}
	return nil
}

func measuredOf(c result.Case) explain.Measured {
	if c.Compared == nil {
		return explain.Measured{}
	}
	return explain.Measured{Log: c.Compared.Theta, Low: c.Compared.Low, High: c.Compared.High}
}

// notBuilt is the gap of a case that the records had the last word on: their side of it was never built. It is nil where both
// were.
func (p profiled) notBuilt() *result.Gap {
	c := p.record()
	text := "this side was not built in this run: a stored record settled the case"
	if c.Compared == nil {
		text = "this side was not built in this run: only records could settle the case, and they did not"
	}
	for _, s := range p.sides() {
		if s.library.Path == "" {
			return &result.Gap{Case: c.Name, Side: s.side, Kind: result.GapNothingProfiled, Text: text, Cure: "baseline.mode: paired"}
		}
	}
	return nil
}

// reportPath numbers reports instead of naming them after cases, whose names are the configuration's.
func (r *run) reportPath(p profiled, side result.Side) string {
	dir := r.opt.Profile.Dir
	if dir == "" {
		dir = filepath.Join(r.opt.Scratch, "profiles")
	}
	n := 0
	for _, k := range r.kernels {
		if k == p.kernel {
			break
		}
		n += len(k.cases)
	}
	return filepath.Join(dir, fmt.Sprintf("case%d-%s.ncu-rep", n+p.index+1, side))
}

func integers(c plan.Case) []explain.Param {
	var out []explain.Param
	for _, a := range c.Params {
		if n, err := strconv.ParseInt(a.Value.Text, 10, 64); err == nil {
			out = append(out, explain.Param{Name: a.Name, Value: n})
		}
	}
	return out
}

// instructions counts those of one launch on a CPU. More of them explain a change if they explain at least half of it.
func (r *run) instructions(ctx context.Context, tool profile.Counter, p profiled, limit time.Duration) error {
	c := p.record()
	if c.Compared == nil {
		r.gap(result.Gap{
			Case: c.Name, Kind: result.GapNotCompared, Text: "the gate did not compare this case, and a number of instructions alone is no time",
			Cure: "see why it was not compared: " + firstLine(c.Reason),
		})
		return nil
	}
	if gap := p.notBuilt(); gap != nil {
		r.gap(*gap)
		return nil
	}
	counts := map[result.Side]float64{}
	for _, s := range p.sides() {
		n, err := tool.Count(ctx, profile.Job{
			Runner: r.profiledSpec(s.library.Path), Case: p.plan.Spec(), Seed: strconv.FormatUint(r.opt.Seed, 10), Cache: p.kernel.plan.Kernel.Cache, Limit: limit / 2,
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.gap(countGap(tool.Name, c.Name, s.side, err))
			return nil
		}
		counts[s.side] = n
	}
	c.Evidence = explain.Record(explain.Instructions(measuredOf(*c), counts[result.SideBase], counts[result.SideHead]), tool.Name)
	c.Evidence.Roofline = []result.RooflineAt{explain.Roofline(result.SideBase, *c, profile.Profile{}), explain.Roofline(result.SideHead, *c, profile.Profile{})}
	return nil
}

// countGap says why instructions were not counted. That of a limit and that of code which fails under the tool have cures of
// their own.
func countGap(tool, name string, side result.Side, err error) result.Gap {
	g := result.Gap{Case: name, Side: side, Kind: result.GapOther, Text: tool + " could not count instructions", Said: firstLine(err.Error())}
	var fault *kernels.RunnerError
	switch {
	case errors.Is(err, profile.ErrCountTime):
		g.Kind, g.Text, g.Said = result.GapTimeLimit, tool+" took longer than it may to count the instructions of a launch", ""
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

// profiledSpec is how a runner starts in the rounds, for one that works under a profiler.
func (r *run) profiledSpec(library string) kernels.RunnerSpec {
	spec, _ := r.runnerSpec(library) // what cannot be listed for the sandbox cannot be read in it either
	spec.MemoryBytes = 0
	return r.watchedFromOutside(spec, ofProfilers)
}

// staticEvidence looks at the code of both sides of every kernel that was compared. What keeps it from that is said once.
func (r *run) staticEvidence(ctx context.Context) {
	if !r.device.target.IsCUDA() {
		return
	}
	said := false
	code := &profile.Disassembly{Nvcc: r.res.Toolchain.Compiler, Sandbox: r.sandbox, Scratch: r.opt.Scratch}
	for _, k := range r.kernels {
		if k.record.Status != result.KernelCompared || k.base.Path == "" {
			continue
		}
		s := profile.StaticSides{Kernel: k.record.Name, Base: k.base, Head: k.head, Arch: r.device.target.Arch, Code: code}
		for _, c := range k.cases {
			s.BaseLaunches = append(s.BaseLaunches, profile.Launches(c, result.SideBase)...)
			s.HeadLaunches = append(s.HeadLaunches, profile.Launches(c, result.SideHead)...)
		}
		found, gap := s.Compare(ctx)
		if len(found.Functions) > 0 {
			r.res.Evidence.Kernels = append(r.res.Evidence.Kernels, found)
		}
		if gap != nil && !said && ctx.Err() == nil {
			r.gap(*gap)
			said = true
		}
	}
}
