package action

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
)

// Measured is what a run of the gate has to hand over.
type Measured struct {
	Result   *result.Result // nil where nothing was to be measured
	Recorded bool           // RecordFile was written, for another job to store
	Stored   bool           // the record lies in a folder of this machine
	Wiped    bool           // that folder is in the checkout, which the next job begins by cleaning
	Notes    []string
	Warnings []string
}

// Runner runs the gate: result and report into the folder out. ExitCode sorts its errors.
type Runner struct {
	Run      func(ctx context.Context, p Plan, out string) (Measured, error)
	ExitCode func(error) result.ExitCode
}

// credentials are variables that the measuring step must not have: its environment can be read by what it starts.
var credentials = []string{"GITHUB_TOKEN", "GH_TOKEN", "INPUT_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}

// Measure runs the plan and leaves an outcome. It fails only where it cannot even do that: report turns the outcome into
// an exit code.
func Measure(ctx context.Context, j Job, r Runner) error {
	work := j.Env("PERFGATE_WORK")
	o := j.measure(ctx, work, r)
	o.Schema = outcomeSchema
	if o.Error != "" {
		j.Log.Error(o.Error)
	}
	if err := writeHandover(work, outcomeFile, o); err != nil {
		j.Log.Error(err.Error())
		return &ExitError{result.ExitNotMeasurable}
	}
	return nil
}

func (j Job) measure(ctx context.Context, work string, r Runner) Outcome {
	for _, name := range credentials {
		if j.Env(name) != "" {
			return Outcome{Exit: int(result.ExitUsage), Error: fmt.Sprintf("the measuring step must hold no credential, and %s is set: code under test could read it", name)}
		}
	}
	broken := func(err error) Outcome { return Outcome{Exit: int(result.ExitNotMeasurable), Error: err.Error()} }
	p, err := readPlan(work)
	if err != nil {
		return broken(err)
	}
	out := filepath.Join(work, outFolder)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return broken(fmt.Errorf("make the folder for the results: %w", err))
	}
	m, err := r.Run(ctx, p, out)
	o := Outcome{Recorded: m.Recorded, Stored: m.Stored, Wiped: m.Wiped, Notes: m.Notes, Warnings: m.Warnings}
	switch {
	case err != nil:
		o.Exit, o.Error = int(r.ExitCode(err)), err.Error()
	case m.Result != nil:
		o.Exit = int(m.Result.Conclusion.Exit)
	}
	return o
}

// maxConfig is more than a configuration may have.
const maxConfig = 1 << 20

// trustedConfig reads the configuration of a commit straight from its objects; nil if there is none.
func trustedConfig(ctx context.Context, dir, commit, path string) (*config.Config, error) {
	src, ok, err := git{dir}.file(ctx, commit, filepath.ToSlash(filepath.Clean(path)))
	if err != nil || !ok {
		return nil, err
	}
	if len(src) > maxConfig {
		return nil, errors.New("the configuration is too large")
	}
	return config.Parse(path, src)
}
