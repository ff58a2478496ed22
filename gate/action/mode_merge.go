package action

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
)

// prepareMerge makes the folder of a job that measures nothing.
func (s *step) prepareMerge(context.Context) error {
	work, err := s.makeWork()
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(work, outFolder), 0o755); err != nil {
		return err
	}
	return s.setOutputs(map[string]string{outMode: s.does.name, outWork: work})
}

// merge makes one verdict of the parts that other jobs of this run left in folders, one an artifact.
func (s *step) merge(ctx context.Context) (verdict, error) {
	c, err := s.checkedOut(ctx)
	if err != nil {
		return unmeasured(result.ExitNotMeasurable, err.Error()), nil
	}
	return s.decide(ctx, c, s.ofOthers(s.approved(ctx), func(context.Context) ([]part, error) { return s.downloaded() })), nil
}

// ofOthers is the road of what other jobs measured. Head's own rules count only where a writer approves of them.
func (s *step) ofOthers(a *github.Approval, collect func(context.Context) ([]part, error)) road {
	return road{
		collect: collect, shards: s.in.Shards, on: len(s.in.Machines),
		approval: func() *github.Approval { return a }, ownRules: func() bool { return a != nil },
	}
}

// downloaded are the parts in the folder that artifacts were downloaded into.
func (s *step) downloaded() (all []part, err error) {
	// download-artifact gives each artifact a folder of its name, but empties one that is alone into the folder for all: that one says itself which it is.
	alone, _ := readOutcome(s.in.ArtifactsDir)
	all = s.expected()
	for i, p := range all {
		folder := filepath.Join(s.in.ArtifactsDir, p.name)
		if p.name == alone.Part {
			folder = s.in.ArtifactsDir
		}
		if all[i], err = p.readFolder(folder); err != nil {
			return nil, fmt.Errorf("the result cannot be used: %s: %w", p.name, err)
		}
	}
	return all, nil
}
