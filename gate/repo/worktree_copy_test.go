package repo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/saved"
)

// laid lays a working tree with much that is not git's. Names ending in "/" before a "*" hide a folder from git.
func laid(t *testing.T, ignore string, files ...string) *clone {
	t.Helper()
	c := newClone(t)
	c.put(".gitignore", ignore)
	c.git("add", ".gitignore")
	c.git("commit", "-q", "-m", "ignore")
	for _, file := range files {
		c.put(file, "x\n")
	}
	return c
}

// The copy of a working tree is built as freshly as base: what any build system left, in a folder of its own or beside the sources, ignored by
// git or not, is not there for head to find.
func TestCopyIsWithoutWhatBuildsLeft(t *testing.T) {
	for name, tree := range map[string]struct {
		ignore string
		files  []string
		named  Named
		left   []string
		taken  []string
	}{
		"CMake, ignored":                            {"build/\n", []string{"build/CMakeCache.txt", "build/libk.so", "build/CMakeFiles/x.o"}, Named{Builds: true}, []string{"build/"}, nil},
		"flags of make, ignored":                    {"/obj\n", []string{"obj/flags.mk"}, Named{Builds: true}, []string{"obj/"}, nil},
		"CMake, not ignored":                        {"", []string{"out/CMakeCache.txt", "out/gen/version.h"}, Named{Builds: true}, []string{"out/"}, nil},
		"ninja, not ignored":                        {"", []string{"out/build.ninja", "out/x.txt"}, Named{Builds: true}, []string{"out/"}, nil},
		"meson, not ignored":                        {"", []string{"out/meson-info/intro.json", "out/x.txt"}, Named{Builds: true}, []string{"out/"}, nil},
		"cargo, not ignored":                        {"", []string{"target/CACHEDIR.TAG", "target/debug/x"}, Named{Builds: true}, []string{"target/"}, nil},
		"an environment":                            {"", []string{".venv/pyvenv.cfg", ".venv/lib/x.py"}, Named{Builds: true}, []string{".venv/"}, nil},
		"CMake beside the sources":                  {"Makefile\nCMakeCache.txt\nCMakeFiles/\n*.inc\n", []string{"CMakeCache.txt", "Makefile", "CMakeFiles/x", "src/x.inc", "src/new.cc"}, Named{Builds: true}, []string{"CMakeCache.txt", "CMakeFiles/", "Makefile", "src/x.inc"}, nil},
		"CMake beside, not ignored":                 {"", []string{"CMakeCache.txt", "CMakeFiles/x", "new.cc"}, Named{Builds: true}, []string{"CMakeCache.txt", "CMakeFiles/"}, nil},
		"objects of make":                           {"*.o\n", []string{"src/x.o", "src/y.o", "src/x.d"}, Named{Builds: true}, []string{"src/x.d", "src/x.o", "src/y.o"}, nil},
		"libraries of make":                         {"*.so\n", []string{"libk.so", "libk.so.1", "libk.a"}, Named{Builds: true}, []string{"libk.a", "libk.so", "libk.so.1"}, nil},
		"an ignored folder that has what git keeps": {"a*/\n", []string{"abc/kept", "abc/flags.mk", "abc/deep/x"}, Named{Builds: true}, []string{"abc/deep/", "abc/flags.mk"}, nil},
		"a folder that ignores itself":              {"", []string{"perfgate-out/result.json"}, Named{Builds: true}, []string{"perfgate-out/"}, nil},
		"caches of Python":                          {"", []string{"p/__pycache__/x.pyc", "p/x.py"}, Named{}, []string{"p/__pycache__/"}, nil},
		"a library, and nothing that builds it":     {"*.so\n", []string{"p/_C.abi3.so"}, Named{}, nil, []string{"p/_C.abi3.so"}},
		"a generated header":                        {"*.gen.h\n", []string{"src/k.gen.h"}, Named{Builds: true}, nil, []string{"src/k.gen.h"}},
		"a folder that a flag names":                {"/gen/\n", []string{"gen/k.h", "gen/deep/x.h", "gen/x.o"}, Named{Builds: true, Paths: []string{"gen"}}, []string{"gen/x.o"}, []string{"gen/deep/x.h", "gen/k.h"}},
		"a folder in one that is ignored":           {"/build/\n", []string{"build/CMakeCache.txt", "build/gen/k.h", "build/other/x.h"}, Named{Builds: true, Paths: []string{"build/gen"}}, []string{"build/CMakeCache.txt", "build/other/"}, []string{"build/gen/k.h"}},
		"a source in a folder that is ignored":      {"/gen/\n", []string{"gen/k.cc", "gen/other.cc"}, Named{Builds: true, Paths: []string{"gen/k.cc"}}, []string{"gen/other.cc"}, []string{"gen/k.cc"}},
		"a library that the configuration names":    {"*.a\n", []string{"lib/libk.a", "lib/x.a"}, Named{Builds: true, Paths: []string{"lib/libk.a"}}, []string{"lib/x.a"}, []string{"lib/libk.a"}},
		"all that there is":                         {"/build/\n", []string{"build/x"}, Named{Builds: true, Paths: []string{"."}}, []string{"build/"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := laid(t, tree.ignore, tree.files...)
			if slices.Contains(tree.files, "abc/kept") {
				c.git("add", "-f", "abc/kept")
			}
			if slices.Contains(tree.left, "perfgate-out/") {
				c.put("perfgate-out/.gitignore", "*\n")
			}
			to := filepath.Join(t.TempDir(), "copy")
			copied, err := copyWorktree(t.Context(), c.dir, to, tree.named)
			if err != nil || !slices.Equal(copied.Left, tree.left) || !slices.Equal(copied.Taken, tree.taken) {
				t.Errorf("left %q, want %q; taken %q, want %q; %v", copied.Left, tree.left, copied.Taken, tree.taken, err)
			}
			for _, file := range tree.files {
				stays := slices.ContainsFunc(tree.left, func(left string) bool {
					return file == left || strings.HasSuffix(left, "/") && strings.HasPrefix(file, left)
				})
				if there := isThere(filepath.Join(to, file)); there == stays {
					t.Errorf("%s is in the copy: %v", file, there)
				}
			}
		})
	}
}

