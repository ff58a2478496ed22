package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Profile says what is looked at beside the clock. The zero value profiles what the configuration thinks worth it.
type Profile struct {
	Policy string        // one of result.ProfilePolicies; "" is auto
	Dir    string        // where profiles are kept; "" keeps none
	First  int           // number of the first report, where shards keep theirs in one folder
	Limit  time.Duration // of all profiles together; 0 means defaultProfileLimit
}

const defaultProfileLimit = 4 * time.Minute

// explaining looks for the reasons of what was measured. It never fails a run: what cannot be had becomes a gap.
type explaining struct {
	opt       Question
	ask       Profile
	device    *device
	runners   *runners
	builds    *kernels.Sandbox
	toolchain result.Toolchain
	turns     *turns
	tracer    *profile.Tracer
}

// explain is the stage that says what of head's change nothing used, what was used although its change would not be compared, and looks for the reasons of
// what was measured.
func (s *session) explain(ctx context.Context, v *Values) (err error) {
	v.Uncompared = s.workshop.unusedFiles(v.Asked.Plan)
	if files := s.workshop.unwatchedReads(); len(files) > 0 {
		v.Measured.note("paths leaves out %s, though a process read it: a change of nothing else would pass without a run", few(files))
	}
	v.Evidence, err = s.explaining().evidence(ctx, &v.Measured)
	return err
}

func (s *session) explaining() *explaining {
	tracer := &profile.Tracer{Nvcc: s.records.toolchain.Compiler, Scratch: s.opt.Scratch}
	ask := s.opt.Profile
	ask.Limit = cmp.Or(ask.Limit, defaultProfileLimit)
	return &explaining{s.opt.Question, ask, s.device, s.runners, s.box.runners, s.records.toolchain, s.turns, tracer}
}

// profiled is the subject of a profile: a measured case with its kernel, and where it stands in what was measured.
type profiled struct {
	Kernel
	*Case
	number int // among all measured cases, from 1
}

var bothSides = []result.Side{result.SideBase, result.SideHead}

// build is that of a side.
func (k *Kernel) build(side result.Side) *Build {
	if side == result.SideBase {
		return &k.Base
	}
	return &k.Head
}

// evidence is explain for a run whose verdicts are decided: an interruption takes none of them back, and leaves out what it cut off.
func (x *explaining) evidence(ctx context.Context, m *Measured) (*result.Evidence, error) {
	e, err := x.explain(ctx, m)
	if err != nil && ctx.Err() != nil {
		m.note("interrupted while reasons were looked for: the verdicts stand, their evidence is incomplete")
		err = nil
	}
	return e, err
}

// explain looks at the worst cases with a profiler, at the compiled code, and at how time grows with work. The device is in use for the profiles only,
// and others have it while these are read. The error is the context's.
func (x *explaining) explain(ctx context.Context, m *Measured) (*result.Evidence, error) {
	start, waited := time.Now(), x.turns.waited
	e := &result.Evidence{Policy: cmp.Or(x.ask.Policy, result.ProfileAuto)}
	subjects, cases := subjectsOf(m)
	if e.Policy != result.ProfileNever {
		var chosen []profiled
		for _, i := range explain.Choose(cases, e.Policy, x.opt.Trusted.Config.Profile) {
			chosen = append(chosen, subjects[i])
		}
		looked, err := x.profileCases(ctx, chosen, e)
		if err != nil {
			return e, err
		}
		if err := x.turns.handBack(); err != nil {
			return e, err
		}
		for _, one := range looked {
			found, gap := one.read(ctx)
			if ctx.Err() != nil {
				return e, ctx.Err()
			}
			if addGap(e, gap); gap == nil {
				one.of.Evidence = found
			}
		}
		x.staticEvidence(ctx, m, e)
	}
	e.Scaling = explain.Remarkable(explain.Scaling(cases, x.device.multiprocessors()))
	e.Seconds = (time.Since(start) - (x.turns.waited - waited)).Seconds()
	return e, ctx.Err()
}

