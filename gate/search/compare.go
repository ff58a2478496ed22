package search

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/stats"
)

// CompareOptions says how to compare. Policy.Cases and Policy.PlannedLooks are set from the data: files are looked at once.
type CompareOptions struct {
	Policy    result.Policy
	Paired    bool     // processes pair up in file order
	SessionSD *float64 // how much sessions (or, with one process a side, processes) scatter: 0.005 is 0.5 %; nil if not known
	QuantumNS float64  // step of the timer where the file does not say
}

// assumedProcessSD is how much processes are taken to scatter where a side has only one and the flags say no better.
// Recorded GPU kernels of 60 µs and more scatter by 0.01 to 0.2 %, CPU kernels on shared machines by 1 to 3 %.
const assumedProcessSD = 0.01

// minProcesses is the fewest processes a side that are compared, which the sentence of ReasonFewValues says.
const minProcesses = 4

// batches is into how many consecutive stretches a single process is cut. Means of stretches are nearly independent
// where single launches are not (the method of batch means: Schmeiser 1982, Operations Research 30(3)).
const batches = 20

// ComparedCase is the comparison of one case.
type ComparedCase struct {
	Name          string             `json:"name"`
	Verdict       result.Verdict     `json:"verdict"`
	Reason        *result.Reason     `json:"reason,omitempty"`
	ErrorSide     result.Side        `json:"errorSide,omitempty"`
	BaseNS        float64            `json:"baseNs,omitempty"` // geometric mean of process values
	HeadNS        float64            `json:"headNs,omitempty"`
	BaseProcesses int                `json:"baseProcesses"`
	HeadProcesses int                `json:"headProcesses"`
	Comparison    *result.Comparison `json:"comparison,omitempty"`
}

// Source says where a side came from.
type Source struct {
	Path   string `json:"path"`
	Format string `json:"format"`
}

// CompareSchema names the format of a saved comparison.
const CompareSchema = "perfgate/compare/v2"

// Comparison is the outcome of a comparison.
type Comparison struct {
	Schema     string            `json:"schema"`
	Old        Source            `json:"old"`
	New        Source            `json:"new"`
	Method     string            `json:"method"` // paired or unpaired
	SessionSD  float64           `json:"sessionSd"`
	Policy     result.Policy     `json:"policy"`
	Rows       []ComparedCase    `json:"cases"`
	Conclusion result.Conclusion `json:"conclusion"`
	Notes      []string          `json:"notes"`
}

// CompareSets compares every case of base with that of head and concludes. The policy must be valid.
func CompareSets(base, head benchmark.Set, o CompareOptions) (Comparison, error) {
	d := Comparison{
		Schema: CompareSchema,
		Old:    Source{base.Path, base.Format},
		New:    Source{head.Path, head.Format},
		Method: "unpaired",
		Notes:  []string{},
	}
	if o.Paired {
		d.Method = "paired"
	}
	pairs, skipped := match(base, head)
	o.Policy.PlannedLooks = 1
	both := slices.DeleteFunc(slices.Clone(pairs), func(p casePair) bool { return p.base == nil || p.head == nil })
	o.Policy.Cases = max(1, len(both))
	if err := o.Policy.Validate(); err != nil {
		return Comparison{}, err
	}
	if o.SessionSD != nil {
		d.SessionSD = *o.SessionSD
	}
	// Of one process a side, differences between processes cannot be seen.
	single := !o.Paired && slices.ContainsFunc(both, func(p casePair) bool { return len(p.base.Processes) == 1 || len(p.head.Processes) == 1 })
	if single && o.SessionSD == nil {
		d.SessionSD = assumedProcessSD
	}
	d.Policy = o.Policy
	d.Rows = compareAll(pairs, d.SessionSD, o)
	d.Notes = append(d.Notes, notes(base, head, d, o, single)...)
	if skipped > 0 {
		d.Notes = append(d.Notes, text.Count(skipped, "case")+" that the benchmark itself skips on both sides left out")
	}
	cases := make([]result.Case, len(d.Rows))
	for i, r := range d.Rows {
		cases[i] = r.Case()
	}
	d.Conclusion = rule.Conclude(cases, nil, o.Policy)
	return d, nil
}

// casePair is a case as both files have it; one of the two may be missing.
type casePair struct{ base, head *benchmark.Case }

