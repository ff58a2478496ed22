package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/cmd/perfgate/usertest"
)

const starterKernel = "bench/scale_add.cc"

// However a run is ended, nothing stays behind: no process, no temporary file, no laid-out revision, no lock.
func TestEndedRunsLeaveNothingBehind(t *testing.T) {
	toSupervisor := func(s syscall.Signal) func(*testing.T, int) {
		return func(t *testing.T, pid int) { send(t, pid, s) }
	}
	killWorker := func(t *testing.T, pid int) { send(t, childOf(t, pid), syscall.SIGKILL) }
	measuring, killed := `^measuring: round 1`, -1
	tests := []struct {
		name    string
		prepare func(*project)
		at      string // the line on standard error at which it is ended
		end     func(t *testing.T, supervisor int)
		code    int
		says    string
	}{
		{"SIGINT", nil, measuring, toSupervisor(syscall.SIGINT), 3, "interrupted: nothing was decided"},
		{"SIGTERM", nil, measuring, toSupervisor(syscall.SIGTERM), 3, "interrupted: nothing was decided"},
		{"SIGHUP", nil, measuring, toSupervisor(syscall.SIGHUP), 3, "interrupted: nothing was decided"},
		{"Ctrl-C", nil, measuring, func(t *testing.T, pid int) { send(t, -pid, syscall.SIGINT) }, 3, "interrupted: nothing was decided"},
		{"kill -9 of the worker", nil, measuring, killWorker, 3, "it was ended from outside"},
		{"kill -9 of the supervisor", nil, measuring, toSupervisor(syscall.SIGKILL), killed, ""},
		{"Ctrl-C while it compiles", slowBuild, `^building: scale_add \(base\)`, toSupervisor(syscall.SIGINT), 3, "interrupted: nothing was decided"},
		{"kill -9 while it compiles", slowBuild, `^building: scale_add \(base\)`, toSupervisor(syscall.SIGKILL), killed, ""},
		{"kill -9 of the worker while it compiles", slowBuild, `^building: scale_add \(base\)`, killWorker, 3, "it was ended from outside"},
		{"Ctrl-C while a kernel hangs", hangingKernel, `^parity: scale_add`, toSupervisor(syscall.SIGINT), 3, "interrupted: nothing was decided"},
		{"kill -9 while a kernel hangs", hangingKernel, `^parity: scale_add`, toSupervisor(syscall.SIGKILL), killed, ""},
		{"kill -9 of the worker while a kernel hangs", hangingKernel, `^parity: scale_add`, killWorker, 3, "it was ended from outside"},
		{"Ctrl-C while a benchmark hangs", hangingBenchmark, `^building: k \(first run of base\)`, toSupervisor(syscall.SIGINT), 3, "interrupted: nothing was decided"},
		{"kill -9 while a benchmark hangs", hangingBenchmark, `^building: k \(first run of base\)`, toSupervisor(syscall.SIGKILL), killed, ""},
	}
	for i, test := range tests {
		if testing.Short() && i%3 != 0 { // one or two of each stage
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			if test.prepare != nil {
				test.prepare(p)
			}
			p.commit("A kernel") // base is a revision, so that there is a copy of its files to forget
			p.leaveVerdict()
			r := p.start("perfgate", "run", "--base", "HEAD", "--time-identical")
			r.waitFor(test.at)
			test.end(t, r.cmd.Process.Pid)
			code, says := r.wait()
			if code != test.code || !strings.Contains(says, test.says) {
				t.Errorf("exit code %d, want %d; it must say %q:\n%s", code, test.code, test.says, says)
			}
			if left := p.verdict(); len(left) > 0 {
				t.Errorf("a run that was ended left %v", left)
			}
			p.clean()
		})
	}
}

