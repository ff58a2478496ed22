package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// Job is a step's view of the job that it runs in. The zero value of Env is the environment of the process.
type Job struct {
	Env     func(string) string
	Dir     string // the checkout
	Log     *github.Log
	Version string
}

// ExitError ends a step with an exit code; what there is to say has been said in the log.
type ExitError struct{ Code result.ExitCode }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// Names of outputs. action.yml hands them on.
const (
	outVerdict  = "verdict"
	outExit     = "exit-code"
	outMode     = "mode"
	outWork     = "work"
	outArtifact = "artifact"
	outResults  = "folder"
	outRecorded = "recorded"
)

// maxSleep is how long the steps wait for GitHub in all before they do without it.
const maxSleep = 2 * time.Minute

// open reads what both privileged steps need.
func (j Job) open() (Inputs, github.Event, error) {
	in, err := ReadInputs(j.Env)
	j.Log.Mask(in.Token) // first of all: an error may quote an input
	if err != nil {
		return in, github.Event{}, err
	}
	if err := j.known(); err != nil {
		return in, github.Event{}, err
	}
	e, err := github.ReadEvent(j.Env)
	if err != nil {
		return in, e, err
	}
	return in, e, j.untouched(e)
}

// untouched holds the file with the event against what the runner itself says of it: between two steps the code under
// test could have rewritten the file.
func (j Job) untouched(e github.Event) error {
	number, head := j.Env("PERFGATE_EVENT_PR"), j.Env("PERFGATE_EVENT_HEAD")
	if e.PR == nil || number == "" && head == "" {
		return nil
	}
	if number != strconv.Itoa(e.PR.Number) || head != e.HeadSHA {
		return errors.New("the file with the event is not what the runner says the event is: something in this job has changed it")
	}
	return nil
}

func (j Job) client(in Inputs, e github.Event) (*github.Client, error) {
	return github.New(github.Options{
		APIURL: e.APIURL, Token: in.Token, Owner: e.Repo.Owner, Repo: e.Repo.Name, UserAgent: "perfgate/" + cmp.Or(j.Version, "devel"), MaxSleep: maxSleep,
		Log: func(line string) { j.Log.Print(line + "\n") },
	})
}

// RunURL is the page of the workflow run.
func RunURL(e github.Event) string {
	return fmt.Sprintf("%s/%s/actions/runs/%d", e.ServerURL, e.Repo.FullName(), e.RunID)
}

// tell writes a document where a run of GitHub Actions shows it first: the summary. A summary that cannot be written is a warning.
func (j Job) tell(d report.Document, m github.Meta) {
	room := github.SummaryRoom(j.Env)
	if err := github.AddSummary(j.Env, github.RenderSummary(d, m, room)); err != nil {
		j.Log.Warning("the summary could not be written: " + err.Error())
	}
}

// stop ends a step without a verdict: said in the log and the summary, and as outputs.
func (j Job) stop(cause error) error {
	cause = checkoutError(j.Dir, cause)
	return j.stopWith(exitOf(cause), cause.Error())
}

// exitOf is the exit code of an error that keeps a step from a verdict.
func exitOf(err error) result.ExitCode {
	var usage *UsageError
	if errors.As(err, &usage) {
		return result.ExitUsage
	}
	return result.ExitNotMeasurable
}

func (j Job) stopWith(code result.ExitCode, message string) error {
	j.Log.Error(message)
	j.tell(failure(message), github.Meta{})
	outputs := map[string]string{outVerdict: result.RunError, outExit: strconv.Itoa(int(code)), outMode: ModeNothing}
	if err := github.SetOutputs(j.Env, outputs); err != nil {
		j.Log.Error(err.Error())
	}
	return &ExitError{code}
}

// failure is the document of a run without a result.
func failure(message string) report.Document {
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	d := report.Document{Verdict: "COULD NOT MEASURE", Tone: report.Warn, Headline: report.Text{{Text: first}}}
	if strings.TrimSpace(rest) != "" {
		d.Problems = []report.Problem{{Title: report.Text{{Text: "In full"}}, Output: strings.Split(message, "\n"), Tone: report.Warn}}
	}
	return d
}

// nothing is the document of an event that asks for nothing.
func nothing(why string) report.Document {
	return report.Document{Verdict: "PASS", Tone: report.Good, Headline: report.Text{{Text: why}}}
}

// work makes the folder that the steps of this run share.
func (j Job) work() (string, error) {
	temp := j.Env("RUNNER_TEMP")
	if temp == "" {
		return "", usagef("not in a job of GitHub Actions: RUNNER_TEMP is not set")
	}
	dir, err := os.MkdirTemp(temp, "perfgate-")
	if err != nil {
		return "", fmt.Errorf("make a folder for this run: %w", err)
	}
	return dir, nil
}

// head returns the commit that a pull request is at now, "" if GitHub does not say: then the run goes on.
func (j Job) headNow(ctx context.Context, client *github.Client, number int) string {
	sha, err := client.HeadOf(ctx, number)
	if err != nil {
		j.Log.Warning("whether a newer commit was pushed cannot be found out: " + err.Error())
		return ""
	}
	return sha
}
