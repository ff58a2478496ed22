package child

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// Memory counts over all processes that a child started, one in a session of its own among them, and what they only share counts once.
func TestMemoryOfAllProcesses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	spec := shell(`hold() { (head -c 90M /dev/zero; sleep 50) | tail -c 100M; }; setsid sh -c '(head -c 90M /dev/zero; sleep 50) | tail -c 100M' & hold`)
	spec.Memory = 150 << 20
	if out, err := Run(ctx, spec); err == nil || out.Broke != OverMemory {
		t.Errorf("%v, %+v", err, out)
	}
	spec = shell(`echo fine`)
	spec.Memory = 150 << 20
	if out, err := Run(ctx, spec); err != nil || out.Broke != "" || out.Stdout != "fine\n" {
		t.Errorf("%v, %+v", err, out)
	}
}

// What a neighbour frees while a child takes as much leaves the machine's memory as it was: the processes are counted all the same.
func TestMemoryThatANeighbourFreesHidesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	neighbour := exec.CommandContext(ctx, "tail", "-c", "300M")
	input, err := neighbour.StdinPipe()
	if err == nil {
		err = neighbour.Start()
	}
	if err == nil {
		_, err = input.Write(make([]byte, 250<<20))
	}
	must(t, err)
	spec := shell(`(head -c 200M /dev/zero; sleep 50) | tail -c 300M`)
	spec.Memory = 150 << 20
	time.AfterFunc(100*time.Millisecond, func() { _ = neighbour.Process.Kill(); _ = neighbour.Wait() })
	if out, err := Run(ctx, spec); err == nil || out.Broke != OverMemory {
		t.Errorf("%v, %+v", err, out)
	}
}
