package kernels

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/sandbox"
)

// segmentsOf are the SysV segments that are there with so many bytes.
func segmentsOf(t *testing.T, bytes int) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/sysvipc/shm")
	if err != nil {
		t.Skip("this kernel has no SysV memory")
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 3 && fields[3] == fmt.Sprint(bytes) {
			n++
		}
	}
	return n
}

// SysV segments belong to no process: the sandbox forbids them, and without it those that a process made go when it has ended.
func TestSegmentsDoNotOutliveTheirProcess(t *testing.T) {
	kernelstest.Live(t)
	const bytes = 3<<20 + 4096
	r := newRig(t)
	of := []string{fmt.Sprint("BYTES=", bytes), fmt.Sprint("KEY=", 1<<20+os.Getpid())}
	before := child.Segments()
	out, err := r.attack("segments.cc", nil, of...)
	if err != nil || strings.Count(out.Stderr, "GAINED") != 3 {
		t.Errorf("without the sandbox: %v\n%s", err, out.Stderr)
	}
	left := child.Segments()
	if n := left.Removed - before.Removed; n < 1 {
		t.Errorf("%d segments were removed", n)
	}
	// Of a child that was gone before anybody looked, nobody can tell whose it was: it is said, and stays.
	strays := left.Strays[len(before.Strays):]
	if n := segmentsOf(t, bytes); n != len(strays) {
		t.Errorf("%d segments are still there, of which %d are known", n, len(strays))
	}
	for _, id := range strays {
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	}
	if !sandbox.Seccomp() {
		t.Skip("this kernel has no seccomp")
	}
	if out, err := r.attack("segments.cc", &Sandbox{}, of...); err != nil || strings.Contains(out.Stderr, "GAINED") {
		t.Errorf("in the sandbox: %v\n%s", err, out.Stderr)
	}
}

// What a process has in segments counts as its memory.
func TestSegmentsCountAsMemory(t *testing.T) {
	kernelstest.Live(t)
	const bytes = 8<<20 + 8192
	r := newRig(t)
	spec := r.spec(r.adapter("attacks/segments.cc"))
	spec.MemoryBytes, spec.Env = 100<<20, []string{fmt.Sprint("BYTES=", bytes), "MORE=16", fmt.Sprint("KEY=", 1<<21+os.Getpid())}
	_, err := r.attackAs(spec)
	if fault := runnerFault(err); fault.Code != result.CodeFilled || !strings.Contains(fault.Message, "SysV") {
		t.Errorf("err = %v, want its memory named", err)
	}
	for _, id := range child.Segments().Strays {
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	}
	if n := segmentsOf(t, bytes); n != 0 {
		t.Errorf("%d segments are still there", n)
	}
}
