package action

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// Repository is the action's, and Major the tag that its releases move.
const (
	Repository = "org/perfgate"
	Major      = "v1"
)

const docs = "https://github.com/" + Repository + "/blob/" + Major + "/docs/github.md"

// WorkflowOptions are what differs from repository to repository. A flag of init sets the field with its name. The zero value stands for a
// self-hosted GPU runner and the branch main.
type WorkflowOptions struct {
	RunsOn        []string // labels of the machine that measures; empty: self-hosted, and gpu, or linux for OnCPU
	OnCPU         bool     // the configuration measures on processors: any machine of one's own does
	DefaultBranch string   // "": main
	ActionRef     string   // what the action is pinned to: a commit or a tag; "": Major
	FromSource    bool     // jobs build perfgate at ActionRef, which no release has a binary of
	Branch        string   `option:"baseline-branch"` // of the records; "": perfgate-baseline
	Forks         bool     // measure without a token, report in a second workflow
	Shards        int      // runners that share the cases; 0: one has them all
	Machines      []string `option:"machine-labels"` // labels of the machines, of different models, that measure all cases each; empty: there is one
	Precheck      bool     // compile both sides without a GPU first
	Arch          string   // that the precheck compiles GPU code for; "": the kernels have none
	PrecheckImage string   // container that the precheck compiles in; "": one with nvcc where there is an Arch, else none
}

//go:embed templates/*.yml
var templates embed.FS

// keptRecords is how many records of a machine stay: more than a lookup reads, and years of a quiet repository.
const keptRecords = 500

// defaultLabel is the default of the input accept-label in action.yml.
const defaultLabel = "perfgate-accept"

// unrelated is true in a run that was started by what means nothing to the gate: another label, or an edit of the title. Such
// a run must not report under the name of the required check: it measures nothing, and would hide the verdict on the same
// commit. An edit of the base branch is measured, since that is another question about the same commit.
const unrelated = "((github.event.action == 'labeled' || github.event.action == 'unlabeled') && github.event.label.name != '" + defaultLabel + "' ||" +
	" github.event.action == 'edited' && !github.event.changes.base)"

// unreported is true for a run of the workflow that measures of which the report says nothing.
const unreported = "(github.event.workflow_run.conclusion == 'skipped' ||" +
	" github.event.workflow_run.conclusion == 'cancelled' && github.event.workflow_run.event != 'merge_group')"

// What jobs need to build perfgate. Nothing of it is cached: a cache can be written by a run of a pull request.
const (
	setUpGo = "\n      - uses: " + setUpGoAction + "\n        with: {go-version: stable, cache: false}"
	source  = "\n          install-mode: source"
)

// templatesOf are the templates of a form, by the names that its workflows get.
func (o WorkflowOptions) templatesOf() map[string]string {
	out := map[string]string{}
	for _, name := range []string{"perfgate-record.yml", "perfgate-drift.yml", "perfgate-bisect.yml"} {
		out[name] = name
	}
	switch {
	case o.Forks:
		out["perfgate-measure.yml"], out["perfgate-report.yml"] = "perfgate-measure.yml", "perfgate-report.yml"
	case o.Shards > 0 || len(o.Machines) > 0:
		out["perfgate.yml"] = "perfgate-sharded.yml"
	default:
		out["perfgate.yml"] = "perfgate.yml"
	}
	return out
}

