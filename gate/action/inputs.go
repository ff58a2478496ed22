package action

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
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

// Inputs are the action's inputs. action.yml describes them and has their defaults, which stand in here for empty values.
type Inputs struct {
	Config         string
	Mode           string
	Kernels        []string
	Cases          []string // patterns
	Base           string
	Store          string
	Tolerance      string
	Budget         time.Duration // 0: the configuration's
	Profile        string
	ProfileBudget  time.Duration // of all profiles together; 0: the run's default
	GPU            string
	Sandbox        result.SandboxMode
	Comment        string
	CommentAuthor  string
	Name           string // of this gate
	AcceptLabel    string
	FailOn         rule.FailOn
	Token          string
	ArtifactsDir   string   // with the artifacts of earlier jobs, for modes save-record and merge
	Shard          string   // i/n of mode measure, "" is all of the plan; i/n or auto/n of mode drift
	Machine        string   // of mode measure: what the workflow calls it, where several measure the plan
	Shards         int      // that modes merge and report expect; 0: the plan is in one piece
	Machines       []string // that modes merge and report expect the plan from; empty: one
	UploadArtifact bool
	RunForkCode    bool     // build code of a fork in a job with a token
	ForkStatus     string   // of mode report, before a user with write access approves a fork
	IssueLabels    []string // of the issue that mode drift opens
	IssueAssignees []string // likewise
	Good, Bad      string   // revisions, for mode bisect
	KeepRecords    int      // that mode save-record leaves; 0: all
	Arch           string   // of the GPU that mode precheck compiles for
}

// input is a row of the table of inputs. How it is read follows from what it sets.
type input struct {
	name    string
	sets    any      // a field of Inputs, or what takes a text that is neither empty nor out of what is allowed
	empty   string   // what an empty input means
	allowed []string // values; none: any of its type
	lines   bool     // a list of a word a line, as names of cases have commas in them
	most    int      // of a number
	modes   []string // it is for; none: for all
	reason  string   // why for no others
}

// table has each input that the program reads: action.yml has the same, and those of the installation.
func (in *Inputs) table() []input {
	return []input{
		{name: "token", sets: &in.Token},
		{name: "config", sets: &in.Config, empty: config.DefaultFile},
		{name: "mode", sets: &in.Mode, empty: ModeAuto, allowed: modeNames()},
		{name: "kernel", sets: &in.Kernels},
		{name: "case", sets: &in.Cases, lines: true},
		{name: "base", sets: &in.Base},
		{name: "store", sets: &in.Store},
		{name: "tolerance", sets: in.setTolerance},
		{name: "budget", sets: &in.Budget},
		{name: "profile", sets: &in.Profile, empty: result.ProfileAuto, allowed: result.ProfilePolicies},
		{name: "profile-budget", sets: &in.ProfileBudget},
		{name: "gpu", sets: &in.GPU},
		{name: "sandbox", sets: (*string)(&in.Sandbox), empty: string(result.SandboxAuto), allowed: result.Words(result.SandboxModes)},
		{name: "comment", sets: &in.Comment, empty: CommentOnChange, allowed: []string{CommentOnChange, CommentAlways, CommentNever}},
		{name: "comment-author", sets: &in.CommentAuthor, empty: "github-actions[bot]"},
		{name: "name", sets: in.setName, empty: "perfgate"},
		{name: "accept-label", sets: &in.AcceptLabel, empty: defaultLabel},
		{name: "fail-on", sets: in.setFailOn, empty: rule.FailOnAny},
		{name: "artifacts-dir", sets: &in.ArtifactsDir},
		{name: "shard", sets: &in.Shard, modes: []string{ModeMeasure, ModeDrift}, reason: "a shard has no verdict"},
		{name: "shards", sets: &in.Shards, most: plan.MaxShards},
		{name: "machine-label", sets: &in.Machine, modes: []string{ModeMeasure}, reason: "one of several machines has no verdict"},
		{name: "machine-labels", sets: &in.Machines},
		{name: "upload-artifact", sets: &in.UploadArtifact, empty: "true"},
		{name: "run-fork-code-with-token", sets: &in.RunForkCode, empty: "false"},
		{name: "fork-status", sets: &in.ForkStatus, empty: ForkStatusAdvisory, allowed: []string{ForkStatusAdvisory, ForkStatusPending}},
		{name: "issue-labels", sets: &in.IssueLabels},
		{name: "issue-assignees", sets: &in.IssueAssignees},
		{name: "good", sets: &in.Good},
		{name: "bad", sets: &in.Bad},
		{name: "keep-records", sets: &in.KeepRecords, most: mostKept, modes: []string{ModeSaveRecord}, reason: "records are removed where they are stored"},
		{name: "arch", sets: in.setArch, modes: []string{ModePrecheck}, reason: "a GPU that is there says what it is"},
	}
}

// mostKept is more records than a lookup ever reads.
const mostKept = 100_000

// nightly is the shard of mode drift: a week of nights sees all cases.
const nightly = "auto/7"

