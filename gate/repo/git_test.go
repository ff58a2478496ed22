package repo

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// clone is a repository with three commits on main, a branch beside it, and an origin.
type clone struct {
	*testing.T
	dir              string
	first, main, top string // commits: the first, and the tips of main and of topic
}

func newClone(t *testing.T) *clone {
	t.Helper()
	c := &clone{T: t, dir: filepath.Join(t.TempDir(), "clone")}
	must(t, os.Mkdir(c.dir, 0o755))
	c.git("init", "-q", "-b", "main")
	c.first = c.commit("a")
	c.git("checkout", "-q", "-b", "topic")
	c.top = c.commit("b")
	c.git("checkout", "-q", "main")
	c.main = c.commit("c")
	return c
}

func (c *clone) git(args ...string) string {
	c.Helper()
	return c.run("git", args...)
}

// run runs a command in the clone.
func (c *clone) run(name string, args ...string) string {
	c.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *clone) write(name, text string, mode os.FileMode) string {
	c.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		c.Fatal(err)
	}
	return path
}

func (c *clone) commit(file string) string {
	c.Helper()
	c.write(file, file+"\n", 0o644)
	c.git("add", file)
	c.git("commit", "-q", "-m", file)
	return c.git("rev-parse", "HEAD")
}

// trap makes the repository run a script wherever its configuration can, and returns the file that the script would leave.
func (c *clone) trap() string {
	c.Helper()
	sprung := filepath.Join(filepath.Dir(c.dir), "sprung")
	script := c.write(".git/trap.sh", "#!/bin/sh\necho \"$0 $@\" >>"+sprung+"\n", 0o755)
	hooks := filepath.Join(c.dir, ".git", "hooks")
	if err := os.MkdirAll(hooks, 0o755); err != nil {
		c.Fatal(err)
	}
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "sendemail-validate"} {
		if err := kernelstest.WriteProgram(filepath.Join(hooks, hook), []byte("#!/bin/sh\nexec "+script+"\n")); err != nil {
			c.Fatal(err)
		}
	}
	for key, value := range map[string]string{
		"core.fsmonitor": script, "core.hooksPath": hooks, "core.pager": script, "core.editor": script, "core.sshCommand": script, "core.askPass": script,
		"core.gitProxy": script, "core.alternateRefsCommand": script, "diff.external": script, "diff.evil.textconv": script, "diff.evil.command": script,
		"log.showSignature": "true", "gpg.program": script, "credential.helper": script, "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
		"remote.origin.promisor": "true", "remote.origin.url": "ext::" + script, "remote.origin.uploadpack": script, "protocol.ext.allow": "always", "protocol.allow": "always",
		"url.ext::" + script + " .insteadOf": "https://", "diff.relative": "true", "diff.noprefix": "true", "submodule.recurse": "true",
	} {
		c.git("config", key, value)
	}
	for _, verb := range []string{"rev-parse", "log", "diff", "status", "ls-tree", "cat-file", "merge-base", "for-each-ref", "rev-list", "ls-remote", "ls-files", "check-ignore"} {
		c.git("config", "alias."+verb, "!"+script)
		c.git("config", "pager."+verb, script)
	}
	c.write(".git/info/attributes", "* diff=evil\n", 0o644)
	// Only a commit that is signed is shown to gpg.
	signed := strings.Replace(c.git("cat-file", "commit", c.top), "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n\n", 1)
	c.top = c.git("hash-object", "-t", "commit", "-w", c.write(".git/signed", signed+"\n", 0o644))
	c.git("update-ref", "refs/heads/topic", c.top)
	os.Remove(sprung) // by what the above ran
	return sprung
}

