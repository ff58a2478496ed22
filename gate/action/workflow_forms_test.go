package action

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// forms are the forms of the workflows, by the folders of testdata/workflows that have them. Those are linted. The first is that of the sample repository,
// which is rehearsed.
var forms = map[string]WorkflowOptions{
	"../consumer/.github/workflows": {},
	"forks":                         {Forks: true}, "forks-sharded": {Forks: true, Shards: 3}, "sharded": {Shards: 3},
	"machines": {Machines: []string{"l4", "h100"}}, "machines-sharded": {Machines: []string{"l4", "h100"}, Shards: 2}, "forks-machines": {Forks: true, Machines: []string{"l4", "h100"}},
	"precheck": {Precheck: true, Arch: "sm_89"}, "precheck-cpu": {Precheck: true}, "precheck-sharded": {Precheck: true, Arch: "sm_90a", Shards: 2},
	"source": {FromSource: true, ActionRef: strings.Repeat("a", 40)},
}

// What is linted is what is shipped. UPDATE=1 writes the folders anew.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, options := range forms {
		files := written(t, options)
		dir := filepath.Join(root, "testdata", "workflows", name)
		for path, content := range files {
			file := filepath.Join(dir, filepath.Base(path))
			if os.Getenv("UPDATE") != "" {
				must(t, errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(file, content, 0o644)))
			}
			if there, err := os.ReadFile(file); err != nil || string(there) != string(content) {
				t.Errorf("%s is not what init --github writes (%v); UPDATE=1 go test -run TestForms ./gate/action", file, err)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != len(files) {
			t.Errorf("%s has %d files, the form %d: %v", dir, len(entries), len(files), err)
		}
	}
}

// written are the workflows of a form.
func written(t *testing.T, o WorkflowOptions) map[string][]byte {
	t.Helper()
	files, err := Workflows(o)
	must(t, err)
	return files
}

func parsed(t *testing.T, files map[string][]byte, name string) (text string, w workflow) {
	t.Helper()
	text = string(files[".github/workflows/"+name])
	if err := yaml.Unmarshal([]byte(text), &w); err != nil || len(w.Jobs) == 0 {
		t.Fatalf("%s: %v", name, err)
	}
	return text, w
}

// In the form for forks, the job that runs a stranger's code holds nothing, and the one that holds the token has no checkout.
func TestForksHoldNothing(t *testing.T) {
	t.Parallel()
	for _, options := range []WorkflowOptions{{}, {Shards: 3}, {Machines: []string{"l4", "h100"}}} {
		options.Forks = true
		files := written(t, options)
		text, measure := parsed(t, files, "perfgate-measure.yml")
		if strings.Contains(text, "secrets.") || strings.Contains(text, "github.token") || strings.Contains(text, "pull_request_target") {
			t.Errorf("the workflow that measures holds something:\n%s", text)
		}
		for id, j := range measure.Jobs {
			if !maps.Equal(j.Permissions, map[string]string{"contents": "read"}) {
				t.Errorf("job %s is granted %v", id, j.Permissions)
			}
			last := j.Steps[len(j.Steps)-1]
			if token, set := last.With["token"]; !set || token != "" || last.With["sandbox"] != "on" || last.With["mode"] != "measure" {
				t.Errorf("job %s: %v", id, last.With)
			}
		}
		text, report := parsed(t, files, "perfgate-report.yml")
		if !strings.Contains(text, "workflows: [perfgate measure]") {
			t.Errorf("the report does not follow the workflow that measures:\n%s", text)
		}
		for id, j := range report.Jobs {
			want := map[string]string{"actions": "read", "checks": "write", "contents": "read", "pull-requests": "write", "statuses": "write"}
			if !maps.Equal(j.Permissions, want) {
				t.Errorf("job %s is granted %v", id, j.Permissions)
			}
			if len(j.Steps) != 1 || j.Steps[0].Run != "" || !strings.HasPrefix(j.Steps[0].Uses, Repository+"@") {
				t.Errorf("job %s does more than report: %+v", id, j.Steps)
			}
		}
		if names := slices.Sorted(maps.Keys(files)); len(names) != 5 {
			t.Errorf("%v", names)
		}
	}
}

