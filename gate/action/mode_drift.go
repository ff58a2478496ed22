package action

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/bisect"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/saved"
)

// driftVerdict is that of mode drift. What the measuring step left is a stranger's: it is read strictly, has to be of the commit of this
// run, and its exit code has to follow from its findings, of which the words are made here.
func (s *step) driftVerdict(o Outcome) verdict {
	r, err := readStranger(filepath.Join(s.out(), DriftFile), drift.Document)
	switch {
	case err != nil:
		return unusable(err)
	case r.Commit != s.target.Head:
		return unusable(fmt.Errorf("it is about %.12q, the event about %.12s", r.Commit, s.target.Head))
	case int(r.Exit) != o.Exit:
		return unusable(fmt.Errorf("the step ended with exit code %d, what it found makes %d", o.Exit, r.Exit))
	}
	v := verdict{document: report.WatchDocument(r), exit: r.Exit, recorded: o.Recorded, problems: driftProblems(r)}
	s.believed(&v, o, DriftFile, r.Write)
	return v
}

// driftProblems are what fail-on calls the findings of a drift check.
func driftProblems(r *drift.Report) []rule.Problem {
	var problems []rule.Problem
	see := func(effect result.Effect, failed rule.Problem) {
		if effect == result.EffectFails {
			problems = append(problems, failed)
		} else {
			problems = append(problems, rule.ProblemError)
		}
	}
	for _, f := range r.Against() {
		see(f.Effect, rule.ProblemRegression)
	}
	for _, f := range r.Broken {
		see(f.Effect, rule.ProblemOf(f))
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

// searchVerdict is that of mode bisect. The commits that the measuring step names have to lie between the ends, and what they say of
// themselves is asked of git.
func (s *step) searchVerdict(ctx context.Context, o Outcome) verdict {
	r, err := readStranger(filepath.Join(s.out(), SearchFile), bisect.Document)
	if err == nil {
		err = s.aboutEnds(ctx, r)
	}
	switch {
	case err != nil:
		return unusable(err)
	case int(r.Exit()) != o.Exit:
		return unusable(fmt.Errorf("the step ended with exit code %d, what it found makes %d", o.Exit, r.Exit()))
	}
	v := verdict{document: report.BisectDocument(r), exit: r.Exit()}
	if v.exit != result.ExitPassed {
		v.problems = []rule.Problem{rule.ProblemError}
	}
	s.believed(&v, o, SearchFile, r.Write)
	return v
}

// aboutEnds says whether a search is of this run's ends and names commits between them alone.
func (s *step) aboutEnds(ctx context.Context, r *bisect.Report) error {
	if r.Good != s.target.Base || r.Bad != s.target.Head {
		return fmt.Errorf("it is about %.12q and %.12q, the run about %.12s and %.12s", r.Good, r.Bad, s.target.Base, s.target.Head)
	}
	line, err := s.git().Line(ctx, r.Good, r.Bad)
	if err != nil {
		return err
	}
	line = append(line, r.Good)
	named := r.Named()
	if at := slices.IndexFunc(named, func(id string) bool { return !slices.Contains(line, id) }); at >= 0 {
		return fmt.Errorf("it names %.12q, which is not between the ends", named[at])
	}
	described, err := s.git().Describe(ctx, named)
	r.Commits = map[string]bisect.Commit{}
	for id, c := range described {
		r.Commits[id] = bisect.Commit(c)
	}
	return err
}

// believed writes what was believed anew for the artifact, and takes over what measuring had to say besides.
func (s *step) believed(v *verdict, o Outcome, name string, write func(io.Writer) error) {
	s.takeNotes(v, o)
	err := saved.Replace(filepath.Join(s.out(), name), write)
	if err == nil {
		err = saved.Replace(filepath.Join(s.out(), reportFile), func(w io.Writer) error { return report.Markdown(w, v.document) })
	}
	if err != nil {
		s.warn("what was published could not be saved: %v", err)
	}
}

// readStranger reads a file that code under test may have written.
func readStranger[T any](path string, kind saved.Kind[T]) (*T, error) {
	data, err := readRegular(path, kind.Bytes)
	if err != nil {
		return nil, err
	}
	v, err := kind.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return v, nil
}
