package observe_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/observe"
	"github.com/org/perfgate/kernels/sandbox"
)

func TestReaderNobodyListed(t *testing.T) {
	r := newRig(t)
	r.probe("calls")
	for name := range everyCall(func(string) uintptr { return 0 }) {
		if name == "chroot" {
			name = "none/chroot"
		}
		r.want(0, name)
	}
	r.probe("call", fmt.Sprint(unix.SYS_OPEN_BY_HANDLE_AT), "0", "0", "0")
	r.wantReason(observe.Unread, "by a handle")
}

func TestFileOnlyLookedFor(t *testing.T) {
	r := newRig(t, "there")
	r.shell("test -e there; [ -e missing ]; [ -r no/such/file ]; [ -e there/below ]; [ -e no/such/../up ]")
	r.want(observe.LookedUp, "there", "missing", "no/such/file", "no")
	r.wantComplete()
}

func TestFolderOnlyListed(t *testing.T) {
	r := newRig(t, "folder/a", "folder/b/c")
	r.shell("ls folder; cd folder/b && ls")
	r.want(observe.Listed, "folder", "folder/b")
	if r.asked("folder/a") != 0 {
		t.Error("a name was taken for an asked one")
	}
}

func TestLinkOnTheWay(t *testing.T) {
	r := newRig(t, "real/deep/file")
	for link, to := range map[string]string{"one": "two", "two": r.dir + "/real", "real/back": "..", "broken": "gone/file", "round": "round"} {
		must(t, os.Symlink(to, filepath.Join(r.dir, link)))
	}
	r.shell("cat one/back/real/deep/../deep/file; cat broken round; readlink one; ls -d two/")
	r.want(observe.Linked, "one", "two", "real/back", "broken")
	r.want(observe.Opened, "real/deep/file", "gone/file")
	r.want(observe.LookedUp, "one", "real")
	if strings.Count(r.out, "content of") != 1 {
		t.Error(r.out)
	}
}

func TestLinkSwapped(t *testing.T) {
	r := newRig(t, "a/file", "b/file", "c/file", "d/file")
	r.shell(`ln -s a now; cat now/file; ln -sfn b now; cat now/file; ln -s c next; mv -T next now; cat now/file
mv a a-old; mv d a; rm now; ln -s a now; cat now/file`)
	r.want(observe.Opened, "a/file", "b/file", "c/file")
	if want := "content of a/file\ncontent of b/file\ncontent of c/file\ncontent of d/file\n"; r.out != want {
		t.Errorf("%q", r.out)
	}
	r.want(observe.Moved, "a", "d")
}

// While one process changes links, others ask: what they were led by before does not hold after it.
func TestLinksThatChangeMeanwhile(t *testing.T) {
	r := newRig(t, "a/file", "b/file")
	r.shell(`ln -s a now
(while ! [ -e stop ]; do cat now/file >/dev/null 2>&1; done) &
for i in 1 2 3 4 5 6 7 8; do ln -sfn a now; ln -sfn b now; done; echo >stop; wait; cat now/file`)
	r.want(observe.Opened, "b/file")
	if r.out != "content of b/file\n" {
		t.Errorf("%q", r.out)
	}
}

func TestFoldersAndDescriptors(t *testing.T) {
	r := newRig(t, "a/x", "b/x")
	r.probe("folders")
	r.want(observe.LookedUp, "a/by-descriptor", "by-descriptor-up", "a/by-fchdir", "b/by-chdir")
	r.want(observe.Opened, "a/in-root")
	r.wantComplete()
}

func TestAnotherRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("chroot is for root")
	}
	r := newRig(t, "jail/of-the-jail", "jail/target")
	must(t, os.Symlink("/target", filepath.Join(r.dir, "jail/link")))
	r.probe("chroot")
	r.want(observe.LookedUp, "jail/of-the-jail", "jail/target", "jail/up")
	r.want(observe.Linked, "jail/link")
	r.wantComplete()
}

func TestWaysThroughProc(t *testing.T) {
	r := newRig(t, "a", "b", "c", "d/e", "f")
	r.shell(fmt.Sprintf("cat /proc/self/cwd/a; cat /dev/fd/3 3<b; cat /proc/self/root%s/c; cat /proc/$$/cwd/d/e; cat /proc/thread-self/cwd/f; cat /proc/self/status >/dev/null", r.dir))
	r.want(observe.Opened, "a", "b", "c", "d/e", "f", "/proc/self/status")
	r.wantComplete()
}

func TestInterpreters(t *testing.T) {
	r := newRig(t)
	r.file("script", "#! ./middle argument\n")
	r.file("middle", "#!/bin/sh\necho ran\n")
	r.file("empty", "#!\n")
	r.shell("./script; ./empty; ./missing")
	r.want(observe.Executed, "script", "middle", "empty", "missing")
	shell, err := filepath.EvalSymlinks("/bin/sh")
	must(t, err)
	r.want(observe.Executed, shell)
	loaders, _ := filepath.Glob("/lib*/ld-linux*")
	if len(loaders) > 0 {
		real, _ := filepath.EvalSymlinks(loaders[0])
		r.want(observe.Executed, real)
	}
	if !strings.Contains(r.out, "ran") {
		t.Error(r.out)
	}
	r.probe("empty", "/bin/sh")
	r.want(observe.Executed, shell)
}