// With both killed at once no process is left to remove files, but code under test must not run on.
func TestRunnersEndWhenBothAreKilled(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	hangingKernel(p)
	r := p.start("perfgate", "run", "--base", ".", "--head", ".", "--time-identical")
	r.waitFor(`^parity: scale_add`)
	send(t, -r.cmd.Process.Pid, syscall.SIGKILL)
	r.wait()
	must(t, os.RemoveAll(p.tmp))
	must(t, os.Mkdir(p.tmp, 0o755))
	if left := usertest.LeftBehind(p.tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// The next run is not kept waiting by the lock file of a dead one, and takes it away in the end.
	p.write(starterKernel, readText(t, filepath.Join("..", "..", "kernels", "starters", "cc", starterKernel)))
	p.mustRun("perfgate", "run", "--base", ".", "--head", ".")
	p.clean()
}

// A run that waits for another measurement says so and can be ended; the lock of the other one stays.
func TestCtrlCWhileWaiting(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	lock, err := os.Create(filepath.Join(p.lock, "perfgate-cpu.ticket.7.alone.4711"))
	must(t, err)
	defer lock.Close()
	must(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	r := p.start("perfgate", "run", "--base", ".", "--head", ".")
	r.waitFor(`^waiting: process 4711 has been measuring for `)
	send(t, r.cmd.Process.Pid, syscall.SIGINT)
	if code, says := r.wait(); code != 3 || !strings.Contains(says, "interrupted") {
		t.Errorf("exit code %d:\n%s", code, says)
	}
	if _, err := os.Stat(lock.Name()); err != nil {
		t.Errorf("the lock of the other run is gone: %v", err)
	}
	os.Remove(lock.Name())
	os.Remove(filepath.Join(p.lock, "perfgate-cpu.lock")) // which the last of a queue removes
	p.clean()
}

// slowBuild makes the build last longer than anybody waits.
func slowBuild(p *project) {
	p.edit("perfgate.yaml", "    flags: [-O0]\n", "    build: {command: sleep 1000 & sleep 1000, output: none.so}\n")
}

// hangingKernel makes the kernel hang, and fork a process that hangs in a session of its own.
func hangingKernel(p *project) {
	p.write(starterKernel, `#include <cstddef>
#include <cstdlib>
#include <unistd.h>
static void hang() {
  if (fork() == 0) setsid();
  for (;;) pause();
}
void scale_add_f32(float, const float *, float *, std::size_t) { hang(); }
void scale_add_f64(double, const double *, double *, std::size_t) { hang(); }
`)
}

// hangingBenchmark hangs in a session of its own as well.
func hangingBenchmark(p *project) {
	p.write("perfgate.yaml", "version: 1\nkernels:\n  - name: k\n    bench: {command: setsid sleep 1000 & sleep 1000, format: csv}\n")
}

// running is a command that runs in a process group of its own, as a shell starts it.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr *bufio.Reader
	said   strings.Builder
}

func (p *project) start(name string, args ...string) *running {
	p.t.Helper()
	r := &running{t: p.t, cmd: p.command(name, args...)}
	pipe, err := r.cmd.StderrPipe()
	must(p.t, err)
	r.stderr = bufio.NewReader(pipe)
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(p.t, r.cmd.Start())
	p.t.Cleanup(func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) })
	return r
}

// waitFor reads standard error up to a line that matches.
func (r *running) waitFor(pattern string) {
	r.t.Helper()
	re := regexp.MustCompile(pattern)
	for {
		line, err := r.stderr.ReadString('\n')
		r.said.WriteString(line)
		if re.MatchString(line) {
			return
		}
		if err != nil {
			r.t.Fatalf("no line %q in\n%s", pattern, &r.said)
		}
	}
}

// wait returns the exit code, -1 if a signal ended it, and what it said on standard error.
func (r *running) wait() (int, string) {
	r.t.Helper()
	stuck := time.AfterFunc(5*time.Minute, func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) })
	rest, _ := io.ReadAll(r.stderr)
	r.said.Write(rest)
	_ = r.cmd.Wait() // the exit code says it all
	if !stuck.Stop() {
		r.t.Errorf("it did not end within five minutes")
	}
	return r.cmd.ProcessState.ExitCode(), r.said.String()
}

func send(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("send %v to %d: %v", s, pid, err)
	}
}

// childOf finds the one child of a process.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range paths {
		status, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", parent)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	t.Fatalf("process %d has no child", parent)
	return 0
}
