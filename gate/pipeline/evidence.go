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
	"github.com/org/perfgate/gate/profile/count"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/profile/ncu"
	"github.com/org/perfgate/gate/profile/static"
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

// evidence looks for the reasons of what was measured. It never fails a run: what cannot be had becomes a gap. The error
// is the context's.
func (r *run) evidence(ctx context.Context) error {
	start := time.Now()
	r.res.Evidence = &result.Evidence{Policy: r.opt.Profile.policy()}
	if r.res.Evidence.Policy != result.ProfileNever {
		if err := r.profileCases(ctx); err != nil {
			return err
		}
		r.staticEvidence(ctx)
	}
	r.res.Evidence.Scaling = profile.Remarkable(profile.Scaling(r.allCases()))
	r.res.Evidence.Seconds = time.Since(start).Seconds()
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
	until := time.Now().Add(r.opt.Profile.limit())
	lock, err := machine.Acquire(ctx, "profiler", func(holder string) { r.progress(Progress{Stage: StageWait, What: holder}) })
	if err != nil {
		return err
	}
	defer lock.Release()
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
			r.gap(result.Gap{Kind: "left-out", Text: fmt.Sprintf("%d of %d cases were left out, the time for profiles was over", len(chosen)-i, len(chosen)), Cure: "raise --profile-limit"})
			break
		}
		r.progress(Progress{Stage: StageProfile, What: p.record().Name, Done: i, Total: len(chosen)})
		if err := look(ctx, p, left); err != nil {
			return err
		}
	}
	return nil
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
	for _, i := range profile.Choose(all, r.opt.Profile.policy(), r.config.Profile) {
		out = append(out, where[i])
	}
	return out
}

// looker gathers evidence on one case within a limit. Its error is the context's.
type looker func(ctx context.Context, p profiled, limit time.Duration) error

// profiler is what this machine has to look into a launch with, or the gap that it leaves.
func (r *run) profiler(ctx context.Context) (looker, *result.Gap) {
	if r.device.target.IsCUDA() {
		tool, err := ncu.Find(ctx, r.res.Toolchain.Compiler)
		if err != nil {
			return nil, gapOf("", "", err)
		}
		r.res.Evidence.Profiler = "Nsight Compute " + tool.Version
		return func(ctx context.Context, p profiled, limit time.Duration) error { return r.nsight(ctx, tool, p, limit) }, nil
	}
	tool, err := count.Find(ctx)
	if err != nil {
		return nil, &result.Gap{Kind: ncu.Absent, Text: err.Error(), Cure: "install valgrind, or let perf count (kernel.perf_event_paranoid at 2 or less, on a machine with counters)"}
	}
	r.res.Evidence.Profiler = tool.Name
	return func(ctx context.Context, p profiled, limit time.Duration) error {
		return r.instructions(ctx, tool, p, limit)
	}, nil
}

func gapOf(name, side string, err error) *result.Gap {
	g := &result.Gap{Case: name, Side: side, Kind: ncu.Other, Text: err.Error()}
	var failure *ncu.Failure
	if errors.As(err, &failure) {
		g.Kind, g.Text, g.Said, g.Cure = failure.Kind, failure.Text, failure.Said, failure.Cure
	}
	return g
}

func (r *run) gap(g result.Gap) { r.res.Evidence.Gaps = append(r.res.Evidence.Gaps, g) }