func TestThreadThatCallsExecve(t *testing.T) {
	r := newRig(t, "file")
	r.probe("thread", "file")
	r.want(observe.Opened, "file")
	r.wantComplete()
}

func TestGrandchildThatOutlivesItsParent(t *testing.T) {
	r := newRig(t, "late", "later")
	r.shell("(sh -c 'sleep 0.2; cat late; setsid cat later' &); sleep 1")
	r.want(observe.Opened, "late", "later")
	r.wantComplete()
}

func TestManyRequests(t *testing.T) {
	r := newRig(t)
	r.probe("many", "10000")
	r.want(observe.LookedUp, "name-0", "name-5000", "name-9999")
	r.wantComplete()
	r.options.Most = 2000
	r.probe("many", "10000")
	r.wantReason(observe.TooMany, "more than may be")
	if len(r.report.Paths) > 2100 || r.report.Requests < 10000 || !strings.Contains(r.out, "all of them") {
		t.Errorf("%d paths, %d requests, %q", len(r.report.Paths), r.report.Requests, r.out)
	}
}

// What is read is one of the two, and nothing is made up or hangs.
func TestPathThatChangesWhileItIsRead(t *testing.T) {
	r := newRig(t)
	r.probe("flip")
	for _, a := range r.report.Paths {
		if rest, ok := strings.CutPrefix(a.Path, r.dir+"/"); ok && rest != "flip-a" && rest != "flip-b" {
			t.Errorf("%s", a.Path)
		}
	}
	r.wantComplete()
}

func TestChildThatIsKilled(t *testing.T) {
	r := newRig(t)
	r.env = []string{probeEnv + "=loop "}
	for range 10 {
		p := r.start("/proc/self/exe")
		for p.Output().Stdout == "" {
			time.Sleep(time.Millisecond)
		}
		p.Kill()
		r.report = p.Observed()
		r.want(observe.LookedUp, "again")
		r.wantComplete()
	}
}

// Who lives on is answered, and the report says that there is one.
func TestProcessThatSurvives(t *testing.T) {
	r := newRig(t)
	link, err := sandbox.NewLink(nil)
	must(t, err)
	path, args := link.Command(3, "/bin/sh", []string{"-c", "read line; test -e last"})
	cmd, in := command(t, r.dir, link, path, args)
	var l *observe.Listener
	must(t, link.HandObserved(func(fd int) { l = observe.Listen(fd, r.options) }, func(why string) { t.Error(why) }))
	r.report = l.Report(0)
	r.wantReason(observe.Survived, "it waits")
	in.Close()
	_ = cmd.Wait()
	r.report = l.Report(time.Minute)
	r.wantComplete()
	r.want(observe.LookedUp, "last")
}

// Where the listener is gone, calls fail and nobody waits for ever.
func TestListenerThatDies(t *testing.T) {
	newRig(t)
	link, err := sandbox.NewLink(nil)
	must(t, err)
	path, args := link.Command(3, "/bin/true", nil)
	cmd, _ := command(t, "/", link, path, args)
	err = link.HandObserved(func(fd int) { unix.Close(fd) }, func(why string) { t.Error(why) })
	if err == nil || !strings.Contains(err.Error(), "not implemented") {
		t.Errorf("err = %v", err)
	}
	_ = cmd.Wait()
}

func TestObserverBelowAnObserver(t *testing.T) {
	r := newRig(t)
	r.probe("nested")
	if !strings.HasPrefix(r.out, "ran\nnot-observed the process is observed by another") {
		t.Errorf("%q", r.out)
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	newRig(t)
	_, err := child.Start(child.Spec{Path: "/no/such/program", Observe: &observe.Options{}})
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("err = %v", err)
	}
}

func TestOwnFoldersAreNotRecorded(t *testing.T) {
	r := newRig(t, "own/file", "tree/file", "owned")
	must(t, os.Symlink("../tree", filepath.Join(r.dir, "own/link")))
	r.options.Own = []string{r.dir + "/own"}
	r.shell("cat own/file own/missing owned own/link/file; echo x >own/new; ls own; mkdir own/dir")
	r.want(observe.Opened, "owned", "tree/file")
	for _, a := range r.report.Paths {
		if strings.HasPrefix(a.Path, r.dir+"/own/") || a.Path == r.dir+"/own" {
			t.Errorf("%s is recorded", a.Path)
		}
	}
	r.wantComplete()
}

