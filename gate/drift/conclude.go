package drift

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// Against says whether the finding keeps a drift check from passing.
func (f Finding) Against() bool {
	return f.Effect == result.EffectFails || f.Effect == result.EffectUnmeasured
}

// Against are the findings that keep a drift check from passing.
func (r Report) Against() (out []Finding) {
	for _, f := range r.Findings {
		if f.Against() {
			out = append(out, f)
		}
	}
	return out
}

// Blind says that nothing speaks against a pass but that nothing could be compared: measuring again would not help.
func (r Report) Blind() bool {
	return !slices.ContainsFunc(r.Against(), func(f Finding) bool { return f.Kind != Uncompared })
}

// OfMachine says that the machine, or something beside the measurement, is not as it was: a record of such a session would become what
// later ones are compared with.
func (r Report) OfMachine() bool {
	return slices.ContainsFunc(r.Against(), func(f Finding) bool { return slices.Contains([]Kind{Moved, Clock, Memory, Noisier}, f.Kind) })
}

// Confirm takes two sessions, one after the other, as one: a finding counts where both show it. What only one shows is a note, since it has
// passed. Where both find something and not the same, nothing has passed: then the second one stands.
func Confirm(first, second Report) Report {
	out := second
	out.Sessions = 2
	out.Findings = nil
	shows := func(r Report, f Finding) bool {
		return slices.ContainsFunc(r.Findings, func(other Finding) bool {
			return other.Kind == f.Kind && other.Case == f.Case && other.Effect == f.Effect
		})
	}
	for _, f := range second.Findings {
		if !shows(first, f) && f.Kind != State {
			f.Effect, f.Passing = result.EffectNote, true
		}
		out.Findings = append(out.Findings, f)
	}
	for _, f := range first.Findings {
		if !shows(second, f) && f.Effect != result.EffectNote {
			f.Effect, f.Passing = result.EffectNote, true
			out.Findings = append(out.Findings, f)
		}
	}
	if len(out.Against()) == 0 && len(second.Against()) > 0 {
		out.Findings = second.Findings
	}
	return out
}

// Conclude is the exit code of a drift check: 1 where the code lost, 3 where the machine or the measurement is not what it was, else 0. What
// kept cases from being measured counts by what it does to a run.
func (r Report) Conclude() result.ExitCode {
	var effects []result.Effect
	for _, f := range r.Findings {
		effects = append(effects, f.Effect)
	}
	for _, f := range slices.Concat(r.Broken, r.Waivers) {
		effects = append(effects, f.Effect)
	}
	switch {
	case slices.Contains(effects, result.EffectFails):
		return result.ExitFailed
	case slices.Contains(effects, result.EffectUnmeasured):
		return result.ExitNotMeasurable
	}
	return result.ExitPassed
}

const maxFindings = 10_000

// Document is how drift checks are saved.
var Document = saved.Kind[Report]{
	Schema: Schema, Bytes: 16 << 20, Texts: result.Texts,
	Most: map[string]int{"cases": maxFindings, "findings": maxFindings, "broken": maxFindings, "waivers": maxFindings},
}

// Check says whether the exit code follows from the findings.
func (r *Report) Check() error {
	switch {
	case len(r.Cases) == 0 && r.Conclude() == result.ExitPassed:
		return errors.New("it measured no case and finds nothing wrong with that")
	case r.Exit != r.Conclude():
		return fmt.Errorf("its exit code is %d, and its findings make it %d", r.Exit, r.Conclude())
	}
	return nil
}

// Write writes a drift check as it is saved.
func (r *Report) Write(w io.Writer) error { return Document.Encode(w, r) }
