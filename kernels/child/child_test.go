package child

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/org/perfgate/kernels/kernelstest"
)

func shell(script string) Spec { return Spec{Path: "/bin/sh", Args: []string{"-c", script}} }

func TestRunReturnsOutputAndStatus(t *testing.T) {
	out, err := Run(context.Background(), shell("echo out; echo err >&2; exit 3"))
	if out.Stdout != "out\n" || out.Stderr != "err\n" {
		t.Errorf("output = %+v", out)
	}
	var exit *exec.ExitError
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 3 {
		t.Errorf("err = %v, want exit status 3 (%T)", err, exit)
	}
}

func TestTimeLimitKillsTheGroup(t *testing.T) {
	p, err := Start(shell("sleep 100 & echo $!; wait"))
	must(t, err)
	for p.Output().Stdout == "" {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	out, err := p.Wait(ctx)
	if err != context.DeadlineExceeded {
		t.Errorf("err = %v, want the deadline", err)
	}
	assertGone(t, out.Stdout)
}

// A daemon leaves the group and the session, and its parent ends: only the sweep can find it.
func TestDaemonDoesNotOutliveItsRunner(t *testing.T) {
	s := shell("setsid sh -c 'echo $$ | tee said; exec sleep 100' & until [ -s said ]; do sleep 0.01; done")
	s.Dir = t.TempDir()
	out, err := Run(context.Background(), s)
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	assertGone(t, out.Stdout)
}

func assertGone(t *testing.T, pidLine string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(pidLine))
	if err != nil {
		t.Fatalf("no pid in %q", pidLine)
	}
	for range 6000 {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestFloodIsCutAndKilled(t *testing.T) {
	s := shell("yes")
	s.MaxBytes, s.HeadBytes = 1<<20, 100
	out, err := Run(context.Background(), s)
	if err == nil || out.Broke != OverOutput {
		t.Errorf("err = %v, broke %q: want the child killed", err, out.Broke)
	}
	if len(out.Stdout) > 200+keptEnd {
		t.Errorf("kept %d bytes, want the first 100, a count and the last %d", len(out.Stdout), keptEnd)
	}
}

// What a child is told to have broken is what it broke first.
func TestFirstBrokenLimitIsSaid(t *testing.T) {
	p, err := Start(shell("sleep 100"))
	must(t, err)
	p.killFor(OverDisk)
	p.killFor(OverMemory)
	out, err := p.Wait(context.Background())
	if err == nil || out.Broke != OverDisk {
		t.Errorf("broke %q: %v", out.Broke, err)
	}
}

// A test that waits for the grandchild, which holds the output pipe, ends by the limit of go test.
func TestGrandchildHoldingThePipeDoesNotHang(t *testing.T) {
	if _, err := Run(context.Background(), shell("setsid sleep 3600 & exit 0")); err != nil {
		t.Fatal(err)
	}
}

func TestMissingProgram(t *testing.T) {
	_, err := Run(context.Background(), Spec{Path: "/does/not/exist"})
	if err == nil || !strings.Contains(err.Error(), "it is not there") {
		t.Errorf("err = %v", err)
	}
}

func TestScrub(t *testing.T) {
	in := []string{
		"PATH=/bin", "HOME=/h", "PWD=/w", "OLDPWD=/o", "CXXFLAGS=-Da=b@c", "PIP_INDEX_URL=https://index/simple", "CUDA_VISIBLE_DEVICES=0", "LD_LIBRARY_PATH=/l",
		"RUNNER_TRACKING_ID=x",
		"GITHUB_TOKEN=s", "GITHUB_OUTPUT=/f", "ACTIONS_RUNTIME_URL=s", "MY_TOKEN=s", "some_secret_thing=s", "API_KEY=s",
		"AWS_ACCESS_KEY_ID=s", "AZURE_CLIENT=s", "db_password=s", "INPUT_TOKEN=s", "SSH_AUTH_SOCK=s", "GOOGLE_APPLICATION_CREDENTIALS=s",
		"MYSQL_PWD=s", "DB_PASS=s", "ado_pat=s", "SSHPASS=s", "TEAMS_WEBHOOK_URL=s", "PIP_EXTRA_INDEX_URL=https://index/simple https://u:s@private/simple",
		"REDIS_URL=redis://:s@host/0", "https_proxy=http://u:s%@proxy:3128",
	}
	want := in[:9]
	if got := Scrub(in); !slices.Equal(got, want) {
		t.Errorf("Scrub = %v, want %v", got, want)
	}
}

func TestChildSeesNoSecret(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "s3cr3t")
	out, err := Run(context.Background(), Spec{Path: "/usr/bin/env"})
	if err != nil || strings.Contains(out.Stdout, "s3cr3t") {
		t.Errorf("err = %v, environment:\n%s", err, out.Stdout)
	}
}

// A shell stats the folder that PWD names, so that it must not be the user's.
func TestChildIsToldItsFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PWD", "/of/the/user")
	t.Setenv("OLDPWD", "/of/the/user")
	for name, env := range map[string][]string{"scrubbed": nil, "its own": {"PWD=/of/another", "OLDPWD=/of/another"}} {
		out, err := Run(context.Background(), Spec{Path: "/usr/bin/env", Dir: dir, Env: env})
		if lines := strings.Split(out.Stdout, "\n"); err != nil || !slices.Contains(lines, "PWD="+dir) || strings.Contains(out.Stdout, "/of/") {
			t.Errorf("%s: err = %v, environment:\n%s", name, err, out.Stdout)
		}
	}
}