// match pairs the cases by name, in the order of base, then what only head has. Cases that the benchmark itself skips
// on both sides are no failure of either: they are counted and left out.
func match(base, head benchmark.Set) (pairs []casePair, skipped int) {
	at := map[string]int{}
	for i := range base.Cases {
		at[base.Cases[i].Name] = len(pairs)
		pairs = append(pairs, casePair{base: &base.Cases[i]})
	}
	for i := range head.Cases {
		if k, ok := at[head.Cases[i].Name]; ok {
			pairs[k].head = &head.Cases[i]
			continue
		}
		pairs = append(pairs, casePair{head: &head.Cases[i]})
	}
	kept := slices.DeleteFunc(pairs, func(p casePair) bool { return p.base != nil && p.head != nil && p.base.Skipped && p.head.Skipped })
	return kept, len(pairs) - len(kept)
}

// failure returns why there is nothing to compare, and on which side.
func (p casePair) failure() (result.Side, *result.Reason) {
	base, head := failed(p.base), failed(p.head)
	switch {
	case base != nil && head != nil:
		return result.SideBoth, base
	case base != nil:
		return result.SideBase, base
	}
	return result.SideHead, head
}

// failed is why a case has no values; nil if it has.
func failed(c *benchmark.Case) *result.Reason { return cmp.Or(c.Untimed, result.Message(c.Failed)) }

// isCopy says whether both sides hold the same measurement of a case: its samples agree in number, order and value, and vary, which two measurements do not.
func (p casePair) isCopy() bool {
	const fewest = 5 // different values: a coarse clock has few, which agree by chance
	different := map[float64]bool{}
	for i, process := range p.base.Processes {
		if i >= len(p.head.Processes) || !slices.Equal(process.Samples, p.head.Processes[i].Samples) {
			return false
		}
		for _, ns := range process.Samples {
			different[ns] = true
		}
	}
	return len(p.base.Processes) == len(p.head.Processes) && len(different) >= fewest
}

// compareAll compares the cases on all cores.
func compareAll(pairs []casePair, sessionSD float64, o CompareOptions) []ComparedCase {
	rows := make([]ComparedCase, len(pairs))
	var work sync.WaitGroup
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range pairs {
		cores <- struct{}{}
		work.Go(func() {
			rows[i] = pairs[i].row(sessionSD, o)
			<-cores
		})
	}
	work.Wait()
	return rows
}

func (p casePair) row(sessionSD float64, o CompareOptions) ComparedCase {
	switch {
	case p.base == nil:
		r := ComparedCase{Name: p.head.Name, Verdict: result.New, Reason: &result.Reason{Kind: result.ReasonOnlyInNew}, HeadProcesses: len(p.head.Processes)}
		if why := failed(p.head); why != nil {
			return r.failed(result.SideHead, why)
		}
		return r
	case p.head == nil:
		r := ComparedCase{Name: p.base.Name, BaseProcesses: len(p.base.Processes)}
		return r.failed(result.SideHead, &result.Reason{Kind: result.ReasonMissingInNew})
	}
	r := ComparedCase{Name: p.base.Name, BaseProcesses: len(p.base.Processes), HeadProcesses: len(p.head.Processes)}
	if side, why := p.failure(); why != nil {
		return r.failed(side, why)
	}
	if p.isCopy() {
		return r.failed(result.SideNone, &result.Reason{Kind: result.ReasonCopied})
	}
	base, err := logValues(*p.base, o.Paired)
	if err != nil {
		return r.failed(result.SideBase, result.Message(err.Error()))
	}
	head, err := logValues(*p.head, o.Paired)
	if err != nil {
		return r.failed(result.SideHead, result.Message(err.Error()))
	}
	r.BaseNS, r.HeadNS = geometricMean(base), geometricMean(head) // estimates, even where there is no verdict
	if why := tooFew(base, head, o.Paired); why != nil {
		return r.failed(result.SideNone, why)
	}
	c, err := p.compare(base, head, r.BaseNS, sessionSD, o)
	if err != nil {
		return r.failed(result.SideNone, result.Message(err.Error()))
	}
	r.Comparison = &c
	r.Verdict = rule.Decide(c, o.Policy.Of(r.Name, r.BaseNS), true)
	return r
}

