package observe_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

// probeEnv makes this test a program that asks for files in one way, with the arguments that follow.
const probeEnv = "OBSERVE_PROBE"

func TestMain(m *testing.M) {
	name, arguments, ok := strings.Cut(os.Getenv(probeEnv), " ")
	if !ok {
		os.Exit(m.Run())
	}
	probes[name](strings.Fields(arguments))
}

var probes = map[string]func([]string){
	"calls": callEach, "folders": everyFolder, "chroot": chrootAndOpen, "thread": execOfThread, "many": many, "flip": flip, "loop": loop,
	"connect": connectTo, "pair": connectInside, "call": oneCall, "nested": nested, "empty": emptyPath, "datagrams": datagrams,
}

func path(text string) uintptr {
	p, err := unix.BytePtrFromString(text)
	if err != nil {
		panic(err)
	}
	kept = append(kept, p)
	return uintptr(unsafe.Pointer(p))
}

var kept []*byte // what the system calls below point to

// word is a zero that Linux may write more than one into.
func word() uintptr {
	b := make([]byte, 512)
	kept = append(kept, &b[0])
	return uintptr(unsafe.Pointer(&b[0]))
}

func raw(number uintptr, a ...uintptr) (uintptr, unix.Errno) {
	a = append(a, make([]uintptr, 6-len(a))...)
	result, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	return result, errno
}

// everyCall asks for a file in every way that takes a path from a folder's descriptor, the working directory, or either.
func everyCall(p func(string) uintptr) map[string]func() {
	const cwd = ^uintptr(99) // AT_FDCWD
	how := [3]uint64{unix.O_RDONLY}
	ask := func(number uintptr, a ...uintptr) func() { return func() { raw(number, a...) } }
	return map[string]func(){
		"openat":            ask(unix.SYS_OPENAT, cwd, p("openat"), 0),
		"openat2":           ask(unix.SYS_OPENAT2, cwd, p("openat2"), uintptr(unsafe.Pointer(&how)), 24),
		"open_tree":         ask(unix.SYS_OPEN_TREE, cwd, p("open_tree"), 0),
		"name_to_handle_at": ask(unix.SYS_NAME_TO_HANDLE_AT, cwd, p("name_to_handle_at"), word(), word(), 0),
		"statx":             ask(unix.SYS_STATX, cwd, p("statx"), 0, 0, word()),
		"faccessat":         ask(unix.SYS_FACCESSAT, cwd, p("faccessat"), 0),
		"faccessat2":        ask(unix.SYS_FACCESSAT2, cwd, p("faccessat2"), 0, 0),
		"readlinkat":        ask(unix.SYS_READLINKAT, cwd, p("readlinkat"), word(), 8),
		"statfs":            ask(unix.SYS_STATFS, p("statfs"), word()),
		"chdir":             ask(unix.SYS_CHDIR, p("chdir")),
		"inotify_add_watch": ask(unix.SYS_INOTIFY_ADD_WATCH, 99, p("inotify_add_watch"), 1),
		"fanotify_mark":     ask(unix.SYS_FANOTIFY_MARK, 99, 1, 1, cwd, p("fanotify_mark")),
		"getxattr":          ask(unix.SYS_GETXATTR, p("getxattr"), p("user.x"), word(), 8),
		"lgetxattr":         ask(unix.SYS_LGETXATTR, p("lgetxattr"), p("user.x"), word(), 8),
		"getxattrat":        ask(464, cwd, p("getxattrat"), 0, p("user.x"), word(), 16),
		"listxattr":         ask(unix.SYS_LISTXATTR, p("listxattr"), word(), 8),
		"llistxattr":        ask(unix.SYS_LLISTXATTR, p("llistxattr"), word(), 8),
		"file_getattr":      ask(468, cwd, p("file_getattr"), word(), 24, 0),
		"execve":            ask(unix.SYS_EXECVE, p("execve"), 0, 0),
		"execveat":          ask(unix.SYS_EXECVEAT, cwd, p("execveat"), 0, 0, 0),
		"truncate":          ask(unix.SYS_TRUNCATE, p("truncate"), 0),
		"fchmodat":          ask(unix.SYS_FCHMODAT, cwd, p("fchmodat"), 0o600),
		"fchownat":          ask(unix.SYS_FCHOWNAT, cwd, p("fchownat"), 0, 0, 0),
		"utimensat":         ask(unix.SYS_UTIMENSAT, cwd, p("utimensat"), 0, 0),
		"unlinkat":          ask(unix.SYS_UNLINKAT, cwd, p("unlinkat"), 0),
		"mkdirat":           ask(unix.SYS_MKDIRAT, cwd, p("mkdirat"), 0o700),
		"mknodat":           ask(unix.SYS_MKNODAT, cwd, p("mknodat"), unix.S_IFIFO|0o600, 0),
		"symlinkat":         ask(unix.SYS_SYMLINKAT, p("none"), cwd, p("symlinkat")),
		"linkat":            ask(unix.SYS_LINKAT, cwd, p("linkat"), cwd, p("none/linkat"), 0),
		"renameat2":         ask(unix.SYS_RENAMEAT2, cwd, p("renameat2"), cwd, p("none/renameat2"), 0),
		"chroot":            ask(unix.SYS_CHROOT, p("none/chroot")),
	}
}

