package kernels

import (
	"context"
	"time"

	"github.com/org/perfgate/kernels/child"
)

// End ends a runner that works under another program (RunnerSpec.Under): it lets that program finish what it does when the
// harness is gone, such as writing a report, for limit at most, and returns what it and the harness printed. The error is
// how the program ended: nil, an *exec.ExitError, or that of the context.
func (r *Runner) End(ctx context.Context, limit time.Duration) (child.Output, error) {
	if r.broken == nil {
		r.nextID()
		if line, err := encodeCommand(r.id, "quit", nil); err == nil {
			_ = r.send(line, time.Second)
		}
	}
	r.in.Close()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := r.process.Wait(ctx)
	_ = r.out.SetReadDeadline(time.Now().Add(time.Second)) // see Close
	for range r.replies {
	}
	r.leave()
	r.leave()
	if r.broken == nil {
		r.broken = &RunnerError{Code: CodeExited, Message: "it was ended", Doing: "end"}
	}
	return out, err
}
