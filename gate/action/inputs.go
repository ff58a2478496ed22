package action

import (
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
	RunForkCode    bool   // build code of a fork beside a token
	ForkStatus     string // of mode report, before a writer vouches for a fork
	Good, Bad      string // revisions, for mode bisect
	KeepRecords    int    // that mode save-record leaves; 0: all
	Arch           string // of the GPU that mode precheck compiles for
}

// readInputs reads the inputs from INPUT_NAME variables, hyphens written as underscores.
func readInputs(env func(string) string) (Inputs, error) {
	r := inputReader{env: env}
	in := Inputs{
		Config:         r.text("config", config.DefaultFile),
		Mode:           r.word("mode", ModeAuto, ModeGate, ModeRecord, ModeSaveRecord, ModeMeasure, ModeMerge, ModeReport, ModeDrift, ModeBisect, ModePrecheck),
		Kernels:        r.list("kernel"),
		Cases:          r.lines("case"),
		Base:           r.text("base", ""),
		Store:          r.text("store", ""),
		Tolerance:      r.text("tolerance", ""),
		Budget:         r.duration("budget"),
		Profile:        r.word("profile", result.ProfilePolicies...),
		ProfileBudget:  r.duration("profile-budget"),
		GPU:            r.text("gpu", ""),
		Sandbox:        result.SandboxMode(r.word("sandbox", result.Words(result.SandboxModes)...)),
		Comment:        r.word("comment", CommentOnChange, CommentAlways, CommentNever),
		CommentAuthor:  r.text("comment-author", "github-actions[bot]"),
		Name:           r.name(),
		AcceptLabel:    r.text("accept-label", defaultLabel),
		Token:          r.text("token", ""),
		ArtifactsDir:   r.text("artifacts-dir", ""),
		Shard:          r.text("shard", ""),
		Shards:         r.count("shards", plan.MaxShards),
		Machine:        r.text("machine-label", ""),
		Machines:       r.list("machine-labels"),
		UploadArtifact: r.word("upload-artifact", "true", "false") == "true",
		RunForkCode:    r.word("run-fork-code-with-token", "false", "true") == "true",
		ForkStatus:     r.word("fork-status", ForkStatusAdvisory, ForkStatusPending),
		Good:           r.text("good", ""),
		Bad:            r.text("bad", ""),
		KeepRecords:    r.count("keep-records", mostKept),
		Arch:           r.text("arch", ""),
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

// nightly is the shard of mode drift: a week of nights sees all cases.
const nightly = "auto/7"

// mostKept is more records than a lookup ever reads.
const mostKept = 100_000

// count reads an input that is a number from 1 to most, 0 where it is empty.
func (r *inputReader) count(name string, most int) int {
	text := r.text(name, "")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		r.fail("input %s: %.60q is not a number from 1 to %d", name, text, most)
		return 0
	}
	return n
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

// lines reads an input of a word a line: names of cases have commas in them.
func (r *inputReader) lines(name string) []string {
	var out []string
	for line := range strings.Lines(r.text(name, "")) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
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

// maxName keeps the names of artifacts and check runs short.
const maxName = 60

// name is part of names of check runs and artifacts, so it holds what both take.
func (r *inputReader) name() string {
	name := r.text("name", "perfgate")
	if !plainName(name) {
		r.fail("input name: %.80q is not a name of at most %d letters, digits, dots, hyphens and underscores", name, maxName)
	}
	return name
}

var nameShape = regexp.MustCompile(`^[a-zA-Z0-9._-]*$`)

// plainName says whether a text can be part of the name of an artifact and of a check run.
func plainName(text string) bool { return len(text) <= maxName && nameShape.MatchString(text) }

func (r *inputReader) failOn() rule.FailOn {
	f, err := rule.ParseFailOn(r.text("fail-on", rule.FailOnAny))
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
	if in.Mode == ModeSaveRecord && in.ArtifactsDir == "" {
		r.fail("mode save-record needs the input artifacts-dir: the folder into which the artifact of the measuring job was downloaded")
	}
	if in.Mode == ModeBisect && in.Good == "" {
		r.fail("mode bisect needs the input good, a revision that was fast; bad is what is checked out where it is empty")
	}
	if in.KeepRecords > 0 && in.Mode != ModeSaveRecord {
		r.fail("input keep-records: records are removed where they are stored: use it with mode: save-record")
	}
	if in.Arch != "" && in.Mode != ModePrecheck {
		r.fail("input arch: a GPU that is there says what it is: use it with mode: precheck")
	}
	if in.Arch != "" && !result.IsArch(in.Arch) {
		r.fail("input arch: %.60q is no architecture such as sm_89", in.Arch)
	}
	r.checkShards(in)
}

// checkShards sees that inputs about parts are where they mean something.
func (r *inputReader) checkShards(in Inputs) {
	switch {
	case in.Shard == "":
	case in.Mode == ModeDrift:
		if _, _, err := plan.Turn(in.Shard, 0); err != nil {
			r.fail("input shard: %v", err)
		}
	case in.Mode != ModeMeasure:
		r.fail("input shard: a part has no verdict of its own: use it with mode: measure, and mode: merge in a job after it, or with mode: drift")
	default:
		if _, err := plan.ParseShard(in.Shard); err != nil {
			r.fail("input shard: %v", err)
		}
	}
	if in.Mode == ModeMerge && (in.ArtifactsDir == "" || in.Shards == 0 && len(in.Machines) == 0) {
		r.fail("mode merge needs the inputs shards, how many shards there are, or machine-labels, which machines measured the plan, and artifacts-dir, the folder that their artifacts were downloaded into")
	}
	r.checkMachines(in)
}

// checkMachines sees that names of machines can be part of an artifact's, and that there are no more than can be merged.
func (r *inputReader) checkMachines(in Inputs) {
	if in.Machine != "" && in.Mode != ModeMeasure {
		r.fail("input machine-label: one of several machines has no verdict of its own: use it with mode: measure, and mode: merge in a job after it")
	}
	if len(in.Machines)*max(in.Shards, 1) > rule.MaxInputs {
		r.fail("inputs machine-labels and shards: %d machines with %d shards are more than the %d results that make one verdict", len(in.Machines), max(in.Shards, 1), rule.MaxInputs)
	}
	for i, name := range in.Machines {
		if slices.Contains(in.Machines[:i], name) {
			r.fail("input machine-labels: %s is there twice", name)
		}
	}
	for _, name := range append(slices.Clone(in.Machines), in.Machine) {
		if name != "" && (!plainName(name) || strings.Contains(name, "-shard-")) {
			r.fail("inputs machine-label and machine-labels: %.80q is not a name of at most %d letters, digits, dots, hyphens and underscores, without -shard-", name, maxName)
		}
	}
}
