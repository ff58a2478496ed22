package kernels

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/untrusted"
)

// CacheDir is where compiled harnesses and adapters are kept: PERFGATE_CACHE, else perfgate in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("PERFGATE_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (set PERFGATE_CACHE to name one): %w", err)
	}
	return filepath.Join(dir, "perfgate"), nil
}

// CheckRunnable says that what is built in a folder cannot run there, since its file system is mounted noexec, and which variable names
// another. The folder need not be there yet.
func CheckRunnable(dir, variable string) error {
	if NoExec(dir) {
		return fmt.Errorf("%s is mounted noexec, and what perfgate builds there has to run: name a folder of another file system in %s", dir, variable)
	}
	return nil
}

// NoExec says whether the file system of a folder lets nothing run. The folder need not be there yet.
func NoExec(dir string) bool {
	var stat unix.Statfs_t
	err := unix.Statfs(dir, &stat)
	for errors.Is(err, unix.ENOENT) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		err = unix.Statfs(dir, &stat)
	}
	return err == nil && stat.Flags&unix.ST_NOEXEC != 0
}

// digest hashes strings and byte slices with their lengths, so that no two lists of parts look alike.
type digest struct{ parts []byte }

func (d *digest) add(part string) {
	sum := sha256.Sum256([]byte(part))
	d.parts = append(d.parts, sum[:]...)
}

func (d *digest) sum() string {
	sum := sha256.Sum256(d.parts)
	return hex.EncodeToString(sum[:16])
}

// publish copies a finished file into the cache: written beside its place and renamed, so that a reader, a second
// writer or a crash sees the old or the new one and never half. No child is started meanwhile: until it has replaced itself it would
// hold the file open for writing, and Linux starts no program that is open so ("text file busy").
func publish(from, to string) error { return fill(to, os.Rename, copyOf(from)) }

// moveFirst moves a file to its place, and leaves one that is there: another build made the same, and its processes may have it loaded, or in a sandbox
// open that file alone.
func moveFirst(made, to string) error {
	err := os.Link(made, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	return os.Rename(made, to) // there are file systems without links
}

// fill makes a file beside its place, and moves it there.
func fill(to string, move func(made, to string) error, write func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return fmt.Errorf("make the cache folder (PERFGATE_CACHE names another): %w", err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	tmp, err := os.CreateTemp(filepath.Dir(to), ".partial-*")
	if err != nil {
		return fmt.Errorf("write into the cache (PERFGATE_CACHE names another): %w", err)
	}
	defer os.Remove(tmp.Name()) // after a rename there is nothing to remove
	if err := errors.Join(write(tmp), tmp.Close()); err != nil {
		return fmt.Errorf("write %s into the cache: %w", filepath.Base(to), err)
	}
	return move(tmp.Name(), to)
}

func copyOf(from string) func(*os.File) error {
	return func(tmp *os.File) error {
		src, err := untrusted.Open(from, mostLibrary)
		if err == nil {
			defer src.Close()
			_, err = io.Copy(tmp, src)
		}
		return errors.Join(err, tmp.Chmod(0o755))
	}
}

// Bounds of the cache, past which what was used longest ago goes first.
const (
	keptFor   = 30 * 24 * time.Hour // since a harness or a build was last used
	keptBytes = 2 << 30             // all builds together
	keptTexts = 256 << 20           // all observations together
)

// cached is the folder of a build in the cache.
func (b *Builder) cached(inputs string) string { return filepath.Join(b.Cache, adaptersFolder, inputs) }

const (
	adaptersFolder = "adapters"
	harnessFolder  = "harness"
)

// Built says whether the cache holds the library of inputs, so that Build would not compile anything.
func (b *Builder) Built(inputs string) bool {
	_, err := os.Stat(filepath.Join(b.cached(inputs), libraryName))
	return inputs != "" && !errors.Is(err, fs.ErrNotExist)
}

// takeCached copies the library of inputs to a path, and says whether there was one. A run works with its own copy: what is
// removed from the cache meanwhile is not missed.
func (b *Builder) takeCached(inputs, to string) bool {
	from := b.cached(inputs)
	if !b.Built(inputs) || publish(filepath.Join(from, libraryName), to) != nil {
		return false
	}
	used(from)
	return true
}

// keepCached puts a library into the cache and makes room.
func (b *Builder) keepCached(inputs, library string) error {
	if inputs == "" {
		return nil
	}
	to := b.cached(inputs)
	if err := publish(library, filepath.Join(to, libraryName)); err != nil {
		return err
	}
	used(to)
	prune(b.Cache, time.Now())
	return nil
}

// used marks an entry of the cache as used now. Where that cannot be done, it only goes sooner.
func used(entry string) {
	now := time.Now()
	_ = os.Chtimes(entry, now, now)
}

// cacheEntry is a file of the cache, or a folder of files.
type cacheEntry struct {
	path  string
	used  time.Time
	bytes int64
}

// prune removes what was not used for keptFor, and builds and observations past what is kept of them. A harness is removed by age alone, since a run
// that goes on may use it. Errors are left: another run may be at the same.
func prune(cache string, now time.Time) {
	builds, observed := cacheEntries(filepath.Join(cache, adaptersFolder)), cacheEntries(filepath.Join(cache, observedFolder))
	harnesses := cacheEntries(filepath.Join(cache, harnessFolder))
	for _, e := range slices.Concat(beyond(builds, keptBytes, now), beyond(observed, keptTexts, now), beyond(harnesses, math.MaxInt64, now)) {
		_ = os.RemoveAll(e.path)
	}
}

// beyond are entries not used for keptFor, and those past a number of bytes, of which those that were used last are kept, and one in any case.
func beyond(entries []cacheEntry, most int64, now time.Time) (old []cacheEntry) {
	total := int64(0)
	for i, e := range entries {
		if total += e.bytes; i > 0 && total > most || now.Sub(e.used) > keptFor {
			old = append(old, e)
		}
	}
	return old
}

// cacheEntries are those of a folder, what was used last first.
func cacheEntries(folder string) (found []cacheEntry) {
	listed, _ := os.ReadDir(folder)
	for _, one := range listed {
		info, err := one.Info()
		if err != nil {
			continue
		}
		e := cacheEntry{path: filepath.Join(folder, one.Name()), used: info.ModTime()}
		files, _ := os.ReadDir(e.path) // of a file there are none
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				e.bytes += info.Size()
			}
		}
		found = append(found, e)
	}
	slices.SortFunc(found, func(a, b cacheEntry) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.path, b.path)) })
	return found
}
