package action

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
	ways "github.com/org/perfgate/kernels/checkout"
)

// Job is a step's view of the job that it runs in.
type Job struct {
	Env     func(string) string // os.Getenv or a stand-in
	Dir     string              // the checkout
	Log     *github.Log
	Version string
}

// Names of outputs. action.yml hands them on.
const (
	outVerdict  = "verdict"
	outExit     = "exit-code"
	outMode     = "mode"
	outWork     = "work"
	outArtifact = "artifact"
	outResults  = "results-dir"
	outRecorded = "has-record"
)

// maxSleep is how long the steps wait for GitHub in all before they do without it.
const maxSleep = 2 * time.Minute

// step is one that holds the token, prepare or report, with what started it.
type step struct {
	Job
	in       Inputs
	event    github.Event
	does     mode
	idle     string // why there is nothing to do, with ModeNothing
	client   *github.Client
	target   Target
	warnings []string // that belong under the report
	scratch  string   // a folder that the end of the step removes
}

// run does a step. An error that has not been said ends it without a verdict: then it is, in the log and the summary, and as outputs.
func (j Job) run(do func(*step) error) error {
	s, err := j.open()
	if err == nil {
		err = do(s)
	}
	var exit *result.ExitError
	if err == nil || errors.As(err, &exit) && exit.Err == nil {
		return err
	}
	err = checkoutError(j.Dir, err)
	return j.stop(result.ExitCodeOf(err), err.Error())
}

// open reads inputs and event.
func (j Job) open() (s *step, err error) {
	s = &step{Job: j}
	s.in, err = readInputs(j.Env)
	j.Log.Mask(s.in.Token) // first of all: an error may quote an input
	if err == nil {
		err = refuseEvent(j.Env("GITHUB_EVENT_NAME"))
	}
	if err == nil {
		s.event, err = github.ReadEvent(j.Env)
	}
	if err == nil {
		err = j.untouched(s.event)
	}
	if err == nil {
		s.does, s.idle, err = chooseMode(s.in.Mode, s.event)
	}
	if err == nil && s.does.name != ModeNothing {
		err = j.ownGit()
	}
	if err != nil {
		return nil, err
	}
	s.client, err = github.New(github.Options{
		APIURL: s.event.APIURL, Token: s.in.Token, Owner: s.event.Repo.Owner.Login, Repo: s.event.Repo.Name,
		UserAgent: "perfgate/" + cmp.Or(j.Version, "devel"), MaxSleep: maxSleep, Log: func(line string) { j.Log.Print(line + "\n") },
	})
	return s, err
}

// ownGit refuses a git that a change could bring, or could tell what to run: it would run with the rights of the job, which has the token.
func (j Job) ownGit() error {
	if lead := ways.In(j.Dir).Program("git", j.Env); lead != nil {
		return fmt.Errorf("git would run with the rights of this job: %w", lead)
	}
	return nil
}

// untouched compares the file with the event with what the runner itself says of it: between two steps the code under
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

// git asks the checkout, which code of a pull request may have written to.
func (j Job) git() repo.Git { return repo.Git{Dir: j.Dir} }

// repository is the page of the repository, at which git reaches it too.
func (s *step) repository() string { return s.event.ServerURL + "/" + s.event.Repo.FullName }

// runURL is the page of the workflow run.
func (s *step) runURL() string {
	return fmt.Sprintf("%s/actions/runs/%d", s.repository(), s.event.RunID)
}

// warn says something that is not the verdict, in the log and under the report.
func (s *step) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.warnings = append(s.warnings, text)
	s.Log.Warning(text)
}

// tell writes a document where a run of GitHub Actions shows it first: the summary. A summary that cannot be written is a warning.
func (j Job) tell(d report.Document, m github.Meta) {
	room := github.SummaryRoom(j.Env)
	if err := github.AddSummary(j.Env, github.RenderSummary(d, m, room)); err != nil {
		j.Log.Warning("the summary could not be written: " + err.Error())
	}
}

func (j Job) setOutputs(outputs map[string]string) error { return github.SetOutputs(j.Env, outputs) }

// stop ends a step without a verdict.
func (j Job) stop(code result.ExitCode, message string) error {
	j.Log.Error(message)
	j.tell(failure(message), github.Meta{})
	outputs := map[string]string{outVerdict: string(result.RunError), outExit: strconv.Itoa(int(code)), outMode: ModeNothing}
	if err := j.setOutputs(outputs); err != nil {
		j.Log.Error(err.Error())
	}
	return &result.ExitError{Code: code}
}

// checkoutError says of an error of git that the workflow is to be mended, and how.
func checkoutError(dir string, err error) error {
	switch repo.KindOf(err) {
	case repo.NoGit:
		return result.Usagef("git is needed on the runner, and is not on the PATH")
	case repo.DubiousOwnership:
		return result.Usagef("git refuses the checkout in %s because another user owns it (usual in containers); before this step run:\n  git config --global --add safe.directory %s", dir, dir)
	case repo.NotARepository:
		return result.Usagef("%s is not a git repository: run actions/checkout with fetch-depth: 0 before this step", dir)
	}
	return err
}

// failure is the document of a run without a result.
func failure(message string) report.Document {
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	d := report.Document{Verdict: "COULD NOT MEASURE", Tone: report.Warn, Headline: report.Text{{Text: first}}}
	if strings.TrimSpace(rest) != "" {
		d.Blocks = []report.Block{{Key: "in-full", Title: report.Say("In full"), Tone: report.Warn, Log: &report.Log{Lines: strings.Split(message, "\n")}}}
	}
	return d
}

// headline is a document of one line.
func headline(verdict string, tone report.Tone, text string) report.Document {
	return report.Document{Verdict: verdict, Tone: tone, Headline: report.Text{{Text: text}}}
}

// makeWork makes the folder that the steps of this run share.
func (j Job) makeWork() (string, error) {
	temp := j.Env("RUNNER_TEMP")
	if temp == "" {
		return "", result.Usagef("not in a job of GitHub Actions: RUNNER_TEMP is not set")
	}
	dir, err := os.MkdirTemp(temp, "perfgate-")
	if err != nil {
		return "", fmt.Errorf("make a folder for this run: %w", err)
	}
	return dir, nil
}
