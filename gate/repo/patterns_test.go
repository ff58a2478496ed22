package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes files, and links where the text begins with an arrow.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		var err error
		if to, isLink := strings.CutPrefix(text, ">"); isLink {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		must(t, err)
	}
	return dir
}

// Whatever head does with the benchmark's files, with links and with folders on the way to them, base's are there in the end, head's
// additions are not, and nothing outside of the copy was touched.
func TestLayOver(t *testing.T) {
	outside := tree(t, map[string]string{"precious.py": "kept", "a.py": "kept"})
	base := tree(t, map[string]string{"bench/a.py": "base", "bench/deep/b.py": "base", "src/k.c": "base"})
	for name, head := range map[string]map[string]string{
		"edited":        {"bench/a.py": "head", "bench/deep/b.py": "base", "src/k.c": "head"},
		"added":         {"bench/a.py": "base", "bench/deep/b.py": "base", "bench/conftest.py": "head", "src/k.c": "head"},
		"removed":       {"src/k.c": "head"},
		"link out":      {"bench": ">" + outside, "src/k.c": "head"},
		"link in":       {"bench": ">src", "src/k.c": "head", "src/a.py": "head"},
		"file":          {"bench": "head", "src/k.c": "head"},
		"folder":        {"bench/a.py/x": "head", "src/k.c": "head"},
		"file link":     {"bench/a.py": ">" + filepath.Join(outside, "precious.py"), "src/k.c": "head"},
		"deep link out": {"bench/a.py": "base", "bench/deep": ">" + outside, "src/k.c": "head"},
	} {
		t.Run(name, func(t *testing.T) {
			original, copied := tree(t, head), filepath.Join(t.TempDir(), "copy")
			must(t, CopyTree(original, copied))
			patterns := []string{"bench/**"}
			differing, _, err := Differing(base, copied, patterns)
			if err != nil || len(differing) == 0 {
				t.Fatalf("%q, %v", differing, err)
			}
			must(t, LayOver(base, copied, differing))
			if left, has, err := Differing(base, copied, patterns); err != nil || len(left) > 0 || has != [2]bool{true, true} {
				t.Errorf("%q differ, %v, %v", left, has, err)
			}
			if text, _ := os.ReadFile(filepath.Join(copied, "src/k.c")); string(text) != "head" {
				t.Errorf("head's own file is %q", text)
			}
		})
	}
	for _, file := range []string{"precious.py", "a.py"} {
		if text, _ := os.ReadFile(filepath.Join(outside, file)); string(text) != "kept" {
			t.Errorf("%s outside is %q", file, text)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 2 {
		t.Errorf("%d files outside", len(entries))
	}
}
