package judge

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
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func scan(t *testing.T, dir string, except ...string) Tree {
	t.Helper()
	tree, err := Scan(dir, except...)
	if err != nil {
		t.Fatal(err)
	}
	return tree
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
		hash := scan(t, files(t, content)).Hash()
		if other, taken := seen[hash]; taken {
			t.Errorf("%s and %s have one hash", name, other)
		}
		seen[hash] = name
	}
}

func TestCopyIsWhatWasHashed(t *testing.T) {
	t.Parallel()
	from := files(t, map[string]string{"k.cc": "int x;", "run.sh": "#!/bin/sh", "d/link": "-> ../k.cc", "d/.git/config": "[core]", ".git/HEAD": "ref", "out/ledger": "x"})
	to := filepath.Join(t.TempDir(), "copy")
	tree, err := Copy(from, to, filepath.Join(from, "out"))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree) != 3 {
		t.Errorf("%v", tree)
	}
	if scan(t, to).Hash() != tree.Hash() {
		t.Error("the copy has another hash than what was copied")
	}
}

func TestCopyRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{"k.cc": "x"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Scan(dir); !errors.Is(err, ErrTree) || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("%v", err)
	}
}

// What cannot be told apart again from the ledger's JSON is refused before it is judged, and so is a tree that only holds folders without end.
func TestCopyRefusesNamesAndNumbers(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]map[string]string{"a name": {"a\xff": "x"}, "a folder": {"d\xff/a": "x"}, "a link": {"a": "-> \xff"}} {
		if _, err := Scan(files(t, content)); !errors.Is(err, ErrTree) || !strings.Contains(err.Error(), `\xff`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&copier{entries: mostFiles}).count("a"); !errors.Is(err, ErrTree) {
		t.Errorf("%v", err)
	}
}

// A link of a candidate leads to what was judged with it: not to the machine's files, and not to the candidate that lies beside it.
func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	base := scan(t, files(t, map[string]string{"old": "-> /usr/include"}))
	for to, refused := range map[string]bool{
		"k.cc": false, "d/up/k.cc": false, "nowhere": false,
		"/etc/passwd": true, "../best/k.cc": true, "d/up/../best/k.cc": true,
	} {
		dir := files(t, map[string]string{"old": "-> /usr/include", "k.cc": "x", "d/up": "-> ..", "link": "-> " + to})
		if err := scan(t, dir).CheckLinks(base, dir); errors.Is(err, ErrTree) != refused || refused && !strings.Contains(err.Error(), to) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// Whatever a candidate changes, it comes back as it was judged.
func TestKeptCandidatesComeBack(t *testing.T) {
	t.Parallel()
	base := files(t, map[string]string{"k.cc": "old", "gone.h": "x", "d/e": "x", "link": "-> k.cc", "folder": "-> d", "same": "s"})
	l := search(t)
	for name, content := range map[string]map[string]string{
		"base itself":              {"k.cc": "old", "gone.h": "x", "d/e": "x", "link": "-> k.cc", "folder": "-> d", "same": "s"},
		"changed and deleted":      {"k.cc": "new", "d/e": "x", "link": "-> k.cc", "folder": "-> d", "same": "s"},
		"a folder became a file":   {"k.cc": "old", "gone.h": "x", "d": "x", "link": "-> k.cc", "same": "s"},
		"a file became a folder":   {"k.cc/a": "old", "gone.h": "x", "d/e": "x", "same": "s"},
		"a link became a folder":   {"k.cc": "old", "folder/a": "new", "d/e": "x", "same": "s"},
		"a link leads out of it":   {"k.cc": "old", "link": "-> /etc/passwd", "same": "s"},
		"a file became executable": {"k.cc": "#!old", "same": "s"},
		"nothing is left":          {},
	} {
		dir := files(t, content)
		tree := scan(t, dir)
		if err := l.Keep(scan(t, base), tree, dir); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := l.LayOut(tree.Hash(), base, filepath.Join(t.TempDir(), "laid")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What somebody changed in the ledger's folder is not measured in the place of what was judged, and nothing is written outside of the new folder.
func TestChangedCopiesAreRefused(t *testing.T) {
	t.Parallel()
	base := files(t, map[string]string{"k.cc": "old"})
	dir := files(t, map[string]string{"k.cc": "new"})
	tree := scan(t, dir)
	for name, spoil := range map[string]func(change string, kept string){
		"other content": func(_, kept string) { os.WriteFile(kept, []byte("evil"), 0o644) },
		"another path":  func(change, _ string) { replaceIn(t, change, `"k.cc"`, `"../k.cc"`) },
		"a kept file elsewhere": func(change, _ string) {
			replaceIn(t, change, tree["k.cc"].Sum, "../../../../etc/hostname")
		},
		"no list":       func(change, _ string) { os.Remove(change) },
		"half the list": func(change, _ string) { os.WriteFile(change, []byte("{"), 0o644) },
	} {
		l := search(t)
		if err := l.Keep(scan(t, base), tree, dir); err != nil {
			t.Fatal(err)
		}
		kept := filepath.Join(l.dir, treesDir, tree.Hash())
		spoil(filepath.Join(kept, changeFile), filepath.Join(kept, tree["k.cc"].Sum))
		to := filepath.Join(t.TempDir(), "laid")
		if err := l.LayOut(tree.Hash(), base, to); !errors.Is(err, ErrLedger) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(to), "k.cc")); err == nil {
			t.Errorf("%s: a file was written outside", name)
		}
	}
}

func replaceIn(t *testing.T, path, old, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), old) {
		t.Fatalf("%s does not hold %s: %v", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(b), old, text)), 0o644); err != nil {
		t.Fatal(err)
	}
}