// A folder for results that perfgate made is neither copied nor named as left behind; another one that git ignores is named.
func TestOwnResultsAreNoNews(t *testing.T) {
	t.Parallel()
	c := laid(t, "results/\n", "k.cc", "results/mine.txt")
	must(t, saved.MakeFolder(filepath.Join(c.dir, "answers")))
	c.put("answers/result.json", "{}")
	to := filepath.Join(t.TempDir(), "copy")
	copied, err := copyWorktree(t.Context(), c.dir, to, Named{})
	if err != nil || !slices.Equal(copied.Left, []string{"results/"}) || isThere(filepath.Join(to, "answers")) || !isThere(filepath.Join(to, "k.cc")) {
		t.Errorf("%+v, %v", copied, err)
	}
}

// A link that leads to a folder of builds elsewhere stays behind; what git keeps is copied as it lies there.
func TestLinksOfAWorkingTree(t *testing.T) {
	c := newTree(t)
	elsewhere := t.TempDir()
	for from, to := range map[string]string{"bazel-out": elsewhere, "kept": elsewhere, "file": "a"} {
		must(t, os.Symlink(to, filepath.Join(c.dir, from)))
	}
	c.git("add", "kept")
	c.git("commit", "-q", "-m", "kept")
	p := c.resolved(Named{Builds: true})
	if files := c.changed(p); !slices.Equal(files, []string{"file"}) || !slices.Equal(p.Head.Copied.Left, []string{"bazel-out"}) {
		t.Errorf("changed %q, left %q", files, p.Head.Copied.Left)
	}
	c.git("update-index", "--skip-worktree", "kept")
	os.Remove(filepath.Join(c.dir, "kept"))
	os.Symlink("a", filepath.Join(c.dir, "kept"))
	if files := c.changed(c.resolved(Named{Builds: true})); !slices.Equal(files, []string{"file", "kept"}) {
		t.Errorf("changed %q", files)
	}
}

