package action

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The folders of parts are a stranger's too: links, folders and pipes in the place of a result are refused.
func TestPartsOfAStranger(t *testing.T) {
	t.Parallel()
	r := newForkRun(t)
	text, err := json.Marshal(r.measuredPart(0, 1, 3))
	r.must(err)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.json")
	r.must(os.WriteFile(elsewhere, text, 0o644))
	for name, c := range map[string]struct {
		lay  func(path string) error
		says string
	}{
		"a result": {func(path string) error { return os.WriteFile(path, text, 0o644) }, ""},
		"a link":   {func(path string) error { return os.Symlink(elsewhere, path) }, "not a regular file"},
		"a folder": {func(path string) error { return os.Mkdir(path, 0o755) }, "not a regular file"},
		"garbage":  {func(path string) error { return os.WriteFile(path, []byte("pass"), 0o644) }, "this is no result of perfgate"},
	} {
		dir := t.TempDir()
		r.must(c.lay(filepath.Join(dir, resultFile)))
		l, err := part{name: "part"}.readFolder(dir)
		if c.says == "" && (err != nil || l.result == nil) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, %v; want %q", name, l.result != nil, err, c.says)
		}
	}
	if l, err := (part{name: "part"}).readFolder(filepath.Join(t.TempDir(), "none")); err != nil || l.result != nil {
		t.Errorf("nothing: %+v, %v", l, err)
	}
}
