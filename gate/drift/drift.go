// Package drift compares a session of the default branch with the records of its machine, and finds what no pull request's gate can
// see: a cumulative or unmeasured regression, a runner with more variation, an SM clock that dropped. It reads values and decides; it
// measures nothing.
//
//	session, records -> shifts of cases and of the machine -> findings and an exit code
package drift

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Schema names the format of a saved watch.
const Schema = "perfgate/drift/v1"

// Kind says what a finding is about.
type Kind string

const (
	Slower               Kind = "slower"                // a case is slower than records have it, and its code has changed since
	CumulativeRegression Kind = "cumulative-regression" // a case is farther over its best-known level than the configuration allows
	Faster               Kind = "faster"                // a case is faster than records have it, and its code has changed since
	Moved                Kind = "moved"                 // cases of unchanged code, or with them all others, take longer or shorter: the machine
	Clock                Kind = "clock"                 // the canary that computes takes another time: the clock
	Memory               Kind = "memory"                // the canary that reads memory takes another time
	Noisier              Kind = "noisier"               // processes scatter more than they used to
	State                Kind = "state"                 // the machine is no longer as it was at the nearest record
	Otherwise            Kind = "otherwise"             // a case is not timed as its records are, so it was not compared with them
	Uncompared           Kind = "uncompared"            // of no case is enough known to compare it
)

// Finding is one fact. Ratios are of this session over records: 1.05 takes 5 % longer.
type Finding struct {
	Kind   Kind          `json:"kind"`
	Effect result.Effect `json:"effect"`
	Kernel string        `json:"kernel,omitempty"`
	Case   string        `json:"case,omitempty"`
	Ratio  float64       `json:"ratio,omitempty"` // of noisier: of standard deviations
	Low    float64       `json:"low,omitempty"`
	High   float64       `json:"high,omitempty"`
	Limit  float64       `json:"limit,omitempty"` // of slower and cumulative-regression: what is allowed, as a fraction
	// After is the newest record that had the case as it was; of cumulative-regression, the newest at the best level.
	After string `json:"after,omitempty"`
	Cases int    `json:"cases,omitempty"` // of moved and noisier: how many cases show it
	Of    int    `json:"of,omitempty"`    // of how many
	// Sessions is how many records it was compared with.
	Sessions int                    `json:"sessions,omitempty"`
	Changes  []baseline.StateChange `json:"changes,omitempty"` // of state
	// Passing: of two sessions in a row only one shows it.
	Passing bool `json:"passing,omitempty"`
}

// Case is one case of the session.
type Case struct {
	Name    string  `json:"name"`
	Kernel  string  `json:"kernel"`
	NS      float64 `json:"ns"`                // median over the processes
	UsualNS float64 `json:"usualNs,omitempty"` // of its last level
	Ratio   float64 `json:"ratio,omitempty"`   // over the last level, the canary's share taken out; 0 where it was not compared
	Low     float64 `json:"low,omitempty"`     // its bounds at the error rate of the run
	High    float64 `json:"high,omitempty"`
	Records int     `json:"records"`            // it could be compared with
	Same    bool    `json:"sameCode,omitempty"` // as the newest record that had it at that level
	// Otherwise is how many records of its configuration it could not be compared with, since they are timed in another way.
	Otherwise int `json:"timedOtherwise,omitempty"`
}

// Part is which part of the cases was measured.
type Part struct {
	Index int `json:"index"` // from 1
	Of    int `json:"of"`
}

// Report is a drift check as it is saved and shown.
type Report struct {
	Schema   string           `json:"schema"`
	Version  string           `json:"version"` // of perfgate
	Started  time.Time        `json:"started"`
	Repro    string           `json:"repro"`
	Commit   string           `json:"commit"`
	Machine  string           `json:"machine"` // its key
	Part     Part             `json:"part"`
	Records  int              `json:"records"`  // of the machine, that were read
	Sessions int              `json:"sessions"` // measured: 2 where the first found something
	Cases    []Case           `json:"cases"`
	Findings []Finding        `json:"findings"`
	Waivers  []result.Finding `json:"waivers,omitempty"` // that are of no use
	Broken   []result.Finding `json:"broken,omitempty"`  // what kept cases from being measured, in the words of a run
	Exit     result.ExitCode  `json:"exit"`
	Recorded bool             `json:"recorded"`
	Notes    []string         `json:"notes,omitempty"`
}