// Who names no runner gets one that fits the device: any Linux machine of one's own measures on processors.
func TestRunnerFitsTheDevice(t *testing.T) {
	t.Parallel()
	for onCPU, want := range map[bool]string{false: `runs-on: ["self-hosted", "gpu"]`, true: `runs-on: ["self-hosted", "linux"]`} {
		if text, _ := parsed(t, written(t, WorkflowOptions{OnCPU: onCPU}), "perfgate.yml"); !strings.Contains(text, want) {
			t.Errorf("on a CPU: %v: no %s in\n%s", onCPU, want, text)
		}
	}
}

// Names that YAML would take for a number, a truth or nothing stay names, wherever they stand.
func TestNamesStayNames(t *testing.T) {
	t.Parallel()
	type anyWorkflow struct {
		On struct {
			Push struct{ Branches []any }
		}
		Jobs map[string]struct {
			RunsOn   any `yaml:"runs-on"`
			Strategy struct {
				Matrix struct{ Machine []any }
			}
			Steps []struct{ With map[string]any }
		}
	}
	names := []any{"8.0", "1e3", "true", "null", "0x10"}
	for _, options := range []WorkflowOptions{{}, {Shards: 2}, {Forks: true}} {
		for _, n := range []int{0, 1, len(names)} {
			options.Machines, options.RunsOn, options.DefaultBranch = nil, nil, "1.0"
			for i, name := range names {
				options.RunsOn = append(options.RunsOn, name.(string))
				if i < n {
					options.Machines = append(options.Machines, name.(string))
				}
			}
			files := written(t, options)
			labels := names
			if n > 0 {
				labels = append(slices.Clone(names), "${{ matrix.machine }}")
			}
			for path, content := range files {
				var w anyWorkflow
				if err := yaml.Unmarshal(content, &w); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if got := w.On.Push.Branches; len(got) > 0 && got[0] != "1.0" {
					t.Errorf("%s: branches %#v", path, got)
				}
				for id, j := range w.Jobs {
					if got := j.Strategy.Matrix.Machine; len(got) > 0 && !slices.Equal(got, names[:n]) {
						t.Errorf("%s, job %s: machines %#v", path, id, got)
					}
					if got, ok := j.RunsOn.([]any); ok && !slices.Equal(asMatrix(got), labels) {
						t.Errorf("%s, job %s: runs-on %#v", path, id, got)
					}
					for _, s := range j.Steps {
						if got, ok := s.With["machine-labels"]; ok && got != strings.Join(options.Machines, ", ") {
							t.Errorf("%s, job %s: input machine-labels %#v", path, id, got)
						}
					}
				}
			}
		}
	}
}

// What a person who starts a run by hand may say reaches the action, in one job or in several: all but the kernels, of which
// shards measure all.
func TestDispatchInputsReachTheAction(t *testing.T) {
	t.Parallel()
	offered := map[int][]string{}
	for _, shards := range []int{0, 3} {
		text, w := parsed(t, written(t, WorkflowOptions{Shards: shards}), "perfgate.yml")
		offered[shards] = slices.Sorted(maps.Keys(w.On.(map[string]any)["workflow_dispatch"].(map[string]any)["inputs"].(map[string]any)))
		for _, name := range offered[shards] {
			if !strings.Contains(text, "          "+name+": ${{ inputs."+name+" }}") {
				t.Errorf("%d shards: %s is asked for and not handed on", shards, name)
			}
		}
	}
	if one := slices.DeleteFunc(offered[0], func(s string) bool { return s == "kernel" }); !slices.Equal(one, offered[3]) {
		t.Errorf("one job is asked for %v, shards for %v", one, offered[3])
	}
}

// Every input of the action reaches the steps that read inputs: a composite action hands none on by itself.
func TestActionHandsItsInputsOn(t *testing.T) {
	t.Parallel()
	text := readRepo(t, "action.yml")
	var action struct {
		Inputs map[string]any `yaml:"inputs"`
	}
	must(t, yaml.Unmarshal([]byte(text), &action))
	for name := range action.Inputs {
		want := 2 // prepare and report
		if name == "install-mode" || name == "download-url" {
			want = 1
		}
		variable := "INPUT_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + ": ${{ inputs." + name + " }}"
		if n := strings.Count(text, variable); n != want {
			t.Errorf("%s stands %d times, want %d", variable, n, want)
		}
	}
}

// asMatrix are labels in which the machine that a person chooses stands where a matrix has it.
func asMatrix(labels []any) []any {
	out := slices.Clone(labels)
	for i, l := range out {
		if l == "${{ inputs.machine }}" {
			out[i] = "${{ matrix.machine }}"
		}
	}
	return out
}
