package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/sandbox"
)

// attackOnTheRunner goes into a kernel's source. It takes over a process that listens on a diagnostic port of .NET, as GitHub's runner
// does, and leaves memory behind that belongs to no process.
const attackOnTheRunner = `#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static struct Attack {
  Attack() {
    sockaddr_un to = {};
    to.sun_family = AF_UNIX;
    strcpy(to.sun_path, "%s");
    const int out = socket(AF_UNIX, SOCK_STREAM, 0);
    if (out >= 0 && connect(out, (const sockaddr *)&to, sizeof to) == 0) (void)!write(out, "DOTNET_IPC_V1", 13);
    shmget(IPC_PRIVATE, %d, IPC_CREAT | 0600);
  }
} attack;
`

// A kernel reaches neither the runner that started its job nor the time after it; where there is no sandbox, the report says so.
func TestKernelDoesNotReachTheRunner(t *testing.T) {
	kernelstest.Live(t)
	if !sandbox.Seccomp() || sandbox.LandlockABI() == 0 {
		t.Skip("this kernel has no sandbox for it")
	}
	const bytes = 5<<20 + 4096
	p := newProject(t)
	path := filepath.Join(p.tmp, fmt.Sprintf("dotnet-diagnostic-%d-123456-socket", os.Getpid()))
	port, err := net.Listen("unix", path)
	must(t, err)
	var reached atomic.Int64
	go func() {
		for {
			conn, err := port.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			conn.Close()
		}
	}()
	p.mustRun("sh", "-c", "mkdir before && cp -r bench perfgate.yaml before/")
	p.write("bench/scale_add.cc", fmt.Sprintf(attackOnTheRunner, path, bytes)+p.read("bench/scale_add.cc"))
	run := func(mode string) string {
		out, exit := p.run("perfgate", "run", "--base", "before", "--head", ".", "--sandbox="+mode, "--budget", "10ms", "-v")
		if exit != 0 && exit != 3 { // the clock is not the question
			t.Errorf("--sandbox=%s: exit code %d:\n%s", mode, exit, out)
		}
		if n := len(segments(bytes)); n != 0 {
			t.Errorf("--sandbox=%s: %d segments outlived the run", mode, n)
		}
		return out
	}
	if out := run("on"); reached.Load() != 0 || !strings.Contains(out, "seccomp") || strings.Contains(out, "SysV segments") {
		t.Errorf("in the sandbox: the runner was reached %d times:\n%s", reached.Load(), out)
	}
	if out := run("off"); reached.Load() == 0 || !strings.Contains(out, "SysV segments that builds or kernels left in memory") {
		t.Errorf("without the sandbox: the runner was reached %d times:\n%s", reached.Load(), out)
	}
	port.Close()
	p.clean()
}

// segments are the System V segments of so many bytes that are there. They are removed.
func segments(bytes int) (found []string) {
	text, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(text)) {
		var key, id, perms, size int
		if n, _ := fmt.Sscan(line, &key, &id, &perms, &size); n == 4 && size == bytes {
			found = append(found, line)
			_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
	}
	return found
}

// A worker that is killed cannot remove what its runners have made: its supervisor does.
func TestSegmentsGoWithAKilledWorker(t *testing.T) {
	if _, err := os.Stat("/proc/sysvipc/shm"); err != nil {
		t.Skip("this kernel has no SysV memory")
	}
	const bytes = 6<<20 + 4096
	p := newProject(t)
	p.write(starterKernel, fmt.Sprintf(`#include <cstddef>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>
static void hang() {
  shmget(IPC_PRIVATE, %d, IPC_CREAT | 0600);
  for (;;) pause();
}
void scale_add_f32(float, const float *, float *, std::size_t) { hang(); }
void scale_add_f64(double, const double *, double *, std::size_t) { hang(); }
`, bytes))
	r := p.start("perfgate", "run", "--base", ".", "--head", ".", "--sandbox=off", "--time-identical")
	r.waitFor("^parity: scale_add")
	for noted := false; !noted; time.Sleep(50 * time.Millisecond) { // go test ends what waits for ever
		notes, err := filepath.Glob(filepath.Join(p.tmp, "*", "segments"))
		must(t, err)
		noted = len(notes) > 0
	}
	send(t, childOf(t, r.cmd.Process.Pid), syscall.SIGKILL)
	if code, says := r.wait(); code != 3 {
		t.Errorf("exit code %d:\n%s", code, says)
	}
	if left := segments(bytes); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	p.clean()
}
