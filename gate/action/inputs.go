package action

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/text"
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
	request.Run    // what a run is asked for; its sides and its policy are those of the job
	Mode           string
	Profile        string
	ProfileBudget  time.Duration // of all profiles together
	Comment        string
	CommentAuthor  string
	Name           string // of this gate
	AcceptLabel    string
	FailOn         rule.FailOn
	Token          string
	ArtifactsDir   string   // with the artifacts of earlier jobs, for modes save-record and merge
	Machine        string   `option:"machine-label"` // of mode measure: what the workflow calls it, where several measure the plan
	Shards         int      // that modes merge and report expect; 0: the plan is in one piece
	Machines       []string `option:"machine-labels"` // that modes merge and report expect the plan from; empty: one
	UploadArtifact bool
	RunForkCode    bool     `option:"run-fork-code-with-token"` // build code of a fork in a job with a token
	ForkStatus     string   // of mode report, before a user with write access approves a fork
	IssueLabels    []string // of the issue that mode drift opens
	IssueAssignees []string // likewise
	Good, Bad      string   // revisions, for mode bisect
	KeepRecords    int      // that mode save-record leaves; 0: all
	Arch           string   // of the GPU that mode precheck compiles for
}

// ownInputs are the inputs that no verb has a flag for. action.yml has these, those of the table of options, and those of the installation.
var ownInputs = []request.Option{
	{Name: "token", Input: true},
	{Name: "mode", Input: true, Fallback: request.Fallback{Value: ModeAuto}, Allowed: modeNames()},
	{Name: "comment", Input: true, Fallback: request.Fallback{Value: CommentOnChange}, Allowed: []string{CommentOnChange, CommentAlways, CommentNever}},
	{Name: "comment-author", Input: true, Fallback: request.Fallback{Value: "github-actions[bot]"}},
	{Name: "name", Input: true, Fallback: request.Fallback{Value: "perfgate"}},
	{Name: "accept-label", Input: true, Fallback: request.Fallback{Value: defaultLabel}},
	{Name: "fail-on", Input: true, Fallback: request.Fallback{Value: rule.FailOnAny}},
	{Name: "artifacts-dir", Input: true},
	{Name: "machine-label", Input: true},
	{Name: "upload-artifact", Input: true, Fallback: request.Fallback{Value: "true"}, Allowed: []string{"true", "false"}},
	{Name: "run-fork-code-with-token", Input: true, Fallback: request.Fallback{Value: "false"}, Allowed: []string{"true", "false"}},
	{Name: "fork-status", Input: true, Fallback: request.Fallback{Value: ForkStatusAdvisory}, Allowed: []string{ForkStatusAdvisory, ForkStatusPending}},
	{Name: "issue-labels", Input: true},
	{Name: "issue-assignees", Input: true},
	{Name: "good", Input: true},
	{Name: "bad", Input: true},
	{Name: "keep-records", Value: "N", Input: true},
}

// limits are what an input is held to in addition to its type.
var limits = map[string]struct {
	wrong  func(text string) error
	modes  []string // that it is for; none: all
	reason string   // why it is for no others
}{
	"tolerance":     {wrong: func(text string) error { _, err := config.ParseTolerance(text); return err }},
	"name":          {wrong: unless(plainName, fmt.Sprintf("a name of at most %d letters, digits, dots, hyphens and underscores", maxName))},
	"arch":          {wrong: unless(result.IsArch, "an architecture such as sm_89"), modes: []string{ModePrecheck}, reason: "a GPU that is there says what it is"},
	"shard":         {modes: []string{ModeMeasure, ModeDrift}, reason: "a shard has no verdict"},
	"shards":        {wrong: atMost(plan.MaxShards)},
	"machine-label": {modes: []string{ModeMeasure}, reason: "one of several machines has no verdict"},
	"keep-records":  {wrong: atMost(mostKept), modes: []string{ModeSaveRecord}, reason: "records are removed where they are stored"},
}

// mostKept is more records than a lookup ever reads.
const mostKept = 100_000

// nightly is the shard of mode drift: a week of nights sees all cases.
const nightly = "auto/7"

// readInputs reads the inputs from INPUT_NAME variables, hyphens written as underscores. The error is of the first that is wrong; the others are read
// all the same, the token for one.
func readInputs(env func(string) string) (in Inputs, err error) {
	given := map[string]string{}
	for _, s := range request.Settings(request.Action, request.TargetsOf(&in), ownInputs...) {
		text := strings.TrimSpace(env("INPUT_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))))
		if text == "" {
			continue
		}
		given[s.Name] = text
		err = cmp.Or(err, set(s, text))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		limit := limits[name]
		switch {
		case err != nil:
		case len(limit.modes) > 0 && !slices.Contains(limit.modes, in.Mode):
			err = result.Usagef("input %s: %s: use it with mode: %s", name, limit.reason, strings.Join(limit.modes, " or mode: "))
		case limit.wrong != nil:
			if wrong := limit.wrong(given[name]); wrong != nil {
				err = result.Usagef("input %s: %w", name, wrong)
			}
		}
	}
	return in, cmp.Or(err, in.check())
}

// set reads an input. Lists have a word a line, and commas between words where no word has one.
func set(s *request.Setting, text string) error {
	texts := []string{text}
	if _, isList := s.To.(*[]string); isList {
		texts = strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' && !s.Repeated })
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err := s.Set(text); err != nil {
			return result.Usagef("input %s: %w", s.Name, err)
		}
	}
	return s.Check("input " + s.Name)
}

// unless is the error of a text that is not what it has to be.
func unless(is func(string) bool, what string) func(string) error {
	return func(text string) error {
		if !is(text) {
			return fmt.Errorf("%.80q is not %s", text, what)
		}
		return nil
	}
}

func atMost(most int) func(string) error {
	return unless(func(text string) bool { n, err := strconv.Atoi(text); return err == nil && n <= most }, fmt.Sprintf("a number from 1 to %d", most))
}

// maxName keeps the names of artifacts and check runs short.
const maxName = 60

var nameShape = text.Pattern(`^[a-zA-Z0-9._-]*$`)

// plainName says whether a text can be part of the name of an artifact and of a check run.
func plainName(text string) bool { return len(text) <= maxName && nameShape().MatchString(text) }

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
	if err := cmp.Or(wrongMachines(in.Machines, maxName), wrongMachines([]string{in.Machine}, maxName)); err != nil {
		return result.Usagef("inputs machine-label and machine-labels: %w", err)
	}
	return nil
}

// wrongMachines says what is wrong with what machines are called, which becomes a part of the names of artifacts.
func wrongMachines(names []string, most int) error {
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			return fmt.Errorf("%s is there twice", name)
		case len(name) > most || !plainName(name) || strings.Contains(name, "-shard-"):
			return fmt.Errorf("%.80q is not a name of at most %d letters, digits, dots, hyphens and underscores, without -shard-", name, most)
		}
	}
	return nil
}
