package baseline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/gate/repo"
)

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := repo.Git{Dir: dir, Bare: true}.Output(t.Context(), args...)
	must(t, err)
	return out
}

// bareRepository is an empty bare repository.
func bareRepository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo.git")
	git(t, ".", "init", "-q", "--bare", dir)
	return dir
}

func opened(t testing.TB, spec, folder string) *Store {
	t.Helper()
	s, err := Open(spec, folder)
	must(t, err)
	return s
}

func served(t testing.TB, server string) *Store {
	t.Helper()
	s, err := OpenRemote(t.Context(), repo.Remote{URL: "file://" + server}, "perf/records", t.TempDir())
	must(t, err)
	return s
}

// eachStore runs a test on each kind of store. open opens the same one as often as it is called: each writer gets its own, as processes would.
func eachStore(t *testing.T, test func(t *testing.T, open func() *Store)) {
	folder, local, server := t.TempDir(), bareRepository(t), bareRepository(t)
	for name, open := range map[string]func() *Store{
		"dir":    func() *Store { return opened(t, "dir:.perfgate", folder) },
		"git":    func() *Store { return opened(t, "git:perf/records", local) },
		"remote": func() *Store { return served(t, server) },
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

func save(t testing.TB, s *Store, records ...*Record) {
	t.Helper()
	for _, r := range records {
		must(t, Save(t.Context(), s, r))
	}
}

func TestStores(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, open func() *Store) {
		ctx, s, r := t.Context(), open(), sampleRecord(1, 4)
		if keys, err := s.List(ctx, ""); err != nil || len(keys) > 0 {
			t.Fatalf("an empty store lists %v, %v", keys, err)
		}
		if _, err := s.Get(ctx, r.Key()); !errors.Is(err, ErrNotFound) {
			t.Fatalf("empty store: %v, want ErrNotFound", err)
		}
		save(t, s, sampleRecord(0, 4), r, sampleRecord(2, 4), sampleRecord(1, 6)) // the last replaces
		back, err := Load(ctx, open(), r.Key())
		if err != nil || len(back.Cases[0].ValuesNS) != 12 {
			t.Fatalf("read back %+v, %v", back, err)
		}
		if _, err := s.Get(ctx, Key("other", commitName(9))); !errors.Is(err, ErrNotFound) {
			t.Errorf("another machine: %v, want ErrNotFound", err)
		}
		must(t, s.Delete(ctx, r.Key(), Key("other", commitName(9))))
		keys, err := s.List(ctx, r.Machine.Key+"/")
		slices.Sort(keys)
		if want := []string{sampleRecord(0, 4).Key(), sampleRecord(2, 4).Key()}; err != nil || !slices.Equal(keys, want) {
			t.Errorf("left %v, %v, want %v", keys, err, want)
		}
		if keys, err := s.List(ctx, "other/"); err != nil || len(keys) > 0 {
			t.Errorf("a machine without records lists %v, %v", keys, err)
		}
		for _, key := range []string{"../x/" + commitName(1) + keySuffix, "m/../../x.json.gz", "m/short.json.gz", ""} {
			if err := s.Put(ctx, key, []byte("x")); err == nil {
				t.Errorf("a record was written under %q", key)
			}
		}
		if err := s.Delete(ctx, keys...); err != nil {
			t.Error(err)
		}
	})
}

// TestRacingWriters lets writers, each with a store of its own, write at the same moment.
func TestRacingWriters(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const writers = 6
	eachStore(t, func(t *testing.T, open func() *Store) {
		var all sync.WaitGroup
		gate := make(chan struct{})
		for n := range writers {
			s := open()
			all.Go(func() {
				<-gate
				if err := Save(context.Background(), s, sampleRecord(n, 4)); err != nil {
					t.Errorf("writer %d: %v", n, err)
				}
			})
		}
		close(gate)
		all.Wait()
		keys, err := open().List(t.Context(), "")
		if err != nil || len(keys) != writers {
			t.Fatalf("%d records of %d writers, %v", len(keys), writers, err)
		}
		for _, key := range keys {
			if _, err := Load(t.Context(), open(), key); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
	})
}

// TestKilledWriter kills a process that writes one record over and over, with all that it has started, several times: what
// lies there is always one of the two versions, and a folder can be written again without anybody's help.
func TestKilledWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if spec := os.Getenv("PERFGATE_TEST_WRITE"); spec != "" {
		writeForever(t, opened(t, spec, os.Getenv("PERFGATE_TEST_WRITE_IN")))
	}
	t.Run("dir", func(t *testing.T) { killWriters(t, "dir:records", t.TempDir()) })
	t.Run("git", func(t *testing.T) { killWriters(t, "git:perf/records", bareRepository(t)) })
}

