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
	"sync"
	"syscall"
	"testing"
	"time"
)

// bareRepository is an empty bare repository.
func bareRepository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo.git")
	if out, err := exec.Command("git", "init", "-q", "--bare", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return dir
}

// stores opens the same empty store of each kind as often as it is called: each writer gets its own, as processes would.
func stores(t *testing.T) map[string]func() Store {
	folder, repo := t.TempDir(), bareRepository(t)
	open := func(spec, dir string) func() Store {
		return func() Store {
			s, err := Open(spec, dir)
			if err != nil {
				t.Error(err)
			}
			return s
		}
	}
	return map[string]func() Store{
		"dir": open("dir:.perfgate", folder),
		"git": open("git:perf/records", repo),
	}
}

func TestStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			s := open()
			if keys, err := s.List(ctx, ""); err != nil || len(keys) > 0 {
				t.Fatalf("an empty store lists %v, %v", keys, err)
			}
			r := sampleRecord(1, 4)
			if _, err := s.Get(ctx, r.Key()); !errors.Is(err, ErrNotFound) {
				t.Fatalf("empty store: %v, want ErrNotFound", err)
			}
			for n := range 3 {
				if err := Save(ctx, s, sampleRecord(n, 4)); err != nil {
					t.Fatal(err)
				}
			}
			if err := Save(ctx, s, sampleRecord(1, 6)); err != nil { // replaces
				t.Fatal(err)
			}
			back, err := Load(ctx, open(), r.Key())
			if err != nil || len(back.Cases[0].ValuesNS) != 12 {
				t.Fatalf("read back %+v, %v", back, err)
			}
			if err := s.Delete(ctx, r.Key(), Key("other", commitName(9))); err != nil {
				t.Fatal(err)
			}
			keys, err := s.List(ctx, r.Machine.Key+"/")
			slices.Sort(keys)
			if want := []string{sampleRecord(0, 4).Key(), sampleRecord(2, 4).Key()}; err != nil || !slices.Equal(keys, want) {
				t.Errorf("left %v, %v, want %v", keys, err, want)
			}
			for _, key := range []string{"../x/" + commitName(1) + keySuffix, "m/../../x.json.gz", "m/short.json.gz", ""} {
				if err := s.Put(ctx, key, []byte("x")); err == nil {
					t.Errorf("a record was written under %q", key)
				}
			}
		})
	}
}

// TestRacingWriters lets writers, each with a store of its own, write at the same moment.
func TestRacingWriters(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const writers = 16
	for name, open := range stores(t) {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
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
			t.Logf("%d writers took %s", writers, time.Since(start).Round(time.Millisecond))
		})
	}
}

// TestKilledWriter kills a process that writes one record over and over, with all that it has started, several times: what
// lies there is always one of the two versions.
func TestKilledWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if spec := os.Getenv("PERFGATE_TEST_WRITE"); spec != "" {
		writeForever(t, spec, os.Getenv("PERFGATE_TEST_WRITE_IN"))
	}
	t.Run("dir", func(t *testing.T) { killWriters(t, "dir:records", t.TempDir(), 12) })
	t.Run("git", func(t *testing.T) { killWriters(t, "git:perf/records", bareRepository(t), 8) })
}

func killWriters(t *testing.T, spec, folder string, kills int) {
	s, err := Open(spec, folder)
	if err != nil {
		t.Fatal(err)
	}
	versions := [][]byte{encoded(t, 4), encoded(t, 36)}
	key := sampleRecord(1, 4).Key()
	if err := s.Put(t.Context(), key, versions[0]); err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	for n := range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "PERFGATE_TEST_WRITE="+spec, "PERFGATE_TEST_WRITE_IN="+folder)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(40+17*n) * time.Millisecond)
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		data, err := s.Get(t.Context(), key)
		which := slices.IndexFunc(versions, func(v []byte) bool { return bytes.Equal(v, data) })
		if err != nil || which < 0 {
			t.Fatalf("after kill %d: %d bytes that are neither version, %v", n, len(data), err)
		}
		seen[which]++
		if lock := filepath.Join(folder, "refs/heads/perf/records.lock"); os.Remove(lock) == nil {
			t.Log("git left a lock, which it asks to remove by hand")
		}
	}
	if keys, err := s.List(t.Context(), ""); err != nil || len(keys) != 1 {
		t.Errorf("what killed writers left counts as records: %v, %v", keys, err)
	}
	t.Logf("found the old version %d times, the new one %d times", seen[0], seen[1])
}

