package search

import (
	"io"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/saved"
)

// AnswerSchema names the format of an answer. docs/judge.md names those that a search needs.
const AnswerSchema = "perfgate/judge/v4"

// Verdict is what a candidate came to.
type Verdict string

// Verdicts.
const (
	Better       Verdict = "better"       // significantly faster than base and than the best before it, in rounds of its own
	Worse        Verdict = "worse"        // significantly slower than the best so far, or slower in a case by more than the tolerance
	Same         Verdict = "same"         // a gain as large as the one that is looked for is excluded, and it is not significantly slower; or the code is equal
	Inconclusive Verdict = "inconclusive" // the looks or the time budget are exhausted
	Wrong        Verdict = "wrong"        // computes something else
	Cheating     Verdict = "cheating"     // is right where it is checked, and does something else where it is timed; or works where the clock does not see it
	Broken       Verdict = "broken"       // does not build, crashes, hangs, or breaks a limit
)

// Verdicts lists them, the best first.
var Verdicts = []Verdict{Better, Same, Inconclusive, Worse, Wrong, Cheating, Broken}

// Exit is the exit code of a verdict: 0 where nothing speaks against the candidate, 1 where something does, 3 where it stays open.
func (v Verdict) Exit() result.ExitCode {
	switch v {
	case Better, Same:
		return result.ExitPassed
	case Inconclusive:
		return result.ExitNotMeasurable
	}
	return result.ExitFailed
}

// isFault says whether something else than time speaks against a candidate.
func (v Verdict) isFault() bool { return v == Wrong || v == Cheating || v == Broken }

// BaseCandidate is the number of the candidate that every search begins with.
const BaseCandidate = 0

// Answer is what judge says of a candidate.
type Answer struct {
	Schema    string    `json:"schema"`
	Tool      string    `json:"tool"` // version of perfgate
	Verdict   Verdict   `json:"verdict"`
	Says      []string  `json:"says,omitempty"` // what to know and what to do, the most important first: package report's, so the ledger has none
	Candidate Candidate `json:"candidate"`
	// Against is the number of the best candidate at that time; 0 is base.
	Against int `json:"against"`
	// Ratio is the time of the candidate over that of Against, the geometric mean over the timed cases, with its bounds. Nil where nothing
	// was timed.
	Ratio       *result.Shift `json:"ratio,omitempty"`
	RatioOfBase *result.Shift `json:"ratioOfBase,omitempty"` // likewise over base's; nil where they were not measured beside each other
	// SmallestEffect is the smallest shift that these rounds tell from none with 90 % power: 0.012 is 1.2 %.
	SmallestEffect float64        `json:"smallestEffect,omitempty"`
	Claim          *Claim         `json:"claim,omitempty"` // of a candidate that asked to be called better
	Cases          []JudgedCase   `json:"cases,omitempty"`
	Parity         []JudgedParity `json:"parity,omitempty"`
	Faults         []Fault        `json:"faults,omitempty"`
	// Unchecked is what says that less than usual speaks for the candidate, such as a parity check that was off.
	Unchecked []result.Finding `json:"unchecked,omitempty"`
	Rounds    int              `json:"rounds"`
	Processes int              `json:"processes"` // fresh ones that were timed
	Seconds   float64          `json:"seconds"`
	Judged    time.Time        `json:"judged"`
	// Sandboxed says that builds and kernels could reach nothing of the machine; without, the candidate was trusted.
	Sandboxed bool `json:"sandboxed"`
	// Ignored is what the candidate changes of the configuration or of adapters: base's were used.
	Ignored []result.RuleChange `json:"ignored,omitempty"`
	Notes   []string            `json:"notes,omitempty"`
	Ledger  *LedgerSummary      `json:"ledger,omitempty"` // as it is after this answer; not kept in the ledger itself
}

// Candidate is something that was judged, by its content.
type Candidate struct {
	Number int    `json:"number"` // from 1, in the order of the ledger
	Hash   string `json:"hash"`   // of all its files
	Label  string `json:"label"`  // as it was called: a folder, a revision or a patch
}

// Claim is a request to be called better, which spends a part of the chance of error of the whole search.
type Claim struct {
	Request int     `json:"request"` // number of the request in the ledger, from 1
	Alpha   float64 `json:"alpha"`   // chance that a candidate which is not faster is called better at this request
}

// JudgedCase is what one case came to, beside Against.
type JudgedCase struct {
	Name          string         `json:"name"`
	Verdict       result.Verdict `json:"verdict"`
	Ratio         *result.Shift  `json:"ratio,omitempty"`
	MedianNS      float64        `json:"medianNs,omitempty"` // of the candidate
	GFlops        float64        `json:"gflops,omitempty"`
	GBytesPerSec  float64        `json:"gbytesPerSecond,omitempty"`
	RooflineShare float64        `json:"rooflineShare,omitempty"`
	Causes        []JudgedCause  `json:"causes,omitempty"`
}

// JudgedCause is a reason for a change against the best so far, and the share of it that it explains.
type JudgedCause struct {
	ID      result.CauseID  `json:"id"`
	Title   string          `json:"title"`
	Side    result.Side     `json:"side"` // the slower one, which it is about: head is the candidate, base the best so far
	Share   float64         `json:"share"`
	Facts   []string        `json:"facts,omitempty"`
	Changes []result.Change `json:"changes,omitempty"` // the quantities of both sides that show it
	Remedy  string          `json:"remedy,omitempty"`  // of a candidate that is slower
}

// JudgedParity is what was checked of a kernel.
type JudgedParity struct {
	Kernel  string                `json:"kernel"`
	Status  result.ParityStatus   `json:"status"`
	Seed    string                `json:"seed"`
	Run     int                   `json:"run"`
	Failure *result.ParityFailure `json:"failure,omitempty"` // the smallest that was found
}

// Fault is something for which a candidate is wrong, cheating or broken.
type Fault struct {
	Verdict Verdict     `json:"verdict"` // wrong, cheating or broken
	Code    result.Code `json:"code,omitempty"`
	result.Finding
	Output string `json:"output,omitempty"` // of the build that failed: hostile
}

// Write writes an answer as indented JSON.
func (a *Answer) Write(w io.Writer) error { return saved.Print(w, a) }

// verdictOf is the verdict of a standing in a screening or in a confirmation that was not granted.
func verdictOf(s rule.Standing) Verdict {
	return map[rule.Standing]Verdict{rule.Behind: Worse, rule.Level: Same, rule.Undecided: Inconclusive, rule.Ahead: Better}[s]
}

// worst is the verdict of faults: cheating before wrong before broken, and "" of none.
func worst(faults []Fault) Verdict {
	for _, v := range []Verdict{Cheating, Wrong, Broken} {
		if slices.ContainsFunc(faults, func(f Fault) bool { return f.Verdict == v }) {
			return v
		}
	}
	return ""
}

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
