package profile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/sandbox"
)

// software are events that the kernel counts without hardware: the time on a processor stands for instructions, and the second is in no machine.
var software = []event{{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK}, {unix.PERF_TYPE_SOFTWARE, 1 << 20}}

// TestAttach counts what a process that runs starts afterwards, and nothing of what it did before.
func TestAttach(t *testing.T) {
	child := exec.Command("sh", "-c", `work() { i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; }
work 30000; echo ready; while read n; do ( work $n ); echo done; done`)
	in, out := pipes(t, child)
	lines := bufio.NewScanner(out)
	lines.Scan()
	a, err := attach(child.Process.Pid, software)
	if refused(err) {
		t.Skip(err)
	}
	must(t, err)
	defer a.close()
	if len(a[0]) != 1 || a[1] != nil {
		t.Errorf("counters of %d events of one thread: %v", len(a), a)
	}
	counted := func() float64 {
		t.Helper()
		n, err := a.read()
		if err != nil || n[1] != 0 {
			t.Fatalf("%v, %v", n, err)
		}
		return n[0]
	}
	before := counted()
	after := map[string]float64{}
	for _, n := range []string{"1", "30000"} {
		io.WriteString(in, n+"\n")
		lines.Scan()
		now := counted()
		after[n], before = now-before, now
	}
	if !(after["30000"] > 4*after["1"]) || !(after["1"] > 0) {
		t.Errorf("a child of a child counts %v", after)
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := attach(child.Process.Pid, software); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("attached to a process that is gone: %v", err)
	}
}

func pipes(t *testing.T, c *exec.Cmd) (io.WriteCloser, io.Reader) {
	t.Helper()
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	must(t, errors.Join(err1, err2, c.Start()))
	return in, out
}

// TestCountsInTheHarness: launches of a harness that runs are counted, in the sandbox as outside of it.
func TestCountsInTheHarness(t *testing.T) {
	if testing.Short() {
		t.Skip("launches a kernel for a while")
	}
	j := job(t)
	j.Case = saxpy(2_000_000)
	boxes := []*kernels.Sandbox{nil}
	if sandbox.LandlockABI() > 0 {
		boxes = append(boxes, &kernels.Sandbox{})
	}
	for _, box := range boxes {
		j.Runner.Sandbox = box
		n, err := Counter{Name: kernelCounters, events: software}.Count(context.Background(), j)
		if refused(err) {
			t.Skip(err)
		}
		if err != nil || n.Instructions <= 0 || n.Cycles != 0 || n.BranchMisses != 0 {
			t.Errorf("in a sandbox (%v): %+v, %v", box != nil, n, err)
		}
	}
}

// refused says whether the kernel lets this user count nothing, as in most containers.
func refused(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS)
}

// TestInstead: only what is no program has something in its place.
func TestInstead(t *testing.T) {
	for _, name := range []string{"perf", "callgrind"} {
		if other, ok := (Counter{Name: name}).Instead(context.Background()); ok {
			t.Errorf("%s in place of %s", other.Name, name)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if other, ok := (Counter{Name: kernelCounters}).Instead(context.Background()); ok {
		t.Errorf("%s, and there is no program", other.Name)
	}
}
