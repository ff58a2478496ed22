package action

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// maxRecord is far more than a record of a thousand cases has, packed.
const maxRecord = 64 << 20

// store writes the record of a measuring job through the Git data API. That job ran code, so the record is a stranger's:
// it is read strictly and must be of the commit that this run is about.
func (j Job) store(ctx context.Context, e github.Event, in Inputs) error {
	target, err := Resolve(ctx, j.Dir, ModeStore, e, in)
	if err != nil {
		return j.stop(err)
	}
	branch, err := j.storeBranch(ctx, target, in)
	if err != nil {
		return j.stop(err)
	}
	rec, err := readRecord(filepath.Join(in.Record, RecordFile))
	if err != nil {
		return j.stop(fmt.Errorf("the record cannot be used: %w", err))
	}
	if rec.Commit != target.Head {
		return j.stop(fmt.Errorf("the record cannot be used: it is of commit %.12q, and this run is about %.12s", rec.Commit, target.Head))
	}
	store, err := baseline.OpenAPI(ctx, e.APIURL, in.Token, e.Repo.Owner, e.Repo.Name, branch)
	if err != nil {
		return j.stop(err)
	}
	if err := baseline.Save(ctx, store, rec); err != nil {
		return j.stop(fmt.Errorf("store the record: %w", err))
	}
	message := fmt.Sprintf("record of %.12s on %s stored in branch %s: %d cases", rec.Commit, rec.Machine.Key, branch, len(rec.Cases))
	j.Log.Notice(message)
	j.tell(report.Document{Verdict: "RECORDED", Tone: report.Good, Headline: report.Text{{Text: message}}}, github.Meta{})
	return j.finish(map[string]string{outVerdict: result.RunPassed, outExit: "0"})
}

// storeBranch is where records go, by the input or the configuration of the commit.
func (j Job) storeBranch(ctx context.Context, t Target, in Inputs) (string, error) {
	spec := in.Baseline
	if spec == "" {
		cfg, err := trustedConfig(ctx, j.Dir, t.Head, in.Config)
		if err != nil {
			return "", err
		}
		if cfg == nil {
			return "", usagef("there is no configuration %s in %.12s: the inputs config or baseline name what to store to", in.Config, t.Head)
		}
		spec = cfg.Baseline.Store
	}
	branch, ok := strings.CutPrefix(spec, "git:")
	if !ok || branch == "" {
		return "", usagef("mode store writes to a branch, and the store is %q: name one with baseline: git:BRANCH (a dir: store is written by the measuring job)", spec)
	}
	return branch, nil
}

func readRecord(path string) (*baseline.Record, error) {
	data, err := readRegular(path, maxRecord)
	if err != nil {
		return nil, err
	}
	return baseline.Decode(data)
}