// nsight profiles both sides of a case with the same inputs and explains the difference.
func (r *run) nsight(ctx context.Context, tool ncu.Tool, p profiled, limit time.Duration) error {
	c := p.record()
	in := explain.Input{
		Measured: explain.Measured{Log: c.Compared.Theta, Low: c.Compared.Low, High: c.Compared.High}, Params: integers(p.plan),
		BaseMHz: profile.Clock(result.SideBase, *c), HeadMHz: profile.Clock(result.SideHead, *c),
	}
	var notes, reports []string
	for _, s := range []struct {
		side    string
		library kernels.Library
		to      *ncu.Profile
	}{{result.SideBase, p.kernel.base, &in.Base}, {result.SideHead, p.kernel.head, &in.Head}} {
		if s.library.Path == "" {
			r.gap(result.Gap{Case: c.Name, Side: s.side, Kind: ncu.NothingProfiled, Text: "this side was not built in this run: a stored record settled the case", Cure: "baseline.mode: paired"})
			return nil
		}
		capture, err := tool.Run(ctx, ncu.Job{
			Runner: r.profiledSpec(s.library.Path), Case: p.plan.Spec(), Seed: strconv.FormatUint(r.opt.Seed, 10),
			Cache: p.kernel.plan.Kernel.Cache, Report: r.reportPath(p, s.side), Limit: limit / 2, Metrics: explain.Asked(),
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.gap(*gapOf(c.Name, s.side, err))
			return nil
		}
		*s.to = capture.Profile
		notes = append(notes, capture.Notes...)
		if r.opt.Profile.Dir != "" {
			reports = append(reports, filepath.Join(filepath.Base(r.opt.Profile.Dir), filepath.Base(capture.Report)))
		}
	}
	c.Evidence = profile.Record(explain.Explain(in), r.res.Evidence.Profiler)
	slices.Sort(notes)
	c.Evidence.Notes, c.Evidence.Reports = slices.Compact(notes), reports
	c.Evidence.Roofline = []result.RooflineAt{profile.Roofline(result.SideBase, *c, in.Base), profile.Roofline(result.SideHead, *c, in.Head)}
	return nil
}

// reportPath numbers reports instead of naming them after cases, whose names are the configuration's.
func (r *run) reportPath(p profiled, side string) string {
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
func (r *run) instructions(ctx context.Context, tool count.Tool, p profiled, limit time.Duration) error {
	c := p.record()
	counts := map[string]float64{}
	for side, library := range map[string]kernels.Library{result.SideBase: p.kernel.base, result.SideHead: p.kernel.head} {
		n, err := tool.Count(ctx, count.Job{
			Runner: r.profiledSpec(library.Path), Case: p.plan.Spec(), Seed: strconv.FormatUint(r.opt.Seed, 10), Cache: p.kernel.plan.Kernel.Cache, Limit: limit / 2,
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.gap(result.Gap{Case: c.Name, Side: side, Kind: ncu.Other, Text: tool.Name + " could not count instructions: " + err.Error(), Cure: "the verdict does not depend on it"})
			return nil
		}
		counts[side] = n
	}
	measured := explain.Measured{Log: c.Compared.Theta, Low: c.Compared.Low, High: c.Compared.High}
	c.Evidence = profile.Record(explain.Instructions(measured, counts[result.SideBase], counts[result.SideHead]), tool.Name)
	return nil
}

// profiledSpec is how a runner starts in the rounds, for one that works under a profiler.
func (r *run) profiledSpec(library string) kernels.RunnerSpec {
	spec, _ := r.runnerSpec(library) // what cannot be listed for the sandbox cannot be read in it either
	spec.MemoryBytes = 0
	return r.watchedFromOutside(spec)
}

// staticEvidence looks at the code of both sides of every kernel that was compared.
func (r *run) staticEvidence(ctx context.Context) {
	if !r.device.target.IsCUDA() {
		return
	}
	for _, k := range r.kernels {
		if k.record.Status != result.KernelCompared {
			continue
		}
		s := static.Sides{Kernel: k.record.Name, Base: k.base, Head: k.head, Arch: r.device.target.Arch, Nvcc: r.res.Toolchain.Compiler}
		s.BaseLaunches, s.HeadLaunches = k.launches()
		if found := s.Compare(ctx); len(found.Functions) > 0 {
			r.res.Evidence.Kernels = append(r.res.Evidence.Kernels, found)
		}
	}
}

// launches are those that profiles saw of a kernel's cases.
func (k *kernelRun) launches() (base, head []result.Launch) {
	for _, c := range k.cases {
		if c.Evidence == nil {
			continue
		}
		for _, l := range c.Evidence.Launches {
			if l.Base != nil {
				base = append(base, *l.Base)
			}
			if l.Head != nil {
				head = append(head, *l.Head)
			}
		}
	}
	return base, head
}