// subjectsOf are all measured cases, with what their profiles need and as the result has them.
func subjectsOf(m *Measured) (subjects []profiled, cases []result.Case) {
	for t, c := range m.cases() {
		if !c.Plan.Host { // what an interpreter does is in no profile of a kernel
			subjects, cases = append(subjects, profiled{*t, c, len(subjects) + 1}), append(cases, c.Record)
		}
	}
	return subjects, cases
}

// profileCases profiles what is worth it, worst first, until the limit is over. What cannot be profiled is a gap, said once where no profiler can look at
// several for one reason; the error is the context's.
func (x *explaining) profileCases(ctx context.Context, chosen []profiled, e *result.Evidence) (all []looked, err error) {
	said := map[string]bool{}
	chosen = slices.DeleteFunc(chosen, func(p profiled) bool {
		gap := x.runners.runnerOf(p.Kernel, x.opt).notProfiled(p)
		if gap != nil && !said[gap.Text] {
			said[gap.Text] = true
			addGap(e, gap)
		}
		return gap != nil
	})
	if len(chosen) == 0 {
		return nil, nil
	}
	lock, gap, err := x.profilerLock(ctx)
	if err != nil || gap != nil {
		addGap(e, gap)
		return nil, err
	}
	defer lock.Release()
	until := time.Now().Add(x.ask.Limit)
	look, gap := x.profiler(ctx, e)
	if gap != nil {
		addGap(e, gap)
		return nil, ctx.Err()
	}
	x.removeOldProfiles()
	if !x.device.target.IsCUDA() {
		chosen = chosen[:1] // callgrind is slow, and a launch of another size executes the same code
	}
	for i, p := range chosen {
		rest := time.Until(until)
		if rest <= 0 {
			addGap(e, &result.Gap{Kind: result.GapLeftOut, Text: fmt.Sprintf("%d of %d cases were left out, the time for profiles was over", len(chosen)-i, len(chosen)), Cure: "raise " + profile.LimitOption})
			break
		}
		x.opt.Progress(Progress{Stage: StageProfile, What: p.Record.Name, Done: i, Total: len(chosen)})
		read, gap := look(ctx, p, rest)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if addGap(e, gap); gap == nil {
			all = append(all, looked{&p.Record, read})
		}
	}
	return all, nil
}

