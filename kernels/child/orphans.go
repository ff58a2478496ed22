package child

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
func (r *registry) start(cmd *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	r.pids[cmd.Process.Pid] = true
	return nil
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
		return processStats(allProcesses)
	}
	var found []processStat
	for _, pid := range listed {
		found = append(found, processStats(pid)...)
	}
	return found
}

// listedChildren are the process ids of what the threads of this process have started or inherited; not ok where the kernel does not say.
func listedChildren() (pids []string, ok bool) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		b, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended, and what it had is another's
		}
		pids = append(pids, strings.Fields(string(b))...)
	}
	return pids, len(lists) > 0
}

// processStat is what /proc/PID/stat says of a process.
type processStat struct {
	pid, parent, group int
	zombie             bool
}

// processStats are those of all processes, or those that a pattern of process ids names.
func processStats(pids string) []processStat {
	paths, _ := filepath.Glob(filepath.Join("/proc", pids, "stat"))
	var found []processStat
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (comm) state ppid pgrp …"; comm may hold spaces and brackets.
		var s processStat
		var state string
		_, err = fmt.Sscan(string(b[bytes.LastIndexByte(b, ')')+1:]), &state, &s.parent, &s.group)
		if _, pidErr := fmt.Sscan(string(b), &s.pid); err == nil && pidErr == nil {
			s.zombie = state == "Z"
			found = append(found, s)
		}
	}
	return found
}

const allProcesses = "[0-9]*"

// isZombie also says of a process that is gone that it is one.
func isZombie(pid int) bool {
	found := processStats(strconv.Itoa(pid))
	return len(found) == 0 || found[0].zombie
}
