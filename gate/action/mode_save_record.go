package action

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// maxRecord is far more than a record of a thousand cases has, packed.
const maxRecord = 64 << 20

// save pushes the record of a measuring job. That job ran code, so the record is untrusted:
// it is read strictly and must be of the commit that this run is about.
func (s *step) save(ctx context.Context) (v verdict, err error) {
	branch, err := s.storeBranch(ctx)
	if err != nil {
		return v, err
	}
	var rec *baseline.Record
	data, err := readRegular(filepath.Join(s.in.ArtifactsDir, RecordFile), maxRecord)
	if err == nil {
		rec, err = baseline.Decode(data)
	}
	if err == nil && rec.Commit != s.target.Head {
		err = fmt.Errorf("it is of commit %.12q, and this run is about %.12s", rec.Commit, s.target.Head)
	}
	if err != nil {
		return v, fmt.Errorf("the record cannot be used: %w", err)
	}
	if s.scratch, err = s.makeWork(); err != nil {
		return v, err
	}
	store, err := baseline.OpenRemote(ctx, s.remote(), branch, s.scratch)
	if err != nil {
		return v, fmt.Errorf("open the store of records: %w", err)
	}
	s.accepted(ctx, store, rec)
	if err := baseline.Save(ctx, store, rec); err != nil {
		return v, fmt.Errorf("store the record: %w", err)
	}
	if s.in.KeepRecords > 0 {
		s.retain(ctx, store, rec.Machine.Key)
	}
	message := fmt.Sprintf("record of %.12s on %s stored in branch %s: %d cases", rec.Commit, rec.Machine.Key, branch, len(rec.Cases))
	s.Log.Notice(message)
	return verdict{document: headline("RECORDED", report.Good, message)}, nil
}

// retain removes the records of a machine that lie farther away than those to keep, and those that cannot be read. That it cannot be done is a
// warning: nothing is lost by records that stay.
func (s *step) retain(ctx context.Context, store *baseline.Store, machine string) {
	if s.git().Shallow(ctx) {
		s.warn("no record was removed: this is a shallow clone, which cannot tell how far away they are (fetch-depth: 0)")
		return
	}
	var doomed []baseline.Problem
	ancestors, keys, err := s.stored(ctx, store, machine)
	if err == nil {
		doomed, err = baseline.Prunable(ctx, store, keys, ancestors, baseline.Retention{Keep: s.in.KeepRecords})
	}
	var gone []string
	for _, p := range doomed {
		gone = append(gone, p.Key)
	}
	if err == nil {
		err = store.Delete(ctx, gone...)
	}
	if err != nil {
		s.warn("old records could not be removed: %v", err)
	} else if len(gone) > 0 {
		s.Log.Notice(fmt.Sprintf("removed %s of %s from %s: the nearest %d stay", text.Count(len(gone), "record"), machine, store, s.in.KeepRecords))
	}
}

// stored are the commits that head has, nearest first, and the keys of the records of a machine.
func (s *step) stored(ctx context.Context, store *baseline.Store, machine string) (ancestors, keys []string, err error) {
	if ancestors, err = s.git().Ancestors(ctx, s.target.Head, baseline.MaxAncestors); err == nil {
		keys, err = store.List(ctx, machine+"/")
	}
	return ancestors, keys, err
}

// storeBranch is where records go, by the input or the configuration of the commit.
func (s *step) storeBranch(ctx context.Context) (string, error) {
	spec := s.in.Store
	if spec == "" {
		cfg, err := configAt(ctx, s.git(), s.target.Head, s.in)
		if err != nil {
			return "", err
		}
		if cfg == nil {
			return "", result.Usagef("there is no configuration %s in %.12s: the inputs config or store name what to store to", s.in.Config, s.target.Head)
		}
		spec = cfg.Baseline.Store
	}
	branch, ok := strings.CutPrefix(spec, "git:")
	if !ok || branch == "" {
		return "", result.Usagef("mode save-record writes to a branch, and the store is %q: name one with store: git:BRANCH (a dir: store is written by the measuring job)", spec)
	}
	return branch, nil
}

// KeepRecord puts a measured record where a job that has no token can: into a store that is a folder of this machine, else into the
// folder of results, for a job with mode save-record.
func (o *Outcome) KeepRecord(ctx context.Context, store *baseline.Store, rec *baseline.Record, out string) error {
	drifted, err := baseline.Drift(ctx, store, rec)
	if err != nil {
		o.Warnings = []string{"the canaries cannot be compared with earlier records: " + err.Error()}
	}
	for _, d := range drifted {
		o.Warnings = append(o.Warnings, d.String())
	}
	if folder := store.Folder(); folder != "" {
		o.Stored, o.Wiped = true, inCheckout(folder)
		o.Notes = append(o.Notes, fmt.Sprintf("stored in %s on this machine", store))
		return baseline.Save(ctx, store, rec)
	}
	data, err := baseline.Encode(rec)
	if err != nil {
		return err
	}
	o.Recorded = true
	return os.WriteFile(filepath.Join(out, RecordFile), data, 0o644)
}

// inCheckout says whether a folder is in the checkout, which a step runs in. Git names the checkout without links.
func inCheckout(folder string) bool {
	root, err := os.Getwd()
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(root, folder)
	return err == nil && filepath.IsLocal(rel)
}
