package result

import "slices"

// ExitCode is what the process tells its caller.
type ExitCode int

const (
	ExitPassed        ExitCode = 0 // passed
	ExitFailed        ExitCode = 1 // the gate says no
	ExitUsage         ExitCode = 2 // bad usage or configuration; no conclusion has it
	ExitNotMeasurable ExitCode = 3 // could not measure
)

// RunVerdict is the verdict of a whole run.
type RunVerdict string

// Verdicts of a whole run.
const (
	RunPassed RunVerdict = "pass"
	RunFailed RunVerdict = "fail"
	RunError  RunVerdict = "error"
)

// RunVerdicts lists the verdicts of a run.
var RunVerdicts = []RunVerdict{RunPassed, RunFailed, RunError}

// exits are the exit codes that go with the verdicts.
var exits = map[RunVerdict]ExitCode{RunPassed: ExitPassed, RunFailed: ExitFailed, RunError: ExitNotMeasurable}

// Conclusion is the verdict of a run.
type Conclusion struct {
	Verdict RunVerdict `json:"verdict"` // pass, fail (the gate says no) or error (could not be measured)
	Exit    ExitCode   `json:"exit"`    // exit code that goes with it: 0, 1 or 3
	// what speaks against a pass, and what a pass leaves unsaid otherwise: failures first, then what could not be
	// measured
	Findings []Finding       `json:"findings,omitempty"`
	Counts   map[Verdict]int `json:"counts"`           // number of cases by verdict; verdicts that no case has are missing
	Suites   []SuiteValue    `json:"suites,omitempty"` // of each machine, where the policy has a suite
}

// With returns the findings that have one of the effects.
func (c Conclusion) With(effects ...Effect) []Finding {
	var out []Finding
	for _, f := range c.Findings {
		if slices.Contains(effects, f.Effect) {
			out = append(out, f)
		}
	}
	return out
}

// Against returns the findings that keep the run from passing.
func (c Conclusion) Against() []Finding { return c.With(EffectFails, EffectUnmeasured) }

// Has says whether there is a finding of a kind.
func (c Conclusion) Has(kind FindingKind) bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Kind == kind })
}
