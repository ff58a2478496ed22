package action

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

func environment(entries ...string) func(string) string {
	values := map[string]string{}
	for _, e := range entries {
		name, value, _ := strings.Cut(e, "=")
		values[name] = value
	}
	return func(name string) string { return values[name] }
}

func TestInputDefaults(t *testing.T) {
	t.Parallel()
	in, err := readInputs(environment())
	must(t, err)
	if in.Config != "perfgate.yaml" || in.Mode != ModeAuto || in.Comment != CommentOnChange || in.Profile != result.ProfileAuto || !in.UploadArtifact ||
		in.Name != "perfgate" || in.AcceptLabel != "perfgate-accept" || in.CommentAuthor != "github-actions[bot]" || len(in.FailOn) != 4 {
		t.Errorf("defaults: %+v", in)
	}
}

func TestInputsAreRead(t *testing.T) {
	t.Parallel()
	in, err := readInputs(environment("INPUT_KERNEL= a, b ,", "INPUT_BUDGET=90s", "INPUT_PROFILE_BUDGET=10m", "INPUT_FAIL_ON=parity", "INPUT_COMMENT_AUTHOR=bot", "INPUT_UPLOAD_ARTIFACT=false"))
	must(t, err)
	if strings.Join(in.Kernels, "+") != "a+b" || in.Budget != 90*time.Second || in.ProfileBudget != 10*time.Minute || !in.FailOn[rule.ProblemParity] || len(in.FailOn) != 1 || in.CommentAuthor != "bot" || in.UploadArtifact {
		t.Errorf("inputs: %+v", in)
	}
}

// What is wrong with an input is said with its name and what is allowed, and is the workflow's fault.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	for entry, says := range map[string]string{
		"INPUT_MODE=guess":                        "mode",
		"INPUT_MODE=merge":                        "artifacts-dir",
		"INPUT_SHARDS=0":                          "shards",
		"INPUT_SHARD=1/2":                         "mode: measure",
		"INPUT_COMMENT=sometimes":                 "always",
		"INPUT_MACHINE_LABEL=l4":                  "mode: measure",
		"INPUT_MACHINE_LABELS=l4, h100, l4":       "l4 is there twice",
		"INPUT_MACHINE_LABELS=l4,../x":            "is not a name",
		"INPUT_MACHINE_LABELS=l4-shard-1":         "without -shard-",
		"INPUT_BUDGET=5":                          "budget",
		"INPUT_BUDGET=-5m":                        "more than 0",
		"INPUT_PROFILE_BUDGET=0s":                 "profile-budget",
		"INPUT_TOLERANCE=much":                    "tolerance",
		"INPUT_FAIL_ON=regression,noise":          "noise",
		"INPUT_NAME=a b":                          "input name",
		"INPUT_NAME=" + strings.Repeat("k", 61):   "at most 60",
		"INPUT_UPLOAD_ARTIFACT=yes":               "true or false",
		"INPUT_UPLOAD_ARTIFACT=1":                 "true, false",
		"INPUT_MODE=save-record":                  "artifacts-dir",
		"INPUT_NAME=x\n::set-output name=x::true": "input name",
	} {
		_, err := readInputs(environment(entry))
		if err == nil || !strings.Contains(err.Error(), says) || !result.IsUsage(err) {
			t.Errorf("%q: %v; want a word about %q", entry, err, says)
		}
	}
}

// modeOf is the row of a mode.
func modeOf(name string) mode {
	return modes[slices.IndexFunc(modes, func(m mode) bool { return m.name == name })]
}

func TestModes(t *testing.T) {
	t.Parallel()
	repo := github.Repo{DefaultBranch: "trunk"}
	for _, c := range []struct {
		wanted string
		event  github.Event
		mode   string
		fails  bool
	}{
		{ModeAuto, github.Event{Name: github.EventPullRequest}, ModeGate, false},
		{ModeAuto, github.Event{Name: github.EventMergeGroup}, ModeGate, false},
		{ModeAuto, github.Event{Name: github.EventWorkflowDispatch}, ModeGate, false},
		{ModeAuto, github.Event{Name: github.EventSchedule}, ModeRecord, false},
		{ModeAuto, github.Event{Name: github.EventPush, Ref: "refs/heads/trunk"}, ModeRecord, false},
		{ModeAuto, github.Event{Name: github.EventPush, Ref: "refs/heads/topic"}, ModeNothing, false},
		{ModeAuto, github.Event{Name: github.EventPush, Ref: "refs/tags/trunk"}, ModeNothing, false},
		{ModeAuto, github.Event{Name: github.EventPush, Ref: "refs/heads/trunk", Deleted: true}, ModeNothing, false},
		{ModeAuto, github.Event{Name: github.EventWorkflowRun}, ModeReport, false},
		{ModeReport, github.Event{Name: github.EventPullRequest}, "", true},
		{ModeMeasure, github.Event{Name: github.EventPullRequest}, ModeMeasure, false},
		{ModeMeasure, github.Event{Name: github.EventWorkflowRun}, "", true},
		{ModeMerge, github.Event{Name: github.EventMergeGroup}, ModeMerge, false},
		{ModeMeasure, github.Event{Name: github.EventSchedule}, "", true},
		{ModeRecord, github.Event{Name: github.EventWorkflowDispatch}, ModeRecord, false},
		{ModeRecord, github.Event{Name: github.EventPush, Ref: "refs/heads/topic", Deleted: true}, ModeNothing, false},
		{ModeGate, github.Event{Name: github.EventSchedule}, "", true},
		{ModeGate, github.Event{Name: github.EventWorkflowRun}, "", true},
		{ModeSaveRecord, github.Event{Name: github.EventPush}, ModeSaveRecord, false},
	} {
		c.event.Repo = repo
		does, why, err := chooseMode(c.wanted, c.event)
		mode := does.name
		if err != nil {
			mode = ""
		}
		if mode != c.mode || (err != nil) != c.fails || (mode == ModeNothing) != (why != "") {
			t.Errorf("%s on %+v: %q, %q, %v", c.wanted, c.event, mode, why, err)
		}
	}
}

func TestQueuedPullRequest(t *testing.T) {
	t.Parallel()
	sha := strings.Repeat("a", 40)
	for ref, want := range map[string]int{
		"refs/heads/gh-readonly-queue/main/pr-104-" + sha:        104,
		"refs/heads/gh-readonly-queue/release/1.x/pr-7-" + sha:   7,
		"refs/heads/pr-104-" + sha:                               0,
		"refs/heads/gh-readonly-queue/main/pr-104-" + sha + "/x": 0,
	} {
		if got := queued(github.Event{Name: github.EventMergeGroup, Ref: ref}); got != want {
			t.Errorf("%s: %d, want %d", ref, got, want)
		}
	}
	if queued(github.Event{Name: github.EventPush, Ref: "refs/heads/gh-readonly-queue/main/pr-104-" + sha}) != 0 {
		t.Error("a push is not queued")
	}
}
