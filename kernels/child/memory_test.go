package child

import (
	"context"
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
	if out, err := Run(ctx, spec); err == nil || !out.Memory {
		t.Errorf("%v, %+v", err, out)
	}
	spec = shell(`echo fine`)
	spec.Memory = 150 << 20
	if out, err := Run(ctx, spec); err != nil || out.Memory || out.Stdout != "fine\n" {
		t.Errorf("%v, %+v", err, out)
	}
}
