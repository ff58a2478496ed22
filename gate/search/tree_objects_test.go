package search

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kept is a folder's hash after the ledger has kept it.
func kept(t *testing.T, l *Ledger, dir string) string {
	t.Helper()
	hash := hashOf(t, dir)
	must(t, l.Keep(t.Context(), hash, dir))
	return hash
}

// held is what a folder holds, by path: content, or where a link leads, and the mode.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		what, err := os.Readlink(path)
		if e.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			what = string(text)
		}
		out[strings.TrimPrefix(path, dir)] = info.Mode().String() + " " + what
		return err
	})
	must(t, err)
	return out
}

// Whatever a candidate holds, it comes back as it was judged, and from whatever another one has in its place.
func TestKeptCandidatesComeBack(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	for name, content := range map[string]map[string]string{
		"files":                    {"k.cc": "old", "gone.h": "x", "d/e": "x", "link": "-> k.cc", "folder": "-> d", "same": "s"},
		"a folder became a file":   {"k.cc": "old", "d": "x", "link": "-> k.cc"},
		"a file became a folder":   {"k.cc/a": "old", "gone.h": "x", "d/e": "x", "same": "s"},
		"a link leads out of it":   {"k.cc": "old", "link": "-> /etc/passwd"},
		"a file became executable": {"k.cc": "#!old", "same": "s"},
		"nothing is left":          {},
		"names":                    {"a\n\"b\"": "x", "-rf": "x", "*": "x", ":(top)k": "x", "git~1": "x", "a\\b": "x", "\u200c.git": "x", " ": "x", "é": "x"},
		"what git ignores":         {".gitignore": "*", "k.cc": "x", "build/k.o": "x", ".git/info/exclude": "y"},
		"modules":                  {".gitmodules": "[submodule \"d\"]\n\tpath = d\n\turl = ext::sh -c x\n", "d/k.cc": "x", "e/HEAD": "ref: refs/heads/x", "e/objects/x": "", "e/refs/x": "", "e/config": "[core]\n\tfsmonitor = x"},
	} {
		dir, err := copyOf(t, files(t, content))
		must(t, err)
		to := filepath.Join(t.TempDir(), "laid")
		if err := l.LayOut(t.Context(), kept(t, l, dir), dir, to); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if was, is := held(t, dir), held(t, to); !maps.Equal(was, is) {
			t.Errorf("%s: %q came back as %q", name, was, is)
		}
	}
}

// No attribute of a candidate and no configuration of the user's has git change a file or run a program.
func TestGitChangesNothing(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	hook := files(t, map[string]string{"post-index-change": "#!/bin/sh\ntouch " + mark, "reference-transaction": "#!/bin/sh\ntouch " + mark})
	global := files(t, map[string]string{"config": "[core]\nautocrlf = true\nfileMode = false\nsymlinks = false\nhooksPath = " + hook + "\nfsmonitor = touch " + mark +
		"\n[filter \"x\"]\nclean = touch " + mark + "; tr a b\nsmudge = touch " + mark + "; tr a b\nprocess = touch " + mark + "\nrequired = true\n"})
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(global, "config"))
	t.Setenv("GIT_CONFIG_SYSTEM", filepath.Join(global, "config"))
	l := newLedger(t)
	for _, attributes := range []string{
		"* text=auto", "* text eol=crlf", "* crlf=input", "* ident", "* filter=x", "* filter=x -text", "* working-tree-encoding=UTF-16", "[attr]x text ident filter=x\n* x", "* binary filter=x", "* !text filter=x text",
	} {
		dir := files(t, map[string]string{".gitattributes": attributes, "a": "a\r\n$Id$\na\n", "d/.gitattributes": attributes, "d/b": "#!a\r\n$Id: x $", "link": "-> a"})
		to := filepath.Join(t.TempDir(), "laid")
		if err := l.LayOut(t.Context(), kept(t, l, dir), dir, to); err != nil {
			t.Errorf("%s: %v", attributes, err)
		}
		if was, is := held(t, dir), held(t, to); !maps.Equal(was, is) {
			t.Errorf("%s: %q came back as %q", attributes, was, is)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program ran")
	}
}

