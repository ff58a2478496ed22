package kernels

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/sandbox"
)

// keptEnvironments bounds what all environments in the cache may take, in bytes: a GPU's frameworks are some 6 GB each.
const keptEnvironments = 40 << 30

const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

func (e *Environment) lockName() string { return e.Folder + ".lock" }

func (e *Environment) openLock() (err error) {
	if e.lock, err = os.OpenFile(e.lockName(), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("lock an environment (PERFGATE_CACHE names another folder): %w", err)
	}
	return nil
}

// isLock says whether the open file is the one that others would lock: it is removed with its environment.
func (e *Environment) isLock() bool {
	own, err1 := e.lock.Stat()
	named, err2 := os.Lstat(e.lockName())
	return err1 == nil && err2 == nil && os.SameFile(own, named)
}

// remove removes an environment, whose lock nobody else has. The lock goes last: by it the rest is found.
func (e *Environment) remove() {
	_ = os.Remove(sealOf(e.Folder))
	if sandbox.Remove(e.Folder) == nil {
		_ = os.Remove(e.lockName())
	}
}

// hold takes the lock of an environment. It waits: another run may be making the same.
func (e *Environment) hold(ctx context.Context, how int) error {
	for {
		err := syscall.Flock(int(e.lock.Fd()), how|syscall.LOCK_NB)
		if err == nil && e.isLock() {
			return nil
		}
		if err == nil { // whoever had it has removed the environment
			e.lock.Close()
			if err := e.openLock(); err != nil {
				return err
			}
			continue
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			return fmt.Errorf("lock an environment: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for another run that makes the same environment: %w", context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// sealOf is the file that says what an environment held when it was made. It lies where no command of an environment writes.
func sealOf(folder string) string { return folder + ".seal" }

// seal closes what was made: it is read only from here on, and its digest is kept.
func (b *Builder) seal(e *Environment) error {
	err := filepath.WalkDir(e.Folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			err = os.Chmod(path, info.Mode().Perm()&^0o222|0o400)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("close an environment: %w", err)
	}
	sum, bytes, err := folderDigest(e.Folder, b.kept().Of)
	if err != nil {
		return fmt.Errorf("read an environment: %w", err)
	}
	if err := fill(sealOf(e.Folder), os.Rename, func(f *os.File) error { _, err := fmt.Fprintf(f, "%s %d\n", sum, bytes); return err }); err != nil {
		return err
	}
	pruneEnvironments(filepath.Dir(e.Folder), e.Folder, time.Now())
	return nil
}

// isSealed says whether an environment is there, and holds what it held when it was made.
func (b *Builder) isSealed(e *Environment) bool {
	text, err := untrusted.Read(sealOf(e.Folder), 1<<10)
	if err != nil {
		return false
	}
	defer b.kept().Save()
	sum, bytes, err := folderDigest(e.Folder, b.kept().Of)
	used(sealOf(e.Folder))
	return err == nil && string(text) == fmt.Sprintf("%s %d\n", sum, bytes)
}

// pruneEnvironments removes environments that were not used for keptFor, those used longest ago past keptEnvironments, and what runs that were killed have left:
// none that a run uses or makes.
func pruneEnvironments(kept, current string, now time.Time) {
	var all, old []cacheEntry
	for _, e := range cacheEntries(kept) {
		if path, ok := strings.CutSuffix(e.path, ".lock"); ok {
			if _, err := os.Lstat(sealOf(path)); errors.Is(err, fs.ErrNotExist) {
				old = append(old, cacheEntry{path: path})
			}
		}
		var bytes int64
		text, err := untrusted.Read(e.path, 1<<10)
		if path, ok := strings.CutSuffix(e.path, ".seal"); ok && err == nil {
			_, _ = fmt.Sscanf(string(text), "%s %d", new(string), &bytes)
			all = append(all, cacheEntry{path, e.used, bytes})
		}
	}
	for _, one := range append(old, beyond(all, keptEnvironments, now)...) {
		e := &Environment{Folder: one.path}
		if e.Folder == current || e.openLock() != nil {
			continue
		}
		if syscall.Flock(int(e.lock.Fd()), exclusive|syscall.LOCK_NB) == nil && e.isLock() {
			e.remove()
		}
		e.lock.Close()
	}
}

// stampOf tells whether something was written to a file since: its time of change cannot be set.
func stampOf(path string) (string, error) {
	var s unix.Stat_t
	err := unix.Lstat(path, &s)
	return fmt.Sprint(s.Ino, s.Size, s.Mode, s.Mtim, s.Ctim), err
}

// Unchanged is an error where something was written to the environment since it was checked.
func (e *Environment) Unchanged() error {
	if stamp, _, err := folderDigest(e.Folder, stampOf); err != nil || stamp != e.stamp {
		return fmt.Errorf("the environment %s was written to while the run used it, so nothing that was measured with it counts (a sandbox keeps processes from that): remove it", e.Folder)
	}
	return nil
}
