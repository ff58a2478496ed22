package repo

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// newTree is a clone with one commit, of a and c.
func newTree(t *testing.T) *clone {
	t.Helper()
	c := &clone{T: t, dir: filepath.Join(t.TempDir(), "clone")}
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c.git("init", "-q", "-b", "main")
	c.put("a", "a\n")
	c.git("add", "a")
	c.first = c.commit("c")
	return c
}

// resolved is the working tree of a clone beside its commit.
func (c *clone) resolved(named Named) Pair {
	c.Helper()
	p, err := Resolve(c.Context(), Request{Dir: c.dir, Base: "HEAD", Scratch: c.TempDir(), Named: func(string) Named { return named }})
	if err != nil {
		c.Fatal(err)
	}
	return p
}

func (c *clone) changed(p Pair) []string {
	c.Helper()
	files, known, err := p.Changed(c.Context(), c.dir, ".")
	if err != nil || !known {
		c.Fatal(known, err)
	}
	return files
}

// put writes a file that nothing is known of.
func (c *clone) put(name, text string) {
	c.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(c.dir, name)), 0o755); err != nil {
		c.Fatal(err)
	}
	c.write(name, text, 0o644)
}

// same writes over a file what git does not notice: as long as before, at the same time.
func (c *clone) same(name, text string) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	was, err := os.Stat(path)
	if err != nil || was.Size() != int64(len(text)) {
		c.Fatal(was, err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
	if err := os.Chtimes(path, was.ModTime(), was.ModTime()); err != nil {
		c.Fatal(err)
	}
}

// What git is told to hide is compared all the same: the files are, and not what git says of them.
func TestHiddenEditsAreChanges(t *testing.T) {
	for name, hide := range map[string]func(c *clone) (file, text string){
		"skip-worktree": func(c *clone) (string, string) {
			c.git("update-index", "--skip-worktree", "a")
			c.put("a", "slow\n")
			return "a", "slow\n"
		},
		"assume-unchanged": func(c *clone) (string, string) {
			c.git("update-index", "--assume-unchanged", "a")
			c.put("a", "slow\n")
			return "a", "slow\n"
		},
		"skip-worktree, removed": func(c *clone) (string, string) {
			c.git("update-index", "--skip-worktree", "a")
			os.Remove(filepath.Join(c.dir, "a"))
			return "a", ""
		},
		"a clean filter": func(c *clone) (string, string) {
			c.git("config", "filter.f.clean", "echo a")
			c.put(".git/info/attributes", "a filter=f\n")
			c.put("a", "slow\n")
			return "a", "slow\n"
		},
		"autocrlf": func(c *clone) (string, string) {
			c.git("config", "core.autocrlf", "input")
			c.put("a", "a\r\n")
			return "a", "a\r\n"
		},
		"the same size and time": func(c *clone) (string, string) {
			old := time.Now().Add(-time.Hour)
			os.Chtimes(filepath.Join(c.dir, "a"), old, old)
			c.git("config", "core.trustctime", "false")
			c.git("config", "core.checkStat", "minimal")
			c.git("update-index", "--refresh")
			c.same("a", "b\n")
			return "a", "b\n"
		},
		"an ignored file": func(c *clone) (string, string) {
			c.put(".gitignore", "*.gen.h\n")
			c.commitAll()
			c.put("k.gen.h", "slow\n")
			return "k.gen.h", "slow\n"
		},
		"info/exclude": func(c *clone) (string, string) {
			c.put(".git/info/exclude", "k.h\n")
			c.put("k.h", "slow\n")
			return "k.h", "slow\n"
		},
		"excludes of the user": func(c *clone) (string, string) {
			c.put(".git/mine", "k.h\n")
			c.git("config", "core.excludesFile", filepath.Join(c.dir, ".git", "mine"))
			c.put("k.h", "slow\n")
			return "k.h", "slow\n"
		},
		"a sparse checkout": func(c *clone) (string, string) {
			c.git("sparse-checkout", "set", "--no-cone", "/c")
			return "a", ""
		},
		"file modes": func(c *clone) (string, string) {
			c.git("config", "core.fileMode", "false")
			os.Chmod(filepath.Join(c.dir, "a"), 0o755)
			return "a", "a\n"
		},
		"ignored changes of a submodule": func(c *clone) (string, string) {
			c.submodule()
			c.git("config", "submodule.sub.ignore", "all")
			c.put("sub/a", "slow\n")
			return "sub/a", "slow\n"
		},
		"a file that a submodule ignores": func(c *clone) (string, string) {
			c.submodule()
			c.put(".git/modules/sub/info/exclude", "k.h\n")
			c.put("sub/k.h", "slow\n")
			return "sub/k.h", "slow\n"
		},
		"a clone in the tree": func(c *clone) (string, string) {
			c.git("init", "-q", "inner")
			c.put("inner/k.h", "slow\n")
			return "inner/k.h", "slow\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTree(t)
			file, text := hide(c)
			p := c.resolved(Named{})
			if files := c.changed(p); !slices.Equal(files, []string{file}) || !p.Head.Info.Dirty {
				t.Errorf("changed: %q, dirty: %v, want %s", files, p.Head.Info.Dirty, file)
			}
			is, err := os.ReadFile(filepath.Join(p.Head.Root, file))
			if string(is) != text || (err != nil) != (text == "") {
				t.Errorf("head has %q, %v", is, err)
			}
		})
	}
}

