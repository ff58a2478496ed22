package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/internal/fakegithub"
)

// recordsRig is a fake GitHub over a bare repository, with a token t that may write and one that may read.
func recordsRig(t *testing.T, faults ...fakegithub.Fault) (server *fakegithub.Server, url, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "repo.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	server, err := fakegithub.New(fakegithub.Options{Owner: "o", Repo: "r", GitDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	server.AddToken("t", fakegithub.Identity{Login: bot, Grants: map[string]string{"contents": "write"}})
	server.AddToken("reader", fakegithub.Identity{Login: "mona", Grants: map[string]string{"contents": "read"}})
	for _, fault := range faults {
		server.Inject(fault)
	}
	web := httptest.NewServer(server)
	t.Cleanup(func() {
		web.Close()
		for _, p := range server.Problems() {
			t.Errorf("not as GitHub describes it: %s", p)
		}
	})
	return server, web.URL, dir
}

// records opens the branch perf/records anew, as another process would. It does not sleep.
func records(t *testing.T, url, token string) baseline.Store {
	t.Helper()
	c := newClient(t, url, token)
	c.sleeps.sleep = func(context.Context, time.Duration) error { return nil }
	return baseline.NewBranch(c.Branch("perf/records"), "git:perf/records")
}

func recordKey(n int) string { return baseline.Key("cpu-x", fmt.Sprintf("%040x", n+1)) }

func recordData(n int) []byte { return bytes.Repeat([]byte{byte(n)}, 1000) }

func TestRecords(t *testing.T) {
	t.Parallel()
	_, url, _ := recordsRig(t)
	ctx, s := t.Context(), records(t, url, "t")
	if keys, err := s.List(ctx, ""); err != nil || len(keys) > 0 {
		t.Fatalf("an empty store lists %v, %v", keys, err)
	}
	if _, err := s.Get(ctx, recordKey(1)); !errors.Is(err, baseline.ErrNotFound) {
		t.Fatalf("empty store: %v, want ErrNotFound", err)
	}
	for n := range 3 {
		if err := s.Put(ctx, recordKey(n), recordData(n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, absent := range []string{recordKey(9), baseline.Key("other", fmt.Sprintf("%040x", 1))} {
		if _, err := s.Get(ctx, absent); !errors.Is(err, baseline.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", absent, err)
		}
	}
	if err := s.Put(ctx, recordKey(1), recordData(7)); err != nil {
		t.Fatal(err)
	}
	if data, err := records(t, url, "reader").Get(ctx, recordKey(1)); err != nil || !bytes.Equal(data, recordData(7)) {
		t.Errorf("read back %d bytes, %v", len(data), err)
	}
	if err := s.Delete(ctx, recordKey(1)); err != nil {
		t.Fatal(err)
	}
	keys, err := s.List(ctx, "cpu-x/")
	slices.Sort(keys)
	if want := []string{recordKey(0), recordKey(2)}; err != nil || !slices.Equal(keys, want) {
		t.Errorf("left %v, %v, want %v", keys, err, want)
	}
	if keys, err := s.List(ctx, "other/"); err != nil || len(keys) > 0 {
		t.Errorf("a machine without records lists %v, %v", keys, err)
	}
}

// Writers race with each other, with another tool, and with a GitHub that is busy, broken or asks to slow down now and then. Nothing
// is lost, and every request is as GitHub describes it.
func TestRacingRecords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	faults := []fakegithub.Fault{
		{Kind: fakegithub.Busy, Method: http.MethodPatch, Path: "/git/refs/", Skip: 1, Times: 2},
		{Kind: fakegithub.Race, Method: http.MethodPatch, Path: "/git/refs/", Skip: 2, Times: 2},
		{Kind: fakegithub.Race, Method: http.MethodPost, Path: "/git/refs$", Times: 1},
		{Kind: fakegithub.Busy, Method: http.MethodPost, Path: "/git/trees", Skip: 2, Times: 1},
		{Kind: fakegithub.BadGateway, Method: http.MethodPost, Path: "/git/trees", Skip: 3, Times: 1},
		{Kind: fakegithub.BadGateway, Method: http.MethodPost, Path: "/git/commits", Skip: 3, Times: 1},
		{Kind: fakegithub.BadGatewayAfter, Method: http.MethodPatch, Path: "/git/refs/", Skip: 4, Times: 1},
		{Kind: fakegithub.BadGateway, Method: http.MethodGet, Path: "/git/ref/", Skip: 5, Times: 1},
		{Kind: fakegithub.SecondaryLimit, Method: http.MethodPost, Path: "/git/blobs", Skip: 1, Times: 1},
	}
	server, url, _ := recordsRig(t, faults...)
	const writers = 12
	var all sync.WaitGroup
	for n := range writers {
		s := records(t, url, "t")
		all.Go(func() {
			if err := s.Put(t.Context(), recordKey(n), recordData(n)); err != nil {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	all.Wait()
	s := records(t, url, "t")
	keys, err := s.List(t.Context(), "")
	if err != nil || len(keys) != writers {
		t.Fatalf("%d records of %d writers, %v", len(keys), writers, err)
	}
	for n := range writers {
		if data, err := s.Get(t.Context(), recordKey(n)); err != nil || !bytes.Equal(data, recordData(n)) {
			t.Errorf("writer %d: %d bytes, %v", n, len(data), err)
		}
	}
	refused := 0
	for _, c := range server.Log() {
		if c.Status >= 400 {
			refused++
		}
	}
	if refused < len(faults) {
		t.Errorf("only %d refusals: the faults did not happen", refused)
	}
}

// Through the API no work tree is known, but what a branch holds is seen.
func TestRecordsAmongSources(t *testing.T) {
	t.Parallel()
	_, url, dir := recordsRig(t)
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", append([]string{"--git-dir", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	tree := git("100644 blob "+git("x\n", "hash-object", "-w", "--stdin")+"\tkernel.cc\n", "mktree")
	tip := git("", "commit-tree", tree, "-m", "sources")
	git("", "update-ref", "refs/heads/perf/records", tip)
	err := records(t, url, "t").Put(t.Context(), recordKey(1), recordData(1))
	if !errors.Is(err, baseline.ErrNotForRecords) || !strings.Contains(err.Error(), "kernel.cc") {
		t.Errorf("error %v, want the file", err)
	}
	if now := git("", "rev-parse", "refs/heads/perf/records"); now != tip {
		t.Errorf("the branch was at %s and is at %s", tip, now)
	}
}

// What a token may not do is an error that names the permission, and is not asked for again.
func TestRecordsWithoutPermission(t *testing.T) {
	t.Parallel()
	server, url, _ := recordsRig(t)
	if _, err := records(t, url, "no such token").List(t.Context(), ""); err == nil {
		t.Error("a wrong token was accepted")
	}
	before := len(server.Log())
	err := records(t, url, "reader").Put(t.Context(), recordKey(1), recordData(1))
	if p, ok := IsPermission(err); !ok || p.Needs != "contents: write" {
		t.Errorf("a reader wrote: %v", err)
	}
	if calls := server.Log()[before:]; len(calls) > 2 {
		t.Errorf("asked again: %v", calls)
	}
}

// An answer without end is cut off.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"sha":"`))
		for n := 0; n < 2*maxAnswer; n += 1 << 20 {
			if _, err := w.Write(bytes.Repeat([]byte("a"), 1<<20)); err != nil {
				return
			}
		}
		w.Write([]byte(`"}`))
	}))
	defer web.Close()
	if _, err := newClient(t, web.URL, "t").Tip(t.Context(), "main"); err == nil {
		t.Error("all of it was read")
	}
}