func callEach([]string) {
	for _, call := range everyCall(path) {
		call()
	}
}

func orExit(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// everyFolder asks for names from where a descriptor, chdir and fchdir lead.
func everyFolder([]string) {
	fd, err := unix.Open("a", unix.O_PATH|unix.O_DIRECTORY, 0)
	orExit(err)
	var stat unix.Stat_t
	_ = unix.Fstatat(fd, "by-descriptor", &stat, 0)
	_ = unix.Fstatat(fd, "../by-descriptor-up", &stat, 0)
	orExit(unix.Fchdir(fd))
	_ = unix.Stat("by-fchdir", &stat)
	orExit(unix.Chdir("../b"))
	_ = unix.Stat("./by-chdir", &stat)
	how := [3]uint64{unix.O_RDONLY, 0, unix.RESOLVE_IN_ROOT}
	raw(unix.SYS_OPENAT2, uintptr(fd), path("/in-root"), uintptr(unsafe.Pointer(&how)), 24)
}

func chrootAndOpen([]string) {
	orExit(unix.Chroot("jail"))
	orExit(unix.Chdir("/"))
	var stat unix.Stat_t
	_ = unix.Stat("/of-the-jail", &stat)
	_ = unix.Stat("/link", &stat)
	_ = unix.Stat("../../../up", &stat)
}

func execOfThread(args []string) {
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		orExit(syscall.Exec("/bin/cat", append([]string{"cat"}, args...), nil))
	}()
	<-ended
}

func many(args []string) {
	count, _ := strconv.Atoi(args[0])
	var stat unix.Stat_t
	for i := range count {
		_ = unix.Stat("name-"+strconv.Itoa(i), &stat)
	}
	fmt.Println("all of them")
}

// flip changes a path while it is read.
func flip([]string) {
	name := []byte("flip-a\x00")
	var stop atomic.Bool
	go func() {
		for !stop.Load() {
			name[5] ^= 'a' ^ 'b'
		}
	}()
	for range 3000 {
		raw(unix.SYS_FACCESSAT, ^uintptr(99), uintptr(unsafe.Pointer(&name[0])), 0)
	}
	stop.Store(true)
}

func loop([]string) {
	_, _ = os.Stat("again")
	fmt.Println("begun")
	for {
		_, _ = os.Stat("again")
	}
}

func connectTo(args []string) {
	c, err := net.Dial(args[0], args[1])
	if err == nil {
		c.Close()
	}
}

func connectInside([]string) {
	for _, name := range []string{"socket", "@observe-inside"} {
		l, err := net.Listen("unix", name)
		orExit(err)
		c, err := net.Dial("unix", name)
		orExit(err)
		c.Close()
		l.Close()
	}
}

// datagrams sends one with an address in each way.
func datagrams(args []string) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	orExit(err)
	to := &unix.SockaddrUnix{Name: args[1]}
	switch args[0] {
	case "sendto":
		_ = unix.Sendto(fd, []byte("x"), 0, to)
	case "sendmsg":
		_ = unix.Sendmsg(fd, []byte("x"), nil, to, 0)
	case "sendmmsg":
		address := append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), args[1]+"\x00"...)
		messages := make([]uint64, 2*8) // the second one has the address
		messages[8], messages[9] = uint64(uintptr(unsafe.Pointer(&address[0]))), uint64(len(address))
		raw(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&messages[0])), 2, 0)
	}
}

func oneCall(args []string) {
	var a []uintptr
	for _, arg := range args {
		n, err := strconv.ParseUint(arg, 0, 64)
		orExit(err)
		a = append(a, uintptr(n))
	}
	_, errno := raw(a[0], a[1:]...)
	fmt.Printf("%d", errno)
}

// nested observes below an observer.
func nested([]string) {
	p, err := child.Start(child.Spec{Path: "/bin/echo", Args: []string{"ran"}, Observe: &observe.Options{}})
	orExit(err)
	out, err := p.Wait(context.Background())
	orExit(err)
	fmt.Print(out.Stdout, p.Observed().Incomplete[0].Kind, " ", p.Observed().Incomplete[0].Detail)
}

// emptyPath starts a program by its descriptor alone.
func emptyPath(args []string) {
	fd, err := unix.Open(args[0], unix.O_PATH, 0)
	orExit(err)
	name, err := unix.BytePtrFromString("x")
	orExit(err)
	argv := []*byte{name, nil}
	_, errno := raw(unix.SYS_EXECVEAT, uintptr(fd), path(""), uintptr(unsafe.Pointer(&argv[0])), 0, unix.AT_EMPTY_PATH)
	orExit(errno)
}

// nobody runs tests of this program as another user.
func nobody(t *testing.T, tests string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "observe-nobody-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := dir + "/program"
	self, err := os.Executable()
	must(t, err)
	must(t, exec.Command("cp", self, program).Run())
	must(t, os.Chmod(dir, 0o777))
	cmd := exec.Command(program, "-test.v", "-test.run", tests)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as another user: %v\n%s", err, out)
	}
	return string(out)
}

// command starts a helper by hand, with a pipe to the program's standard input.
func command(t *testing.T, dir string, link *sandbox.Link, path string, args []string) (*exec.Cmd, io.Closer) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.ExtraFiles = dir, []*os.File{link.File()}
	in, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, in
}
