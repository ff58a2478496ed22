package action

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// handOver ends a job of mode measure: what was measured is kept for the job that makes the verdict, and the job succeeds if
// there is something to make it of.
func (s *step) handOver(context.Context) (verdict, error) {
	s.tidy()
	o, err := readOutcome(s.work())
	if err != nil {
		return verdict{}, err
	}
	// The other job has nothing but the artifact: this is how it learns why there is no result.
	if err := os.MkdirAll(s.out(), 0o755); err != nil {
		return verdict{}, err
	}
	o.Part = s.partName()
	if err := outcomeDocument.Write(filepath.Join(s.out(), outcomeFile), &o); err != nil {
		return verdict{}, err
	}
	s.warnings = append(s.warnings, "this is what the measuring job says; the job that reports makes the verdict")
	v := verdict{document: failure(o.Error), exit: result.ExitCode(o.Exit)}
	if o.Error != "" {
		s.Log.Error(v.said())
		v.failed = &result.ExitError{Code: max(v.exit, 1)}
		return v, nil
	}
	res, err := result.ReadArtifact(filepath.Join(s.out(), resultFile))
	if err != nil {
		return verdict{}, fmt.Errorf("the result cannot be used: %w", err)
	}
	v.document = report.New(res)
	return v, nil
}

// partName is what the artifact of this measuring job is expected to be called, whoever uploads it.
func (s *step) partName() string {
	shard, _ := plan.ParseShard(s.in.Shard) // the inputs were checked
	return artifactName(s.in.Name, s.in.Machine, shard.Index)
}
