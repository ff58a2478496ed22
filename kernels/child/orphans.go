package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// registry knows the children that we started ourselves, to tell them from the orphans that we inherit.
type registry struct {
	mu   sync.Mutex
	pids map[int]bool
}

var live = registry{pids: map[int]bool{}}

// start holds the lock across fork and registration: a sweep must not see a child that is not registered yet.
func (r *registry) start(cmd *exec.Cmd, cpus []int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := startOn(cpus, cmd.Start); err != nil {
		return err
	}
	r.pids[cmd.Process.Pid] = true
	return nil
}

// startOn starts a program on processors that it inherits from this thread.
func startOn(cpus []int, start func() error) error {
	if len(cpus) == 0 {
		return start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var was, wanted unix.CPUSet
	for _, cpu := range cpus {
		wanted.Set(cpu)
	}
	err := unix.SchedGetaffinity(0, &was)
	if err == nil {
		err = unix.SchedSetaffinity(0, &wanted)
	}
	if err != nil {
		return fmt.Errorf("choose the processors of a program: %w", err)
	}
	defer func() { _ = unix.SchedSetaffinity(0, &was) }() // it was possible before
	return start()
}

func (r *registry) ended(pid int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.pids, pid)
}

var subreaper sync.Once

// becomeSubreaper makes orphaned descendants our children: a daemon that a kernel forked into a session of its own
// would else belong to init, out of sight. Without the right to do so, process groups still serve.
func becomeSubreaper() {
	subreaper.Do(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) })
}

var orphaned atomic.Int64

// Orphaned is how many processes the children of this program have left running so far, which were ended then.
func Orphaned() int { return int(orphaned.Load()) }

// sweepOrphans kills inherited orphans: children of ours that we did not start. Children in our own process group
// were started in this process without this package, and are left alone.
func sweepOrphans() {
	live.mu.Lock()
	defer live.mu.Unlock()
	// A killed orphan may hand us its own children: look again until there is none, within reason.
	for range 64 {
		orphans := live.orphans()
		if len(orphans) == 0 {
			return
		}
		for _, o := range orphans {
			if syscall.Kill(o.pid, syscall.SIGKILL) == nil && !o.zombie {
				orphaned.Add(1)
			}
			var status syscall.WaitStatus
			_, _ = syscall.Wait4(o.pid, &status, 0, nil)
		}
	}
}

func (r *registry) orphans() []processStat {
	self, group := os.Getpid(), syscall.Getpgrp()
	return slices.DeleteFunc(children(), func(s processStat) bool {
		return s.parent != self || s.group == group || r.pids[s.pid]
	})
}

// children are those of this process, and where its kernel does not list them (CONFIG_PROC_CHILDREN) all processes. The list may lack
// one while another ends, so it counts as complete only if a second look finds no more.
func children() []processStat {
	listed, ok := listedChildren()
	for ok {
		var again []string
		if again, ok = listedChildren(); len(again) <= len(listed) {
			break
		}
		listed = again
	}
	if !ok {
		return processStats(allProcesses())
	}
	return processStats(listed)
}

// listedChildren are the process ids of what the threads of this process have started or inherited; not ok where the kernel does not say.
func listedChildren() (pids []string, ok bool) {
	const threads = "/proc/self/task"
	for _, thread := range names(threads) {
		b, err := os.ReadFile(filepath.Join(threads, thread, "children"))
		if err != nil {
			continue // the thread has ended, and what it had is another's
		}
		pids, ok = append(pids, strings.Fields(string(b))...), true
	}
	return pids, ok
}

// names are those of what is in a folder, in no order.
func names(folder string) []string {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	found, _ := f.Readdirnames(-1)
	return found
}

// processStat is what /proc/PID/stat says of a process.
type processStat struct {
	pid, parent, group int
	zombie             bool
}

// processStats are those of the processes with these ids that live.
func processStats(pids []string) []processStat {
	var found []processStat
	for _, pid := range pids {
		b, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if err != nil {
			continue // it has ended
		}
		// "pid (comm) state ppid pgrp …"; comm may hold spaces and brackets.
		words := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(words) < 3 {
			continue
		}
		id, idErr := strconv.Atoi(pid)
		parent, parentErr := strconv.Atoi(words[1])
		group, groupErr := strconv.Atoi(words[2])
		if errors.Join(idErr, parentErr, groupErr) == nil {
			found = append(found, processStat{pid: id, parent: parent, group: group, zombie: words[0] == "Z"})
		}
	}
	return found
}

// allProcesses are the ids of the processes that live.
func allProcesses() []string {
	return slices.DeleteFunc(names("/proc"), func(name string) bool { return name[0] < '0' || name[0] > '9' })
}

// isZombie also says of a process that is gone that it is one.
func isZombie(pid int) bool {
	found := processStats([]string{strconv.Itoa(pid)})
	return len(found) == 0 || found[0].zombie
}