// entries call all that this package asks of git, on a clone.
func (c *clone) entries() map[string]func() error {
	ctx, g := c.Context(), Git{Dir: c.dir}
	missing := strings.Repeat("1", 40)
	pair := func(r Request) error {
		r.Dir, r.Scratch = c.dir, c.TempDir()
		p, err := Resolve(ctx, r)
		if err == nil {
			_, _, err = p.Changed(ctx, c.dir, ".")
		}
		return err
	}
	return map[string]func() error{
		"Run":          func() error { _, err := g.Run(ctx, "status", "--porcelain"); return err },
		"Output":       func() error { _, err := g.Output(ctx, "for-each-ref"); return err },
		"With":         func() error { _, err := g.With("A=b").Run(ctx, "worktree", "list"); return err },
		"Input":        func() error { _, err := g.Input([]byte("x")).Run(ctx, "hash-object", "-w", "--stdin"); return err },
		"Root":         func() error { _, err := g.Root(ctx); return err },
		"Commit":       func() error { return is(c.main)(g.Commit(ctx, "main")) },
		"Commit, none": func() error { return is("")(g.Commit(ctx, missing)) }, // a partial clone would fetch it
		"MergeBase":    func() error { return is(c.first)(g.MergeBase(ctx, c.main, c.top)) },
		"Branch":       func() error { return is(c.top)(g.Branch(ctx, "topic")) },
		"Shallow":      func() error { g.Shallow(ctx); return nil },
		"Ancestors":    func() error { _, err := g.Ancestors(ctx, "main", 9); return err },
		"Tag":          func() error { g.Tag(ctx, c.top); return nil },
		"Changed":      func() error { _, err := g.Changed(ctx, c.first, c.top); return err },
		"ChangedLines": func() error { _, err := g.ChangedLines(ctx, c.first, c.top, "b"); return err },
		"Messages":     func() error { _, err := g.Messages(ctx, c.first, c.top); return err },
		"Between":      func() error { _, err := g.Between(ctx, c.first, c.top); return err },
		"Line":         func() error { _, err := g.Line(ctx, c.first, c.top); return err },
		"LineTime":     func() error { _, err := g.LineTime(ctx, "a", 1); return err },
		"LineFiles":    func() error { _, err := g.LineFiles(ctx, c.first, c.top); return err },
		"Describe":     func() error { _, err := g.Describe(ctx, []string{c.top}); return err },
		"Entries":      func() error { _, err := g.Entries(ctx, c.top); return err },
		"Entries, no":  func() error { _, err := g.Entries(ctx, missing); return wanted(err, Refused, NotFetched) },
		"Blob":         func() error { _, err := g.Blob(ctx, c.git("rev-parse", c.top+":b")); return err },
		"Blob, none":   func() error { _, err := g.Blob(ctx, missing); return wanted(err, NotFetched, Refused) },
		"Files":        func() error { _, err := g.Files(ctx, true); return err },
		"WriteFiles": func() error {
			return g.With("GIT_DIR="+filepath.Join(c.dir, ".git")).WriteFiles(ctx, c.top, c.TempDir())
		},
		"Repository":    func() error { _, err := Repository(ctx, c.dir); return err },
		"Left":          func() error { return is(c.first)(Left(ctx, c.dir, c.top)) },
		"DefaultBranch": func() error { return is("main")(DefaultBranch(ctx, c.dir)) },
		"Resolve":       func() error { return pair(Request{Base: "main", Head: "topic"}) },
		"Resolve, here": func() error { return pair(Request{Base: c.first}) },
	}
}

func is(want string) func(string, error) error {
	return func(got string, err error) error {
		if err == nil && got != want {
			err = fmt.Errorf("%q, want %q", got, want)
		}
		return err
	}
}

func wanted(err error, kinds ...ErrorKind) error {
	if slices.Contains(kinds, KindOf(err)) {
		return nil
	}
	return fmt.Errorf("%w, want one of %q", err, kinds)
}