// What the tree makes first is a product: said once, and nothing of what is in it.
func TestProducts(t *testing.T) {
	r := newRig(t, "source", "old")
	r.shell(`mkdir out; cat source >out/object; cat out/object out/none; mkdir out/deep; cat source >new; mv new named; cat named
cat source >old; test -e first; echo x >first; echo x >gone/file`)
	r.want(observe.Made, "out", "new", "named", "gone/file", "first")
	r.want(observe.LookedUp, "first", "gone")
	r.want(observe.Changed, "old")
	for _, a := range r.report.Paths {
		if strings.HasPrefix(a.Path, r.dir+"/out/") {
			t.Errorf("%s is recorded", a.Path)
		}
	}
	if got := r.asked("old"); got.Has(observe.Made) {
		t.Errorf("old is %s", got)
	}
	r.wantComplete()
}

func TestWhatIsIncomplete(t *testing.T) {
	r := newRig(t, "file")
	outside := t.TempDir()
	must(t, os.WriteFile(outside+"/file", nil, 0o644))
	shm, err := os.CreateTemp("/dev/shm", "observe-")
	if err == nil {
		defer os.Remove(shm.Name())
		r.shell("cat " + shm.Name())
		r.wantReason(observe.SharedMemory, "a file of others in /dev/shm")
	}
	call := func(args ...any) { r.t.Helper(); r.probe("call", strings.Fields(fmt.Sprint(args...))...) }
	call(unix.SYS_SHMGET, 0x1234, 4096, 0)
	r.wantReason(observe.SharedMemory, "System V's by key")
	call(unix.SYS_SHMGET, 0, 4096, 0)
	r.wantComplete()
	call(unix.SYS_IO_URING_SETUP, 0, 0)
	r.wantComplete() // refused
	call(unix.SYS_PIDFD_GETFD, 99, 0, 0)
	r.wantReason(observe.Descriptors, "pidfd_getfd")
	call(unix.SYS_UNSHARE, unix.CLONE_NEWNS)
	r.wantReason(observe.Namespaces, "unshare")
	call(unix.SYS_UNSHARE, unix.CLONE_FILES)
	r.wantComplete()
	r.shell("echo x >>" + outside + "/file")
	r.wantReason(observe.SharedCache, "writing what others have")
	r.options.Caches = []string{outside}
	r.shell("cat " + outside + "/file")
	r.wantReason(observe.SharedCache, "reading a cache")
	r.shell("cat " + outside + "/missing; test -e " + outside)
	r.wantComplete()
}

func TestConnections(t *testing.T) {
	r := newRig(t)
	for network, address := range map[string]string{"unix": filepath.Join(t.TempDir(), "s"), "tcp": "127.0.0.1:0"} {
		l, err := net.Listen(network, address)
		must(t, err)
		defer l.Close()
		r.probe("connect", network, l.Addr().String())
		r.wantReason(observe.Connections, network)
		if network == "unix" {
			for _, way := range []string{"sendto", "sendmsg", "sendmmsg"} {
				r.probe("datagrams", way, address)
				r.wantReason(observe.Connections, way)
			}
		}
	}
	r.probe("connect", "unix", "@observe-outside")
	r.wantReason(observe.Connections, "a name in no folder")
	r.probe("connect", "unix", "nobody-listens")
	r.want(observe.LookedUp, "nobody-listens")
	r.wantComplete()
	r.probe("pair")
	r.want(observe.Made, "socket")
	r.wantComplete()
}

// Calls of x32 have the numbers of others and a bit.
func TestCallsOfOtherProcessors(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("x32 is amd64's")
	}
	r := newRig(t)
	r.probe("call", fmt.Sprint(1<<30|unix.SYS_GETPID))
	if r.out != fmt.Sprint(int(unix.ENOSYS)) {
		t.Errorf("%q", r.out)
	}
}

// In the sandbox what it refuses is not asked for, and all else is seen as without.
func TestInTheSandbox(t *testing.T) {
	if sandbox.LandlockABI() == 0 || !sandbox.Seccomp() {
		t.Skip("no sandbox here")
	}
	r := newRig(t, "file", "folder/x")
	self, err := os.Executable()
	must(t, err)
	policy := sandbox.System().With(sandbox.Policy{Read: []string{r.dir}, Write: []string{r.dir + "/folder"}}, sandbox.Toolchain(self))
	r.policy = &policy
	r.shell("cat file; cat missing; ls folder; echo x >folder/made; cat /etc/shadow; python3 -c 0; cat /proc/self/cwd/file")
	r.want(observe.Opened, "file", "missing", "/etc/shadow")
	r.want(observe.Listed, "folder")
	r.want(observe.Made, "folder/made")
	if !strings.Contains(r.out, "content of file") {
		t.Error(r.out)
	}
	r.wantComplete()
	r.probe("call", fmt.Sprint(unix.SYS_IO_URING_SETUP), "0", "0")
	r.wantComplete()
}

func TestAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another")
	}
	newRig(t)
	out := nobody(t, "TestReaderNobodyListed|TestFolder|TestLink|TestWaysThroughProc|TestInterpreters|TestThread|TestInTheSandbox|TestProducts")
	if strings.Count(out, "--- PASS") < 8 || strings.Contains(out, "--- SKIP") {
		t.Error(out)
	}
}
