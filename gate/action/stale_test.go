package action

import (
	"context"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/repo"
)

// commits are files by commit and path, whose content is their object's name.
type commits map[string]map[string]string

func (c commits) Entries(_ context.Context, commit string) (map[string]repo.Entry, error) {
	out := map[string]repo.Entry{}
	for name, content := range c[commit] {
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			out[folder] = repo.Entry{Mode: repo.ModeFolder, SHA: folder}
		}
		out[name] = repo.Entry{Mode: "100644", SHA: content}
	}
	return out, nil
}

func (c commits) Changed(_ context.Context, both ...string) ([]string, error) {
	files := map[string]bool{}
	for _, commit := range both {
		for name := range c[commit] {
			if c[both[0]][name] != c[both[1]][name] {
				files[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(files)), nil
}

func (c commits) Blob(_ context.Context, object string) ([]byte, error) { return []byte(object), nil }

// A problem of a task format has moved on where any file of it has, and not where its submission has.
func TestProblemsMoveOnWithAllTheirFiles(t *testing.T) {
	t.Parallel()
	const problem = "files: [{name: submission.py, source: '@SUBMISSION@'}, {name: utils.py, source: ../utils.py}, {name: reference.py, source: reference.py}]\ntests: [{n: 1}]\n"
	files := map[string]string{
		"p/task.yml": problem, "p/submission.py": "def custom_kernel(data): ...", "utils.py": "",
		"p/reference.py": "def ref_kernel(data): ...\ndef generate_input(n): ...\ndef check_implementation(data, output): ...\n",
	}
	for file, want := range map[string][]string{"": nil, "p/submission.py": nil, "utils.py": {"utils.py"}, "p/reference.py": {"p/reference.py"}, "p/task.yml": {"p/task.yml"}} {
		tip := map[string]string{}
		for name, content := range files {
			tip[name] = content
			if name == file {
				tip[name] += "# changed\n"
			}
		}
		c := change{objects: commits{"base": files, "tip": tip}, base: "base", tip: "tip"}
		if got, err := c.movedFiles(context.Background(), "p/task.yml"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q changed: %q, %v, want %q", file, got, err, want)
		}
	}
}