// Policy is what a session is judged by.
type Policy struct {
	Tolerance           float64                // slowdown that passes, as a fraction
	Tolerances          []result.CaseTolerance // of some cases, see result.Policy
	Waivers             []result.Waiver        // likewise
	Day                 string                 // of the session, where there are waivers
	CumulativeTolerance float64                // loss since the best-known level that passes
	Confidence          float64                // for the whole drift check
}

// Past is what records of a machine say of the ancestors of the commit.
type Past struct {
	Found   baseline.History
	History history.History // of Found
}

// leastRecords is the fewest records of a case that tell how far its sessions scatter.
const leastRecords = 5

// leastScatter is less than anything measures.
const leastScatter = 0.0005

// Judge compares a session with the past. The report has cases and findings, and no exit code yet: see Conclude.
func Judge(past Past, session *baseline.Record, p Policy) Report {
	r := Report{Schema: Schema, Commit: session.Commit, Machine: session.Machine.Key, Records: len(past.Found.Found), Sessions: 1, Cases: []Case{}, Findings: []Finding{}}
	j := judge{past: past, session: session, policy: p, alpha: (1 - p.Confidence) / float64(2*max(1, len(session.Cases)))}
	for _, c := range session.Cases {
		r.Cases = append(r.Cases, j.compare(c))
	}
	slices.SortStableFunc(r.Cases, func(a, b Case) int { return cmp.Compare(b.Ratio, a.Ratio) })
	r.Findings = slices.Concat(j.canaries(), j.noise(), j.changes(r.Cases), j.knownLosses(r.Cases), j.state(), j.otherwise(r.Cases), j.uncompared(r.Cases))
	for i, f := range r.Findings {
		if w := j.ofCases().WaiverOf(f.Case); f.Effect == result.EffectFails && w != nil && w.Tolerance == 0 {
			r.Findings[i].Effect = result.EffectWaived
		}
	}
	return r
}

type judge struct {
	past    Past
	session *baseline.Record
	policy  Policy
	alpha   float64 // of one bound of one case
	drifts  []baseline.CanaryDrift
}

// tolerance is that of a case: of its name, and of its time where it has a floor.
func (j *judge) tolerance(name string) float64 {
	ns := 0.0
	if c := j.session.Case(name); c != nil {
		ns = c.Method.LaunchNS
	}
	return j.ofCases().Of(name, ns).Tolerance
}

// ofCases is the policy that cases have their tolerances and waivers by.
func (j *judge) ofCases() result.Policy {
	return result.Policy{Tolerance: j.policy.Tolerance, Tolerances: j.policy.Tolerances, Waivers: j.policy.Waivers, Day: j.policy.Day}
}

func (j *judge) caseOf(name string) *history.Case { return j.past.History.Case(name) }

// compare compares a case with its last level. The scatter of sessions is that of neighbouring records, which shifts of the level do not
// widen; a level that few records make is known the worse for it.
func (j *judge) compare(of baseline.Case) Case {
	median, _ := stats.Median(of.ValuesNS) // a session has processes
	out := Case{Name: of.Name, Kernel: of.Kernel, NS: median}
	h := j.caseOf(of.Name)
	if h == nil || len(h.Points) == 0 {
		return out
	}
	out.Otherwise = h.TimedOtherwise(of)
	now, ok := h.Steady(of)
	if !ok {
		return out
	}
	points := h.SinceWork()
	if out.Records = len(points); out.Records < leastRecords {
		return out
	}
	logs := make([]float64, len(points))
	for i, p := range points {
		logs[i] = math.Log(p.Steadied)
	}
	level := h.Levels[len(h.Levels)-1]
	sd := max(leastScatter, stats.StepScatter(logs))
	t := distuv.StudentsT{Sigma: 1, Nu: float64(len(points) - 2)}.Quantile(1 - j.alpha)
	reach := t * sd * math.Sqrt(1+math.Pi/2/float64(level.Count))
	shift := math.Log(now / level.NS)
	out.UsualNS, out.Ratio, out.Low, out.High = level.NS, math.Exp(shift), math.Exp(shift-reach), math.Exp(shift+reach)
	before := len(points) - 1
	if out.Low > 1 || out.High < 1 {
		before -= since(points, level.NS, shift)
	}
	out.Same = points[before].OfCode(of)
	return out
}