// A repository that code of a pull request wrote to runs nothing of it, whatever it is asked.
func TestHostileRepository(t *testing.T) {
	c := newClone(t)
	sprung := c.trap()
	t.Chdir(c.dir)
	entries := c.entries()
	for i := range reflect.TypeFor[Git]().NumMethod() {
		if name := reflect.TypeFor[Git]().Method(i).Name; entries[name] == nil {
			t.Errorf("%s is not tried", name)
		}
	}
	for name, ask := range entries {
		if err := ask(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if ran, err := os.ReadFile(sprung); err == nil {
			t.Errorf("%s ran %s", name, ran)
			os.Remove(sprung)
		}
	}
}

// The trap is one: git as a user would run it falls into it.
func TestHostileRepositoryIsHostile(t *testing.T) {
	for _, args := range [][]string{{"diff", "HEAD^"}, {"log", "topic"}, {"status"}, {"cat-file", "blob", strings.Repeat("1", 40)}, {"update-ref", "refs/heads/x", "HEAD"}} {
		c := newClone(t)
		sprung := c.trap()
		cmd := exec.Command("git", args...)
		cmd.Dir = c.dir
		_ = cmd.Run()
		if _, err := os.Stat(sprung); err != nil {
			t.Errorf("git %v ran nothing", args)
		}
	}
}

// What a configuration says of differences changes none that is asked for.
func TestChangedInFull(t *testing.T) {
	c := newClone(t)
	must(t, os.Mkdir(filepath.Join(c.dir, "sub"), 0o755))
	head := c.commit("sub/d")
	c.trap()
	below := Git{Dir: filepath.Join(c.dir, "sub")}
	if files, err := below.Changed(t.Context(), c.first, head); err != nil || !slices.Equal(files, []string{"c", "sub/d"}) {
		t.Errorf("%q, %v", files, err)
	}
	if at, err := (Git{Dir: c.dir}).ChangedLines(t.Context(), c.first, head, "sub/d"); err != nil || !slices.Equal(at, [][2]int{{1, 1}}) {
		t.Errorf("%v, %v", at, err)
	}
}

// Lines and names that are made to confuse are none but what they are.
func TestChangedLines(t *testing.T) {
	c := newClone(t)
	was := map[string]string{"a.cu": "1\n2\n3\n4\n5\n", "sp ace.cu": "1\n", "gone.cu": "x\n", "t\tab\"ü*.cu": "1\n2\n", "end.cu": "1", "trick.cu": "1\n2\n3\n", "same.cu": "1\n"}
	for name, text := range was {
		c.write(name, text, 0o644)
	}
	c.git("add", "--all")
	base := c.commit("base")
	must(t, os.Remove(filepath.Join(c.dir, "gone.cu")))
	for name, text := range map[string]string{
		"a.cu": "1\nTWO\n3\n5\n6\n7\n", "sp ace.cu": "2\n", "t\tab\"ü*.cu": "1\nx\n", "end.cu": "2", "n.cu": "a\nb\nc\n",
		"trick.cu": "1\n++ b/evil.cu\n@@ -0,0 +1,99 @@\n-- a/x\n" + strings.Repeat("y", 200_000) + "\n2\n3\nend\r@@ -1 +77 @@\n",
	} {
		c.write(name, text, 0o644)
	}
	c.git("add", "--all")
	head := c.commit("head")
	c.trap()
	for file, want := range map[string][][2]int{
		"a.cu": {{2, 2}, {3, 3}, {5, 6}}, "sp ace.cu": {{1, 1}}, "t\tab\"ü*.cu": {{2, 2}}, "end.cu": {{1, 1}}, "n.cu": {{1, 3}}, "trick.cu": {{2, 5}, {8, 8}},
		"gone.cu": nil, "same.cu": nil, "nowhere.cu": nil,
	} {
		if got, err := (Git{Dir: c.dir}).ChangedLines(t.Context(), base, head, file); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", file, got, err, want)
		}
	}
}

// A folder of a checkout may look like a bare repository, with a configuration of its own.
func TestBareRepository(t *testing.T) {
	c := newClone(t)
	bare := filepath.Join(c.dir, "looks")
	c.git("init", "-q", "--bare", bare)
	if _, err := (Git{Dir: bare}).Run(t.Context(), "for-each-ref"); KindOf(err) != NotARepository {
		t.Errorf("%v, want it refused", err)
	}
	if _, err := (Git{Dir: bare, Bare: true}).Run(t.Context(), "for-each-ref"); err != nil {
		t.Error(err)
	}
}

