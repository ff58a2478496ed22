package observe_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
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

func TestProgramThatIsNotThere(t *testing.T) {
	newRig(t)
	_, err := child.Start(child.Spec{Path: "/no/such/program", Observe: &observe.Options{}})
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("err = %v", err)
	}
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

func TestAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another")
	}
	newRig(t)
	out := nobody(t, "TestReaderNobodyListed|TestInterpreters|TestSights")
	if strings.Count(out, "--- PASS") < 8 || strings.Contains(out, "--- SKIP") {
		t.Error(out)
	}
}