func (r ComparedCase) failed(side result.Side, why *result.Reason) ComparedCase {
	r.Verdict, r.ErrorSide, r.Reason = result.Error, side, why
	return r
}

func (p casePair) compare(base, head []float64, baseNS, sessionSD float64, o CompareOptions) (result.Comparison, error) {
	tm := rule.Timing{
		QuantumNS: max(o.QuantumNS, p.base.QuantumNS, p.head.QuantumNS),
		Launches:  max(1, min(p.base.Launches, p.head.Launches)),
		MedianNS:  baseNS,
	}
	policy := o.Policy.Of(p.base.Name, baseNS)
	if o.Paired {
		return rule.ComparePairs(base, head, 1, tm, policy)
	}
	// The scatter of sessions is given, not learnt: its degrees of freedom are endless.
	session := stats.SessionVariance{Var: sessionSD * sessionSD, DF: math.Inf(1)}
	return rule.CompareUnpaired(base, head, session, 1, tm, policy)
}

// logValues returns the log value of every process, or of every batch of a single one.
func logValues(c benchmark.Case, paired bool) ([]float64, error) {
	processes := c.Processes
	if len(processes) == 1 && !paired {
		processes = cut(processes[0])
	}
	ys := make([]float64, len(processes))
	for i, p := range processes {
		ns, err := p.Value()
		if err == nil {
			err = benchmark.CheckNS(ns)
		}
		if err != nil {
			return nil, fmt.Errorf("process %s: %w", benchmark.Quoted(p.ID), err)
		}
		ys[i] = math.Log(ns)
	}
	return ys, nil
}

// cut splits the samples of a process into consecutive batches.
func cut(p benchmark.Process) []benchmark.Process {
	n := len(p.Samples)
	if n < 2 {
		return []benchmark.Process{p}
	}
	count := min(n, batches)
	parts := make([]benchmark.Process, count)
	for i := range parts {
		parts[i] = benchmark.Process{ID: p.ID, Samples: p.Samples[i*n/count : (i+1)*n/count]}
	}
	return parts
}

// tooFew is why there are not enough values; nil if there are.
func tooFew(base, head []float64, paired bool) *result.Reason {
	switch fewer := min(len(base), len(head)); {
	case paired && len(base) != len(head):
		return &result.Reason{Kind: result.ReasonUnpaired, Count: max(len(base), len(head)) - fewer}
	case fewer < minProcesses:
		return &result.Reason{Kind: result.ReasonFewValues, Count: fewer}
	}
	return nil
}

func geometricMean(logs []float64) float64 { return math.Exp(stat.Mean(logs, nil)) }

// Case is the row as a run has it: its medians are geometric means over processes.
func (r ComparedCase) Case() result.Case {
	id := result.ParseCaseID(r.Name)
	c := result.Case{
		Name: r.Name, Kernel: id.Kernel, Params: id.Params, Verdict: r.Verdict, Reason: r.Reason, ErrorSide: r.ErrorSide,
		Comparisons: result.HeadToBase(r.Comparison), Looks: make([]result.Look, 1),
	}
	if r.BaseNS > 0 {
		c.Base = &result.Summary{MedianNS: r.BaseNS}
	}
	if r.HeadNS > 0 {
		c.Head = &result.Summary{MedianNS: r.HeadNS}
	}
	return c
}

// notes says what the table cannot.
func notes(base, head benchmark.Set, d Comparison, o CompareOptions, single bool) []string {
	var out []string
	switch {
	case o.Paired:
		out = append(out, "paired in file order: this is right only if each pair ran next to each other")
	case !slices.ContainsFunc(d.Rows, func(r ComparedCase) bool { return r.Comparison != nil }):
		out = append(out, "the changes are estimates without a bound, and nothing is decided by them")
	case single && o.SessionSD == nil:
		out = append(out, fmt.Sprintf("one process a side: a standard deviation of %.3g %% between processes is assumed (--session-sd sets it); "+
			"with a folder of files, one a process, this is measured", 100*d.SessionSD))
	case o.SessionSD == nil:
		out = append(out, "unpaired: the bounds hold if both sides were measured in one session; else give the standard deviation between sessions "+
			"with --session-sd, or measure side by side")
	}
	out = append(out, base.Notes...)
	out = append(out, head.Notes...)
	return out
}
