package repo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newTree is a clone with one commit, of a and c.
func newTree(t *testing.T) *clone {
	t.Helper()
	c := &clone{T: t, dir: filepath.Join(t.TempDir(), "clone")}
	must(t, os.Mkdir(c.dir, 0o755))
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

// What git is told to hide is compared all the same: the files are, and not what git says of them.
func TestHiddenEditsAreChanges(t *testing.T) {
	const withSubmodule = "git -c protocol.file.allow=always submodule add -q \"$PWD\" sub; git commit -q -m sub; "
	for name, hidden := range map[string]struct{ script, file, text string }{ // what the file has in the end; "" is none
		"skip-worktree":                   {"git update-index --skip-worktree a; echo slow >a", "a", "slow\n"},
		"assume-unchanged":                {"git update-index --assume-unchanged a; echo slow >a", "a", "slow\n"},
		"skip-worktree, removed":          {"git update-index --skip-worktree a; rm a", "a", ""},
		"a clean filter":                  {"git config filter.f.clean 'echo a'; echo 'a filter=f' >.git/info/attributes; echo slow >a", "a", "slow\n"},
		"autocrlf":                        {"git config core.autocrlf input; printf 'a\\r\\n' >a", "a", "a\r\n"},
		"the same size and time":          {"touch -d '1 hour ago' a; git config core.trustctime false; git config core.checkStat minimal; git update-index --refresh; touch -r a .git/old; echo b >a; touch -r .git/old a", "a", "b\n"},
		"an ignored file":                 {"echo '*.gen.h' >.gitignore; git add .; git commit -q -m all; echo slow >k.gen.h", "k.gen.h", "slow\n"},
		"info/exclude":                    {"echo k.h >.git/info/exclude; echo slow >k.h", "k.h", "slow\n"},
		"excludes of the user":            {"echo k.h >.git/mine; git config core.excludesFile \"$PWD/.git/mine\"; echo slow >k.h", "k.h", "slow\n"},
		"a sparse checkout":               {"git sparse-checkout set --no-cone /c", "a", ""},
		"file modes":                      {"git config core.fileMode false; chmod 755 a", "a", "a\n"},
		"ignored changes of a submodule":  {withSubmodule + "git config submodule.sub.ignore all; echo slow >sub/a", "sub/a", "slow\n"},
		"a file that a submodule ignores": {withSubmodule + "echo k.h >.git/modules/sub/info/exclude; echo slow >sub/k.h", "sub/k.h", "slow\n"},
		"a clone in the tree":             {"git init -q inner; echo slow >inner/k.h", "inner/k.h", "slow\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTree(t)
			c.run("sh", "-ec", hidden.script)
			p := c.resolved(Named{})
			if files := c.changed(p); !slices.Equal(files, []string{hidden.file}) || !p.Head.Info.Dirty {
				t.Errorf("changed: %q, dirty: %v, want %s", files, p.Head.Info.Dirty, hidden.file)
			}
			is, err := os.ReadFile(filepath.Join(p.Head.Root, hidden.file))
			if string(is) != hidden.text || (err != nil) != (hidden.text == "") {
				t.Errorf("head has %q, %v", is, err)
			}
		})
	}
}

// A working tree beside an older base is not its commit either, where git was told to hide what differs.
func TestHiddenEditsBesideAnOlderBase(t *testing.T) {
	c := newClone(t)
	resolve := func() Pair {
		p, err := Resolve(t.Context(), Request{Dir: c.dir, Base: c.first, Scratch: t.TempDir()})
		must(t, err)
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
	c.run("sh", "-ec", `git config filter.f.smudge 'sed s/a/smudged/'
		git config filter.f.clean 'sed s/smudged/a/'
		printf 'a filter=f\n*.txt eol=crlf\n' >.gitattributes
		printf 'one\r\n' >b.txt
		git add .; git commit -q -m all; git rm -q --cached -r .; git reset -q --hard`)
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
	long := strings.Repeat("x", 200<<10)
	a := tree(t, map[string]string{"same": long, "end": long + "a", "gone": "", "folder": "x", "file/x": "", ".git/x": "1", "size": "1", "empty": ""})
	b := tree(t, map[string]string{"same": long, "end": long + "b", "new": "", "folder/x": "x", "file": "", ".git/x": "2", "size": "12", "empty": ""})
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
