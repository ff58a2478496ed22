package machine

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func acquire(t *testing.T, device string, use Use) *Lock {
	t.Helper()
	lock, err := Acquire(t.Context(), device, use, nil)
	must(t, err)
	t.Cleanup(lock.Release)
	return lock
}

func TestOneHolderAtATime(t *testing.T) {
	lockFolder(t)
	var holders, most atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			lock, err := Acquire(context.Background(), "cpu", Alone, nil)
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), holders.Add(1)))
			time.Sleep(5 * time.Millisecond)
			holders.Add(-1)
			lock.Release()
		})
	}
	wg.Wait()
	if most.Load() != 1 {
		t.Errorf("%d holders at once", most.Load())
	}
	if left := left(t, LockDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Builds go on beside builds, and neither begin nor go on while something is timed; what is timed waits for its turn and keeps it.
func TestWhoHoldsTogether(t *testing.T) {
	lockFolder(t)
	waits := func(use Use) bool {
		l, err := draw(t.Context(), Host, use)
		must(t, err)
		defer l.Release()
		_, others := l.before()
		return others > 0
	}
	for _, tt := range []struct {
		held, wanted Use
		waits        bool
	}{
		{Untimed, Untimed, false}, {Launches, Launches, false}, {Alone, Alone, true}, {Untimed, Alone, true}, {Untimed, Launches, true}, {Alone, Untimed, true},
		{Launches, Untimed, true}, {Launches, Alone, true}, {Alone, Launches, true},
	} {
		held := acquire(t, Host, tt.held)
		if got := waits(tt.wanted); got != tt.waits {
			t.Errorf("%s beside %s: waits %v", tt.wanted, tt.held, got)
		}
		held.Release()
	}
	building := acquire(t, Host, Untimed)
	timed, err := draw(t.Context(), Host, Alone)
	must(t, err)
	defer timed.Release()
	if !waits(Untimed) {
		t.Error("a build overtakes what waits to be timed")
	}
	building.Release()
	if _, others := timed.before(); others != 0 {
		t.Error("it waits for nobody")
	}
}

func TestWaitingIsToldAndEndsWithItsContext(t *testing.T) {
	lockFolder(t)
	lock := acquire(t, "cpu", Alone)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var told string
	if _, err := Acquire(ctx, "cpu", Alone, func(h string) { told = h }); err == nil {
		t.Error("two hold it")
	}
	if want := fmt.Sprintf("process %d has been measuring for 0s", os.Getpid()); told != want {
		t.Errorf("told %q, want %q", told, want)
	}
	lock.Release()
	if left := left(t, LockDir()); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A holder that hangs, or never means to give the lock back, is named in the end.
func TestOneHolderIsNotWaitedForForEver(t *testing.T) {
	lockFolder(t)
	patience = 0
	t.Cleanup(func() { patience = 6 * time.Hour })
	held := acquire(t, "cpu", Alone)
	_, err := Acquire(t.Context(), "cpu", Alone, nil)
	if err == nil || !strings.Contains(err.Error(), held.path()) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("err = %v", err)
	}
}

func TestFilesOfOthersAreNotFollowedAndDoNotBlock(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	named := func(place string) string { return "perfgate-cpu.ticket." + place }
	for name, plant := range map[string]func(dir string) error{
		"tickets of nobody": func(dir string) error {
			for _, place := range []string{"0.alone.1", "1.alone.99", "999999999999999998.alone.7", "9999999999999999999999.alone.7", "-1.alone.7", "1.else.7"} {
				if err := os.WriteFile(filepath.Join(dir, named(place)), nil, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
		"a link": func(dir string) error { return os.Symlink(victim, filepath.Join(dir, named("0.alone.1"))) },
		"a link in the place of the next ticket": func(dir string) error {
			return os.Symlink(victim, filepath.Join(dir, newTicket("cpu", 1, Alone).name))
		},
		"a pipe":   func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, named("0.alone.1")), 0o666) },
		"a folder": func(dir string) error { return os.Mkdir(filepath.Join(dir, named("0.alone.1")), 0o777) },
	} {
		t.Run(name, func(t *testing.T) {
			lockFolder(t)
			must(t, plant(LockDir()))
			first, err := try("cpu")
			if first == nil || err != nil {
				t.Fatalf("it waits, or fails: %v", err)
			}
			if second, err := try("cpu"); second != nil || err != nil {
				t.Errorf("two hold it, or %v", err)
			}
			first.Release()
			if _, err := os.Lstat(victim); err == nil {
				t.Error("wrote through a planted link")
			}
		})
	}
}

func TestPlantedLinkInThePlaceOfTheLockFileIsRefused(t *testing.T) {
	dir := lockFolder(t)
	target := filepath.Join(t.TempDir(), "victim")
	must(t, os.Symlink(target, filepath.Join(dir, "perfgate-cpu.lock")))
	if _, err := Acquire(context.Background(), "cpu", Alone, nil); err == nil {
		t.Error("followed a planted link")
	}
	if _, err := os.Stat(target); err == nil {
		t.Error("wrote through a planted link")
	}
}

const inQueue = "PERFGATE_TEST_IN_QUEUE"

// TestInQueue is a process of the tests below: it waits for its turn, says so, and keeps the lock until its input ends.
func TestInQueue(t *testing.T) {
	if os.Getenv(inQueue) == "" {
		t.Skip("is started by other tests")
	}
	lock, err := Acquire(t.Context(), "cpu", Alone, nil)
	must(t, err)
	fmt.Println("its turn")
	_, _ = bufio.NewReader(os.Stdin).ReadString('x')
	lock.Release()
}

// queue starts processes that stand in the queue in this order, behind a lock that the test holds.
func queue(t *testing.T, n int) (own *Lock, all []*exec.Cmd, turns chan int, leave []func() error) {
	t.Helper()
	lockFolder(t)
	t.Setenv(inQueue, "yes")
	own, turns = acquire(t, "cpu", Alone), make(chan int, n)
	for i := range n {
		cmd := exec.Command(os.Args[0], "-test.run=^TestInQueue$", "-test.v")
		stdin, err1 := cmd.StdinPipe()
		stdout, err2 := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil || err1 != nil || err2 != nil {
			t.Fatal(err, err1, err2)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		all, leave = append(all, cmd), append(leave, stdin.Close)
		go func() {
			for lines := bufio.NewScanner(stdout); lines.Scan(); {
				if strings.Contains(lines.Text(), "its turn") {
					turns <- i
				}
			}
		}()
		for len(tickets("cpu")) < i+2 {
			time.Sleep(5 * time.Millisecond)
		}
	}
	return own, all, turns, leave
}

// Ten runs have their turns in the order in which they came, and none is skipped.
func TestFirstComeFirstServed(t *testing.T) {
	own, _, turns, leave := queue(t, 10)
	own.Release()
	for want := range 10 {
		if got := <-turns; got != want {
			t.Fatalf("process %d had its turn before %d", got, want)
		}
		must(t, leave[want]())
	}
}

// A holder and one that waits are killed: those behind them do not wait for them.
func TestKilledProcessesLeaveTheQueue(t *testing.T) {
	own, all, turns, _ := queue(t, 3)
	must(t, all[1].Process.Kill())
	own.Release()
	if got := <-turns; got != 0 {
		t.Fatalf("process %d had the first turn", got)
	}
	must(t, all[0].Process.Kill())
	if got := <-turns; got != 2 {
		t.Fatalf("process %d had the second turn", got)
	}
}

// After a living ticket with the last number there is no place left: a number that nobody reads as one would lock nothing.
func TestLastNumberIsNotPassed(t *testing.T) {
	lockFolder(t)
	last := newTicket("cpu", mostNumber, Alone)
	f, err := os.Create(last.path())
	must(t, err)
	defer f.Close()
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	if lock, err := try("cpu"); lock != nil || err == nil {
		t.Errorf("%v, %v", lock, err)
	}
}

// Whoever asks at the moment of a draw whether a ticket is in use makes no draw fail.
func TestDrawBesideWhoAsks(t *testing.T) {
	lockFolder(t)
	done := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				inUse("cpu")
			}
		}
	})
	for range 1000 {
		lock, err := draw(t.Context(), "cpu", Alone)
		if err != nil {
			t.Error(err)
			break
		}
		lock.Release()
	}
	close(done)
	asking.Wait()
}
