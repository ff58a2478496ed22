package search

import (
	"slices"

	"github.com/org/perfgate/gate/result"
)

// unchecked are the kinds that say that less than usual speaks for the candidate.
var unchecked = []result.FindingKind{
	result.FindingParityOff, result.FindingParityUnavailable, result.FindingSelfTimed, result.FindingProcessTime, result.FindingNotCompared,
}

// Take puts what a run found into an answer, in the place of what the run before it found. Rounds and processes add up.
func (a *Answer) Take(out Outcome, res *result.Result) {
	a.Verdict, a.Faults, a.Ratio, a.SmallestEffect = out.Verdict, out.Faults, nil, 0
	if out.Stand != nil {
		a.Ratio, a.SmallestEffect = result.ShiftOf(&out.Stand.Compared), out.Stand.Compared.MDE
	}
	for _, r := range res.Rounds {
		a.Rounds, a.Processes = a.Rounds+1, a.Processes+len(r.Order)
	}
	a.Sandboxed = res.Sandbox != nil && res.Sandbox.Mode == result.SandboxOn && res.Sandbox.Kernels
	a.Cases, a.Parity, a.Unchecked, a.Ignored = nil, nil, nil, res.Config.Changed
	for _, f := range res.Conclusion.Findings {
		isFault := slices.ContainsFunc(out.Faults, func(fault Fault) bool { return fault.Kind == f.Kind && fault.Kernel == f.Kernel })
		if !isFault && slices.Contains(unchecked, f.Kind) {
			a.Unchecked = append(a.Unchecked, f)
		}
	}
	for _, c := range res.Cases {
		a.Cases = append(a.Cases, caseAnswer(c))
	}
	for _, k := range res.Kernels {
		a.Parity = append(a.Parity, JudgedParity{Kernel: k.Name, Status: k.Parity.Status, Seed: k.Parity.Seed, Run: k.Parity.Run, Failure: k.Parity.Failure})
	}
	a.Notes = append(a.Notes, res.Notes...)
	if out.Unconfirmed {
		a.Notes = append(a.Notes, "it is faster by the clock of its process, and an external timing check does not see half of that: ask again with --recheck")
	}
}

func caseAnswer(c result.Case) JudgedCase {
	out := JudgedCase{Name: c.Name, Verdict: c.Verdict, Ratio: result.ShiftOf(c.Compared())}
	if s := c.Head; s != nil {
		out.MedianNS, out.GFlops, out.GBytesPerSec, out.RooflineShare = s.MedianNS, s.GFlops, s.GBytesPerSec, s.RooflineShare
	}
	if c.Evidence != nil {
		out.Causes = causes(c.Evidence)
	}
	return out
}

// causes are those of a case. What is said of an improvement is what the other side suffered from, so it holds no advice.
func causes(e *result.CaseEvidence) (out []JudgedCause) {
	for _, c := range e.Causes {
		one := JudgedCause{ID: c.ID, Title: c.Title, Side: result.SideBase, Share: c.Share, Facts: c.Facts, Changes: c.Changes}
		if e.Log > 0 {
			one.Side, one.Remedy = result.SideHead, c.Remedy
		}
		out = append(out, one)
	}
	return out
}
