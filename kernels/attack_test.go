package kernels

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
	"github.com/org/perfgate/kernels/sandbox"
)

// machineOfOthers is what an attack goes for: files of the user that are none of the run's.
type machineOfOthers struct {
	files   []string
	folders []string
	content map[string]string
}

// others lays out a runner with its credentials, command files, another workspace, a baseline store and a checkout's .git.
func others(t *testing.T) machineOfOthers {
	t.Helper()
	root := t.TempDir()
	m := machineOfOthers{content: map[string]string{}}
	for _, name := range []string{
		"actions-runner/.credentials", "actions-runner/.credentials_rsaparams", "home/.ssh/id_ed25519", "home/.netrc",
		"_temp/_runner_file_commands/set_output_1", "_temp/_runner_file_commands/set_env_1", "_temp/_runner_file_commands/add_path_1",
		"_work/other/other/secret.cc", "store/cpu/0123456789.json.gz", "checkout/.git/config",
	} {
		path := filepath.Join(root, name)
		write(t, path, "secret of "+name)
		m.files = append(m.files, path)
		m.folders = append(m.folders, filepath.Dir(path))
		m.content[path] = "secret of " + name
	}
	return m
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// untouched says whether all is as it was laid out, and nothing was added.
func (m machineOfOthers) untouched(t *testing.T) {
	t.Helper()
	for path, want := range m.content {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is %q now (%v)", path, got, err)
		}
	}
	for _, dir := range m.folders {
		planted, _ := filepath.Glob(filepath.Join(dir, "planted*"))
		for _, path := range planted {
			t.Errorf("%s was made", path)
		}
	}
}

// targets is what an attack goes for, as a variable that it reads: one build of it serves all tests.
func targets(name string, paths ...string) string { return name + "=" + strings.Join(paths, ":") }

// attack runs an attacking adapter, in the sandbox or without, and returns what it printed and the timing's error.
func (r *rig) attack(name string, box *Sandbox, targets ...string) (child.Output, error) {
	r.t.Helper()
	spec := r.spec(r.adapter("attacks/" + name))
	spec.Sandbox, spec.Env = box, targets
	return r.attackAs(spec)
}

func (r *rig) attackAs(s RunnerSpec) (child.Output, error) {
	r.t.Helper()
	runner := r.run(s)
	_, err := runner.time(time.Minute, 10, "reference")
	runner.Close()
	if left, _ := os.ReadDir(s.Dir); len(left) != 0 && s.Sandbox != nil {
		r.t.Errorf("%v left behind", left)
	}
	return runner.process.Output(), err
}

// inAndOut runs an attack without the sandbox, where it must gain something, or it would show nothing; and in it, where it
// must be stopped every time that it was not stopped by itself, and still be timed as the kernel that it is.
func (r *rig) inAndOut(name string, targets ...string) {
	r.t.Helper()
	if out, err := r.attack(name, nil, targets...); err != nil || !strings.Contains(out.Stderr, "GAINED") {
		r.t.Errorf("%s without the sandbox: %v, and it printed:\n%s", name, err, out.Stderr)
	}
	out, err := r.attack(name, &Sandbox{}, targets...)
	if err != nil || strings.Contains(out.Stderr, "GAINED") || !strings.Contains(out.Stderr, "denied") {
		r.t.Errorf("%s in the sandbox: %v, and it printed:\n%s", name, err, out.Stderr)
	}
}

func TestKernelCannotReadWhatOthersOwn(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	kernelstest.NeedLandlock(t, 1)
	m := others(t)
	leaked, err := os.Open(m.files[0])
	must(t, err)
	defer leaked.Close()
	// As if whoever started us had left it open for us, and so for our children.
	if _, err := syscall.Dup(int(leaked.Fd())); err != nil {
		t.Fatal(err)
	}
	newRig(t).inAndOut("reads.cc", targets("SECRETS", m.files...), targets("FOLDERS", m.folders...))
}

// copied is a program or a library in a folder of its own.
func copied(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	to := filepath.Join(t.TempDir(), filepath.Base(path))
	must(t, kernelstest.WriteProgram(to, content))
	return to
}

