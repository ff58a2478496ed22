package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/untrusted"
)

// Lock is the right to measure on a device of this machine. The kernel takes it back when the process ends, however
// it ends.
type Lock struct{ file *os.File }

// lockPoll is how often a waiting process asks again: a wait must end on Ctrl-C, which a blocking flock would not.
const lockPoll = 100 * time.Millisecond

// LockDir is where lock files lie: PERFGATE_LOCK_DIR, else a folder that every user of the machine can write to.
func LockDir() string {
	if dir := os.Getenv("PERFGATE_LOCK_DIR"); dir != "" {
		return dir
	}
	if info, err := os.Stat("/run/lock"); err == nil && info.IsDir() && info.Mode()&0o002 != 0 {
		return "/run/lock"
	}
	return "/tmp"
}

// CheckLockDir says ahead what Acquire could not do for want of a folder.
func CheckLockDir() error {
	dir := LockDir()
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("%s is to hold the lock that keeps two measurements apart, and is no folder: make it, or let PERFGATE_LOCK_DIR name another", dir)
	}
	return nil
}

// Acquire waits until no other process measures on device ("cpu", or a GPU's UUID). waiting is called once, with the holder of
// the lock, if there is a wait.
func Acquire(ctx context.Context, device string, waiting func(holder string)) (*Lock, error) {
	path := lockPath(device)
	for {
		lock, err := try(path)
		if lock != nil || err != nil {
			return lock, err
		}
		if waiting != nil {
			waiting(holder(path))
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// try returns nil, nil when another process holds the lock.
func try(path string) (*Lock, error) {
	// O_NOFOLLOW: the folder is shared, and a link planted there must not make us write elsewhere.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o666)
	if errors.Is(err, os.ErrPermission) {
		// Made by another user: locking needs no right to write.
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("open the lock that keeps two measurements apart (PERFGATE_LOCK_DIR names another folder): %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !sameFile(f, path) { // its last holder removed it while we waited
		f.Close()
		return nil, nil
	}
	_ = f.Truncate(0)
	_, _ = f.WriteAt(fmt.Appendf(nil, "process %d\n", os.Getpid()), 0)
	return &Lock{file: f}, nil
}

func sameFile(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

func holder(path string) string {
	b, err := untrusted.Read(path, 4096)
	if err != nil || len(b) == 0 {
		return "another process"
	}
	return strings.TrimSpace(string(b[:min(len(b), 40)]))
}

// Release gives the lock back and leaves no file behind.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	_ = os.Remove(l.file.Name()) // while it is still locked: one that waits on it sees that it is gone and starts afresh
	l.file.Close()
	l.file = nil
}

func lockPath(device string) string { return filepath.Join(LockDir(), "perfgate-"+device+".lock") }
