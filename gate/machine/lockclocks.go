package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// ClockLock says what to lock a GPU's SM clock to: 0 is its base clock, which it holds under any load that its power
// cap allows; else a number of MHz.
type ClockLock int

// ParseClockLock reads "base" or a number of MHz.
func ParseClockLock(text string) (ClockLock, error) {
	if text == "base" {
		return 0, nil
	}
	mhz, err := strconv.Atoi(text)
	if err != nil || mhz < 100 || mhz > 10_000 {
		return 0, fmt.Errorf("%q is neither base nor a number of MHz", text)
	}
	return ClockLock(mhz), nil
}

func (c ClockLock) String() string {
	if c == 0 {
		return "base"
	}
	return strconv.Itoa(int(c))
}

// baseClock is NVML_CLOCK_LIMIT_ID_TDP: in place of a frequency it stands for the base clock.
const baseClock = 0xffffff01

const undoSuffix = ".clocks"

// LockClocks locks the SM clock until restore is called, which may be more than once. Should this process be killed
// before, a note in the lock folder tells its supervisor, or the next perfgate on this machine, to do it (see Tidy).
//
// Without the right to set clocks the error is a *GPUError.
func (g *GPU) LockClocks(to ClockLock) (restore func() error, err error) {
	note := notePath(g.Facts.UUID)
	if err := writeNote(note); err != nil {
		return nil, fmt.Errorf("note that the clocks are locked (PERFGATE_LOCK_DIR names another folder): %w", err)
	}
	mhz := uint32(to)
	if to == 0 {
		mhz = baseClock
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.dev.lockClocks(mhz, mhz); err != nil {
		os.Remove(note)
		return nil, err
	}
	g.Facts.LockedClock = to.String()
	return sync.OnceValue(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := g.dev.resetClocks(); err != nil {
			return fmt.Errorf("unlock the clocks of GPU %d (sudo nvidia-smi -i %d --reset-gpu-clocks does it): %w", g.Facts.Index, g.Facts.Index, err)
		}
		return os.Remove(note)
	}), nil
}

// writeNote makes the note, or takes over one of ours that was never dealt with. Another user's file in its place is taken
// away: it would not be believed once we are killed.
func writeNote(path string) error {
	if mine(path) {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Tidy takes away what killed perfgates left on this machine: clocks that are still locked, files of locks that are free.
// What is in use, and what belongs to another user, stays.
func Tidy() error {
	err := unlockForgotten(OpenGPUs)
	locks, _ := filepath.Glob(lockPath("*"))
	for _, path := range locks {
		if mine(path) {
			tidy(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "perfgate-"), lockSuffix))
		}
	}
	return err
}

// LeftLocked says whether a perfgate locked the clocks of this GPU and did not unlock them, by the note that it left, and
// whether it lives: clocks under a living one are not to be touched. note is "" where there is none that is believed, which
// is one of this user's or of root's.
func (g *GPU) LeftLocked() (note string, alive bool) {
	path := notePath(g.Facts.UUID)
	if !believed(path) {
		return "", false
	}
	lock, err := try(g.Facts.UUID)
	if err != nil || lock == nil {
		return path, true // whose lock cannot be had, is taken to live
	}
	defer lock.Release()
	if !believed(path) { // it unlocked them while we asked
		return "", false
	}
	return path, false
}

// StrangersNote is the path of a file that says that the clocks of this GPU are locked and is not believed, since it belongs
// neither to this user nor to root; "" where there is none. Any user can put one into the lock folder, so it may be told, and
// neither ends a run nor unlocks anything.
func (g *GPU) StrangersNote() string {
	path := notePath(g.Facts.UUID)
	if _, err := os.Lstat(path); err != nil || believed(path) {
		return ""
	}
	return path
}

// UnlockForgotten unlocks clocks that a killed perfgate of this user or of root left locked, and says whether it did. The
// caller holds the GPU's lock (see Acquire), so a perfgate that left a note is gone.
//
// Without the right to set clocks the error is a *GPUError: what is measured now would run at an unknown clock.
func (g *GPU) UnlockForgotten() (unlocked bool, err error) {
	note := notePath(g.Facts.UUID)
	if !believed(note) {
		return false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.dev.resetClocks(); err != nil {
		return false, &GPUError{
			fmt.Sprintf("a perfgate that was killed left the clocks of GPU %d locked, and this one cannot unlock them (%v)", g.Facts.Index, err),
			UnlockCure(g.Facts.Index, note),
		}
	}
	if err := os.Remove(note); err != nil && !errors.Is(err, os.ErrNotExist) {
		return true, fmt.Errorf("remove the note of clocks that were locked: %w", err)
	}
	return true, nil
}

// UnlockCure is how people unlock the clocks of a GPU that a perfgate left locked, given the note of it.
func UnlockCure(index int, note string) string {
	return fmt.Sprintf("sudo nvidia-smi -i %d --reset-gpu-clocks && sudo rm %s", index, note)
}

func notePath(uuid string) string { return filepath.Join(LockDir(), "perfgate-"+uuid+undoSuffix) }

// believed says whether a note is to be acted on: one of the user that we run as, or of root, whom locking clocks needs as a
// rule. The folder is open to all, and another user's file must neither stop every run nor undo what an administrator locked.
func believed(path string) bool { return ownedBy(path, believers(os.Geteuid())...) }

func believers(us int) []int { return []int{0, us} }

// noted are the UUIDs of GPUs whose clocks a perfgate of this user locked, whether it still lives or not.
func noted() []string {
	notes, _ := filepath.Glob(notePath("*"))
	var uuids []string
	for _, note := range notes {
		if mine(note) {
			uuids = append(uuids, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(note), "perfgate-"), undoSuffix))
		}
	}
	return uuids
}

func unlockForgotten(open func() (*GPUs, error)) error {
	uuids := noted()
	if len(uuids) == 0 {
		return nil
	}
	gpus, err := open()
	if err != nil {
		return fmt.Errorf("unlock the clocks that a killed perfgate left locked: %w", err)
	}
	defer gpus.Close()
	var errs []error
	for _, uuid := range uuids {
		errs = append(errs, gpus.unlock(uuid))
	}
	return errors.Join(errs...)
}

// unlock resets the clocks of a GPU unless a living perfgate holds it: one that waited for it does so itself.
func (a *GPUs) unlock(uuid string) error {
	lock, err := try(uuid)
	if lock == nil || err != nil {
		return err
	}
	defer lock.Release()
	for _, g := range a.List {
		if g.Facts.UUID == uuid {
			_, err := g.UnlockForgotten()
			return err
		}
	}
	return nil // not shown to this container: its note is for one that is
}

// mine says whether a file belongs to the user that we run as: the folder is shared.
func mine(path string) bool { return ownedBy(path, os.Geteuid()) }

// ownedBy says whether a file belongs to one of these users. What is no file, such as a link, belongs to none, whatever it leads to.
func ownedBy(path string, users ...int) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && slices.Contains(users, int(stat.Uid))
}