// since is how many of the newest points are shifted already by at least half as much: a level has three, and a change is older than that.
func since(points []history.Point, usual, shift float64) (n int) {
	for n < len(points)-1 && math.Log(points[len(points)-1-n].Steadied/usual)/shift >= 0.5 {
		n++
	}
	return n
}

// after is the newest record that has a case as it was before it shifted.
func (j *judge) after(c Case) string {
	points := j.caseOf(c.Name).SinceWork()
	return points[len(points)-1-since(points, c.UsualNS, math.Log(c.Ratio))].ID
}

// off says that a case is significantly off its level, by more than is allowed.
func (j *judge) off(c Case) bool {
	if c.Ratio == 0 {
		return false
	}
	return (c.Low > 1 || c.High < 1) && math.Abs(math.Log(c.Ratio)) > math.Log1p(j.tolerance(c.Name))
}

// changes tells cases that their code moved from those that the machine did: what moved unchanged code, or a canary, is taken out of the
// others, and what is left has to be sure and larger than allowed by itself.
func (j *judge) changes(cases []Case) (out []Finding) {
	machine, moved := j.machine(cases)
	same := 0
	for _, c := range cases {
		if c.Same && c.Ratio > 0 {
			same++
		}
		if !j.off(c) || c.Same {
			continue
		}
		rest := c
		if h := j.caseOf(c.Name); len(moved) > 0 || h.Steadied() == baseline.SteadyNone {
			rest.Ratio, rest.Low, rest.High = c.Ratio/machine, c.Low/machine, c.High/machine
		}
		if !j.off(rest) {
			moved = append(moved, c)
			continue
		}
		f := Finding{Kind: Slower, Effect: result.EffectFails, Kernel: c.Kernel, Case: c.Name, Ratio: rest.Ratio, Low: rest.Low, High: rest.High,
			Limit: j.tolerance(c.Name), After: j.after(c), Sessions: c.Records}
		if rest.Ratio < 1 {
			f.Kind, f.Effect, f.Limit = Faster, result.EffectNote, 0
		}
		out = append(out, f)
	}
	if len(moved) > 0 {
		out = append(out, Finding{Kind: Moved, Effect: result.EffectUnmeasured, Ratio: medianRatio(moved), Cases: len(moved), Of: len(cases)})
	}
	return out
}

// machine is the ratio by which the machine moved everything, 1 where it did not, and the cases of unchanged code that show it.
func (j *judge) machine(cases []Case) (ratio float64, shown []Case) {
	for _, c := range cases {
		if c.Same && j.off(c) {
			shown = append(shown, c)
		}
	}
	if len(shown) > 0 {
		return medianRatio(shown), shown
	}
	for _, d := range j.drifts {
		if d.Canary == baseline.SteadyCompute {
			return d.Ratio, nil
		}
	}
	return 1, nil
}

func medianRatio(cases []Case) float64 {
	var logs []float64
	for _, c := range cases {
		logs = append(logs, math.Log(c.Ratio))
	}
	middle, _ := stats.Median(logs) // not empty
	return math.Exp(middle)
}