func killWriters(t *testing.T, spec, folder string) {
	s, key := opened(t, spec, folder), sampleRecord(1, 4).Key()
	versions := [][]byte{encoded(t, 4), encoded(t, 36)}
	must(t, s.Put(t.Context(), key, versions[0]))
	for n := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "PERFGATE_TEST_WRITE="+spec, "PERFGATE_TEST_WRITE_IN="+folder)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must(t, cmd.Start())
		time.Sleep(time.Duration(40+17*n) * time.Millisecond)
		must(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
		cmd.Wait()
		data, err := s.Get(t.Context(), key)
		if err != nil || !slices.ContainsFunc(versions, func(v []byte) bool { return bytes.Equal(v, data) }) {
			t.Fatalf("after kill %d: %d bytes that are neither version, %v", n, len(data), err)
		}
		os.Remove(filepath.Join(folder, "refs/heads/perf/records.lock")) // which git asks a user to remove by hand
	}
	if keys, err := s.List(t.Context(), ""); err != nil || len(keys) != 1 {
		t.Errorf("what killed writers left counts as records: %v, %v", keys, err)
	}
	save(t, s, sampleRecord(2, 4))
}

func writeForever(t *testing.T, s *Store) {
	versions := [][]byte{encoded(t, 4), encoded(t, 36)}
	for n := 0; ; n++ {
		must(t, s.Put(context.Background(), sampleRecord(1, 4).Key(), versions[n%2]))
	}
}

func encoded(t testing.TB, rounds int) []byte {
	t.Helper()
	data, err := Encode(sampleRecord(1, rounds))
	must(t, err)
	return data
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"", "dir:", "git:", "s3:bucket", "/path"} {
		if _, err := Open(spec, t.TempDir()); err == nil {
			t.Errorf("%q was opened", spec)
		}
	}
}

// manyRecords is a store with so many records, written at once.
func manyRecords(t testing.TB, records int) *Store {
	t.Helper()
	s, changes := OpenFolder(t.TempDir()), map[string][]byte{}
	for n := range records {
		data, err := Encode(sampleRecord(n, 8))
		must(t, err)
		changes[sampleRecord(n, 8).Key()] = data
	}
	must(t, s.advance(t.Context(), changes, "many"))
	return s
}

// BenchmarkLookup looks for the baseline in a folder of 10 000 records, with the nearest record 20 commits away.
func BenchmarkLookup(b *testing.B) {
	const records = 10_000
	s, ancestors := manyRecords(b, records), make([]string, MaxAncestors)
	for n := range ancestors {
		ancestors[n] = commitName(records + 20 - n)
	}
	b.ReportAllocs()
	for b.Loop() {
		h, err := Lookup(b.Context(), s, "nvidia-l4-1234abcd", ancestors, MaxRecords)
		if err != nil || len(h.Found) != MaxRecords || h.Found[0].Distance != 21 {
			b.Fatal(fmt.Sprint(len(h.Found), err))
		}
	}
}

// A lookup holds no more, and reads no more, in a store of 1000 records than in one of 200: what grows is the list of names.
func TestLookupMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	small, large := lookupBytes(t, 200), lookupBytes(t, 1_000)
	const perName = 1000 // a key in the listing and cut out of it, twice, and its place in a map
	if most := small + perName*800; large > most {
		t.Errorf("a lookup allocates %d bytes among 200 records, %d among 1000 (at most %d)", small, large, most)
	}
	t.Logf("%d kB among 200 records, %d kB among 1000", small>>10, large>>10)
}

