package child

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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

// left counts the processes that children left running behind their backs.
var left atomic.Int64

// Left is how many processes the children of this program have left running so far, which were ended then.
func Left() int { return int(left.Load()) }

// sweepOrphans kills inherited orphans: children of ours that we did not start. Children in our own process group
// were started by somebody in this process without this package, and are left alone.
func sweepOrphans() {
	live.mu.Lock()
	defer live.mu.Unlock()
	// A killed orphan may hand us its own children: look again until there is none, within reason.
	for range 64 {
		orphans := live.orphans()
		if len(orphans) == 0 {
			return
		}
		for _, pid := range orphans {
			running := !isZombie(pid)
			if syscall.Kill(pid, syscall.SIGKILL) == nil && running {
				left.Add(1)
			}
			var status syscall.WaitStatus
			_, _ = syscall.Wait4(pid, &status, 0, nil)
		}
	}
}

func (r *registry) orphans() []int {
	self, group := os.Getpid(), syscall.Getpgrp()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	var found []int
	for _, path := range stats {
		pid, parent, pgrp, ok := readStat(path)
		if ok && parent == self && pgrp != group && !r.pids[pid] {
			found = append(found, pid)
		}
	}
	return found
}

// readStat parses "pid (comm) state ppid pgrp …"; comm may hold spaces and brackets.
func readStat(path string) (pid, parent, pgrp int, ok bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, 0, false
	}
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return 0, 0, 0, false
	}
	fields := bytes.Fields(b[end+1:])
	if len(fields) < 3 {
		return 0, 0, 0, false
	}
	pid, err1 := strconv.Atoi(string(bytes.TrimSpace(b[:open])))
	parent, err2 := strconv.Atoi(string(fields[1]))
	pgrp, err3 := strconv.Atoi(string(fields[2]))
	return pid, parent, pgrp, err1 == nil && err2 == nil && err3 == nil
}

func isZombie(pid int) bool {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	_, after, _ := bytes.Cut(b[max(0, bytes.LastIndexByte(b, ')')):], []byte(") "))
	return bytes.HasPrefix(after, []byte("Z"))
}
