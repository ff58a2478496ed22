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
