package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// start runs a program under a policy and returns what it printed, and why it ended.
func start(t *testing.T, p Policy, path string, args ...string) string {
	t.Helper()
	t.Setenv("TMPDIR", os.TempDir())
	out, err := confined(t, p, path, args)
	if err != nil {
		out += fmt.Sprintln(err)
	}
	return out
}

func needLandlock(t *testing.T, version int) {
	t.Helper()
	if got := LandlockABI(); got < version {
		t.Skipf("this Linux kernel has version %d of Landlock, and the test needs version %d", got, version)
	}
}

func needSeccomp(t *testing.T) {
	t.Helper()
	if !Seccomp() {
		t.Skip("this kernel cannot filter system calls")
	}
}

// compiled builds a program of testdata.
func compiled(t *testing.T, name string, flags ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler here")
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command(compiler, append([]string{"-o", program, filepath.Join("testdata", name)}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// attempt is one system call: what it is for, its name, its arguments, and what is to come of it: an errno, 0, or a signal below 0.
type attempt struct {
	what string
	call string
	args string // hexadecimal, with colons between; P is room for an answer
	want int
}

func (a attempt) spell(t *testing.T) (string, bool) {
	t.Helper()
	here, err := arch.GetInfo("")
	must(t, err)
	number, found := here.SyscallNames[a.call]
	if !found {
		_, err := fmt.Sscanf(a.call, "%v", &number)
		found = err == nil
	}
	return fmt.Sprintf("%s:%x:%s", strings.ReplaceAll(a.what, " ", "_"), number, a.args), found
}

// come compares what came of attempts with what is to.
func come(t *testing.T, attempts []attempt, run func(args []string) string) {
	t.Helper()
	var args []string
	want := map[string]string{}
	for _, a := range attempts {
		text, found := a.spell(t)
		if !found {
			continue // not a call of this kind of processor
		}
		args = append(args, text)
		name, _, _ := strings.Cut(text, ":")
		want[name] = fmt.Sprint(a.want)
		if a.want < 0 {
			want[name] = fmt.Sprintf("signal %d", -a.want)
		}
	}
	got := map[string]string{}
	out := run(args)
	for line := range strings.Lines(out) {
		name, came, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[name] = came
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: %q came of it, want %s", name, got[name], w)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

const (
	eaccess, eperm, enosys = int(unix.EACCES), int(unix.EPERM), int(unix.ENOSYS)
	none                   = "ffffffffffffffff:ffffffffffffffff:ffffffffffffffff:ffffffffffffffff:ffffffffffffffff:ffffffffffffffff"
)

// arguments are calls that depend on their arguments. Of many of those the kernel looks at 32 bits alone: rubbish above opens nothing.
var arguments = []attempt{
	{"a Unix socket of streams", "socket", "1:80801:0", 0},
	{"a Unix socket of packets", "socket", "1:5:0", 0},
	{"raw Unix", "socket", "1:3:0", eaccess},
	{"a Unix socket with rubbish above", "socket", "100000001:1:0", eaccess},
	{"connecting", "connect", "0:0:0", int(unix.ENOENT)},
	{"sending to an address", "sendto", "0:0:0:0:P:2", eaccess},
	{"sending to no address, on no socket", "sendto", "0:P:1:0:0:0", int(unix.ENOTSOCK)},
	{"Unix datagrams", "socket", "1:2:0", eaccess},
	{"TCP", "socket", "2:1:6", eaccess},
	{"TCP for 6", "socket", "a:80001:0", eaccess},
	{"UDP", "socket", "2:2:0", eaccess},
	{"Multipath TCP", "socket", "2:1:106", eaccess},
	{"raw packets", "socket", "11:3:0300", eaccess},
	{"raw IP", "socket", "2:3:1", eaccess},
	{"netlink", "socket", "10:3:0", eaccess},
	{"vsock", "socket", "28:1:0", eaccess},
	{"the kernel's ciphers", "socket", "26:5:0", eaccess},
	{"a pair of datagrams", "socketpair", "1:2:0:P", eaccess},
	{"a pair of raw ones", "socketpair", "1:3:0:P", eaccess},
	{"a pair of reliable datagrams", "socketpair", "1:4:0:P", eaccess},
	{"a pair of datagrams with flags", "socketpair", "1:80802:0:P", eaccess},
	{"a pair of datagrams with rubbish above", "socketpair", "1:100000002:0:P", eaccess},
	{"a pair of another family", "socketpair", "1e:1:0:P", eaccess},
	{"a pair of streams", "socketpair", "1:1:0:P", 0},
	{"a pair of streams with flags", "socketpair", "1:80801:0:P", 0},
	{"a pair of packets", "socketpair", "1:5:0:P", 0},
	{"a user's namespace", "clone", "10000011:0:0:0:0", eperm},
	{"a network's namespace", "clone", "40000011:0:0:0:0", eperm},
	{"READ_IMPLIES_EXEC", "personality", "400000", eperm},
	{"asking for the personality", "personality", "ffffffff", 0},
	{"ADDR_NO_RANDOMIZE", "personality", "40000", 0},
	{"limits of init", "prlimit64", "1:0:0:P", eperm},
	{"own limits", "prlimit64", "0:0:0:P", 0},
	{"all of the user slowed down", "setpriority", "2:0:13", eperm},
	{"init slowed down", "setpriority", "0:1:13", eperm},
	{"itself slowed down", "setpriority", "0:0:13", 0},
	{"the user's disk slowed down", "ioprio_set", "3:0:6000", eperm},
	{"a counter", "perf_event_open", "P:0:ffffffffffffffff:ffffffffffffffff:0", eperm},
	{"a number that nobody has", "1000", none, enosys},
}

func TestCallsThatAreRefused(t *testing.T) {
	needSeccomp(t)
	program := compiled(t, "calls.c")
	attempts := arguments
	for _, r := range refusals {
		for _, name := range r.names {
			attempts = append(attempts, attempt{name, name, none, int(r.errno)})
		}
	}
	if runtime.GOARCH == "amd64" {
		attempts = append(attempts, attempt{"the way of 32-bit programs", "128", "0", -int(wayOf32Bits(t, program))},
			attempt{"getpid of x32", fmt.Sprint(0x40000000 + unix.SYS_GETPID), "0", enosys}, attempt{"ptrace of x32", "521", "0:1", enosys},
			attempt{"a socket of x32", fmt.Sprint(0x40000000 + unix.SYS_SOCKET), "1:1:0", enosys})
	}
	box := System().With(Folders(filepath.Dir(program)))
	if LandlockABI() >= abiUnixPaths {
		t.Skip("this kernel's Landlock rules on Unix sockets, and other tests are about that")
	}
	come(t, attempts, func(args []string) string { return start(t, box, program, args...) })
}

// No call leaves the list unseen: the attempts above are made of it.
func TestNoRefusalIsForgotten(t *testing.T) {
	want := strings.Fields(`
		shmget shmat shmdt shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl
		mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr add_key request_key keyctl
		io_uring_setup io_uring_enter io_uring_register bpf userfaultfd
		inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark unshare setns clone3
		mount umount2 pivot_root chroot move_mount open_tree open_tree_attr fsopen fsconfig fsmount fspick
		mount_setattr statmount listmount name_to_handle_at open_by_handle_at
		kexec_load kexec_file_load init_module finit_module delete_module reboot swapon swapoff settimeofday
		clock_settime sethostname setdomainname acct quotactl quotactl_fd nfsservctl lookup_dcookie syslog vhangup iopl ioperm`)
	var refused []string
	for _, r := range refusals {
		refused = append(refused, r.names...)
	}
	for _, name := range want {
		if !slices.Contains(refused, name) {
			t.Errorf("%s is not refused", name)
		}
	}
}

// wayOf32Bits is the signal that ends a process in the sandbox which calls the way 32-bit programs do. A kernel that is built without that way
// ends it before any filter is asked.
func wayOf32Bits(t *testing.T, program string) unix.Signal {
	t.Helper()
	out, err := exec.Command(program, "outside:80:0").Output()
	must(t, err)
	if string(out) == fmt.Sprintf("outside signal %d\n", unix.SIGSEGV) {
		return unix.SIGSEGV
	}
	return unix.SIGSYS
}

// What a policy opens is open, and nothing else with it: what fetches packages reaches the network, and no socket of the machine.
func TestCallsThatAPolicyAllows(t *testing.T) {
	needSeccomp(t)
	program := compiled(t, "calls.c")
	for _, c := range []struct {
		policy   Policy
		attempts []attempt
	}{
		{Policy{Sockets: true, Counters: true}, []attempt{
			{"a Unix socket", "socket", "1:1:0", 0}, {"Unix datagrams", "socket", "1:2:0", 0}, {"TCP", "socket", "2:1:6", eaccess},
			{"another family with rubbish above", "socket", "100000001:1:0", eaccess}, {"netlink", "socket", "10:3:0", eaccess},
			{"a pair of datagrams", "socketpair", "1:2:0:P", 0}, {"a counter without a description", "perf_event_open", "0:0:0:0:0", int(unix.EFAULT)},
		}},
		{Network(), []attempt{
			{"TCP", "socket", "2:1:6", 0}, {"UDP of IPv6", "socket", "a:2:0", 0}, {"addresses of the machine", "socket", "10:3:0", 0},
			{"a Unix socket", "socket", "1:1:0", eaccess}, {"Unix datagrams", "socket", "1:2:0", eaccess}, {"a raw packet", "socket", "11:3:0", eaccess},
		}},
	} {
		box := System().With(Folders(filepath.Dir(program)), c.policy)
		come(t, c.attempts, func(args []string) string { return start(t, box, program, args...) })
	}
}

// The attempts are some: most of them succeed where nothing is refused, or fail for another reason.
func TestCallsOutsideOfTheSandbox(t *testing.T) {
	program := compiled(t, "calls.c")
	out, err := exec.Command(program, "unix:"+fmt.Sprintf("%x", unix.SYS_SOCKET)+":1:1:0", fmt.Sprintf("pair:%x:1:2:0:P", unix.SYS_SOCKETPAIR), "32-bit:80:0").Output()
	if err != nil || !strings.Contains(string(out), "unix 0\npair 0\n") {
		t.Errorf("%v: %s", err, out)
	}
	t.Logf("%s", out)
}

// A policy with root's rights has none in the sandbox, but those that it names.
func TestCapabilities(t *testing.T) {
	of := func(p Policy) string {
		out := start(t, System().With(p), "/bin/sh", "-c", "while read -r name value; do case $name in Cap*) echo $name $value;; esac; done </proc/self/status")
		return strings.Join(strings.Fields(out), " ")
	}
	if got := of(Policy{}); !strings.Contains(got, "CapPrm: 0000000000000000 CapEff: 0000000000000000") || !strings.Contains(got, "CapAmb: 0000000000000000") {
		t.Error(got)
	}
	if os.Geteuid() != 0 {
		return
	}
	if got := of(Policy{}); !strings.Contains(got, "CapBnd: 0000000000000000") {
		t.Error(got)
	}
	if got := of(Policy{Counters: true}); !strings.Contains(got, "CapPrm: 0000004000000000 CapEff: 0000004000000000") {
		t.Error("with counters: " + got)
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 12345, 12345); err != nil {
		t.Skip(err)
	}
	if got := of(Policy{Write: []string{dir}}); !strings.Contains(got, "CapEff: 0000000000000002") {
		t.Error("with a folder of somebody else: " + got)
	}
	if out := start(t, System().With(Policy{Write: []string{dir}}), "/bin/sh", "-c", "echo may write >"+dir+"/file && cat "+dir+"/file"); out != "may write\n" {
		t.Error(out)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