// Workflows are what perfgate init --github writes: workflows by their paths within the repository. An error names the option that no workflow can hold.
func Workflows(o WorkflowOptions) (map[string][]byte, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, from := range o.templatesOf() {
		t, err := template.New(from).Delims("<<", ">>").Option("missingkey=error").ParseFS(templates, "templates/"+from)
		if err != nil {
			return nil, fmt.Errorf("workflow %s: %w", name, err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, o.words()); err != nil {
			return nil, fmt.Errorf("workflow %s: %w", name, err)
		}
		files[".github/workflows/"+name] = b.Bytes()
	}
	return files, nil
}

// compilerImage is a container with nvcc and g++.
const compilerImage = "nvidia/cuda:12.8.1-devel-ubuntu24.04"

func (o WorkflowOptions) withDefaults() WorkflowOptions {
	if len(o.RunsOn) == 0 {
		o.RunsOn = []string{"self-hosted"}
		if len(o.Machines) == 0 {
			o.RunsOn = append(o.RunsOn, map[bool]string{false: "gpu", true: "linux"}[o.OnCPU])
		}
	}
	if o.PrecheckImage == "" && o.Arch != "" {
		o.PrecheckImage = compilerImage
	}
	o.DefaultBranch, o.ActionRef, o.Branch = cmp.Or(o.DefaultBranch, "main"), cmp.Or(o.ActionRef, Major), cmp.Or(o.Branch, "perfgate-baseline")
	return o
}

// words are what templates put in.
func (o WorkflowOptions) words() map[string]any {
	runsOn := func(more ...string) string { return "[" + quoted(append(slices.Clone(o.RunsOn), more...)) + "]" }
	var parts []string
	for i := range o.Shards {
		parts = append(parts, strconv.Itoa(i+1))
	}
	words := map[string]any{
		"Docs": docs, "Unrelated": unrelated, "Unreported": unreported, "Checkout": checkoutAction, "Download": downloadAction, "SmallRunsOn": "ubuntu-latest",
		"RunsOn": runsOn(), "Branch": o.Branch, "DefaultBranch": o.DefaultBranch, "Keep": keptRecords, "Action": Repository + "@" + o.ActionRef,
		"Shards": o.Shards, "Parts": strings.Join(parts, ", "), "Precheck": o.Precheck, "Arch": o.Arch, "PrecheckImage": o.PrecheckImage,
		"Machines": quoted(o.Machines), "MachinesInput": `"` + strings.Join(o.Machines, ", ") + `"`, "Flags": o.flags(),
		"SetUp": "", "Source": "", // a step before the action, from its line break on, and the input that goes with it
	}
	if len(o.Machines) > 0 {
		words["RunsOn"], words["RunsOnChosen"] = runsOn("${{ matrix.machine }}"), runsOn("${{ inputs.machine }}")
	}
	if o.FromSource {
		words["SetUp"], words["Source"] = setUpGo, source
	}
	return words
}

var (
	// plain is what can stand between quotes in YAML and in a ref or a label.
	plain = text.Pattern(`^[A-Za-z0-9][A-Za-z0-9._/+-]*$`)
	// image is the name of a container's image, with a tag or a digest.
	image = text.Pattern(`^[a-z0-9][a-z0-9._/:-]*(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$`)
)

// maxMachine is the longest name of a machine: the record workflow makes a key of it.
const maxMachine = maxName - len("perfgate-")

// check names the option that no workflow can hold.
func (o WorkflowOptions) check() error {
	switch {
	case !o.Precheck && (o.Arch != "" || o.PrecheckImage != ""):
		return errors.New("an architecture and an image are for a precheck, which is not asked for")
	case o.Precheck && o.Forks:
		return errors.New("a precheck compiles code of the pull request, which can lie about itself: it does not count for pull requests from forks")
	case o.Arch != "" && !result.IsArch(o.Arch):
		return fmt.Errorf("%.80q is not an architecture of a GPU such as sm_89", o.Arch)
	case o.PrecheckImage != "" && !image().MatchString(o.PrecheckImage):
		return fmt.Errorf("%.200q is not the name of an image such as %s", o.PrecheckImage, compilerImage)
	case o.Shards < 0 || o.Shards > plan.MaxShards:
		return fmt.Errorf("%d shards; there can be 1 to %d", o.Shards, plan.MaxShards)
	}
	for what, words := range map[string][]string{
		"label of a runner": o.RunsOn, "machine": o.Machines, "branch of the records": {o.Branch}, "default branch": {o.DefaultBranch}, "ref of the action": {o.ActionRef},
	} {
		for _, word := range words {
			if !plain().MatchString(word) {
				return fmt.Errorf("%s: %.80q is not made of letters, digits and . _ / + -", what, word)
			}
		}
	}
	if err := wrongMachines(o.Machines, maxMachine); err != nil {
		return fmt.Errorf("machines: %w", err)
	}
	return nil
}

// flags of init --github that make another form of perfgate.yml.
func (o WorkflowOptions) flags() string {
	form := WorkflowOptions{Shards: o.Shards, Machines: o.Machines, Precheck: o.Precheck, Arch: o.Arch}
	return strings.TrimPrefix(request.Line("init", request.TargetsOf(&form)), "perfgate init")
}

// quoted lists words as YAML writes a list of strings: 8.0, true and null are names as well, and others without quotes.
func quoted(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return `"` + strings.Join(words, `", "`) + `"`
}
