package action

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/org/perfgate/gate/request"
)

const root = "../.."

func readRepo(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, path))
	must(t, err)
	return string(b)
}

type job struct {
	Name, If    string
	Permissions map[string]string `yaml:"permissions"`
	RunsOn      any               `yaml:"runs-on"`
	Timeout     int               `yaml:"timeout-minutes"`
	Steps       []struct {
		Uses string            `yaml:"uses"`
		Run  string            `yaml:"run"`
		With map[string]string `yaml:"with"`
		Env  map[string]string `yaml:"env"`
	} `yaml:"steps"`
}

type workflow struct {
	On          any               `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Concurrency map[string]any    `yaml:"concurrency"`
	Jobs        map[string]job    `yaml:"jobs"`
}

// everyWorkflow parses the shipped workflows and the project's own.
func everyWorkflow(t *testing.T) map[string]workflow {
	t.Helper()
	texts := map[string]string{}
	files := written(t, WorkflowOptions{RunsOn: []string{"self-hosted", "l4"}, DefaultBranch: "trunk", ActionRef: strings.Repeat("a", 40), Branch: "records"})
	for path, content := range files {
		texts["shipped "+path] = string(content)
	}
	for form, options := range forms {
		options.ActionRef = strings.Repeat("a", 40)
		more := written(t, options)
		for path, content := range more {
			texts[form+" "+path] = string(content)
		}
	}
	own, err := filepath.Glob(filepath.Join(root, ".github/workflows/*.yml"))
	if err != nil || len(own) == 0 {
		t.Fatal("the project has no workflows", err)
	}
	for _, path := range own {
		texts[filepath.Base(path)] = readRepo(t, filepath.Join(".github/workflows", filepath.Base(path)))
	}
	out := map[string]workflow{}
	for name, text := range texts {
		var w workflow
		if err := yaml.Unmarshal([]byte(text), &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.Contains(text, "\npermissions: {}\n") {
			t.Errorf("%s does not take all permissions away first", name)
		}
		out[name] = w
	}
	return out
}

// A perfgate without a release is built in every job that uses it, by the Go of the step before.
func TestWorkflowsFromSource(t *testing.T) {
	t.Parallel()
	for form, options := range forms {
		options.ActionRef, options.FromSource = strings.Repeat("a", 40), true
		files := written(t, options)
		for path := range files {
			_, w := parsed(t, files, filepath.Base(path))
			uses := 0
			for id, j := range w.Jobs {
				for i, step := range j.Steps {
					if !strings.HasPrefix(step.Uses, Repository+"@") {
						continue
					}
					uses++
					if i == 0 || !strings.HasPrefix(j.Steps[i-1].Uses, "actions/setup-go@") || j.Steps[i-1].With["cache"] != "false" || step.With["install-mode"] != "source" {
						t.Errorf("%s, %s, job %s: %+v", form, path, id, j.Steps)
					}
				}
			}
			if uses == 0 {
				t.Errorf("%s, %s: nothing uses the action", form, path)
			}
		}
	}
}

var pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40}$`)

// Every action of others is pinned to a commit, every checkout keeps no credentials, every job ends by itself, and no
// script has an expression in it.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	for name, w := range everyWorkflow(t) {
		for id, j := range w.Jobs {
			at := name + ", job " + id
			if j.Timeout == 0 {
				t.Errorf("%s has no time limit", at)
			}
			for _, s := range j.Steps {
				if s.Uses != "" && s.Uses != "./" && !pinned.MatchString(s.Uses) {
					t.Errorf("%s uses %s, which is no commit", at, s.Uses)
				}
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
					t.Errorf("%s keeps the credentials of its checkout", at)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s pastes an expression into a script:\n%s", at, s.Run)
				}
			}
		}
	}
}

// A job that measures may write neither to the repository nor to its issues, and those that write run nothing of it.
func TestMeasuringAndWritingAreTwoJobs(t *testing.T) {
	t.Parallel()
	for name, w := range everyWorkflow(t) {
		for id, j := range w.Jobs {
			mode := ""
			uses := false
			for _, s := range j.Steps {
				if s.Uses == "./" || strings.HasPrefix(s.Uses, Repository+"@") {
					uses, mode = true, s.With["mode"]
				}
			}
			if uses && (j.Permissions["contents"] == "write") != (mode == ModeSaveRecord) || (j.Permissions["issues"] == "write") != (mode == ModeIssue) {
				t.Errorf("%s, job %s: mode %q with contents: %s, issues: %s", name, id, mode, j.Permissions["contents"], j.Permissions["issues"])
			}
		}
	}
}

