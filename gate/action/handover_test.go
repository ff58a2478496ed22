package action

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What measure leaves may be anything: each of these is refused, and none is taken for a pass.
func TestOutcomeOfAStranger(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":          "",
		"not JSON":       "pass",
		"another schema": `{"schema":"perfgate/outcome/v2","exit":0}`,
		"no schema":      `{"exit":0}`,
		"more fields":    `{"schema":"perfgate/outcome/v1","exit":0,"verdict":"pass"}`,
		"two":            `{"schema":"perfgate/outcome/v1","exit":3}{"schema":"perfgate/outcome/v1","exit":0}`,
		"exit code":      `{"schema":"perfgate/outcome/v1","exit":-1}`,
		"huge exit code": `{"schema":"perfgate/outcome/v1","exit":1e30}`,
		"large":          `{"schema":"perfgate/outcome/v1","exit":0,"error":"` + strings.Repeat("x", 1<<20) + `"}`,
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, outcomeFile), []byte(text), 0o644))
		if o, err := readOutcome(dir); err == nil {
			t.Errorf("%s: read as %+v", name, o)
		}
	}
	if _, err := readOutcome(t.TempDir()); err == nil || !strings.Contains(err.Error(), "ended from outside") {
		t.Errorf("without an outcome: %v", err)
	}
}

// Whatever a step has to say of itself, the next one can read it.
func TestLongOutcomesAreReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat("a compiler\x1b[31m\xff says\n", 100_000)
	o := Outcome{Schema: outcomeDocument.Schema, Exit: 3, Error: long, Notes: slices.Repeat([]string{"note"}, 5000), Warnings: []string{long}}
	must(t, outcomeDocument.Write(filepath.Join(dir, outcomeFile), &o))
	if got, err := readOutcome(dir); err != nil || got.Exit != 3 || !strings.HasPrefix(got.Error, "a compiler\x1b[31m\ufffd says\n") {
		t.Errorf("%.200q, %v", got.Error, err)
	}
}

func TestOutcomeIsNoLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "outcome")
	must(t, os.WriteFile(elsewhere, []byte(`{"schema":"perfgate/outcome/v1","exit":0}`), 0o644))
	must(t, os.Symlink(elsewhere, filepath.Join(dir, outcomeFile)))
	if _, err := readOutcome(dir); err == nil {
		t.Error("a link was followed")
	}
}

// The upload follows links, so none is left.
func TestPrune(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "profiles"), 0o755))
	for _, file := range []string{"result.json", "profiles/a.ncu-rep"} {
		must(t, os.WriteFile(filepath.Join(dir, file), nil, 0o644))
	}
	for _, link := range []string{"secrets", "profiles/etc"} {
		must(t, os.Symlink("/etc", filepath.Join(dir, link)))
	}
	must(t, prune(dir))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	more, _ := filepath.Glob(filepath.Join(dir, "profiles", "*"))
	if err != nil || len(left) != 2 || len(more) != 1 {
		t.Errorf("left: %v %v", left, more)
	}
}
