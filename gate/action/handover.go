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

	"github.com/org/perfgate/gate/page"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
)

// Plan is what prepare tells measure to do. Nothing that report publishes rests on it.
type Plan struct {
	Schema    string   `json:"schema"`
	Mode      string   `json:"mode"` // one that builds
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
	ProfileLimitS float64            `json:"profileLimitSeconds,omitempty"`
	GPU           string             `json:"gpu,omitempty"`
	Sandbox       result.SandboxMode `json:"sandbox"`
	Shard         string             `json:"shard,omitempty"`    // i/n
	IfWanted      bool               `json:"ifWanted,omitempty"` // record only where that adds something
	Cases         []string           `json:"cases,omitempty"`    // of bisect: patterns
	Spread        int                `json:"spread,omitempty"`   // of watch: runs that all cases are spread over
	Turn          int                `json:"turn,omitempty"`     // of watch: which run this is
	Arch          string             `json:"arch,omitempty"`     // of plan: that GPU code is compiled for
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
	Warnings []string `json:"warnings,omitempty"` // for the top of the report
}

const (
	planSchema    = "perfgate/action-plan/v1"
	outcomeSchema = "perfgate/outcome/v1"
)

// Names within the folder of a run. Everything in out is kept as an artifact.
const (
	planFile    = "plan.json"
	outcomeFile = "outcome.json"
	outFolder   = "out"
	resultFile  = "result.json"
	reportFile  = page.MarkdownName
	// RecordFile is the record of mode record, for a job with mode store.
	RecordFile  = "record.json.gz"
	WatchFile   = "watch.json"  // of mode watch
	SearchFile  = "search.json" // of mode bisect
	TouchedFile = "plan.json"   // of mode plan
)

// maxHandover is far more than a plan or an outcome needs.
const maxHandover = 1 << 20

func writeHandover(dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := replace(filepath.Join(dir, name), append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// readRegular reads a file that is no link, pipe or device, and no larger than limit.
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

func readAtMost(in io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d MiB", name, limit>>20)
	}
	return data, err
}

// decodeHandover reads JSON with no field too many and nothing behind it.
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

func readPlan(dir string) (Plan, error) {
	var p Plan
	data, err := readRegular(filepath.Join(dir, planFile), maxHandover)
	if err == nil {
		err = decodeHandover(planFile, data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read the plan of the prepare step: %w", err)
	}
	if p.Schema != planSchema {
		return p, fmt.Errorf("the plan is %.60q, not %s: all steps must be of one perfgate", p.Schema, planSchema)
	}
	return p, nil
}

// readOutcome reads what measure left, which code under test may have written. A missing one is no error of ours: the step was
// ended from outside.
func readOutcome(dir string) (Outcome, error) {
	data, err := readRegular(filepath.Join(dir, outcomeFile), maxHandover)
	if errors.Is(err, fs.ErrNotExist) {
		return Outcome{}, errors.New("the measuring step left no outcome: it was ended from outside (out of memory, the job's time limit), its log has more")
	}
	var o Outcome
	if err == nil {
		o, err = decodeOutcome(bytes.NewReader(data))
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("what the measuring step left cannot be used: %w", err)
	}
	return o, nil
}

func decodeOutcome(in io.Reader) (o Outcome, err error) {
	data, err := readAtMost(in, outcomeFile, maxHandover)
	if err == nil {
		err = decodeHandover(outcomeFile, data, &o)
	}
	switch {
	case err != nil:
		return Outcome{}, err
	case o.Schema != outcomeSchema:
		return Outcome{}, fmt.Errorf("its schema is %.60q, not %s", o.Schema, outcomeSchema)
	case o.Exit < int(result.ExitPassed) || o.Exit > int(result.ExitNotMeasurable):
		return Outcome{}, fmt.Errorf("there is no exit code %d", o.Exit)
	}
	return o, nil
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

// replaceBy is replace of what write writes.
func replaceBy(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return replace(path, b.Bytes())
}

// replace writes a new file: what lies there may be a second name of something else.
func replace(path string, data []byte) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
