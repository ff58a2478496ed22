package action

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/search"
)

// told is a kind of document that a measuring step leaves and that is not a result. It is untrusted: it is read strictly, has to be about this run,
// and its exit code has to follow from what it found, of which the words are made here.
type told[T any] struct {
	file     string
	kind     saved.Kind[T]
	about    func(*step, context.Context, *T) error // why it is not of this run
	conclude func(*step, *T) verdict
}

var (
	driftTold  = told[drift.Report]{DriftFile, drift.Document, (*step).aboutHead, (*step).drifted}
	searchTold = told[search.Bisection]{SearchFile, search.BisectDocument, (*step).aboutEnds, (*step).searched}
)

// read reads the document in a folder.
func (d told[T]) read(s *step, ctx context.Context, folder string) (*T, verdict, error) {
	found, err := readUntrusted(filepath.Join(folder, d.file), d.kind)
	if err == nil {
		err = d.about(s, ctx, found)
	}
	if err != nil {
		return nil, verdict{}, err
	}
	return found, d.conclude(s, found), nil
}

// own is the verdict of what this job's measuring step left. What was trusted is written again for the artifact.
func (d told[T]) own(s *step, ctx context.Context, o Outcome) verdict {
	found, v, err := d.read(s, ctx, s.out())
	if err == nil && int(v.exit) != o.Exit {
		err = fmt.Errorf("the step ended with exit code %d, what it found makes %d", o.Exit, v.exit)
	}
	if err != nil {
		return unusable(err)
	}
	v.recorded = o.Recorded
	s.takeNotes(&v, o)
	if err = d.kind.Write(filepath.Join(s.out(), d.file), found); err == nil {
		err = saved.Replace(filepath.Join(s.out(), reportFile), func(w io.Writer) error { return render.Markdown(w, v.document, render.MarkdownOptions{}) })
	}
	if err != nil {
		s.warn("what was published could not be saved: %v", err)
	}
	return v
}

func (s *step) aboutHead(_ context.Context, r *drift.Report) error {
	if r.Commit != s.target.Head {
		return fmt.Errorf("it is about %.12q, the event about %.12s", r.Commit, s.target.Head)
	}
	return nil
}

func (s *step) drifted(r *drift.Report) verdict {
	return verdict{document: report.DriftDocument(r), exit: r.Exit, problems: driftProblems(r), issue: s.driftIssue(r)}
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
	for _, f := range slices.Concat(r.Broken, r.Waivers) {
		see(f.Effect, rule.ProblemOf(f))
	}
	slices.Sort(problems)
	return slices.Compact(problems)
}

func (s *step) searched(r *search.Bisection) verdict {
	v := verdict{document: report.BisectDocument(r), exit: r.Exit(), issue: s.searchIssue(r)}
	if v.exit != result.ExitPassed {
		v.problems = []rule.Problem{rule.ProblemError}
	}
	return v
}

// issueVerdict is that of mode issue: of what an earlier job of the run found, in a job that runs no code of the repository, so that only that one may
// write issues.
func (s *step) issueVerdict(ctx context.Context) (v verdict, err error) {
	if s.in.Good != "" {
		_, v, err = searchTold.read(s, ctx, s.in.ArtifactsDir)
	} else {
		_, v, err = driftTold.read(s, ctx, s.in.ArtifactsDir)
	}
	return v, err
}

// aboutEnds says why a search is not of this run's ends, or names commits that do not lie between them. What they say of themselves is asked of git.
func (s *step) aboutEnds(ctx context.Context, r *search.Bisection) error {
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
	r.Commits = map[string]search.Commit{}
	for id, c := range described {
		r.Commits[id] = search.Commit(c)
	}
	return err
}

// readUntrusted reads a file that code under test may have written.
func readUntrusted[T any](path string, kind saved.Kind[T]) (*T, error) {
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
