package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/cmd/perfgate/usertest"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// leaveVerdict leaves what an earlier run would have, beside a file that is not perfgate's.
func (p *project) leaveVerdict() {
	p.t.Helper()
	must(p.t, os.MkdirAll(filepath.Join(p.dir, "perfgate-out", render.ProfilesName), 0o755))
	for _, name := range verdictFiles {
		text := "PASS\n"
		if name == render.ResultName {
			text = `{"schema": "` + result.Schema + `"}`
		}
		p.write(filepath.Join("perfgate-out", name), text)
	}
	p.write("perfgate-out/.gitignore", "*\n")
	p.write("perfgate-out/report.md.txt", "the user's\n")
}

var verdictFiles = []string{"result.json", "report.md", "report.html", "report.html.17-0.tmp", "result.json.17-0.tmp", "report.md.17.tmp", "profiles/case1-head.ncu-rep"}

// verdict lists what is left of it.
func (p *project) verdict() []string {
	return slices.DeleteFunc(slices.Clone(verdictFiles), func(name string) bool {
		_, err := os.Lstat(filepath.Join(p.dir, "perfgate-out", name))
		return os.IsNotExist(err)
	})
}

// What bisect, watch and the others leave is no change of the tree for the next run.
func TestFolderOfResultsIsInvisibleToGit(t *testing.T) {
	t.Parallel()
	for _, theirs := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "out")
		if theirs {
			must(t, os.Mkdir(dir, 0o755))
		}
		must(t, saved.ReplaceIn(dir, "steps.json", func(io.Writer) error { return nil }))
		if _, err := os.Stat(filepath.Join(dir, ".gitignore")); (err == nil) == theirs {
			t.Errorf("a folder that was there: %v, .gitignore: %v", theirs, err)
		}
	}
}

const replacing = "PERFGATE_TEST_REPLACES" // names the file that a process of this test replaces

// A disk that fills up while a report is written leaves the one that was there, and nothing half-written beside it.
func TestReplaceFileIsAllOrNothing(t *testing.T) {
	replace := func(path, text string) error {
		return saved.Replace(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	if path := os.Getenv(replacing); path != "" {
		if replace(path, strings.Repeat("a longer report", 1000)) == nil {
			t.Fatal("a file grew beyond the limit")
		}
		return
	}
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "report.md")
	must(t, replace(path, "old"))
	// In a process of its own: the limit is of all that a process writes, what go test keeps of this one included.
	limited := exec.Command("sh", "-c", `ulimit -f 1; exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
	limited.Env = append(os.Environ(), replacing+"="+path)
	if out, err := limited.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if text := readText(t, path); text != "old" {
		t.Errorf("the report is %q", text)
	}
	if files := usertest.FilesIn(dir); len(files) != 1 {
		t.Errorf("left behind: %v", files)
	}
}
