package run

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// ask settles what a run is to do. A shard has a seed of its own, which is the run's from then on.
func ask(opt *Options, began time.Time) (Asked, error) {
	c := opt.Trusted.Config
	whole, part, err := plansOf(opt.Question)
	if err != nil {
		return Asked{}, err
	}
	if opt.Shard != nil {
		opt.Seed = opt.Shard.OwnSeed()
	}
	if opt.Rounds.Course != nil || opt.recording { // a goal would have no answer
		aimless := *c
		aimless.Goals, c = nil, &aimless
	}
	policy := Policy(c, whole, 0, opt.Competitors)
	policy = policy.On(began)
	policy.NeedsBase = opt.BaseNamed
	if opt.Rounds.Course != nil {
		policy.PlannedLooks, policy.Suite = len(opt.Rounds.Course.Looks), result.Suite{}
	}
	if err := policy.Validate(); err != nil {
		return Asked{}, err
	}
	a := Asked{Plan: part, HourPrice: c.Cost.GPUHour, Frame: result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "perfgate", Version: opt.Version}, Started: began.UTC(),
		Repro: opt.Repro, Seed: strconv.FormatUint(opt.Seed, 10), Policy: policy, BudgetS: c.Gate.Budget.Seconds(),
		Config: result.Config{
			File: filepath.Base(c.File), Path: filepath.ToSlash(filepath.Join(opt.Trusted.Dir, filepath.Base(c.File))), SHA256: c.SHA256,
			Trust: opt.Trusted.Trust, Changed: opt.Trusted.Changed,
		},
		Base: opt.Base.Info,
		Head: opt.Head.Info,
	}}
	if s := opt.Shard; s != nil {
		a.Frame.Shard = &result.Shard{Index: s.Index, Of: s.Of, Seed: strconv.FormatUint(s.Seed, 10)}
	}
	if a.Dropped, err = dropped(opt.Question); err != nil {
		return a, err
	}
	if opt.Trusted.NoBaseConfig {
		a.Frame.Notes = []string{"base has no configuration, so head's own was used"}
	}
	if whole.IsPart && c.Suite.IsSet() {
		a.Frame.Notes = append(a.Frame.Notes, "the suite was not tested: kernels or cases were chosen, and it is about all of them")
	}
	if whole.IsPart && len(c.Goals) > 0 {
		a.Frame.Notes = append(a.Frame.Notes, "no goal was tested: kernels or cases were chosen, and goals are about all of them")
	}
	a.Frame.Notes = append(a.Frame.Notes, copyNotes(opt.Head)...)
	return a, nil
}

// plansOf are the plan of all that was asked for, and the part of it that this run takes. A plan with benchmarks is cut when their cases are known.
func plansOf(opt Question) (whole, part *plan.Plan, err error) {
	if whole, err = plan.New(opt.Trusted.Config, opt.Only); err != nil {
		return nil, nil, err
	}
	if len(opt.Cases) > 0 {
		if whole, err = whole.Cases(opt.Cases, nil); err != nil {
			return nil, nil, result.Usagef("--case: %w", err)
		}
	}
	if opt.Shard == nil || whole.HasUnknown() {
		return whole, whole, nil
	}
	part, err = whole.Shard(*opt.Shard)
	return whole, part, err
}

// Policy is the decision policy of a configuration for a whole plan, and found cases more that benchmarks have. manual says that competitors with
// when: manual are measured. The day that its waivers are judged by is the caller's to set: see result.Policy.On.
func Policy(c *config.Config, p *plan.Plan, found int, manual bool) result.Policy {
	var tolerances []result.CaseTolerance
	for _, t := range c.Tolerances {
		tolerances = append(tolerances, result.CaseTolerance{Cases: t.Cases, Tolerance: t.Tolerance, FloorNS: float64(t.Floor)})
	}
	var waivers []result.Waiver
	for _, w := range c.Waivers {
		if !p.IsPart || p.HasCase(w.Cases) { // one of a case that is left out is not missed
			waivers = append(waivers, result.Waiver(w))
		}
	}
	var suite result.Suite
	var goals []config.Goal
	if !p.IsPart { // both are of all cases together
		suite, goals = result.Suite{Tolerance: c.Suite.Tolerance, Worst: c.Suite.Worst}, c.Goals
		for _, w := range c.Suite.Weights {
			suite.Weights = append(suite.Weights, result.CaseWeight(w))
		}
	}
	minSpeedups, competitors := p.Beside(manual, goals)
	var wanted []result.Goal
	for _, g := range goals {
		wanted = append(wanted, result.Goal(g))
	}
	return result.Policy{
		Tolerance: c.Gate.Tolerance, Tolerances: tolerances, Waivers: waivers, Suite: suite, Improvement: c.Gate.Improvement, Confidence: c.Gate.Confidence,
		OnInconclusive: result.OnInconclusive(c.Gate.OnInconclusive), Cases: max(1, p.K+found), MinSpeedups: minSpeedups, Goals: wanted, Competitors: competitors, Rule: result.RuleVersion,
	}
}

// unwatched says why there is nothing to build or time where head changes no file that matters; nil where there is. Flags of one side are a
// change too.
func unwatched(o Question) *result.Reason {
	if !o.ChangesKnown || o.NoSkip || len(o.Base.Info.Flags)+len(o.Head.Info.Flags) > 0 || len(plan.Watched(o.Trusted.Config, o.ChangedFiles)) > 0 {
		return nil
	}
	base := o.Base.Info
	switch {
	case len(o.ChangedFiles) > 0:
		return &result.Reason{Kind: result.ReasonUnwatched}
	case strings.HasPrefix(base.Label, repo.MergeBase) && base.Revision == o.Head.Info.Revision:
		return &result.Reason{Kind: result.ReasonHeadIsBase, Name: base.Label}
	}
	return &result.Reason{Kind: result.ReasonNoChange}
}

func buildsByCommand(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return k.Kernel.RunsCommands() })
}
