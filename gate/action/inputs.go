package action

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
)

// Values of the input mode. Auto goes by the event.
const (
	ModeAuto    = "auto"
	ModeGate    = "gate"
	ModeRecord  = "record"
	ModeStore   = "store"
	ModeMeasure = "measure" // measure, and leave the verdict to another job
	ModeMerge   = "merge"   // one verdict of what several jobs of this run measured
	ModeReport  = "report"  // one verdict of what another workflow run measured
	ModeNothing = "nothing" // of a plan alone: the event asks for nothing
)

// Values of the input comment.
const (
	CommentAlways   = "always"
	CommentOnChange = "on-change"
	CommentNever    = "never"
)

// Values of the input fork-status.
const (
	ForkStatusAdvisory = "advisory"
	ForkStatusPending  = "pending-until-labelled"
)

// Values of the input profile.
const (
	ProfileAuto   = "auto"
	ProfileAlways = "always"
	ProfileNever  = "never"
)

// Inputs are the action's inputs. action.yml describes them and has their defaults, which stand in here for empty values.
type Inputs struct {
	Config        string
	Mode          string
	Kernels       []string
	Base          string
	Baseline      string
	Tolerance     string
	Budget        time.Duration // 0: the configuration's
	Profile       string
	ProfileLimit  time.Duration // of all profiles together; 0: the run's default
	GPU           string
	Sandbox       string
	Comment       string
	CommentAuthor string
	Key           string
	Label         string
	FailOn        gate.FailOn
	Token         string
	Record        string   // folder
	Shard         string   // i/n, of mode measure; "" is all of the plan
	Machine       string   // of mode measure: what the workflow calls it, where several measure the plan
	Shards        int      // parts that modes merge and report expect; 0: the plan is in one piece
	Machines      []string // that modes merge and report expect the plan from; empty: one
	Results       string   // folder with the parts, for mode merge
	Artifact      bool
	AllowForks    bool   // build a stranger's code beside a token
	ForkStatus    string // of mode report, before somebody vouches for a fork
}

// UsageError is a mistake in the workflow or in its checkout: exit code 2.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// ReadInputs reads the inputs from INPUT_NAME variables, hyphens written as underscores.
func ReadInputs(env func(string) string) (Inputs, error) {
	r := inputReader{env: env}
	in := Inputs{
		Config:        r.text("config", config.DefaultFile),
		Mode:          r.word("mode", ModeAuto, ModeGate, ModeRecord, ModeStore, ModeMeasure, ModeMerge, ModeReport),
		Kernels:       r.list("kernel"),
		Base:          r.text("base", ""),
		Baseline:      r.text("baseline", ""),
		Tolerance:     r.text("tolerance", ""),
		Budget:        r.duration("budget"),
		Profile:       r.word("profile", ProfileAuto, ProfileAlways, ProfileNever),
		ProfileLimit:  r.duration("profile-limit"),
		GPU:           r.text("gpu", ""),
		Sandbox:       r.word("sandbox", "auto", "on", "off"),
		Comment:       r.word("comment", CommentOnChange, CommentAlways, CommentNever),
		CommentAuthor: r.text("comment-author", "github-actions[bot]"),
		Key:           r.key(),
		Label:         r.text("label", "perfgate-accept"),
		Token:         r.text("token", ""),
		Record:        r.text("record", ""),
		Shard:         r.text("shard", ""),
		Shards:        r.count("shards"),
		Machine:       r.text("machine", ""),
		Machines:      r.list("machines"),
		Results:       r.text("results", ""),
		Artifact:      r.word("artifact", "true", "false") == "true",
		AllowForks:    r.word("allow-forks", "false", "true") == "true",
		ForkStatus:    r.word("fork-status", ForkStatusAdvisory, ForkStatusPending),
	}
	in.FailOn = r.failOn()
	r.check(in)
	return in, r.err
}

// inputReader keeps the first problem.
type inputReader struct {
	env func(string) string
	err error
}

func (r *inputReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = usagef(format, args...)
	}
}

