package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// runner is how a kernel runs, in processes that are all asked by one interface (kernels.Process): the harness with the libraries of an adapter, or a
// benchmark, which times itself. The stages are the same for all kernels; what differs is behind this.
type runner interface {
	// subject is a case as rounds take it.
	subject(k Kernel, c plan.Case) measure.Subject
	// observed is what a process of a side asks for that launches every measured case, and by which nothing is decided. why is set where it does not get
	// that far: the rounds will say more.
	observed(ctx context.Context, k Kernel, side result.Side) (asked observe.Report, why string, err error)
	// claim is the proof that both sides may have of being the same.
	claim(k Kernel) claim
	// notProfiled says why no profiler can see a launch of a case, with what helps; nil where one can.
	notProfiled(p profiled) *result.Gap
	// job is a launch of one side of a case for Nsight Compute, within a limit. leave takes away what it needs meanwhile.
	job(p profiled, side result.Side, limit time.Duration) (j profile.Job, leave func(), err error)
}

// runnerOf is what runs a kernel.
func (r *runners) runnerOf(k Kernel, opt Question) runner {
	if k.Plan.Kernel.IsSelfTimed() {
		return selfTimed{newProgram(k, r, opt), r, opt}
	}
	return adapted{r, opt}
}

// adapted runs kernels by the harness, with the libraries of their adapters.
type adapted struct {
	*runners
	opt Question
}

func (adapted) notProfiled(profiled) *result.Gap { return nil }

func (a adapted) subject(k Kernel, c plan.Case) measure.Subject {
	settings := k.Plan.Kernel
	side := measure.Variant{
		Judge: k.timedJudge(a.opt.Trusted), Waits: startsAhead(k, settings.Adapter, k.Base.Library, k.Head.Library),
		Shares: !settings.IsInterpreted() && settings.Build == nil, // what a command built may hold anything for the whole process
	}
	return measure.Subject{
		Name: c.Name(), Spec: c.Spec(), Cache: settings.Cache, Host: c.Host, Tolerances: tolerances(settings.Parity),
		Variants: append([]measure.Variant{
			side.As(result.VariantBase, k.Base.Library.Path), side.As(result.VariantHead, k.Head.Library.Path),
		}, k.measuredCompetitors(a.opt.Trusted)...),
	}
}

// observed runs one a process that sets up and launches every measured case, and finds nothing compiled by another.
func (a adapted) observed(ctx context.Context, k Kernel, side result.Side) (asked observe.Report, why string, err error) {
	if side == result.SideHead {
		k.Base = k.Head // of a record there is one side
	}
	caches, err := os.MkdirTemp(a.opt.Scratch, "observed-")
	if err != nil {
		return asked, "", fmt.Errorf("make a folder for what an observed process compiles: %w", err)
	}
	defer os.RemoveAll(caches)
	l := a.of(k)
	r, err := l.begin(ctx, func() (kernels.RunnerSpec, error) {
		s, err := l.spec(k.Base.Library.Path)
		s.Observe = &observe.Options{Own: nonEmpty(caches, a.opt.Cache, filepath.Dir(a.harness)), Caches: observe.SharedCaches(os.Environ()),
			Kept: kernels.EnvironmentFolders(a.opt.Cache)}
		s.Caches = caches
		return s, err
	})
	var fault *kernels.RunnerError
	if errors.As(err, &fault) {
		return asked, fmt.Sprintf("%s's process, which was to be observed, did not start: %v", side, fault), nil
	}
	if err != nil {
		return asked, "", err
	}
	if err = a.launchAll(ctx, r, k); err == nil {
		r.AtEnd(ctx)
	}
	r.Close()
	if errors.As(err, &fault) {
		return asked, fmt.Sprintf("%s does not launch every case while it is observed: %v", side, fault), nil
	}
	return r.Observed(), "", err
}

// askLimit is how long a side may take to launch one case where nothing is timed.
const askLimit = 3 * time.Minute

// launchAll sets up and launches every measured case of a kernel, as what times them does.
func (a adapted) launchAll(ctx context.Context, r *kernels.Runner, k Kernel) error {
	for _, c := range k.Plan.Measured {
		args := map[string]any{"case": c.Spec()}
		if err := r.Call(ctx, "spec", c.Name(), args, new(kernels.SpecReply), askLimit); err != nil {
			return err
		}
		args["seed"], args["cache"] = strconv.FormatUint(a.opt.Seed, 10), k.Plan.Kernel.Cache
		if err := r.Call(ctx, "probe", c.Name(), args, new(kernels.ProbeReply), askLimit); err != nil {
			return err
		}
	}
	return nil
}

// claim is that of equal libraries by what runs them, else by what their builds ask for as well.
func (a adapted) claim(k Kernel) claim {
	c := claim{libraries: identity.Pair{Base: k.Base.Library.Path, Head: k.Head.Library.Path}, showsShared: equalCode(k, a.device.target)}
	switch {
	case c.showsShared:
		c.proof, c.sameCode = result.ReasonIdentical, true
		if kernels.IsHosted(k.Head.Library.Path) {
			c.proof = result.ReasonSameFiles
		}
	case k.observedBuild() && !builtOtherwise(a.opt, k.Plan.Kernel):
		c.proof, c.built = result.ReasonSameFiles, observe.Union(k.Base.Asked, k.Base.Library.Asked)
		c.ownCompile = k.Plan.Kernel.Build == nil
	}
	return c
}

// job gives a side half of the time that both may take. Under a profiler autotuners would choose by its clock, so they have the configuration that most
// of the timed processes chose.
func (a adapted) job(p profiled, side result.Side, limit time.Duration) (profile.Job, func(), error) {
	spec := a.of(p.Kernel).profiled(p.build(side).Library.Path)
	if choices := p.Record.Choices(side.Variant()); len(choices) > 0 {
		spec.Chosen = choices[0].Config
	}
	return profile.Job{
		Runner: spec, Case: p.Case.Plan.Spec(), Seed: strconv.FormatUint(a.opt.Seed, 10), Cache: p.Kernel.Plan.Kernel.Cache, Limit: limit / 2,
		Times: launchesToProfile(p.Record),
	}, func() {}, nil
}
