package repo

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// remote is a repository whose files are meant to harm who fetches them, and commits of it.
func remote(t *testing.T) (c *clone, base, head string) {
	t.Helper()
	c = newClone(t)
	c.run("sh", "-ec", `echo '* filter=evil diff=evil' >.gitattributes
		printf '[submodule "sub"]\n\tpath = sub\n\turl = ext::touch fetched\n' >.gitmodules
		git add --all; git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,sub; git commit -q -m base; git tag base
		ln -s /etc/passwd link; echo an option >./-x; printf 'one\ntwo\n' >text; echo a name >"new
line"; head -c `+strconv.Itoa(MaxFetchedFile+1)+` /dev/zero >large
		git add --all; git update-index --add --cacheinfo 160000,2222222222222222222222222222222222222222,sub; git commit -q -m head
		git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true`)
	return c, c.git("rev-parse", "base"), c.git("rev-parse", "HEAD")
}

// What is fetched is read as objects: no name, link, submodule or attribute of it does anything.
func TestFetch(t *testing.T) {
	t.Parallel()
	c, base, head := remote(t)
	dir := t.TempDir()
	g, err := Remote{URL: "file://" + c.dir, Token: "ghs_secret"}.Fetch(t.Context(), dir, base, head)
	must(t, err)
	files, err := g.Changed(t.Context(), base, head)
	if want := []string{"-x", "large", "link", "new\nline", "sub", "text"}; err != nil || !slices.Equal(files, want) {
		t.Errorf("changed: %q, %v; want %q", files, err, want)
	}
	entries, err := g.Entries(t.Context(), head)
	must(t, err)
	for file, want := range map[string]string{"-x": "an option\n", "new\nline": "a name\n", "link": "/etc/passwd", "text": "one\ntwo\n"} {
		if got, err := g.Blob(t.Context(), entries[file].SHA); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", file, got, err)
		}
	}
	if e := entries["sub"]; e.Mode != ModeModule {
		t.Errorf("the submodule: %+v", e)
	}
	if _, err := g.Blob(t.Context(), entries["large"].SHA); !SaidNo(err) {
		t.Errorf("a file over the limit: %v", err)
	}
	if diff, err := g.ChangedLines(t.Context(), base, head, "text"); err != nil || !slices.Equal(diff, [][2]int{{1, 2}}) {
		t.Errorf("%v, %v", err, diff)
	}
	if _, err := g.Line(t.Context(), c.first, base); err == nil {
		t.Error("there is a history")
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("ghs_secret")) || bytes.Contains(text, []byte("Authorization")) {
			t.Errorf("the token is in %s", path)
		}
		if name := filepath.Base(path); name == "text" || name == "fetched" || strings.Contains(path, "hooks") {
			t.Errorf("there is a file %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A fetch asks over the protocol of its address only, and for commits only.
func TestFetchRefuses(t *testing.T) {
	t.Parallel()
	c, base, _ := remote(t)
	for name, bad := range map[string]struct{ url, commit string }{
		"a commit that is not there": {"file://" + c.dir, strings.Repeat("a", 40)},
		"an option":                  {"file://" + c.dir, "--upload-pack=touch " + filepath.Join(c.dir, "ran")},
		"an address that is one":     {"--upload-pack=touch " + filepath.Join(c.dir, "ran"), base},
		"a helper":                   {"ext::touch " + filepath.Join(c.dir, "ran"), base},
		"no repository":              {"file://" + c.dir + "/none", base},
	} {
		if _, err := (Remote{URL: bad.url}).Fetch(t.Context(), t.TempDir(), bad.commit); err == nil {
			t.Errorf("%s was fetched", name)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "ran")); err == nil {
		t.Error("a command has run")
	}
}

// Git writes no file that is larger than it may be.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	g := Git{Dir: t.TempDir()}
	if _, err := g.Run(t.Context(), "init", "-q"); err != nil {
		t.Fatal(err)
	}
	g.fileBytes = 1 << 10
	noise := make([]byte, 1<<20)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if _, err := g.Input(noise).Run(t.Context(), "hash-object", "-w", "--stdin"); err == nil {
		t.Error("a large object was written")
	}
}

// A branch is pushed from where it was only, and a server that is busy is told from one that refuses.
func TestPush(t *testing.T) {
	t.Parallel()
	c, ctx := newClone(t), t.Context()
	r := Remote{URL: "file://" + c.dir}
	g, err := Bare(ctx, t.TempDir())
	must(t, err)
	if tip, err := r.Tip(ctx, g, "nowhere"); err != nil || tip != "" {
		t.Errorf("a branch that is not there: %q, %v", tip, err)
	}
	if tip, err := r.Tip(ctx, g, "topic"); err != nil || tip != c.top {
		t.Fatalf("%q, %v", tip, err)
	}
	later, err := g.With("GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b").
		Run(ctx, "commit-tree", c.top+"^{tree}", "-p", c.top, "-m", "later")
	must(t, err)
	for _, push := range []struct {
		branch, from, to string
		want             ErrorKind
	}{{"made", "", c.top, ""}, {"made", "", later, Moved}, {"topic", c.main, later, Moved}, {"topic", c.top, later, ""}} {
		if _, err := g.Run(ctx, "update-ref", "refs/heads/"+push.branch, push.to); err != nil {
			t.Fatal(err)
		}
		if err := r.Push(ctx, g, push.branch, push.from); KindOf(err) != push.want || (err != nil) != (push.want != "") {
			t.Errorf("%s from %q: %v, want %q", push.branch, push.from, err, push.want)
		}
	}
	for status, want := range map[int]ErrorKind{http.StatusServiceUnavailable: Busy, http.StatusTooManyRequests: Busy, http.StatusForbidden: Refused} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		if _, err := (Remote{URL: server.URL}).Tip(ctx, g, "topic"); KindOf(err) != want {
			t.Errorf("status %d: %v, want %q", status, err, want)
		}
		server.Close()
	}
}

// A git that takes no token from its environment is named with its version, not only the failure that follows from it.
func TestFetchNamesAGitThatIsTooOld(t *testing.T) {
	for version, named := range map[string]bool{"2.25.1": true, "2.31.0": false, "3.0.0": false, "2.9.5.windows.1": true} {
		bin := t.TempDir()
		script := "#!/bin/sh\ncase \"$*\" in\n*version) echo git version " + version + ";;\n*' init '*) ;;\n*) echo refused >&2; exit 128;;\nesac\n"
		must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755))
		t.Setenv("PATH", bin+":/usr/bin:/bin")
		_, err := (Remote{URL: "https://example.com/r"}).Fetch(t.Context(), t.TempDir(), strings.Repeat("a", 40))
		if err == nil || strings.Contains(err.Error(), "git version "+version+" is too old to take the token: 2.31 or newer is needed") != named {
			t.Errorf("git %s: %v", version, err)
		}
	}
}
