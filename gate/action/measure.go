package action

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/result"
)

// credentials are variables that the measuring step must not have: its environment can be read by what it starts.
var credentials = []string{"GITHUB_TOKEN", "GH_TOKEN", "INPUT_TOKEN", "ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"}

// Measure runs the job request and leaves the outcome. run is the gate: it writes what the artifact is to keep into the folder
// out. Measure fails only where no outcome can be left: report turns the outcome into an exit code.
func Measure(ctx context.Context, j Job, run func(ctx context.Context, p JobRequest, out string) Outcome) error {
	work := j.Env("PERFGATE_WORK")
	o, err := j.measure(ctx, work, run)
	if err != nil {
		o = Outcome{Exit: int(result.ExitCodeOf(err)), Error: err.Error()}
	}
	o.Schema = outcomeDocument.Schema
	if o.Error != "" {
		j.Log.Error(o.Error)
	}
	if err := outcomeDocument.Write(filepath.Join(work, outcomeFile), &o); err != nil {
		j.Log.Error(err.Error())
		return &result.ExitError{Code: result.ExitNotMeasurable}
	}
	return nil
}

func (j Job) measure(ctx context.Context, work string, run func(context.Context, JobRequest, string) Outcome) (Outcome, error) {
	for _, name := range credentials {
		if j.Env(name) != "" {
			return Outcome{}, result.Usagef("the measuring step must hold no credential, and %s is set: code under test could read it", name)
		}
	}
	p, err := readUntrusted(filepath.Join(work, requestFile), requestDocument)
	if err != nil {
		return Outcome{}, fmt.Errorf("read the job request of the prepare step (all steps must be of one perfgate): %w", err)
	}
	out := filepath.Join(work, outFolder)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return Outcome{}, fmt.Errorf("make the folder for the results: %w", err)
	}
	return run(ctx, *p, out), nil
}
