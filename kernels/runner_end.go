package kernels

import (
	"context"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
)

// End ends a runner that works under another program (RunnerSpec.Under): it lets that program finish what it does when the
// harness is gone, such as writing a report, for limit at most, and returns what it and the harness printed. The error is
// how the program ended: nil, an *exec.ExitError, or that of the context.
func (r *Runner) End(ctx context.Context, limit time.Duration) (child.Output, error) {
	obeys := false
	if r.broken == nil {
		r.nextID()
		if line, err := encodeCommand(r.id, "quit", nil); err == nil {
			obeys = r.send(line, time.Second) == nil
		}
	}
	if !obeys {
		r.in.Close() // which ends it by force
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := r.process.Wait(ctx)
	if obeys {
		r.in.Close() // not before: at its end the process may have much to write, and is no longer asked to go but killed
	}
	_ = r.out.SetReadDeadline(time.Now().Add(time.Second)) // see Close
	for range r.replies {
	}
	r.leave()
	if r.broken == nil {
		r.broken = &RunnerError{Code: result.CodeExited, Message: "it was ended", Doing: "end"}
	}
	return out, err
}
