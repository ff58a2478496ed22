package action

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/result"
)

// Plan is what prepare tells measure to do. Nothing that report publishes rests on it.
type Plan struct {
	Schema    string   `json:"schema"`
	Mode      string   `json:"mode"` // gate, measure or record
	Head      string   `json:"head"`
	Base      string   `json:"base"`
	Trust     string   `json:"trust"`
	Seed      string   `json:"seed"`
	Config    string   `json:"config"`
	Kernels   []string `json:"kernels,omitempty"`
	Baseline  string   `json:"baseline,omitempty"`
	Tolerance string   `json:"tolerance,omitempty"`
	BudgetS   float64  `json:"budgetSeconds,omitempty"`
	Profile   string   `json:"profile"`
	// ProfileLimitS bounds all profiles together, in seconds; 0 is the default of a run.
	ProfileLimitS float64 `json:"profileLimitSeconds,omitempty"`
	GPU           string  `json:"gpu,omitempty"`
	Sandbox       string  `json:"sandbox"`
	Shard         string  `json:"shard,omitempty"`    // i/n
	IfWanted      bool    `json:"ifWanted,omitempty"` // record only where that adds something
}

// Outcome is what measure has to say beside its result.
type Outcome struct {
	Schema   string   `json:"schema"`
	Exit     int      `json:"exit"`
	Error    string   `json:"error,omitempty"` // why there is no result
	Recorded bool     `json:"recorded,omitempty"`
	Stored   bool     `json:"stored,omitempty"`
	Wiped    bool     `json:"wiped,omitempty"`    // what is stored lies in the checkout
	Notes    []string `json:"notes,omitempty"`    // for the details
	Warnings []string `json:"warnings,omitempty"` // for everybody
}

const (
	planSchema    = "perfgate/plan/v1"
	outcomeSchema = "perfgate/outcome/v1"
)

// Names within the folder of a run. Everything in out is kept as an artifact.
const (
	planFile    = "plan.json"
	outcomeFile = "outcome.json"
	outFolder   = "out"
	resultFile  = "result.json"
	reportFile  = "report.md"
	// RecordFile is the record of mode record, for a job with mode store.
	RecordFile = "record.json.gz"
)

// maxHandover is far more than a plan or an outcome needs.
const maxHandover = 1 << 20

func writeHandover(dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// readHandover reads a file that anybody may have written: a regular one, small, and with no field too many.
func readHandover(dir, name string, v any) error {
	data, err := readRegular(filepath.Join(dir, name), maxHandover)
	if err != nil {
		return err
	}
	return decodeHandover(name, data, v)
}

func decodeHandover(name string, data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s is damaged: %w", name, err)
	}
	if d.More() {
		return fmt.Errorf("%s is damaged: there is something behind its end", name)
	}
	return nil
}

// readRegular reads a file that is no link, pipe or device, and no larger than limit.
func readRegular(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d MiB", filepath.Base(path), limit>>20)
	}
	return data, err
}

func readPlan(dir string) (Plan, error) {
	var p Plan
	if err := readHandover(dir, planFile, &p); err != nil {
		return p, fmt.Errorf("read the plan of the prepare step: %w", err)
	}
	if p.Schema != planSchema {
		return p, fmt.Errorf("the plan is %.60q, not %s: all steps must be of one perfgate", p.Schema, planSchema)
	}
	return p, nil
}

// readOutcome reads what measure left. A missing one is no error of ours: the step was ended from outside.
func readOutcome(dir string) (Outcome, error) {
	var o Outcome
	err := readHandover(dir, outcomeFile, &o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Outcome{}, errors.New("the measuring step left no outcome: it was ended from outside (out of memory, the job's time limit), its log has more")
	case err != nil:
		return Outcome{}, fmt.Errorf("what the measuring step left cannot be used: %w", err)
	}
	if err := checkOutcome(o); err != nil {
		return Outcome{}, fmt.Errorf("what the measuring step left cannot be used: %w", err)
	}
	return o, nil
}

func checkOutcome(o Outcome) error {
	switch {
	case o.Schema != outcomeSchema:
		return fmt.Errorf("its schema is %.60q, not %s", o.Schema, outcomeSchema)
	case o.Exit < int(result.ExitPassed) || o.Exit > int(result.ExitNotMeasurable):
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
