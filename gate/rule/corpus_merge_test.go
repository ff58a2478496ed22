package rule_test

import (
	"errors"
	"fmt"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// merge makes one of several runs.
type merge struct {
	Machines int      `json:"machines"` // that are expected to have measured the whole plan
	Trusted  *policy  `json:"trusted"`  // policy of the configuration that counts; nil takes the word of the runs
	Accept   []string `json:"accept"`
	Parts    []*run   `json:"parts"`
}

// mergeAnswer is one result of several, or why there is none.
type mergeAnswer struct {
	Refused    string         `json:"refused,omitempty"` // forged, or unfit: parts that do not belong together
	Conclusion *conclusion    `json:"conclusion,omitempty"`
	Kernels    []mergedKernel `json:"kernels,omitempty"`
	Cases      []mergedCase   `json:"cases,omitempty"`
	Parts      []string       `json:"parts,omitempty"` // verdicts
	Accepted   []string       `json:"accepted,omitempty"`
	Notes      int            `json:"notes,omitempty"`
}

type mergedCase struct {
	Name    string `json:"name"`
	Machine string `json:"machine,omitempty"`
	Verdict string `json:"verdict"`
}

// mergedKernel is the worse of what its parts say of a kernel.
type mergedKernel struct {
	Name        string   `json:"name"`
	Status      string   `json:"status"`
	Parity      string   `json:"parity"`
	Run         int      `json:"run"`
	Failed      [2]bool  `json:"failed"` // base and head
	Limits      int      `json:"limits,omitempty"`
	Uncompared  int      `json:"uncompared,omitempty"`
	Competitors []string `json:"competitors,omitempty"` // statuses
}

func (m *merge) answer() (any, error) {
	var inputs []rule.MergeInput
	for i, part := range m.Parts {
		res, _, err := part.decided()
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, rule.MergeInput{Name: fmt.Sprint("part ", i), Result: res})
	}
	opt := rule.MergeOptions{Machines: m.Machines}
	if m.Trusted != nil {
		p := m.Trusted.today()
		opt.Policy = &p
	}
	merged, err := rule.Merge(inputs, opt)
	switch {
	case errors.Is(err, rule.ErrForged):
		return mergeAnswer{Refused: "forged"}, nil
	case err != nil:
		return mergeAnswer{Refused: "unfit"}, nil
	}
	out := mergeAnswer{Accepted: accept(merged, m.Accept), Notes: len(merged.Notes)}
	c := conclusionOf(merged.Conclusion)
	out.Conclusion = &c
	for _, k := range merged.Kernels {
		out.Kernels = append(out.Kernels, mergedKernelOf(k))
	}
	for _, c := range merged.Cases {
		out.Cases = append(out.Cases, mergedCase{c.Name, c.Machine, string(c.Verdict)})
	}
	for _, part := range merged.Merged {
		out.Parts = append(out.Parts, string(part.Verdict))
	}
	return out, nil
}

func mergedKernelOf(k result.Kernel) mergedKernel {
	failed := func(b *result.Build) bool { return b != nil && b.Failed }
	out := mergedKernel{
		Name: k.Name, Status: string(k.Status), Parity: string(k.Parity.Status), Run: k.Parity.Run, Failed: [2]bool{failed(k.Base), failed(k.Head)},
		Limits: len(k.Limits), Uncompared: len(k.Uncompared),
	}
	for _, r := range k.Competitors {
		out.Competitors = append(out.Competitors, string(r.Status))
	}
	return out
}

// parityRun checks parity alone.
type parityRun struct {
	Kernels []kernel `json:"kernels"`
}

func (p *parityRun) answer() (any, error) {
	var kernels []result.Kernel
	for _, k := range p.Kernels {
		kernels = append(kernels, k.today())
	}
	return runAnswer{Conclusion: conclusionOf(rule.ConcludeParity(kernels))}, nil
}

// idle is a run that has nothing to measure.
type idle struct {
	Reason string `json:"reason"`
}

func (i *idle) answer() (any, error) {
	return runAnswer{Conclusion: conclusionOf(rule.NothingToDo(*whyOf(i.Reason)))}, nil
}

// touched is what a change touches, found out by compiling both sides.
type touched struct {
	Kernels []touchedKernel `json:"kernels"`
}

type touchedKernel struct {
	Name      string   `json:"name"`
	Same      bool     `json:"same"`
	Failed    []string `json:"failed"` // sides
	Limits    []limit  `json:"limits"`
	Unchecked string   `json:"unchecked"`
}

type touchedAnswer struct {
	Verdict  string   `json:"verdict"`
	Exit     int      `json:"exit"`
	Measure  []bool   `json:"measure"` // each kernel, and any
	Problems []string `json:"problems"`
}

func (t *touched) answer() (any, error) {
	var in result.Precheck
	for _, k := range t.Kernels {
		one := result.PrecheckKernel{Kernel: result.Kernel{Name: k.Name, Base: new(result.Build), Head: new(result.Build), Reason: whyOf(k.Unchecked)}, Same: k.Same}
		if one.Reason != nil {
			one.Status = result.KernelError
		}
		for _, side := range k.Failed {
			map[result.Side]*result.Build{result.SideBase: one.Base, result.SideHead: one.Head}[result.Side(side)].Failed = true
		}
		for _, l := range k.Limits {
			one.Limits = append(one.Limits, result.OverLimit{Key: l.Key, Needs: l.Needs, Limit: l.Limit})
		}
		in.Kernels = append(in.Kernels, one)
	}
	rule.ConcludePrecheck(&in)
	out := touchedAnswer{Verdict: string(in.Conclusion.Verdict), Exit: int(in.Conclusion.Exit), Problems: result.Words(rule.Problems(in.Conclusion))}
	for _, k := range in.Kernels {
		out.Measure = append(out.Measure, k.Measure)
	}
	out.Measure = append(out.Measure, in.Measure)
	return out, nil
}
