package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// ownPart is the result of this job, if it has the exit code that the measuring step ended with.
func (s *step) ownPart(o Outcome) ([]part, error) {
	p, err := part{name: s.in.Name}.readFolder(s.out())
	if err == nil && p.result != nil && int(p.result.Conclusion.Exit) != o.Exit {
		err = fmt.Errorf("the step ended with exit code %d, the result has %d", o.Exit, p.result.Conclusion.Exit)
	}
	if err != nil {
		return nil, fmt.Errorf("the result cannot be used: %w", err)
	}
	return []part{p}, nil
}

// takeNotes takes over what measuring had to say in addition to its result.
func (s *step) takeNotes(v *verdict, o Outcome) {
	for _, warning := range o.Warnings {
		s.warn("%s", warning)
	}
	for _, note := range o.Notes {
		v.document.Note(note)
	}
}

// recordVerdict is that of mode record: a result of head only, of which nothing is decided.
func (s *step) recordVerdict(ctx context.Context, o Outcome) verdict {
	if !o.Recorded && !o.Stored {
		return s.unrecorded(o)
	}
	parts, err := s.ownPart(o)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error())
	}
	res := parts[0].result
	switch {
	case res == nil:
		return unusable(errors.New("there is none"))
	case res.Head.Revision != s.target.Head:
		return unusable(fmt.Errorf("it is about head %.12q, the event about %.12s", res.Head.Revision, s.target.Head))
	}
	cfg, err := configAt(ctx, s.git(), s.target.Head, s.in)
	if err != nil {
		s.warn("the configuration cannot be read here: %v", err)
	}
	if cfg != nil {
		res.Cost = result.NewCost(cfg.Cost.GPUHour, res.Timings)
	}
	v := verdictOf(res, cfg, change{}, nil)
	v.recorded = o.Recorded
	s.takeNotes(&v, o)
	s.recorded(&v.document, o, res.Machine.Key)
	return v
}

// unrecorded is a run of mode record that made no record: with the exit code 0 there was nothing to add, or no store to add it to,
// which is a warning.
func (s *step) unrecorded(o Outcome) verdict {
	message := "nothing was recorded"
	if len(o.Notes) > 0 {
		message += ": " + o.Notes[0]
	}
	if o.Exit != int(result.ExitPassed) {
		return unmeasured(result.ExitCode(o.Exit), message)
	}
	if len(o.Warnings) > 0 {
		message += ": " + o.Warnings[0]
		s.warn("%s", message)
		return verdict{document: headline("NOT RECORDED", report.Warn, message)}
	}
	return verdict{document: headline("PASS", report.Good, message)}
}

// recorded words what became of a record. One in the checkout, or on a machine that is thrown away, is not kept.
func (s *step) recorded(d *report.Document, o Outcome, machine string) {
	what := fmt.Sprintf("%.12s on %s", s.target.Head, machine)
	if !o.Stored || !o.Wiped && s.Env("RUNNER_ENVIRONMENT") != "github-hosted" {
		d.Verdict, d.Headline = "RECORDED", report.Text{{Text: what}}
		return
	}
	where := "in the checkout, which the next job cleans"
	if !o.Wiped {
		where = "on a machine that is thrown away after this job"
	}
	d.Verdict, d.Tone = "NOT KEPT", report.Warn
	d.Headline = report.Text{{Text: what + ": its record lies " + where + "; the input store " +
		"keeps it in a branch (git:perfgate-baseline), or in a folder outside of the checkout on a machine that stays (dir:/var/lib/perfgate)"}}
}
