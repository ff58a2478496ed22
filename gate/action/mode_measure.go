package action

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// handOver ends a job of mode measure: what was measured is kept for the job that makes the verdict, and the job succeeds if
// there is something to make it of.
func (s *step) handOver() error {
	s.tidy()
	o, err := readOutcome(s.work())
	if err != nil {
		return err
	}
	// The other job has nothing but the artifact: this is how it learns why there is no result.
	if err := os.MkdirAll(s.out(), 0o755); err != nil {
		return err
	}
	o.Part = s.partName()
	if err := outcomeDocument.Write(filepath.Join(s.out(), outcomeFile), &o); err != nil {
		return err
	}
	document := failure(o.Error)
	if o.Error == "" {
		res, err := result.ReadArtifact(filepath.Join(s.out(), resultFile))
		if err != nil {
			return fmt.Errorf("the result cannot be used: %w", err)
		}
		document = report.New(res)
	}
	s.tell(document, github.Meta{Key: s.in.Name, SHA: s.target.Head, Warnings: []string{"this is what the measuring job says; the job that reports makes the verdict"}})
	outputs := map[string]string{outVerdict: string(wordsOf(result.ExitCode(o.Exit)).verdict), outExit: strconv.Itoa(o.Exit), outArtifact: s.ownArtifact(), outResults: s.out(), outRecorded: "false"}
	if err := s.setOutputs(outputs); err != nil {
		return err
	}
	if o.Error != "" {
		s.annotate(result.ExitCode(o.Exit), document)
		return &result.ExitError{Code: result.ExitCode(max(o.Exit, 1))}
	}
	return nil
}

// ownArtifact names what a measuring job keeps, "" where another step keeps it.
func (s *step) ownArtifact() string {
	if !s.in.UploadArtifact {
		return ""
	}
	return s.partName()
}

// partName is what the artifact of this measuring job is expected to be called, whoever uploads it.
func (s *step) partName() string {
	shard, _ := plan.ParseShard(s.in.Shard) // the inputs were checked
	return artifactName(s.in.Name, s.in.Machine, shard.Index)
}