func TestKernelCannotChangeWhatOthersOwn(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	kernelstest.NeedLandlock(t, 3)
	r := newRig(t)
	m, honest := others(t), r.adapter("cheats/honest.cc")
	r.harness.Path = copied(t, r.harness.Path) // all tests share those that were built: an attack that works must not reach them
	files := append([]string{r.harness.Path, copied(t, honest.Path)}, m.files...)
	before := map[string]string{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		must(t, err)
		before[path] = string(b)
	}
	out, err := r.attack("writes.cc", &Sandbox{}, targets("FILES", files...), targets("FOLDERS", m.folders...))
	if err != nil || strings.Contains(out.Stderr, "GAINED") || strings.Count(out.Stderr, "denied") < 4*len(files) {
		t.Errorf("in the sandbox: %v, and it printed:\n%s", err, out.Stderr)
	}
	m.untouched(t)
	for path, want := range before {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s has changed (%v)", path, err)
		}
	}
	// The attack is one: on files that may be lost it works where nothing stops it.
	sacrifice := others(t)
	out, err = r.attack("writes.cc", nil, targets("FILES", sacrifice.files...), targets("FOLDERS", sacrifice.folders...))
	if err != nil || strings.Count(out.Stderr, "GAINED") < 3*len(sacrifice.files) {
		t.Errorf("without the sandbox: %v, and it printed:\n%s", err, out.Stderr)
	}
}

func TestKernelCannotReachOut(t *testing.T) {
	t.Parallel()
	kernelstest.NeedLandlock(t, 6)
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer tcp.Close()
	name := fmt.Sprintf("perfgate-test-%d", os.Getpid())
	abstract, err := net.Listen("unix", "@"+name)
	must(t, err)
	defer abstract.Close()
	newRig(t).inAndOut("network.cc", fmt.Sprintf("PORT=%d", tcp.Addr().(*net.TCPAddr).Port), targets("ABSTRACT", name))
}

// A runner of GitHub's listens in the temporary folder: .NET's diagnostic port, by which whoever may connect takes it over.
func TestKernelCannotReachSocketsOfTheUser(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	if !sandbox.Seccomp() && sandbox.LandlockABI() < 9 {
		t.Skip("this kernel cannot forbid it")
	}
	runner := filepath.Join(t.TempDir(), fmt.Sprintf("dotnet-diagnostic-%d-123456-socket", os.Getpid()))
	port, err := net.Listen("unix", runner)
	must(t, err)
	defer port.Close()
	said := make(chan string, 16)
	go func() {
		for {
			conn, err := port.Accept()
			if err != nil {
				return
			}
			text := make([]byte, 64)
			n, _ := conn.Read(text)
			said <- string(text[:n])
			conn.Close()
		}
	}()
	datagrams := filepath.Join(t.TempDir(), "datagrams")
	packets, err := net.ListenPacket("unixgram", datagrams)
	must(t, err)
	defer packets.Close()
	of := []string{targets("STREAM", runner), targets("DATAGRAM", datagrams), "PORT=9"}
	r := newRig(t)
	if out, err := r.attack("sockets.cc", &Sandbox{}, of...); err != nil || !strings.Contains(out.Stderr, "a pair of streams works") {
		t.Errorf("%v\n%s", err, out.Stderr)
	}
	if len(said) != 0 {
		t.Errorf("the runner was told %q", <-said)
	}
	r.inAndOut("sockets.cc", of...)
	select {
	case got := <-said:
		if got != "DOTNET_IPC_V1" {
			t.Errorf("without the sandbox the runner was told %q", got)
		}
	case <-time.After(time.Minute):
		t.Error("the attack is none: without the sandbox the runner was told nothing")
	}
}

func TestDaemonInTheSandboxIsEnded(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	before := child.Orphaned()
	if out, err := newRig(t).attack("daemon.cc", &Sandbox{}); err != nil {
		t.Errorf("%v\n%s", err, out.Stderr)
	}
	if child.Orphaned() == before {
		t.Error("nobody noticed that it left a process behind")
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if fields := strings.Fields(string(b)); err == nil && len(fields) > 3 && fields[3] == fmt.Sprint(os.Getpid()) && strings.Contains(fields[1], "harness") && fields[2] != "Z" {
			t.Errorf("still there: %s", b)
		}
	}
}