// Git sees neither secrets nor what would lead it to another repository.
func TestGitsEnvironment(t *testing.T) {
	dir := t.TempDir()
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "git"), []byte("#!/bin/sh\n/usr/bin/env\n")))
	t.Setenv("PATH", dir)
	for name, value := range map[string]string{
		"GITHUB_TOKEN": "secret", "SSH_AUTH_SOCK": "/agent", "GIT_DIR": "/other", "GIT_INDEX_FILE": "/other", "GIT_EXTERNAL_DIFF": "evil", "GIT_SSH_COMMAND": "evil",
		"GIT_CONFIG_COUNT": "1", "GIT_ALLOW_PROTOCOL": "ext", "GIT_CONFIG_GLOBAL": "/mine",
	} {
		t.Setenv(name, value)
	}
	env, err := Git{Dir: dir}.With("GIT_OPTIONAL_LOCKS=2").Run(t.Context(), "x")
	must(t, err)
	var git []string
	for line := range strings.Lines(env) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "GIT") || strings.HasPrefix(line, "SSH") {
			git = append(git, line)
		}
	}
	slices.Sort(git)
	if want := []string{"GIT_ALLOW_PROTOCOL=", "GIT_CONFIG_GLOBAL=/mine", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=2", "GIT_TERMINAL_PROMPT=0"}; !slices.Equal(git, want) {
		t.Errorf("environment %q, want %q", git, want)
	}
}

func TestErrorKinds(t *testing.T) {
	c := newClone(t)
	ctx, g := t.Context(), Git{Dir: c.dir}
	missing := strings.Repeat("1", 40)
	c.write(".git/refs/heads/held.lock", "", 0o644)
	for what, want := range map[string]struct {
		kind ErrorKind
		dir  string
		args []string
	}{
		"no repository":         {NotARepository, t.TempDir(), []string{"rev-parse", "HEAD"}},
		"no path":               {Missing, c.dir, []string{"cat-file", "blob", "HEAD:nope"}},
		"no path, but a file":   {Missing, c.dir, []string{"cat-file", "blob", c.first + ":c"}},
		"no object":             {Refused, c.dir, []string{"cat-file", "blob", missing}},
		"no such verb":          {Refused, c.dir, []string{"no-such-verb"}},
		"no":                    {No, c.dir, []string{"merge-base", "--is-ancestor", c.main, c.first}},
		"a ref that exists":     {Moved, c.dir, []string{"update-ref", "refs/heads/main", c.first, strings.Repeat("0", 40)}},
		"a ref that has moved":  {Moved, c.dir, []string{"update-ref", "refs/heads/main", c.first, c.top}},
		"a ref that is held":    {Moved, c.dir, []string{"update-ref", "refs/heads/held", c.first}},
		"more than one starts":  {NotRun, c.dir, []string{"log", strings.Repeat("x", 1<<20)}},
		"another user's folder": {DubiousOwnership, c.dir, []string{"status"}},
	} {
		t.Run(what, func(t *testing.T) {
			if want.kind == DubiousOwnership {
				t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
			}
			_, err := Git{Dir: want.dir}.Run(ctx, want.args...)
			if KindOf(err) != want.kind {
				t.Errorf("%v is %q, want %q", err, KindOf(err), want.kind)
			}
		})
	}
	if _, err := g.Input(bytes.Repeat([]byte("x"), maxOutput+1)).Run(ctx, "stripspace"); KindOf(err) != TooMuch {
		t.Errorf("too much to be read: %v", err)
	}
	c.git("config", "extensions.partialClone", "origin")
	c.git("config", "remote.origin.promisor", "true")
	c.git("config", "remote.origin.url", "https://localhost:1/x")
	if _, err := g.Blob(ctx, missing); KindOf(err) != NotFetched {
		t.Errorf("an object that a partial clone lacks: %v", err)
	}
}

// A partial clone that lacks files of base is told so; nothing is fetched.
func TestPartialClone(t *testing.T) {
	c := newClone(t)
	c.git("config", "uploadpack.allowFilter", "true")
	partial := filepath.Join(t.TempDir(), "partial")
	c.git("clone", "-q", "--no-local", "--filter=blob:none", "file://"+c.dir, partial)
	_, err := Resolve(t.Context(), Request{Dir: partial, Base: "origin/topic", Scratch: t.TempDir()})
	if KindOf(err) != NotFetched || !strings.Contains(err.Error(), "git fetch --refetch") {
		t.Errorf("%v, want the cure", err)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
