package machine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func lockFolder(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("PERFGATE_LOCK_DIR", dir)
	return dir
}

func left(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestClocksAreRestoredOnce(t *testing.T) {
	dir := lockFolder(t)
	all, devices := fakeGPUs(1)
	restore, err := all.List[0].LockClocks(1500)
	must(t, err)
	if all.List[0].Facts.LockedClock != "1500" || len(noted()) != 1 {
		t.Errorf("locked %q, notes %v", all.List[0].Facts.LockedClock, noted())
	}
	for range 2 {
		if err := restore(); err != nil {
			t.Error(err)
		}
	}
	if got := devices[0].locked; !slices.Equal(got, []uint32{1500, 0}) || len(left(t, dir)) != 0 {
		t.Errorf("clocks %v, left behind %v", got, left(t, dir))
	}
}

func TestClocksOfAKilledPerfgateAreRestored(t *testing.T) {
	dir := lockFolder(t)
	all, devices := fakeGPUs(2)
	if _, err := all.List[1].LockClocks(0); err != nil {
		t.Fatal(err)
	}
	open := func() (*GPUs, error) { return reopened(devices), nil }
	holder, err := Acquire(context.Background(), all.List[1].Facts.UUID, Alone, nil)
	must(t, err)
	if err := unlockForgotten(open); err != nil || len(devices[1].locked) != 1 {
		t.Errorf("%v, clocks %v: a living perfgate holds the GPU", err, devices[1].locked)
	}
	holder.Release() // killed
	if err := unlockForgotten(open); err != nil {
		t.Error(err)
	}
	if !slices.Equal(devices[1].locked, []uint32{baseClock, 0}) || len(devices[0].locked) != 0 || len(left(t, dir)) != 0 {
		t.Errorf("clocks %v and %v, left behind %v", devices[0].locked, devices[1].locked, left(t, dir))
	}
}

// The one that waited for a killed perfgate may have its lock before that one's supervisor looks.
func TestClocksAreUnlockedByWhoHasTheLockNext(t *testing.T) {
	dir := lockFolder(t)
	all, devices := fakeGPUs(2)
	killed, next := all.List[0], all.List[1]
	if _, err := killed.LockClocks(1500); err != nil {
		t.Fatal(err)
	}
	lock, err := Acquire(context.Background(), killed.Facts.UUID, Alone, nil)
	must(t, err)
	defer lock.Release()
	open := func() (*GPUs, error) { return reopened(devices), nil }
	if err := unlockForgotten(open); err != nil || len(devices[0].locked) != 1 {
		t.Fatalf("%v, clocks %v: the supervisor leaves them to who holds the lock", err, devices[0].locked)
	}
	if did, err := next.UnlockForgotten(); did || err != nil || len(devices[1].locked) != 0 {
		t.Errorf("the other GPU: %v, %v, clocks %v", did, err, devices[1].locked)
	}
	if did, err := killed.UnlockForgotten(); !did || err != nil || !slices.Equal(devices[0].locked, []uint32{1500, 0}) {
		t.Errorf("%v, %v, clocks %v", did, err, devices[0].locked)
	}
	if did, err := killed.UnlockForgotten(); did || err != nil || len(devices[0].locked) != 2 {
		t.Errorf("again: %v, %v, clocks %v", did, err, devices[0].locked)
	}
	if got := left(t, dir); !slices.Equal(got, []string{filepath.Base(lockPath(killed.Facts.UUID)), lock.name}) {
		t.Errorf("left behind %v", got)
	}
}

// Nothing is measured at an unknown clock, and the cure takes the note away too.
func TestClocksThatCannotBeUnlocked(t *testing.T) {
	dir := lockFolder(t)
	all, devices := fakeGPUs(1)
	if _, err := all.List[0].LockClocks(1500); err != nil {
		t.Fatal(err)
	}
	devices[0].refuse = errors.New("no permission")
	var refused *GPUError
	did, err := all.List[0].UnlockForgotten()
	if did || !errors.As(err, &refused) || !strings.Contains(refused.Cure, "-i 0 --reset-gpu-clocks") || !strings.Contains(refused.Cure, dir) {
		t.Errorf("%v, %v", did, err)
	}
	if len(left(t, dir)) != 1 {
		t.Errorf("left behind %v: the note stays until they are unlocked", left(t, dir))
	}
}

// stranger puts a file of another user, who is not root, into the place of a GPU's note.
func stranger(t *testing.T, g *GPU) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	note := notePath(g.Facts.UUID)
	must(t, os.WriteFile(note, nil, 0o644))
	if err := os.Lchown(note, 65533, 65533); err != nil {
		t.Skip("this sandbox gives no file away: ", err)
	}
	return note
}

// The lock folder is open to all: what a stranger leaves in it stops no run, and undoes nothing that an administrator locked.
func TestNoteOfAStrangerIsNotBelieved(t *testing.T) {
	lockFolder(t)
	all, devices := fakeGPUs(1)
	g := all.List[0]
	path := stranger(t, g)
	open := func() (*GPUs, error) { return reopened(devices), nil }
	for _, refuse := range []error{nil, errors.New("no permission")} {
		devices[0].refuse = refuse
		if did, err := g.UnlockForgotten(); did || err != nil {
			t.Errorf("before a run: %v, %v", did, err)
		}
		if note, alive := g.LeftLocked(); note != "" || alive {
			t.Errorf("the doctor is told of %q, %v", note, alive)
		}
		if err := unlockForgotten(open); err != nil {
			t.Error(err)
		}
	}
	if g.StrangersNote() != path || len(devices[0].locked) != 0 {
		t.Errorf("told %q, clocks %v", g.StrangersNote(), devices[0].locked)
	}
}