func writeForever(t *testing.T, spec, folder string) {
	s, err := Open(spec, folder)
	if err != nil {
		t.Fatal(err)
	}
	versions := [][]byte{encoded(t, 4), encoded(t, 36)}
	for n := 0; ; n++ {
		if err := s.Put(context.Background(), sampleRecord(1, 4).Key(), versions[n%2]); err != nil {
			t.Fatal(err)
		}
	}
}

func encoded(t testing.TB, rounds int) []byte {
	t.Helper()
	data, err := Encode(sampleRecord(1, rounds))
	if err != nil {
		t.Fatal(err)
	}
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

// BenchmarkLookup looks for the baseline in a folder of 10 000 records, with the nearest record 20 commits away.
func BenchmarkLookup(b *testing.B) {
	s := &Dir{Path: b.TempDir()}
	const records = 10_000
	ancestors := make([]string, MaxAncestors)
	for n := range ancestors {
		ancestors[n] = commitName(records + 20 - n)
	}
	for n := range records {
		r := sampleRecord(n, 8)
		data, err := Encode(r)
		if err != nil {
			b.Fatal(err)
		}
		path := s.file(r.Key())
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, data, 0o644); err != nil { // Put would wait for the disk 10 000 times
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		h, err := Lookup(b.Context(), s, "nvidia-l4-1234abcd", ancestors)
		if err != nil || len(h.Found) != MaxRecords || h.Found[0].Distance != 21 {
			b.Fatal(fmt.Sprint(len(h.Found), err))
		}
	}
}

// A lookup holds no more, and reads no more, in a store of 2000 records than in one of 200: what grows is the list of names.
func TestLookupMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	small, large := lookupBytes(t, 200), lookupBytes(t, 2_000)
	const perName = 500 // a key twice, and its place in a map
	if most := small + perName*1_800; large > most {
		t.Errorf("a lookup allocates %d bytes among 200 records, %d among 2000 (at most %d)", small, large, most)
	}
	t.Logf("%d kB among 200 records, %d kB among 2000", small>>10, large>>10)
}

func lookupBytes(t *testing.T, records int) uint64 {
	t.Helper()
	s := &Dir{Path: t.TempDir()}
	data := map[bool][]byte{}
	ancestors := make([]string, 150)
	for n := range ancestors {
		ancestors[n] = commitName(n)
	}
	for n := range records {
		r := sampleRecord(n, 8)
		near := n < len(ancestors)
		if near || data[false] == nil {
			packed, err := Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			data[near] = packed
		}
		path := s.file(r.Key())
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data[near], 0o644); err != nil { // those far away are never read
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, err := Lookup(t.Context(), s, "nvidia-l4-1234abcd", ancestors)
	runtime.ReadMemStats(&after)
	if err != nil || len(h.Found) != MaxRecords || len(h.Problems) != 0 || h.Keys != records {
		t.Fatalf("%d found, %d problems of %d, %v", len(h.Found), len(h.Problems), h.Keys, err)
	}
	return after.TotalAlloc - before.TotalAlloc
}

// What a killed writer left is gone after a while; what is being written just now stays.
func TestDirSweepsAbandonedFiles(t *testing.T) {
	t.Parallel()
	s := &Dir{Path: t.TempDir()}
	r := sampleRecord(1, 4)
	folder := filepath.Dir(s.file(r.Key()))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	old, fresh := filepath.Join(folder, "1"+unfinished), filepath.Join(folder, "2"+unfinished)
	for _, path := range []string{old, fresh} {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-2 * abandonedAfter)
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	if err := Save(t.Context(), s, r); err != nil {
		t.Fatal(err)
	}
	_, oldErr := os.Stat(old)
	_, freshErr := os.Stat(fresh)
	if !os.IsNotExist(oldErr) || freshErr != nil {
		t.Errorf("abandoned: %v, being written: %v", oldErr, freshErr)
	}
}