func lookupBytes(t *testing.T, records int) uint64 {
	t.Helper()
	s, ancestors := manyRecords(t, records), make([]string, 150)
	for n := range ancestors {
		ancestors[n] = commitName(n)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, err := Lookup(t.Context(), s, "nvidia-l4-1234abcd", ancestors, MaxRecords)
	runtime.ReadMemStats(&after)
	if err != nil || len(h.Found) != MaxRecords || len(h.Problems) != 0 || h.Keys != records {
		t.Fatalf("%d found, %d problems of %d, %v", len(h.Found), len(h.Problems), h.Keys, err)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// A folder is what perfgate made of it: a lock that a killed git left is removed, and a configuration of somebody else's, which could name programs
// to run, is refused whether it lies in the folder or the folder leads to it.
func TestFolder(t *testing.T) {
	t.Parallel()
	s := OpenFolder(filepath.Join(t.TempDir(), ".perfgate"))
	save(t, s, sampleRecord(0, 4))
	write := func(file, text string) {
		must(t, os.WriteFile(filepath.Join(s.folder, file), []byte(text), 0o644))
	}
	if text, err := os.ReadFile(filepath.Join(s.folder, ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("the default folder is kept out of git by %q, %v", text, err)
	}
	for _, lock := range []string{"refs/heads/records.lock", "HEAD.lock", "packed-refs.lock"} {
		write(lock, "")
	}
	save(t, s, sampleRecord(1, 4))
	hostile := bareRepository(t)
	git(t, hostile, "config", "core.bare", "false")
	write("commondir", hostile+"\n")
	save(t, s, sampleRecord(2, 4))
	write("config", folderConfig+"[core]\n\tfsmonitor = touch ran\n")
	_, listed := s.List(t.Context(), "")
	for what, err := range map[string]error{"list": listed, "save": Save(t.Context(), s, sampleRecord(3, 4))} {
		if err == nil || !strings.Contains(err.Error(), "is not as perfgate writes it") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A server that goes on refusing a branch that nobody moves is asked a few times only, and one that forbids it once.
func TestRefusedWrites(t *testing.T) {
	t.Parallel()
	for says, most := range map[string]int{"failed to update ref": maxUnmoved + 1, "protected branch": 1} {
		server := bareRepository(t)
		hook := "#!/bin/sh\necho x >> '" + server + "/tries'\necho '" + says + "' >&2\nexit 1\n"
		must(t, os.WriteFile(filepath.Join(server, "hooks", "pre-receive"), []byte(hook), 0o755))
		err := Save(t.Context(), served(t, server), sampleRecord(1, 4))
		tries, _ := os.ReadFile(filepath.Join(server, "tries"))
		if n := bytes.Count(tries, []byte("x")); err == nil || !strings.Contains(err.Error(), says) || n == 0 || n > most {
			t.Errorf("%s: asked %d times, at most %d: %v", says, n, most, err)
		}
	}
}

// sourceRepository is a repository whose branch main is checked out and holds a source file, with a branch sources beside it.
func sourceRepository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	git(t, ".", "init", "-q", "-b", "main", dir)
	commitFile(t, dir, "kernel.cc")
	git(t, dir, "branch", "sources")
	return dir
}

func commitFile(t *testing.T, dir, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, path), []byte("x\n"), 0o644))
	git(t, dir, "add", path)
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "add "+path)
}

// A branch that is checked out, or that holds anything but records, stays as it is, and the message says which it is. One whose work tree was removed
// without telling git takes records, and makes no temporary file: one would stay behind whenever a writer is killed.
func TestBranchesForRecords(t *testing.T) {
	dir := sourceRepository(t)
	linked, gone := filepath.Join(t.TempDir(), "linked"), filepath.Join(t.TempDir(), "gone")
	git(t, dir, "worktree", "add", "-q", "-b", "elsewhere", linked)
	git(t, dir, "worktree", "add", "-q", "-b", "perf/records", gone)
	git(t, dir, "update-ref", "-d", "refs/heads/elsewhere") // checked out and without a commit
	git(t, dir, "update-ref", "-d", "refs/heads/perf/records")
	must(t, os.RemoveAll(gone))
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "nowhere")) // making a file there is an error
	r := sampleRecord(1, 4)
	for branch, says := range map[string]string{
		"main": "checked out in " + dir, "elsewhere": "checked out in " + linked, "sources": `holds "kernel.cc", which is no record`, "perf/records": "",
	} {
		s, before := opened(t, "git:"+branch, dir), git(t, dir, "for-each-ref")
		for what, err := range map[string]error{
			"asked": CheckWritable(t.Context(), s), "saved": Save(t.Context(), s, r), "deleted": s.Delete(t.Context(), r.Key()),
		} {
			if (err == nil) != (says == "") || err != nil && (!errors.Is(err, ErrNotForRecords) || !strings.Contains(err.Error(), says)) {
				t.Errorf("%s, %s: %v, want %q", branch, what, err, says)
			}
		}
		if after := git(t, dir, "for-each-ref"); says != "" && after != before {
			t.Errorf("branches were\n%sand are\n%s", before, after)
		}
	}
	if left := git(t, dir, "ls-tree", "perf/records"); left != "" {
		t.Errorf("a folder without records stayed: %s", left)
	}
}

// A branch of records may say what it is, at its top.
func TestNoticesAreNoForeignFiles(t *testing.T) {
	t.Parallel()
	for path, foreign := range map[string]bool{
		"README.md": false, "LICENSE": false, ".gitattributes": false, "src/README.md": true, "kernel.cc": true, ".github/workflows/x.yml": true,
	} {
		if err := (&Store{}).checkRecordsOnly([]string{path}); errors.Is(err, ErrNotForRecords) != foreign {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