func TestWithReplaces(t *testing.T) {
	got := With([]string{"A=1", "B=2"}, "A=3")
	if !slices.Equal(got, []string{"B=2", "A=3"}) {
		t.Errorf("With = %v", got)
	}
}

func TestInheritedDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	s := shell("echo hello >&3")
	s.Files = []*os.File{w}
	_, err = Run(context.Background(), s)
	w.Close()
	buf := make([]byte, 16)
	n, _ := r.Read(buf)
	if err != nil || string(buf[:n]) != "hello\n" {
		t.Errorf("got %q, %v", buf[:n], err)
	}
}

// A process of the same user cannot read the environment of one that hides: where a token would be.
func TestHide(t *testing.T) {
	if os.Getenv("HIDING_TEST") != "" { // started below, as an ordinary user
		for _, hidden := range []bool{false, true} {
			if hidden {
				Hide()
			}
			out, err := exec.Command("/bin/cat", "/proc/"+strconv.Itoa(os.Getpid())+"/environ").Output()
			if read := err == nil && bytes.Contains(out, []byte("HIDING_TEST")); read == hidden {
				t.Errorf("hidden: %v, read: %v", hidden, read)
			}
		}
		return
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "test")
	self, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, kernelstest.WriteProgram(binary, self))
	for _, d := range []string{dir, filepath.Dir(dir)} {
		must(t, os.Chmod(d, 0o755))
	}
	cmd := exec.Command(binary, "-test.run=^TestHide$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"HIDING_TEST=1", "PATH=/usr/bin:/bin"}
	if os.Getuid() == 0 { // whom nothing is hidden from
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// What a program says last is why it stopped: of a long output the end is kept, too.
func TestEndOfALongOutputIsKept(t *testing.T) {
	for _, head := range []int{1, 4 << 10, 0} {
		out, err := Run(t.Context(), Spec{Path: "/bin/sh", Args: []string{"-c", "echo first; yes filling | head -c 300000; echo; echo last"}, HeadBytes: head})
		if err != nil || !strings.HasPrefix(out.Stdout, "f") || !strings.HasSuffix(out.Stdout, "\nlast\n") || !strings.Contains(out.Stdout, "bytes left out]") {
			t.Errorf("%d: %v, %q … %q", head, err, out.Stdout[:20], out.Stdout[max(0, len(out.Stdout)-20):])
		}
	}
	out, err := Run(t.Context(), Spec{Path: "/bin/sh", Args: []string{"-c", "echo all; echo of; echo it"}, HeadBytes: 5})
	if err != nil || out.Stdout != "all\nof\nit\n" {
		t.Errorf("%v, %q", err, out.Stdout)
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