// What an attack comes to in the sandbox, where that is a code or nothing.
func TestAttacksComeToNothing(t *testing.T) {
	kernelstest.Live(t)
	r := newRig(t)
	for name, c := range map[string]struct {
		source string
		disk   int64
		env    []string
		codes  []result.Code
	}{
		// A forged answer comes in addition to the true one, which gives it away; and the way to it is not in the usual place.
		"a forged reply":             {"forges_reply.cc", 0, nil, []result.Code{result.CodeNonsense}},
		"many files fill the disk":   {"fills_disk.cc", 24 << 20, nil, []result.Code{result.CodeFilled}},
		"one file fills the disk":    {"fills_disk.cc", 24 << 20, []string{"ONE_FILE=1"}, []result.Code{result.CodeFilled, result.CodeCrashed}}, // by SIGXFSZ
		"a thread is given its name": {"names_thread.cc", 0, nil, []result.Code{""}},                                                            // as CUDA's driver does before anything else
	} {
		t.Run(name, func(t *testing.T) {
			r := *r
			r.t = t
			out, err := r.attack(c.source, &Sandbox{DiskBytes: c.disk}, c.env...)
			if expectCode(t, err, c.codes); runnerFault(err).Code == result.CodeCrashed && !strings.Contains(err.Error(), "SIGXFSZ") {
				t.Errorf("%v\n%s", err, out.Stderr)
			}
		})
	}
}

func TestClosedFoldersAreRemoved(t *testing.T) {
	kernelstest.Live(t)
	outside := others(t)
	out, err := newRig(t).attack("closes_folder.cc", &Sandbox{}, targets("OUTSIDE", filepath.Dir(outside.files[0])))
	if err != nil || !strings.Contains(out.Stderr, "GAINED closing") {
		t.Errorf("%v\n%s", err, out.Stderr)
	}
	outside.untouched(t)
}

// A profiler starts the harness as a process of its own, which is not the first of the profiler's sandbox. It has its own inside of it,
// where threads can be named and nothing more is to be had: not what the profiler's has.
func TestSandboxUnderAnotherProgram(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	kernelstest.NeedLandlock(t, 1)
	r := newRig(t)
	m := others(t)
	m.files = append(m.files, "/proc/1/cmdline", fmt.Sprintf("/proc/%d/cmdline", os.Getpid()))
	for _, c := range []struct {
		attack string
		apart  bool
		want   string // in what it printed; "" means nothing
		opens  sandbox.Policy
	}{
		{"names_thread.cc", true, "", sandbox.Policy{}},
		{"names_thread.cc", false, "ermission denied", sandbox.Policy{}},
		{"reads.cc", true, "denied", sandbox.Policy{}},
		// What the profiler has, and the code under test has not.
		{"waits.cc", true, "denied counting", sandbox.Policy{Counters: true}},
		{"waits.cc", true, "a profiler's library may connect", sandbox.Policy{Sockets: true}},
	} {
		spec := r.spec(r.adapter("attacks/" + c.attack))
		// As profilers do: into their child goes a library of theirs, whose constructors run before anything of the harness but its sandbox.
		spec.Under, spec.Apart = []string{"/bin/sh", "-c", `LD_PRELOAD=$0 "$@"; exit $?`, spec.Library}, c.apart
		spec.Sandbox, spec.Opens, spec.Env = &Sandbox{}, c.opens, []string{targets("SECRETS", m.files...), targets("FOLDERS", m.folders...)}
		out, err := r.attackAs(spec)
		if c.want == "" && (err != nil || out.Stderr != "") || !strings.Contains(out.Stderr, c.want) || strings.Contains(out.Stderr, "GAINED") {
			t.Errorf("%s, apart %v: %v, and it printed:\n%s", c.attack, c.apart, err, out.Stderr)
		}
	}
}

// A program that cannot be started in the sandbox is no fault of the code under test.
func TestSandboxThatCannotStartIsNobodysFault(t *testing.T) {
	_, err := StartRunner(context.Background(), RunnerSpec{Harness: "/does/not/exist", Library: "none.so", Dir: t.TempDir(), Sandbox: &Sandbox{}})
	var fault *RunnerError
	if err == nil || errors.As(err, &fault) || !strings.Contains(err.Error(), "/does/not/exist in the sandbox: start") {
		t.Errorf("err = %v", err)
	}
	if sandbox.LandlockABI() == 0 {
		return
	}
	under := RunnerSpec{
		Harness: newRig(t).harness.Path, Library: "none.so", Dir: t.TempDir(), Sandbox: &Sandbox{}, Under: []string{"/bin/sh", "-c", `rm policy; "$@"; exit $?`, "sh"}, Apart: true,
	}
	if _, err := StartRunner(context.Background(), under); err == nil || errors.As(err, &fault) || !strings.Contains(err.Error(), "in the sandbox: harness: cannot read ") {
		t.Errorf("under another program: err = %v", err)
	}
}

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