// Root's note counts for all: an ordinary user's run must not measure at clocks that a killed one of root's left.
func TestNoteOfRootIsBelieved(t *testing.T) {
	lockFolder(t)
	all, _ := fakeGPUs(1)
	g := all.List[0]
	must(t, os.WriteFile(notePath(g.Facts.UUID), nil, 0o600))
	if note, _ := g.LeftLocked(); note == "" || g.StrangersNote() != "" {
		t.Errorf("our own: %q, a stranger's %q", note, g.StrangersNote())
	}
	// The owner, us, in the two cases that one user cannot make files for.
	for _, c := range []struct {
		uid, us int
		want    bool
	}{{0, 0, true}, {0, 1000, true}, {1000, 1000, true}, {1001, 1000, false}, {1000, 0, false}} {
		if got := slices.Contains(believers(c.us), c.uid); got != c.want {
			t.Errorf("a note of user %d, and we are %d: %v", c.uid, c.us, got)
		}
	}
}

// A link, a folder or a stranger's file in the note's place does not keep clocks from being locked, and locking them leaves a note
// that is believed.
func TestWhatStandsInThePlaceOfTheNote(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, g *GPU){
		"stranger's": func(t *testing.T, g *GPU) { stranger(t, g) },
		"link": func(t *testing.T, g *GPU) {
			must(t, os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), notePath(g.Facts.UUID)))
		},
		"folder": func(t *testing.T, g *GPU) {
			must(t, os.Mkdir(notePath(g.Facts.UUID), 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lockFolder(t)
			all, devices := fakeGPUs(1)
			g := all.List[0]
			plant(t, g)
			if did, err := g.UnlockForgotten(); did || err != nil || g.StrangersNote() == "" {
				t.Errorf("%v, %v, a stranger's %q", did, err, g.StrangersNote())
			}
			if _, err := g.LockClocks(1500); err != nil {
				t.Fatal(err)
			}
			if did, err := g.UnlockForgotten(); !did || err != nil || !slices.Equal(devices[0].locked, []uint32{1500, 0}) || len(left(t, dir)) != 0 {
				t.Errorf("killed: %v, %v, clocks %v, left behind %v", did, err, devices[0].locked, left(t, dir))
			}
		})
	}
}

func TestWhetherThePerfgateThatLockedTheClocksLives(t *testing.T) {
	dir := lockFolder(t)
	all, _ := fakeGPUs(1)
	g := all.List[0]
	if note, _ := g.LeftLocked(); note != "" {
		t.Errorf("they were never locked: %q", note)
	}
	if _, err := g.LockClocks(0); err != nil {
		t.Fatal(err)
	}
	lock, err := Acquire(context.Background(), g.Facts.UUID, Alone, nil)
	must(t, err)
	if note, alive := g.LeftLocked(); note == "" || !alive {
		t.Errorf("while it measures: %q, %v", note, alive)
	}
	lock.Release() // killed
	if note, alive := g.LeftLocked(); filepath.Dir(note) != dir || alive {
		t.Errorf("after its end: %q, %v", note, alive)
	}
	if len(left(t, dir)) != 1 {
		t.Errorf("left behind %v: asking changes nothing", left(t, dir))
	}
}

func TestNoteOfAGPUThatIsNotShownStays(t *testing.T) {
	dir := lockFolder(t)
	all, devices := fakeGPUs(2)
	if _, err := all.List[1].LockClocks(0); err != nil {
		t.Fatal(err)
	}
	if err := unlockForgotten(func() (*GPUs, error) { return reopened(devices[:1]), nil }); err != nil || len(left(t, dir)) != 1 {
		t.Errorf("%v, left %v", err, left(t, dir))
	}
}

func TestNothingForgottenOpensNoDriver(t *testing.T) {
	lockFolder(t)
	if err := unlockForgotten(func() (*GPUs, error) { t.Error("opened the driver"); return nil, nil }); err != nil {
		t.Error(err)
	}
}

func TestRefusedLockLeavesNothing(t *testing.T) {
	dir := lockFolder(t)
	all, devices := fakeGPUs(1)
	devices[0].refuse = &GPUError{"this user may not lock the GPU's clocks", "run as root"}
	var refused *GPUError
	if _, err := all.List[0].LockClocks(0); !errors.As(err, &refused) || len(left(t, dir)) != 0 {
		t.Errorf("err = %v, left behind %v", err, left(t, dir))
	}
}

func TestTidyTakesFreeLocks(t *testing.T) {
	dir := lockFolder(t)
	for _, name := range []string{"perfgate-cpu.lock", "perfgate-cpu.ticket.1.alone.7", "perfgate-GPU-1.ticket.1.untimed.7"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	held, err := Acquire(context.Background(), "GPU-1", Alone, nil)
	must(t, err)
	defer held.Release()
	if err := Tidy(); err != nil {
		t.Error(err)
	}
	if got := left(t, dir); !slices.Equal(got, []string{"perfgate-GPU-1.lock", held.name}) {
		t.Errorf("left: %v", got)
	}
}

func TestParseClockLock(t *testing.T) {
	for text, want := range map[string]ClockLock{"base": 0, "1500": 1500} {
		if got, err := ParseClockLock(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "max", "0", "-5", "1.5GHz", "99999"} {
		if _, err := ParseClockLock(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
