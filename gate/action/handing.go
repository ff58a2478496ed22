package action

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// ArtifactName is what the artifact of a measuring job is called; machine is "" where there is one, part 0 where the plan is in
// one piece.
func ArtifactName(key, machine string, part int) string {
	name := key
	if machine != "" {
		name += "-on-" + machine
	}
	if part != 0 {
		name += fmt.Sprintf("-shard-%d", part)
	}
	return name
}

// prepareMerge makes the folder that the one result of all parts goes into.
func (j Job) prepareMerge() error {
	work, err := j.work()
	if err != nil {
		return j.stop(err)
	}
	if err := os.Mkdir(filepath.Join(work, outFolder), 0o755); err != nil {
		return j.stop(err)
	}
	return j.finish(map[string]string{outMode: ModeMerge, outWork: work})
}

// handOver ends a job of mode measure: what was measured is kept for the job that makes the verdict, and the job succeeds if
// there is something to make it of.
func (r *reporter) handOver() error {
	if err := prune(r.out()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.warn("the folder of results could not be tidied: %v", err)
	}
	o, err := readOutcome(r.work)
	if err != nil {
		return r.stop(err)
	}
	// The other job has nothing but the artifact: this is how it learns why there is no result.
	if err := os.MkdirAll(r.out(), 0o755); err != nil {
		return r.stop(err)
	}
	if err := os.Remove(filepath.Join(r.out(), outcomeFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.stop(err)
	}
	if err := writeHandover(r.out(), outcomeFile, o); err != nil {
		return r.stop(err)
	}
	outputs := map[string]string{outVerdict: verdictOf(result.ExitCode(o.Exit)), outExit: fmt.Sprint(o.Exit), outArtifact: "", outResults: r.out(), outRecorded: "false"}
	if r.in.Artifact {
		outputs[outArtifact] = r.artifact()
	}
	document := failure(o.Error)
	if o.Error == "" {
		res, err := result.ReadFileStrictly(filepath.Join(r.out(), resultFile))
		if err != nil {
			return r.stop(fmt.Errorf("the result cannot be used: %w", err))
		}
		document = report.New(res)
	}
	r.tell(document, github.Meta{Key: r.in.Key, SHA: r.target.Head, Warnings: []string{"this is what the measuring job says; the job that reports makes the verdict"}})
	if err := r.finish(outputs); err != nil {
		return err
	}
	if o.Error != "" {
		r.say(result.ExitCode(o.Exit), document)
		return &ExitError{result.ExitCode(max(o.Exit, 1))}
	}
	return nil
}

// artifact names what a measuring job keeps.
func (r *reporter) artifact() string {
	if r.in.Shard == "" {
		return ArtifactName(r.in.Key, r.in.Machine, 0)
	}
	shard, err := plan.ParseShard(r.in.Shard)
	if err != nil { // the inputs were checked
		return strings.ReplaceAll(r.in.Shard, "/", "-")
	}
	return ArtifactName(r.in.Key, r.in.Machine, shard.Index)
}
