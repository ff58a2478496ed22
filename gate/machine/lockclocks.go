package machine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	note := filepath.Join(LockDir(), "perfgate-"+g.Facts.UUID+undoSuffix)
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

// writeNote makes the note, or takes over one of ours that was never dealt with.
func writeNote(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Tidy takes away what killed perfgates left on this machine: clocks that are still locked, files of locks that nobody
// holds. What is in use, and what belongs to another user, stays.
func Tidy() error {
	err := unlockForgotten(OpenGPUs)
	locks, _ := filepath.Glob(filepath.Join(LockDir(), "perfgate-*.lock"))
	for _, path := range locks {
		if !mine(path) {
			continue
		}
		if lock, err := try(path); err == nil {
			lock.Release()
		}
	}
	return err
}

// Forgotten are the UUIDs of GPUs whose clocks a perfgate of this user locked, whether it still lives or not.
func Forgotten() []string {
	notes, _ := filepath.Glob(filepath.Join(LockDir(), "perfgate-*"+undoSuffix))
	var uuids []string
	for _, note := range notes {
		if mine(note) {
			uuids = append(uuids, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(note), "perfgate-"), undoSuffix))
		}
	}
	return uuids
}

func unlockForgotten(open func() (*GPUs, error)) error {
	uuids := Forgotten()
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

// unlock resets the clocks of a GPU unless a living perfgate holds it.
func (a *GPUs) unlock(uuid string) error {
	lock, err := try(lockPath(uuid))
	if lock == nil || err != nil {
		return err
	}
	defer lock.Release()
	for _, g := range a.List {
		if g.Facts.UUID != uuid {
			continue
		}
		if err := g.dev.resetClocks(); err != nil {
			return fmt.Errorf("unlock the clocks of GPU %d, which a killed perfgate left locked: %w", g.Facts.Index, err)
		}
	}
	return os.Remove(filepath.Join(LockDir(), "perfgate-"+uuid+undoSuffix))
}

// mine says whether a file, not what it links to, belongs to the user that we run as: the folder is shared.
func mine(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