// Words that stand in more than one file are the same word.
func TestActionAgrees(t *testing.T) {
	t.Parallel()
	var action struct {
		Inputs  map[string]struct{ Default string } `yaml:"inputs"`
		Outputs map[string]struct{ Value string }   `yaml:"outputs"`
		Runs    struct {
			Steps []struct {
				ID  string            `yaml:"id"`
				If  string            `yaml:"if"`
				Run string            `yaml:"run"`
				Env map[string]string `yaml:"env"`
			} `yaml:"steps"`
		} `yaml:"runs"`
	}
	must(t, yaml.Unmarshal([]byte(readRepo(t, "action.yml")), &action))
	read := map[string]string{"install-mode": "binary", "download-url": "https://github.com/" + Repository + "/releases/download"} // by install.sh
	for _, s := range request.Settings(request.Action, request.TargetsOf(new(Inputs)), ownInputs...) {
		if read[s.Name] = s.Default(request.Action).Value; s.Name == "token" {
			read[s.Name] = "${{ github.token }}"
		}
	}
	for name, in := range action.Inputs {
		if empty, ok := read[name]; !ok || empty != in.Default {
			t.Errorf("input %s: its default is %q, an empty one means %q; it is read: %v", name, in.Default, empty, ok)
		}
	}
	if len(action.Inputs) != len(read) {
		t.Errorf("action.yml has %d inputs, %d are read", len(action.Inputs), len(read))
	}
	holds := map[string]bool{}
	for _, s := range action.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("the action pastes an expression into a script: %s", s.Run)
		}
		for _, m := range modes {
			if s.ID == "measure" && strings.Contains(s.If, strconv.Quote(m.name)) != m.builds {
				t.Errorf("mode %s builds: %v, and code is run if %s", m.name, m.builds, s.If)
			}
		}
		for _, value := range s.Env {
			holds[s.ID] = holds[s.ID] || strings.Contains(value, "token")
		}
	}
	if !holds["prepare"] || !holds["report"] || holds["measure"] || holds["install"] {
		t.Errorf("steps that hold the token: %v; want prepare and report alone", holds)
	}
	for name := range action.Inputs {
		if !strings.Contains(readRepo(t, "docs/action.md"), "`"+name+"`") {
			t.Errorf("docs/action.md does not know the input %s", name)
		}
	}
	for name := range action.Outputs {
		if !strings.Contains(readRepo(t, "docs/action.md"), "`"+name+"`") {
			t.Errorf("docs/action.md does not know the output %s", name)
		}
	}
}

// What no workflow can hold is refused, among it the name of a machine of which the record workflow would make one that the action refuses.
func TestBadOptions(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("l", maxName-len("perfgate-"))
	written(t, WorkflowOptions{Machines: []string{longest}})
	for name, o := range map[string]WorkflowOptions{
		"no shards": {Shards: -1}, "257 shards": {Shards: 257}, "a machine twice": {Machines: []string{"l4", "l4"}}, "a part": {Machines: []string{"l4-shard-1"}},
		"a folder": {Machines: []string{"a/b"}}, "an expression": {Machines: []string{"${{ x }}"}}, "a long machine": {Machines: []string{longest + "l"}},
		"label":  {RunsOn: []string{"gpu]\nfoo: [x"}},
		"branch": {Branch: "a b"},
		"ref":    {ActionRef: "v1 # x"},
		"main":   {DefaultBranch: "${{ github.token }}"},
	} {
		if _, err := Workflows(o); err == nil {
			t.Errorf("%s: %+v was taken", name, o)
		}
	}
}

// The Debian package links the command to the program that the build makes, and CI installs it.
func TestPackage(t *testing.T) {
	t.Parallel()
	var release struct {
		Builds []struct{ Binary string }
		NFPMs  []struct {
			Formats  []string
			Bindir   string
			Contents []struct{ Src, Dst, Type string }
		} `yaml:"nfpms"`
	}
	must(t, yaml.Unmarshal([]byte(readRepo(t, ".goreleaser.yaml")), &release))
	if len(release.Builds) != 1 || len(release.NFPMs) != 1 || !slices.Equal(release.NFPMs[0].Formats, []string{"deb"}) {
		t.Fatalf("%+v", release)
	}
	deb := release.NFPMs[0]
	if link := deb.Contents[0]; link.Src != deb.Bindir+"/"+release.Builds[0].Binary || link.Dst != "/usr/bin/perfgate" || link.Type != "symlink" {
		t.Errorf("%+v, and the program is %s/%s", link, deb.Bindir, release.Builds[0].Binary)
	}
	if ci := readRepo(t, ".github/workflows/ci.yml"); !strings.Contains(ci, "--snapshot") || !strings.Contains(ci, "./dist/perfgate_*_amd64.deb") {
		t.Error("CI does not build and install the package")
	}
}

// TestReleaseIsVerified: the tag that users follow moves after a published file was verified, and as the last thing that happens.
func TestReleaseIsVerified(t *testing.T) {
	t.Parallel()
	text, at := readRepo(t, ".github/workflows/release.yml"), 0
	for _, next := range []string{
		"uses: " + attestAction, "gh release create", "gh release download", "gh attestation verify", "gh release verify-asset", `push --force origin "refs/tags/${VERSION%%.*}"` + "\n",
	} {
		i := strings.Index(text[at:], next)
		if i < 0 {
			t.Fatalf("no %q, or not after what has to come first:\n%s", next, text)
		}
		at += i + len(next)
	}
	if at != len(text) {
		t.Errorf("something comes after the tag was moved:\n%s", text[at:])
	}
}