// readInputs reads the inputs from INPUT_NAME variables, hyphens written as underscores. The error is of the first that is wrong; the others are read
// all the same, the token for one.
func readInputs(env func(string) string) (in Inputs, err error) {
	for _, row := range in.table() {
		text := strings.TrimSpace(env("INPUT_" + strings.ToUpper(strings.ReplaceAll(row.name, "-", "_"))))
		wrong := row.set(text)
		if wrong == nil && text != "" && len(row.modes) > 0 && !slices.Contains(row.modes, in.Mode) {
			wrong = fmt.Errorf("%s: use it with mode: %s", row.reason, strings.Join(row.modes, " or mode: "))
		}
		if wrong != nil && err == nil {
			err = result.Usagef("input %s: %v", row.name, wrong)
		}
	}
	return in, cmp.Or(err, in.check())
}

// set reads a text into what a row sets.
func (i input) set(text string) (err error) {
	if text == "" {
		text = i.empty
	}
	if len(i.allowed) > 0 && !slices.Contains(i.allowed, text) {
		return fmt.Errorf("%.60q is not one of %s", text, strings.Join(i.allowed, ", "))
	}
	switch to := i.sets.(type) {
	case *string:
		*to = text
	case *[]string:
		*to = append(*to, i.words(text)...)
	case *bool:
		if *to = text == "true"; !*to && text != "false" {
			err = fmt.Errorf("%.60q is not one of true, false", text)
		}
	case *int:
		if *to, err = strconv.Atoi(cmp.Or(text, "0")); text != "" && (err != nil || *to < 1 || *to > i.most) {
			err = fmt.Errorf("%.60q is not a number from 1 to %d", text, i.most)
		}
	case *time.Duration:
		if *to, err = time.ParseDuration(cmp.Or(text, "0")); text != "" && (err != nil || *to <= 0) {
			err = fmt.Errorf("%.60q is not a time above 0, such as 90s or 10m", text)
		}
	case func(string) error:
		if text != "" {
			err = to(text)
		}
	}
	return err
}

// words are those of a list, by lines, and by commas where no word has one.
func (i input) words(text string) (words []string) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' && !i.lines }) {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

func (in *Inputs) setTolerance(text string) error {
	in.Tolerance = text
	_, err := config.ParseTolerance(text)
	return err
}

func (in *Inputs) setFailOn(text string) (err error) {
	in.FailOn, err = rule.ParseFailOn(text)
	return err
}

func (in *Inputs) setArch(text string) error {
	if in.Arch = text; !result.IsArch(text) {
		return fmt.Errorf("%.60q is not an architecture such as sm_89", text)
	}
	return nil
}

// setName takes a part of the names of check runs and artifacts, so it holds what both take.
func (in *Inputs) setName(text string) error {
	if in.Name = text; !plainName(text) {
		return fmt.Errorf("%.80q is not a name of at most %d letters, digits, dots, hyphens and underscores", text, maxName)
	}
	return nil
}

// maxName keeps the names of artifacts and check runs short.
const maxName = 60

var nameShape = regexp.MustCompile(`^[a-zA-Z0-9._-]*$`)

// plainName says whether a text can be part of the name of an artifact and of a check run.
func plainName(text string) bool { return len(text) <= maxName && nameShape.MatchString(text) }

// check finds what only shows in combination, or late in the run.
func (in *Inputs) check() error {
	var err error
	switch {
	case (in.Mode == ModeSaveRecord || in.Mode == ModeIssue) && in.ArtifactsDir == "":
		return result.Usagef("mode %s needs the input artifacts-dir: the folder into which the artifact of the measuring job was downloaded", in.Mode)
	case in.Mode == ModeBisect && in.Good == "":
		return result.Usagef("mode bisect needs the input good, a revision that was fast; bad is what is checked out where it is empty")
	case in.Mode == ModeMerge && (in.ArtifactsDir == "" || in.Shards == 0 && len(in.Machines) == 0):
		return result.Usagef("mode merge needs the inputs shards, how many shards there are, or machine-labels, which machines measured the plan, " +
			"and artifacts-dir, the folder that their artifacts were downloaded into")
	case in.Shard != "" && in.Mode == ModeDrift:
		_, _, err = plan.Turn(in.Shard, 0)
	case in.Shard != "":
		_, err = plan.ParseShard(in.Shard)
	}
	if err != nil {
		return result.Usagef("input shard: %v", err)
	}
	return in.checkMachines()
}

// checkMachines sees that names of machines can be part of an artifact's, and that there are no more than can be merged.
func (in *Inputs) checkMachines() error {
	if len(in.Machines)*max(in.Shards, 1) > rule.MaxInputs {
		return result.Usagef("inputs machine-labels and shards: %d machines with %d shards are more than the %d results that make one verdict", len(in.Machines), max(in.Shards, 1), rule.MaxInputs)
	}
	for i, name := range in.Machines {
		if slices.Contains(in.Machines[:i], name) {
			return result.Usagef("input machine-labels: %s is there twice", name)
		}
	}
	for _, name := range append(slices.Clone(in.Machines), in.Machine) {
		if !plainName(name) || strings.Contains(name, "-shard-") {
			return result.Usagef("inputs machine-label and machine-labels: %.80q is not a name of at most %d letters, digits, dots, hyphens and underscores, without -shard-", name, maxName)
		}
	}
	return nil
}
