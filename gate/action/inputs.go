package action

import (
	"cmp"
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
	Sandbox       result.SandboxMode
	Comment       string
	CommentAuthor string
	Key           string
	Label         string
	FailOn        rule.FailOn
	Token         string
	Record        string   // folder
	Shard         string   // i/n, of mode measure; "" is all of the plan
	Machine       string   // of mode measure: what the workflow calls it, where several measure the plan
	Shards        int      // parts that modes merge and report expect; 0: the plan is in one piece
	Machines      []string // that modes merge and report expect the plan from; empty: one
	Results       string   // folder with the parts, for mode merge
	Artifact      bool
	AllowForks    bool     // build code of a fork beside a token
	ForkStatus    string   // of mode report, before a writer vouches for a fork
	Good, Bad     string   // revisions, for mode bisect
	Cases         []string // patterns, for mode bisect
	Spread        int      // runs that mode watch spreads all cases over
	Keep          int      // records that mode store leaves; 0: all
	Arch          string   // of the GPU that mode plan compiles for
}

// readInputs reads the inputs from INPUT_NAME variables, hyphens written as underscores.
func readInputs(env func(string) string) (Inputs, error) {
	r := inputReader{env: env}
	in := Inputs{
		Config:        r.text("config", config.DefaultFile),
		Mode:          r.word("mode", ModeAuto, ModeGate, ModeRecord, ModeStore, ModeMeasure, ModeMerge, ModeReport, ModeWatch, ModeBisect, ModePlan),
		Kernels:       r.list("kernel"),
		Base:          r.text("base", ""),
		Baseline:      r.text("baseline", ""),
		Tolerance:     r.text("tolerance", ""),
		Budget:        r.duration("budget"),
		Profile:       r.word("profile", result.ProfilePolicies...),
		ProfileLimit:  r.duration("profile-limit"),
		GPU:           r.text("gpu", ""),
		Sandbox:       result.SandboxMode(r.word("sandbox", result.Words(result.SandboxModes)...)),
		Comment:       r.word("comment", CommentOnChange, CommentAlways, CommentNever),
		CommentAuthor: r.text("comment-author", "github-actions[bot]"),
		Key:           r.key(),
		Label:         r.text("label", "perfgate-accept"),
		Token:         r.text("token", ""),
		Record:        r.text("record", ""),
		Shard:         r.text("shard", ""),
		Shards:        r.count("shards", plan.MaxShards),
		Machine:       r.text("machine", ""),
		Machines:      r.list("machines"),
		Results:       r.text("results", ""),
		Artifact:      r.word("artifact", "true", "false") == "true",
		AllowForks:    r.word("allow-forks", "false", "true") == "true",
		ForkStatus:    r.word("fork-status", ForkStatusAdvisory, ForkStatusPending),
		Good:          r.text("good", ""),
		Bad:           r.text("bad", ""),
		Cases:         r.lines("case"),
		Spread:        cmp.Or(r.count("spread", plan.MaxShards), DefaultSpread),
		Keep:          r.count("keep", mostKept),
		Arch:          r.text("arch", ""),
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

// DefaultSpread is how many runs of mode watch see all cases: a week of nights.
const DefaultSpread = 7

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

var nameShape = regexp.MustCompile(`^[a-zA-Z0-9._-]*$`)

// plainName says whether a text can be part of the name of an artifact and of a check run.
func plainName(text string) bool { return len(text) <= maxKey && nameShape.MatchString(text) }

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
	if in.Mode == ModeStore && in.Record == "" {
		r.fail("mode store needs the input record: the folder into which the artifact of the measuring job was downloaded")
	}
	if in.Mode == ModeBisect && in.Good == "" {
		r.fail("mode bisect needs the input good, a revision that was fast; bad is what is checked out where it is empty")
	}
	if in.Keep > 0 && in.Mode != ModeStore {
		r.fail("input keep: records are removed where they are stored: use it with mode: store")
	}
	if in.Arch != "" && in.Mode != ModePlan {
		r.fail("input arch: a GPU that is there says what it is: use it with mode: plan")
	}
	if in.Arch != "" && !result.IsArch(in.Arch) {
		r.fail("input arch: %.60q is no architecture such as sm_89", in.Arch)
	}
	r.checkShards(in)
}

// checkShards sees that inputs about parts are where they mean something.
func (r *inputReader) checkShards(in Inputs) {
	if in.Shard != "" {
		if _, err := plan.ParseShard(in.Shard); err != nil {
			r.fail("input shard: %v", err)
		}
		if in.Mode != ModeMeasure {
			r.fail("input shard: a part has no verdict of its own: use it with mode: measure, and mode: merge in a job after it")
		}
	}
	if in.Mode == ModeMerge && (in.Results == "" || in.Shards == 0 && len(in.Machines) == 0) {
		r.fail("mode merge needs the inputs shards, how many parts there are, or machines, which measured the plan, and results, the folder that their artifacts were downloaded into")
	}
	r.checkMachines(in)
}

// checkMachines sees that names of machines can be part of an artifact's, and that there are no more than can be merged.
func (r *inputReader) checkMachines(in Inputs) {
	if in.Machine != "" && in.Mode != ModeMeasure {
		r.fail("input machine: one of several machines has no verdict of its own: use it with mode: measure, and mode: merge in a job after it")
	}
	if len(in.Machines)*max(in.Shards, 1) > rule.MaxInputs {
		r.fail("inputs machines and shards: %d machines with %d parts are more than the %d results that make one verdict", len(in.Machines), max(in.Shards, 1), rule.MaxInputs)
	}
	for i, name := range in.Machines {
		if slices.Contains(in.Machines[:i], name) {
			r.fail("input machines: %s is there twice", name)
		}
	}
	for _, name := range append(slices.Clone(in.Machines), in.Machine) {
		if name != "" && (!plainName(name) || strings.Contains(name, "-shard-")) {
			r.fail("inputs machine and machines: %.80q is not a name of at most %d letters, digits, dots, hyphens and underscores, without -shard-", name, maxKey)
		}
	}
}
