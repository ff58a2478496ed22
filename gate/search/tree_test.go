package search

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// files makes a folder of files by path. Content that begins with "-> " is a link, with "#!" an executable.
func files(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range content {
		full := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		var err error
		if to, isLink := strings.CutPrefix(text, "-> "); isLink {
			err = os.Symlink(to, full)
		} else {
			mode := os.FileMode(0o644)
			if strings.HasPrefix(text, "#!") {
				mode = 0o755
			}
			err = os.WriteFile(full, []byte(text), mode)
		}
		must(t, err)
	}
	return dir
}

func hashOf(t *testing.T, dir string) string {
	t.Helper()
	hash, err := hashTree(t.Context(), dir, t.TempDir())
	must(t, err)
	return hash
}

// copyOf is a copy of a folder, in a folder of its own.
func copyOf(t *testing.T, dir string, except ...string) (string, error) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	return to, copyTree(dir, to, except...)
}

func TestHashesTellTrees(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, content := range map[string]map[string]string{
		"one file":             {"a": "x"},
		"another content":      {"a": "y"},
		"another name":         {"b": "x"},
		"in a folder":          {"d/a": "x"},
		"executable":           {"a": "#!x"},
		"a link":               {"a": "-> x"},
		"a link elsewhere":     {"a": "-> y"},
		"two files":            {"a": "x", "b": "x"},
		"nothing":              {},
		"a name with newlines": {"a\n\"b\"": "x"},
	} {
		hash := hashOf(t, files(t, content))
		if other, taken := seen[hash]; taken {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[hash] = name
	}
}

func TestCopyLeavesWhatIsNotTheCandidates(t *testing.T) {
	t.Parallel()
	from := files(t, map[string]string{"k.cc": "int x;", "run.sh": "#!/bin/sh", "d/link": "-> ../k.cc", "d/.git/config": "[core]", ".git/HEAD": "ref", "out/ledger": "x"})
	to, err := copyOf(t, from, filepath.Join(from, "out"))
	must(t, err)
	if hashOf(t, to) != hashOf(t, files(t, map[string]string{"k.cc": "int x;", "run.sh": "#!/bin/sh", "d/link": "-> ../k.cc"})) {
		t.Error("the copy holds something else")
	}
}

// What no tree can hold is refused before it is judged, and so are names that JSON cannot give back, and a tree that only holds folders without end.
func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	for names, content := range map[string]map[string]string{
		`a\xff`: {"a\xff": "x"}, `d\xff`: {"d\xff/a": "x"}, `\xfe`: {"a": "-> \xfe"}, "d/.GIT": {"d/.GIT/config": "x"}, ".gitModules": {".gitModules": "-> a"},
	} {
		if _, err := copyOf(t, files(t, content)); !errors.Is(err, ErrTree) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v", names, err)
		}
	}
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	if _, err := copyOf(t, dir); !errors.Is(err, ErrTree) || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("%v", err)
	}
	dir = files(t, map[string]string{"a": "x"})
	for _, full := range []copier{{entries: mostFiles - 1}, {bytes: mostBytes}} {
		if full.to = t.TempDir(); !errors.Is(full.walk(dir, nil), ErrTree) {
			t.Errorf("%+v", full)
		}
	}
}

// A link of a candidate leads to what was judged with it: not to the machine's files, and not to the candidate that lies beside it.
func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	base := files(t, map[string]string{"old": "-> /usr/include", "a/b/c/link": "-> ../../../x", "d": "-> a/b/c"})
	for to, refused := range map[string]bool{
		"k.cc": false, "d/up/k.cc": false, "nowhere": false,
		"/etc/passwd": true, "../best/k.cc": true, "d/up/../best/k.cc": true,
	} {
		dir := files(t, map[string]string{"old": "-> /usr/include", "k.cc": "x", "d/up": "-> ..", "link": "-> " + to})
		if err := checkLinks(base, dir); errors.Is(err, ErrTree) != refused || refused && !strings.Contains(err.Error(), to) {
			t.Errorf("%s: %v", to, err)
		}
	}
	if err := checkLinks(base, files(t, map[string]string{"d/link": "-> ../../../x"})); !errors.Is(err, ErrTree) {
		t.Errorf("a link that base has behind another one: %v", err)
	}
}