func (c *clone) commitAll() {
	c.Helper()
	c.git("add", ".")
	c.git("commit", "-q", "-m", "all")
}

// submodule adds the clone's own first commit as one.
func (c *clone) submodule() {
	c.Helper()
	c.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", c.dir, "sub")
	c.git("commit", "-q", "-m", "sub")
}

// A working tree beside an older base is not its commit either, where git was told to hide what differs.
func TestHiddenEditsBesideAnOlderBase(t *testing.T) {
	c := newClone(t)
	resolve := func() Pair {
		p, err := Resolve(t.Context(), Request{Dir: c.dir, Base: c.first, Scratch: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := resolve(); p.Head.Info.Dirty || !slices.Equal(c.changed(p), []string{"c"}) {
		t.Errorf("dirty: %v, changed: %q", p.Head.Info.Dirty, c.changed(p))
	}
	c.git("update-index", "--skip-worktree", "a")
	c.put("a", "slow\n")
	if p := resolve(); !p.Head.Info.Dirty || !slices.Equal(c.changed(p), []string{"a", "c"}) {
		t.Errorf("dirty: %v, changed: %q", p.Head.Info.Dirty, c.changed(p))
	}
}

// Filters that change files on their way out of git change those of both sides: nothing differs.
func TestFiltersAreNoChange(t *testing.T) {
	c := newTree(t)
	c.git("config", "filter.f.smudge", "sed s/a/smudged/")
	c.git("config", "filter.f.clean", "sed s/smudged/a/")
	c.put(".gitattributes", "a filter=f\n*.txt eol=crlf\n")
	c.put("b.txt", "one\r\n")
	c.commitAll()
	c.git("rm", "-q", "--cached", "-r", ".")
	c.git("reset", "-q", "--hard")
	p := c.resolved(Named{})
	if files := c.changed(p); len(files) > 0 || p.Head.Info.Dirty {
		t.Errorf("changed: %q, dirty: %v", files, p.Head.Info.Dirty)
	}
	if text, err := os.ReadFile(filepath.Join(p.Head.Root, "a")); string(text) != "smudged\n" {
		t.Errorf("%q, %v", text, err)
	}
}

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

// A link that leads to a folder of builds elsewhere stays behind; what git keeps is copied as it lies there.
func TestLinksOfAWorkingTree(t *testing.T) {
	c := newTree(t)
	elsewhere := t.TempDir()
	for from, to := range map[string]string{"bazel-out": elsewhere, "kept": elsewhere, "file": "a"} {
		if err := os.Symlink(to, filepath.Join(c.dir, from)); err != nil {
			t.Fatal(err)
		}
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
		if err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
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

// Files that are not alike are listed, of those that patterns name; a folder that is not there has none.
func TestDiffering(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write := func(dir string, files map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			path := filepath.Join(dir, name)
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	long := strings.Repeat("x", 200<<10)
	write(a, map[string]string{"same": long, "end": long + "a", "gone": "", "folder": "x", "file/x": "", ".git/x": "1", "size": "1", "empty": ""})
	write(b, map[string]string{"same": long, "end": long + "b", "new": "", "folder/x": "x", "file": "", ".git/x": "2", "size": "12", "empty": ""})
	for pattern, want := range map[string]string{"**": "end file file/x folder folder/x gone new size", "f*": "file file/x folder folder/x", "same": ""} {
		got, has, err := Differing(a, b, []string{pattern})
		if err != nil || strings.Join(got, " ") != want || has != [2]bool{true, true} {
			t.Errorf("%s: %q, %v, %v, want %q", pattern, got, has, err, want)
		}
	}
	if got, has, err := Differing(filepath.Join(a, "none"), b, []string{"empty"}); err != nil || len(got) != 1 || has != [2]bool{false, true} {
		t.Errorf("%q, %v, %v", got, has, err)
	}
}
