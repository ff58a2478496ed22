package action

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// JobRequest is what prepare tells measure to do. Nothing that report publishes rests on it.
type JobRequest struct {
	Schema string `json:"schema"`
	Mode   string `json:"mode"` // one that builds
	request.Run
	Profile       string        `json:"profile"`
	ProfileBudget time.Duration `json:"profileBudgetNS"`     // of all profiles together
	RunNumber     int           `json:"runNumber,omitempty"` // of drift: which shard an auto/n is
	IfNeeded      bool          `json:"ifNeeded,omitempty"`  // record only where that adds something
	Arch          string        `json:"arch,omitempty"`      // of precheck: that GPU code is compiled for
}

// Outcome is what measure has to say in addition to its result.
type Outcome struct {
	Schema   string   `json:"schema"`
	Exit     int      `json:"exit"`
	Error    string   `json:"error,omitempty"` // why there is no result
	Part     string   `json:"part,omitempty"`  // of mode measure: what the artifact is called
	Recorded bool     `json:"recorded,omitempty"`
	Stored   bool     `json:"stored,omitempty"`
	Wiped    bool     `json:"wiped,omitempty"`    // what is stored lies in the checkout
	Notes    []string `json:"notes,omitempty"`    // for the details
	Warnings []string `json:"warnings,omitempty"` // for the top of the report
}

// How both are saved. An outcome is anybody's: code under test may have written it.
var (
	requestDocument = saved.Kind[JobRequest]{Schema: "perfgate/job-request/v1", Bytes: 1 << 20}
	outcomeDocument = saved.Kind[Outcome]{Schema: "perfgate/outcome/v1", Bytes: 1 << 20, Texts: []string{"error", "notes", "warnings"}}
)

// Names within the folder of a run. Everything in out is kept as an artifact.
const (
	requestFile = "job-request.json"
	outcomeFile = "outcome.json"
	outFolder   = "out"
	resultFile  = "result.json"
	reportFile  = render.MarkdownName
	// RecordFile is the record of mode record, for a job with mode save-record.
	RecordFile   = "record.json.gz"
	DriftFile    = "drift.json"    // of mode drift
	SearchFile   = "search.json"   // of mode bisect
	PrecheckFile = "precheck.json" // of mode precheck
)

// readRegular reads a file that is not a link, pipe or device, and no larger than limit.
func readRegular(path string, limit int64) ([]byte, error) {
	data, err := untrusted.Read(path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		err = fs.ErrNotExist // without the path
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return data, nil
}

// readOutcome reads what measure left. A missing one is not an error of perfgate: the step was ended from outside.
func readOutcome(dir string) (Outcome, error) {
	o, err := readUntrusted(filepath.Join(dir, outcomeFile), outcomeDocument)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Outcome{}, errors.New("the measuring step left no outcome: it was ended from outside (out of memory, the job's time limit), its log has more")
	case err != nil:
		return Outcome{}, fmt.Errorf("what the measuring step left cannot be used: %w", err)
	}
	return *o, nil
}

// Check says whether there is such an exit code.
func (o *Outcome) Check() error {
	if o.Exit < int(result.ExitPassed) || o.Exit > int(result.ExitNotMeasurable) {
		return fmt.Errorf("there is no exit code %d", o.Exit)
	}
	return nil
}

// prune takes everything out of the folder of artifacts that is not a file or a folder: the upload would follow links.
func prune(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || d.Type().IsRegular() {
			return nil
		}
		return os.Remove(path)
	})
}
