package run

import (
	"slices"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// Assemble makes the result of a run of what its stages found out. Nothing that was planned disappears: every kernel and every case
// of the plan is in it, in the plan's order.
func (v Values) Assemble() *result.Result {
	res := v.frame()
	if why := v.Asked.NothingToDo; why != nil {
		res.Conclusion = rule.NothingToDo(*why)
		return res
	}
	m := v.Measured
	res.Rounds, res.WarmUp, res.Baseline, res.Evidence = m.Rounds, m.WarmUp, m.Baseline, v.Evidence
	res.Kernels = inPlanOrder(v.Asked.Plan, m.Kernels)
	cases := map[string][]result.Case{}
	for t, c := range m.cases() {
		cases[t.Name()] = append(cases[t.Name()], c.Record)
	}
	for i, k := range res.Kernels {
		if own := cases[k.Name]; own != nil {
			res.Cases = append(res.Cases, own...)
		} else {
			res.Cases = append(res.Cases, untimed(k, v.Asked.Plan.Kernels[i].Measured)...)
		}
		res.Cases = append(res.Cases, v.Builds.Untimed[k.Name]...)
	}
	for _, d := range v.Asked.Dropped {
		d.records(res)
	}
	res.Uncompared = v.Uncompared
	res.Conclusion = rule.ConcludePart(rule.Part{Kernels: res.Kernels, Cases: res.Cases, Uncompared: res.Uncompared, IsShard: res.Shard != nil}, res.Policy)
	res.Cost = result.NewCost(v.Asked.HourPrice, res.Timings)
	return res
}

// AssembleParity makes the result of a run that only checked parity: kernels and a conclusion, no cases.
func (v Values) AssembleParity() *result.Result {
	res := v.frame()
	res.Kernels = inPlanOrder(v.Asked.Plan, v.Checked.Kernels)
	res.Conclusion = rule.ConcludeParity(res.Kernels)
	return res
}

// frame is what does not hang on how a run went.
func (v Values) frame() *result.Result {
	res, s := v.Asked.Frame, v.Surroundings
	res.Machine, res.Toolchain, res.Sandbox = s.Machine, s.Toolchain, s.Sandbox
	res.Timings = result.Timings{TotalS: s.TotalS, WaitS: s.WaitS, CompileS: s.CompileS}
	res.Notes = slices.Clone(res.Notes)
	for _, a := range []Account{v.Builds.Account, v.Checked.Account, v.Measured.Account} {
		res.Notes = append(res.Notes, a.Notes...)
		res.Timings.CompileS += a.CompileS
		res.Timings.RunnersS += a.RunnersS
		res.Timings.Phases = res.Timings.Phases.Plus(a.Phases)
	}
	if v.Evidence != nil {
		res.Timings.RunnersS += v.Evidence.Seconds
	}
	res.Notes = append(res.Notes, s.Notes...)
	t := &res.Timings
	t.OverheadS = t.TotalS - t.CompileS - t.RunnersS - t.WaitS
	return &res
}

// inPlanOrder are all planned kernels with what became of them.
func inPlanOrder(p *plan.Plan, ks Kernels) []result.Kernel {
	became := map[string]result.Kernel{}
	for _, k := range ks.Ended {
		became[k.Name] = k
	}
	for _, k := range ks.On {
		became[k.Name()] = *k.last()
	}
	out := make([]result.Kernel, len(p.Kernels))
	for i, k := range p.Kernels {
		out[i] = became[k.Kernel.Name]
	}
	return out
}

// untimed are the cases of a kernel that ended before they could be timed.
func untimed(k result.Kernel, planned []plan.Case) []result.Case {
	verdict := result.Skipped
	switch k.Status {
	case result.KernelNew:
		verdict = result.New
	case result.KernelIdentical:
		verdict = result.Same
	}
	var out []result.Case
	for _, p := range planned {
		c := newCase(p)
		c.Verdict, c.Reason = verdict, k.Reason
		out = append(out, c)
	}
	return out
}

// newCase is a planned case of which nothing is known yet.
func newCase(p plan.Case) result.Case {
	return result.Case{Name: p.Name(), Kernel: p.Kernel, Params: p.ID().Params, Verdict: result.Undecided}
}
