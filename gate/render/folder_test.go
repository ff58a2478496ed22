package render

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A folder of the user's that has files by our names keeps them, whatever is asked for; one that holds ours is cleared.
func TestOutKeepsFilesOfOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		kept  bool
	}{
		"their report":         {map[string]string{"report.md": "# Results of 2019\n"}, true},
		"their result":         {map[string]string{"result.json": `{"score": 3}`, "report.md": Marks[MarkdownName]}, true},
		"an empty file":        {map[string]string{"result.json": ""}, true},
		"their profiles":       {map[string]string{"profiles/case1-head.ncu-rep": "x"}, true},
		"our report alone":     {map[string]string{"report.md": Marks[MarkdownName] + "passed"}, false},
		"a result of a run":    {map[string]string{"result.json": `{"schema":"perfgate/result/v1"}`, "report.md": "of an earlier version"}, false},
		"with its own profile": {map[string]string{"result.json": "{\n  \"schema\": \"perfgate/result/v3\"", "profiles/case1-head.ncu-rep": "x"}, false},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			must(t, errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755), os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644)))
		}
		err := ClearFolder(dir)
		for file := range c.files {
			if _, gone := os.Stat(filepath.Join(dir, file)); (gone == nil) != c.kept {
				t.Errorf("%s: %s: %v, after %v", name, file, gone, err)
			}
		}
		if wants := name != "their profiles" && c.kept; (result.ExitCodeOf(err) == result.ExitUsage) != wants || wants != (CheckFolder(dir) != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A folder that can be made is not made before there is something to write.
func TestCheckOfFolderMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o644))
	must(t, os.Symlink("gone", filepath.Join(dir, "link")))
	for name, usable := range map[string]bool{".": true, "out": true, "a/b/out": true, "file": false, "file/out": false, "link": false} {
		if err := CheckFolder(filepath.Join(dir, name)); (err == nil) != usable {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v is there, %v", left, err)
	}
}