// What git cannot give back is the ledger's fault. A candidate that changes between its hash and being kept is not kept.
func TestLostTreesAreRefused(t *testing.T) {
	t.Parallel()
	l, dir := newLedger(t), files(t, map[string]string{"k.cc": "new"})
	hash := kept(t, l, dir)
	objects := held(t, filepath.Join(l.dir, treesDir, "objects"))
	if len(objects) != 2 {
		t.Fatalf("%d objects", len(objects))
	}
	for object := range objects {
		for name, spoil := range map[string]func(string) error{"gone": os.Remove, "half": func(path string) error { return os.Truncate(path, 9) }, "other": other} {
			kept(t, l, dir)
			path := filepath.Join(l.dir, treesDir, "objects", object)
			must(t, errors.Join(os.Chmod(path, 0o644), spoil(path)))
			if err := l.LayOut(t.Context(), hash, t.TempDir(), filepath.Join(t.TempDir(), "laid")); !errors.Is(err, ErrLedger) {
				t.Errorf("%s %s: %v", object, name, err)
			}
			os.Remove(path)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "k.cc"), []byte("other"), 0o644))
	if err := l.Keep(t.Context(), hash, dir); err == nil || !strings.Contains(err.Error(), "written to") {
		t.Errorf("%v", err)
	}
}

// other puts a well-formed object in the place of one, which git takes without a look at its name.
func other(path string) error {
	var text bytes.Buffer
	z := zlib.NewWriter(&text)
	_, err := z.Write([]byte("blob 4\x00evil"))
	return errors.Join(err, z.Close(), os.WriteFile(path, text.Bytes(), 0o644))
}

// Empty folders of base, which a build may need, are there again, but where the candidate has something else.
func TestFoldersOfBaseAreLaidOut(t *testing.T) {
	t.Parallel()
	l, base, to := newLedger(t), t.TempDir(), filepath.Join(t.TempDir(), "laid")
	for _, folder := range []string{"build/deep", "taken/in"} {
		must(t, os.MkdirAll(filepath.Join(base, folder), 0o755))
	}
	hash := kept(t, l, files(t, map[string]string{"k.cc": "1", "taken": "a file"}))
	must(t, l.LayOut(t.Context(), hash, base, to))
	if info, err := os.Stat(filepath.Join(to, "build/deep")); err != nil || !info.IsDir() {
		t.Errorf("build/deep: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "taken")); err != nil || string(text) != "a file" {
		t.Errorf("taken: %q, %v", text, err)
	}
}

// What candidates share is there once, git's own housekeeping drops none of it, and a call that is cut off keeps no other from going on.
func TestKeptTreesAreGits(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	one := kept(t, l, files(t, map[string]string{"shared/a": "x", "k.cc": "1"}))
	two := kept(t, l, files(t, map[string]string{"shared/a": "x", "k.cc": "2"}))
	dir := filepath.Join(l.dir, treesDir)
	if objects := held(t, filepath.Join(dir, "objects")); len(objects) != 6 {
		t.Errorf("%d objects: %q", len(objects), objects)
	}
	for _, args := range [][]string{{"gc", "--quiet", "--prune=now"}, {"fsck", "--strict"}, {"diff", "--quiet", one + ":shared", two + ":shared"}} {
		if text, err := exec.Command("git", append([]string{"--git-dir", dir}, args...)...).CombinedOutput(); err != nil {
			t.Errorf("git %s: %v: %s", args[0], err, text)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "config")))
	for _, hash := range []string{one, two} {
		if err := l.LayOut(t.Context(), hash, t.TempDir(), filepath.Join(t.TempDir(), "laid")); err != nil {
			t.Error(err)
		}
	}
}