// knownLosses finds what records have shown already: cases that stand too far over their best level, and those that a commit of late made slower
// than allowed, and is not accepted. What this session shows beyond the last level counts along: a repair is seen at once.
func (j *judge) knownLosses(cases []Case) (out []Finding) {
	for _, c := range cases {
		h := j.caseOf(c.Name)
		if h == nil || !h.Means(j.session.Case(c.Name).ConfigHash) {
			continue
		}
		now := 1.0
		if c.Ratio > 0 {
			now = c.Ratio
		}
		limit := max(j.policy.CumulativeTolerance, j.tolerance(c.Name)) // a floor may be more
		f := Finding{Kind: CumulativeRegression, Effect: result.EffectFails, Kernel: c.Kernel, Case: c.Name,
			Ratio: 1 + h.OverBest, Limit: limit, After: h.BestCommit, Sessions: len(h.Points)}
		if h.OverBest > limit && (1+h.OverBest)*now > 1+limit {
			out = append(out, f)
			continue
		}
		if last, ok := j.late(h); ok && last.Ratio*now > 1+j.tolerance(c.Name) && !j.off(c) {
			f.Kind, f.Ratio, f.Low, f.High, f.Limit, f.After = Slower, last.Ratio, last.Low, last.High, j.tolerance(c.Name), last.After.ID
			out = append(out, f)
		}
	}
	return out
}

// lateTime is how long a change of level that no gate saw is worth a red job. After that it is history's.
const lateTime = 30 * 24 * time.Hour

// late is the last change of a case, if a commit of late made it significantly slower and that is not accepted.
func (j *judge) late(h *history.Case) (last history.Change, ok bool) {
	if len(h.Changes) == 0 {
		return last, false
	}
	last = h.Changes[len(h.Changes)-1]
	return last, last.Cause != result.LevelByMachine && last.Cause != result.LevelOfOtherWork && last.Low > 1 && last.Ratio > 1+j.tolerance(h.Name) &&
		len(last.Accepted) == 0 && j.isLate(last)
}

func (j *judge) isLate(c history.Change) bool { return j.session.Time.Sub(c.At.Time) < lateTime }

// canaries finds those that are off. A faster machine is worth a word, and no fault.
func (j *judge) canaries() (out []Finding) {
	var records []*baseline.Record
	for _, f := range j.past.Found.Found {
		records = append(records, f.Record)
	}
	j.drifts = baseline.DriftAmong(records, j.session)
	for _, d := range j.drifts {
		f := Finding{Kind: Clock, Effect: result.EffectUnmeasured, Ratio: d.Ratio, Sessions: d.Sessions}
		if d.Canary == baseline.SteadyMemory {
			f.Kind = Memory
		}
		if d.Ratio < 1 {
			f.Effect = result.EffectNote
		}
		out = append(out, f)
	}
	return out
}

// state says what is no longer as it was at the nearest record.
func (j *judge) state() []Finding {
	if len(j.past.Found.Found) == 0 {
		return nil
	}
	nearest := j.past.Found.Found[0].Record
	changes := baseline.StateChanges(nearest, j.session)
	if len(changes) == 0 {
		return nil
	}
	return []Finding{{Kind: State, Effect: result.EffectNote, After: nearest.Commit, Changes: changes}}
}

// otherwise keeps a drift check from passing that could not compare a case of which enough is known, but for how it was timed: a loss may be why it is
// timed otherwise. New cases, and those of another configuration, are not meant. Records of the other way do not make that good, for some time: a
// level that they agree on is not known to be as good as the one before.
func (j *judge) otherwise(cases []Case) (out []Finding) {
	for _, c := range cases {
		if c.Otherwise == 0 || c.Records+c.Otherwise < leastRecords {
			continue
		}
		f := Finding{Kind: Otherwise, Effect: result.EffectUnmeasured, Kernel: c.Kernel, Case: c.Name, Sessions: c.Otherwise}
		if last, ok := j.caseOf(c.Name).Retimed(); ok && j.isLate(last) {
			f.After = last.After.ID
		}
		if c.Ratio == 0 {
			f.Of = leastRecords
		}
		if f.Of > 0 || f.After != "" {
			out = append(out, f)
		}
	}
	return out
}

// uncompared keeps a drift check that compared nothing from passing.
func (j *judge) uncompared(cases []Case) []Finding {
	most := 0
	for _, c := range cases {
		if c.Ratio > 0 {
			return nil
		}
		most = max(most, c.Records)
	}
	return []Finding{{Kind: Uncompared, Effect: result.EffectUnmeasured, Cases: len(cases), Of: leastRecords, Sessions: most}}
}
