package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// Host is the device of locks that concern all processors of the host: its launches and its clock are disturbed by whoever builds.
const Host = "cpu"

// Use says what a lock is wanted for, and so who may hold it at the same time.
type Use string

// Uses of a lock.
const (
	Alone    Use = "alone"    // measuring; nobody else may hold it
	Launches Use = "launches" // measuring on a GPU what the host launches: others may do so on other GPUs
	Untimed  Use = "untimed"  // builds, and what else loads processors without being timed
)

// Lock is the right to use a device of this machine. Linux takes it back when the process ends, however it ends.
//
// It is a place in a queue: a ticket, which is a file that its owner keeps locked (flock). A lock is held once no ticket before it is in use that is
// of another use, or alone. A ticket is drawn while the device's lock file is locked, which takes no time, so that numbers grow and nobody is overtaken.
//
// Files in the folder may be anybody's: a ticket that no living process has locked does not count, whatever its name says, and no link is followed.
// A living process that keeps its ticket for ever is named, and its waiters give up after patience.
type Lock struct {
	ticket
	file *os.File
}

const (
	// lockPoll is how often a waiting process asks again: a wait must end on Ctrl-C, which a blocking flock would not.
	lockPoll = 20 * time.Millisecond
	// drawLimit bounds the wait for the lock file, which perfgate holds for less than a millisecond.
	drawLimit = 10 * time.Second
)

// patience is how long one holder is waited for.
var patience = 6 * time.Hour

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

// Acquire waits for its turn on device (Host, a GPU's UUID or what else a lock is of). waiting, which may be nil, is called whenever another one is waited
// for, with who that is.
func Acquire(ctx context.Context, device string, use Use, waiting func(holder string)) (*Lock, error) {
	lock, err := draw(ctx, device, use)
	if err != nil {
		return nil, err
	}
	var front ticket
	var since time.Time
	for {
		before, others := lock.before()
		if others == 0 {
			lock.begin()
			return lock, nil
		}
		if before.name != front.name {
			front, since = before, time.Now()
			if waiting != nil {
				waiting(front.holder(others - 1))
			}
		}
		if time.Since(since) > patience {
			lock.Release()
			return nil, fmt.Errorf("gave up waiting for %s after %s: end it if it hangs (its ticket is %s), or let PERFGATE_LOCK_DIR name another folder for all runs of this device",
				front.holder(others-1), patience, front.path())
		}
		select {
		case <-ctx.Done():
			lock.Release()
			return nil, context.Cause(ctx)
		case <-time.After(lockPoll):
		}
	}
}

// try is Acquire that does not wait: nil, nil where it would have to.
func try(device string) (*Lock, error) {
	lock, err := draw(context.Background(), device, Alone)
	if err != nil {
		return nil, err
	}
	if _, others := lock.before(); others > 0 {
		lock.Release()
		return nil, nil
	}
	lock.begin()
	return lock, nil
}

// Holder is who holds a lock now, with how many who wait for it; "" where nobody does.
func Holder(device string) string {
	all := inUse(device)
	if len(all) == 0 {
		return ""
	}
	return all[0].holder(len(all) - 1)
}

// draw takes the next number.
func draw(ctx context.Context, device string, use Use) (*Lock, error) {
	gate, err := lockFile(ctx, device)
	if err != nil {
		return nil, fmt.Errorf("open the lock that keeps two measurements apart (PERFGATE_LOCK_DIR names another folder): %w", err)
	}
	defer gate.Close()
	next := int64(1)
	if all := inUse(device); len(all) > 0 {
		next = all[len(all)-1].number + 1
	}
	for ; next <= mostNumber; next++ {
		t := newTicket(device, next, use)
		// O_EXCL: a file or link in its place is not used.
		f, err := os.OpenFile(t.path(), os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err == nil {
			_ = f.Chmod(0o644) // against the umask: other users ask whether it is locked
			if err = lockSoon(ctx, f); err == nil {
				return &Lock{t, f}, nil
			}
			f.Close()
			os.Remove(t.path())
		}
		return nil, fmt.Errorf("queue for %s: %w", device, err)
	}
	return nil, fmt.Errorf("queue for %s: a process holds the last number that there is; remove its ticket from %s", device, LockDir())
}

// lockSoon locks the file of a new ticket. Others may ask at this moment whether it is locked, for which they hold it an instant.
func lockSoon(ctx context.Context, f *os.File) error {
	const tries = 200
	for again := 1; ; again++ {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || again == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// before is the first in the queue, which holds the lock, and how many are before this one; 0 where it waits for none of them.
func (l *Lock) before() (first ticket, others int) {
	waits := false
	for _, t := range tickets(l.device) {
		if t.name == l.name {
			break
		}
		if !t.isInUse() {
			continue
		}
		if others++; others == 1 {
			first = t
		}
		waits = waits || t.use != l.use || l.use == Alone
	}
	if !waits {
		return first, 0
	}
	return first, others
}

// begin notes when the lock was obtained, for those that wait for it.
func (l *Lock) begin() { _ = os.Chtimes(l.path(), time.Time{}, time.Now()) }

// Release gives the lock back and leaves no file behind.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	_ = os.Remove(l.path()) // while it is locked: nobody takes it for one that a killed process left
	l.file.Close()
	l.file = nil
	tidy(l.device)
}

// tidy removes tickets that are not in use, and the lock file with the last one. What cannot be removed belongs to another user.
func tidy(device string) {
	gate, err := openLockFile(lockPath(device))
	if gate == nil || err != nil {
		return // somebody draws a ticket, and tidies later
	}
	defer gate.Close()
	left := slices.DeleteFunc(tickets(device), func(t ticket) bool { return !t.isInUse() && os.Remove(t.path()) == nil })
	if len(left) == 0 {
		_ = os.Remove(gate.Name()) // while it is locked: one that waits for it sees that it is gone and opens another
	}
}

// lockFile locks the file of a device, under which tickets are drawn.
func lockFile(ctx context.Context, device string) (*os.File, error) {
	path, until := lockPath(device), time.Now().Add(drawLimit)
	for {
		if f, err := openLockFile(path); f != nil || err != nil {
			return f, err
		}
		if time.Now().After(until) {
			return nil, fmt.Errorf("another process keeps %s locked, which perfgate does for a moment only: end it (fuser %[1]s), or remove the file", path)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
}

// openLockFile returns nil, nil when another process has locked it.
func openLockFile(path string) (*os.File, error) {
	// O_NOFOLLOW: the folder is shared, and a link planted there must not make us write elsewhere.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, os.ErrPermission) {
		// Made by another user: locking needs no right to write.
		f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	locked, err1 := f.Stat()
	named, err2 := os.Lstat(path)
	if err1 != nil || err2 != nil || !os.SameFile(locked, named) { // it was removed while we waited for it
		f.Close()
		return nil, nil
	}
	return f, nil
}

const lockSuffix = ".lock"

func lockPath(device string) string { return filepath.Join(LockDir(), "perfgate-"+device+lockSuffix) }