// profilerLock keeps two profilers of this machine apart. It waits no longer than profiles may take; a lock that is held longer, or
// that cannot be had at all, is a gap.
func (x *explaining) profilerLock(ctx context.Context) (*machine.Lock, *result.Gap, error) {
	wait, cancel := context.WithTimeout(ctx, x.ask.Limit)
	defer cancel()
	held := ""
	lock, err := x.turns.acquire(wait, "profiler", machine.Alone, func(holder string) { held = holder })
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
func (x *explaining) removeOldProfiles() {
	if x.ask.Dir == "" || x.ask.First > 0 { // the folder is empty, or has what other shards made
		return
	}
	old, _ := filepath.Glob(filepath.Join(x.ask.Dir, "case*-*.ncu-rep")) // the pattern is well-formed
	for _, path := range old {
		os.Remove(path) // what stays is in no way: this run's reports have the names that result.json gives
	}
}

// looker gathers evidence on one case within a limit, or says why there is none.
type looker func(ctx context.Context, p profiled, limit time.Duration) (reading, *result.Gap)

// reading makes evidence of what was gathered, for which it needs no device.
type reading func(ctx context.Context) (*result.CaseEvidence, *result.Gap)

// looked is a case with what was gathered on it.
type looked struct {
	of   *result.Case
	read reading
}

// profiler is what this machine has to look into a launch with, or the gap that it leaves.
func (x *explaining) profiler(ctx context.Context, e *result.Evidence) (looker, *result.Gap) {
	if x.device.target.IsCUDA() {
		driver := ""
		if gpu := x.device.machine.GPU; gpu != nil {
			driver = gpu.Driver
		}
		tool, err := profile.FindNsight(ctx, x.toolchain.Compiler, driver)
		if err != nil {
			return nil, gapOf("", "", err)
		}
		e.Profiler = "Nsight Compute " + tool.Version
		return func(ctx context.Context, p profiled, limit time.Duration) (reading, *result.Gap) {
			return x.nsight(ctx, tool, p, limit)
		}, nil
	}
	tool, err := profile.FindCounter(ctx)
	if err != nil {
		return nil, &result.Gap{Kind: result.GapAbsent, Text: err.Error(), Cure: "install valgrind, or let perf count (kernel.perf_event_paranoid at 2 or less, on a machine with counters)"}
	}
	e.Profiler = tool.Name
	return func(ctx context.Context, p profiled, limit time.Duration) (reading, *result.Gap) {
		found, gap := x.instructions(ctx, tool, p, limit)
		return func(context.Context) (*result.CaseEvidence, *result.Gap) { return found, nil }, gap
	}, nil
}

func gapOf(name string, side result.Side, err error) *result.Gap {
	g := result.Gap{Kind: result.GapOther, Text: err.Error()}
	if failure, ok := errors.AsType[*profile.Failure](err); ok {
		g = failure.Gap
	}
	g.Case, g.Side = name, side
	return &g
}

// addGap notes what could not be looked at, where there is such a thing.
func addGap(e *result.Evidence, g *result.Gap) {
	if g != nil {
		e.Gaps = append(e.Gaps, *g)
	}
}

// launchesToProfile is the same for both sides.
func launchesToProfile(c result.Case) int {
	kernels, seconds := 0, 0.0
	if c.Launched != nil {
		kernels = max(len(c.Launched.Base), len(c.Launched.Head))
	}
	for _, side := range []*result.Summary{c.Base, c.Head} {
		if side != nil {
			seconds = max(seconds, side.MedianNS/1e9)
		}
	}
	return explain.LaunchesToProfile(measuredOf(c).Log, seconds, kernels)
}

func measuredOf(c result.Case) explain.Measured {
	if c.Compared() == nil {
		return explain.Measured{}
	}
	return explain.Measured{Log: c.Compared().Theta, Low: c.Compared().Low, High: c.Compared().High}
}

// notBuilt is the gap of a case that the records had the last word on: their side of it was never built. It is nil where both
// were.
func (p profiled) notBuilt() *result.Gap {
	text := "this side was not built in this run: a stored record settled the case"
	if p.Record.Compared() == nil {
		text = "this side was not built in this run: only records could settle the case, and they did not"
	}
	for _, side := range bothSides {
		if p.build(side).Runs.Tree == "" {
			return &result.Gap{Case: p.Record.Name, Side: side, Kind: result.GapNothingProfiled, Text: text, Cure: "baseline.mode: paired"}
		}
	}
	return nil
}

// staticEvidence looks at the code of both sides of every kernel that was compared. What keeps it from that is said once.
func (x *explaining) staticEvidence(ctx context.Context, m *Measured, e *result.Evidence) {
	if !x.device.target.IsCUDA() {
		return
	}
	said := false
	code := &profile.Disassembly{Nvcc: x.toolchain.Compiler, Sandbox: x.builds, Scratch: x.opt.Scratch}
	for _, t := range m.On {
		if t.Base.Library.Path == "" {
			continue
		}
		mine := t.Plan.Kernel
		s := profile.StaticSides{Kernel: t.Name(), Base: t.Base.Library, Head: t.Head.Library, Arch: x.device.target.Arch, Code: code}
		s.Shared = slices.ContainsFunc(x.opt.Trusted.Config.Kernels, func(k config.Kernel) bool {
			return mine.Adapter != "" && k.Adapter == mine.Adapter && k.Name != mine.Name
		})
		for _, c := range t.Cases {
			if c.Plan.Host {
				continue
			}
			s.BaseLaunches = append(s.BaseLaunches, profile.Launches(c.Record, result.SideBase)...)
			s.HeadLaunches = append(s.HeadLaunches, profile.Launches(c.Record, result.SideHead)...)
		}
		found, gap := s.Compare(ctx)
		if len(found.Functions) > 0 {
			e.Kernels = append(e.Kernels, found)
		}
		if gap != nil && !said && ctx.Err() == nil {
			addGap(e, gap)
			said = true
		}
	}
}