// The working tree itself is read, and never written to.
func TestCopyIsPrivate(t *testing.T) {
	c := laid(t, "*.h\n", "k.h", "new.cc")
	p := c.resolved(Named{})
	if p.Head.Place() != c.dir || p.Head.Root == c.dir {
		t.Errorf("%+v", p.Head)
	}
	for _, file := range []string{"a", "k.h", "new.cc"} {
		copied, err := os.OpenFile(filepath.Join(p.Head.Root, file), os.O_WRONLY|os.O_TRUNC, 0)
		must(t, err)
		copied.Close()
		if text, err := os.ReadFile(filepath.Join(c.dir, file)); len(text) == 0 {
			t.Errorf("%s was written to through its copy, %v", file, err)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Head.Root, ".git")); err == nil {
		t.Error("what git keeps is in the copy")
	}
}

// A run whose private folder lies in the working tree copies none of it.
func TestCopyWithinTheTree(t *testing.T) {
	c := newTree(t)
	c.put("tmp/run/base/a", "x\n")
	c.put("tmp/other", "x\n")
	p, err := Resolve(t.Context(), Request{Dir: c.dir, Base: "HEAD", Scratch: filepath.Join(c.dir, "tmp", "run")})
	must(t, err)
	if files := c.changed(p); !slices.Equal(files, []string{"tmp/other"}) {
		t.Errorf("changed: %q", files)
	}
}

// What a compiler misses is brought where one file of the working tree can be meant.
func TestBringMissed(t *testing.T) {
	c := laid(t, "/gen/\n/one/\n/two/\n", "gen/deep/k.h", "one/x.h", "two/x.h")
	p := c.resolved(Named{Builds: true})
	for wanted, want := range map[string]string{"deep/k.h": "gen/deep/k.h", "../gen/deep/k.h": "gen/deep/k.h", "x.h": "", "two/x.h": "two/x.h", "none.h": "", "eep/k.h": ""} {
		os.RemoveAll(filepath.Join(p.Head.Root, "gen"))
		got, err := p.Head.Copied.Bring(p.Head.Root, wanted)
		if got != want || err != nil || want != "" && !isThere(filepath.Join(p.Head.Root, want)) {
			t.Errorf("%s: %q, %v, want %q", wanted, got, err, want)
		}
	}
	if again, err := p.Head.Copied.Bring(p.Head.Root, "two/x.h"); again != "" || err != nil {
		t.Errorf("brought again: %q, %v", again, err)
	}
}

// Data by the gigabyte is not copied without a word, and what stays behind is not counted.
func TestLargeWorkingTrees(t *testing.T) {
	bytes, files := mostUnkeptBytes, mostUnkept
	t.Cleanup(func() { mostUnkeptBytes, mostUnkept = bytes, files })
	c := laid(t, "/data/\n", "data/1", "weights", "other")
	c.put("data/1", strings.Repeat("x", 3<<20))
	mostUnkeptBytes = 2 << 20
	c.resolved(Named{})
	c.put("weights", strings.Repeat("x", 3<<20))
	_, err := Resolve(t.Context(), Request{Dir: c.dir, Base: "HEAD", Scratch: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "the largest file weights with 3 MiB") {
		t.Errorf("%v", err)
	}
	mostUnkeptBytes, mostUnkept = bytes, 1
	if _, err := Resolve(t.Context(), Request{Dir: c.dir, Base: "HEAD", Scratch: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "2 files") {
		t.Errorf("%v", err)
	}
}