func (r *inputReader) text(name, otherwise string) string {
	value := strings.TrimSpace(r.env("INPUT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))))
	if value == "" {
		return otherwise
	}
	return value
}

// word reads an input that has a few values; the first one is the default.
func (r *inputReader) word(name string, allowed ...string) string {
	value := r.text(name, allowed[0])
	if !slices.Contains(allowed, value) {
		r.fail("input %s: %.60q is not one of %s", name, value, strings.Join(allowed, ", "))
		return allowed[0]
	}
	return value
}

func (r *inputReader) list(name string) []string {
	var out []string
	for _, word := range strings.Split(r.text(name, ""), ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}

func (r *inputReader) duration(name string) time.Duration {
	text := r.text(name, "")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		r.fail("input %s: %.60q is not a time above 0, such as 90s or 10m", name, text)
		return 0
	}
	return d
}

// maxKey keeps the names of artifacts and check runs short.
const maxKey = 60

// key is part of names of check runs and artifacts, so it holds what both take.
func (r *inputReader) key() string {
	key := r.text("key", "perfgate")
	if !plainName(key) {
		r.fail("input key: %.80q is not a name of at most %d letters, digits, dots, hyphens and underscores", key, maxKey)
	}
	return key
}

// plainName says whether a text can be part of the name of an artifact and of a check run.
func plainName(text string) bool {
	return len(text) <= maxKey && !strings.ContainsFunc(text, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c))
	})
}

func (r *inputReader) failOn() gate.FailOn {
	f, err := gate.ParseFailOn(r.text("fail-on", gate.FailOnAny))
	if err != nil {
		r.fail("input fail-on: %v", err)
	}
	return f
}

// check looks at what only shows in combination, or late in the run.
func (r *inputReader) check(in Inputs) {
	if in.Tolerance != "" {
		if _, err := config.ParseTolerance(in.Tolerance); err != nil {
			r.fail("input tolerance: %v", err)
		}
	}
	if in.Mode == ModeStore && in.Record == "" {
		r.fail("mode store needs the input record: the folder into which the artifact of the measuring job was downloaded")
	}
	r.checkShards(in)
}

// Mode is what to do about an event, and why where that is nothing.
func Mode(wanted string, e github.Event) (mode, why string, err error) {
	if wanted != ModeAuto {
		return forced(wanted, e)
	}
	switch e.Name {
	case github.EventPullRequest, github.EventMergeGroup, github.EventWorkflowDispatch:
		return ModeGate, "", nil
	case github.EventSchedule:
		return ModeRecord, "", nil
	case github.EventPush:
		switch {
		case e.Deleted:
			return ModeNothing, "the push removes a branch, so there is nothing to measure", nil
		case e.Ref != "refs/heads/"+e.Repo.DefaultBranch:
			return ModeNothing, fmt.Sprintf("the push is not to the default branch %s, and pushes to others are not recorded (mode: record records them)", e.Repo.DefaultBranch), nil
		}
		return ModeRecord, "", nil
	case github.EventWorkflowRun:
		return ModeReport, "", nil
	}
	return "", "", usagef("perfgate does not know what to do on %s; use it on pull_request, merge_group, push, workflow_dispatch, schedule or workflow_run", e.Name)
}

// forced is a mode that the workflow names; some events lack what it needs.
func forced(mode string, e github.Event) (string, string, error) {
	if e.Deleted {
		return ModeNothing, "the push removes a branch, so there is nothing to measure", nil
	}
	if compares(mode) && e.Name == github.EventSchedule {
		return "", "", usagef("mode: %s has nothing to compare on a schedule: use mode: record", mode)
	}
	if mode == ModeReport && e.Name != github.EventWorkflowRun {
		return "", "", usagef("mode: report reports of another workflow run: use it on workflow_run")
	}
	if e.Name == github.EventWorkflowRun && mode != ModeReport {
		return "", "", usagef("mode: %s does nothing on workflow_run, which has the token of this repository after a run that anybody may have started: use it on pull_request; %s", mode, forkForm)
	}
	return mode, "", nil
}
