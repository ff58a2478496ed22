package kernels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/org/perfgate/gate/result"
)

// Call sends the command op with the fields of args, waits at most limit for the answer and decodes it into answer.
// Failures of the code under test are *RunnerError; after one that ended the process every further call fails alike.
func (r *Runner) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	doing := strings.TrimSpace(op + " " + what)
	if r.broken != nil {
		return r.broken
	}
	r.nextID()
	line, err := encodeCommand(r.id, op, args)
	if err != nil {
		return fmt.Errorf("encode the command %s: %w", op, err)
	}
	if err := r.send(line, limit); err != nil {
		return r.ended(doing)
	}
	clock := r.externalClock(args)
	if err := r.answer(ctx, doing, limit, clock, answer); err != nil || op != "time" {
		return err
	}
	if reply, ok := answer.(*TimeReply); ok && clock != nil {
		reply.Seen = clock.seen
	}
	if !r.boxed {
		return nil
	}
	return r.inTurn(ctx, doing, args)
}

// nextID numbers a command. In a sandbox the number cannot be guessed, so that code under test cannot answer ahead of the command.
func (r *Runner) nextID() {
	if r.boxed {
		r.id = 1 + rand.IntN(1<<52) // the harness takes numbers that a float64 holds
		return
	}
	r.id++
}

// inTurn asks one thing more after a measurement. Had the code under test answered in the harness's place, the harness's own
// answer would come now, out of turn.
func (r *Runner) inTurn(ctx context.Context, doing string, args any) error {
	timing, ok := args.(TimeCommand)
	if !ok {
		return nil
	}
	var spec SpecReply
	err := r.Call(ctx, "spec", "after "+doing, map[string]any{"case": timing.Case}, &spec, helloLimit)
	var fault *RunnerError
	if errors.As(err, &fault) && fault.Code == result.CodeNonsense {
		fault.Message = "code under test answered in the harness's place: " + fault.Message
	}
	return err
}

// errUnasked is an answer that no question led to.
var errUnasked = errors.New("an answer without a question")

func (r *Runner) send(line []byte, limit time.Duration) error {
	r.asked.Add(1)
	_ = r.in.SetWriteDeadline(time.Now().Add(limit))
	_, err := r.in.Write(line)
	return err
}

func encodeCommand(id int, op string, args any) ([]byte, error) {
	fields := map[string]any{}
	if args != nil {
		b, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber() // a parameter is an int64, which a float64 cannot hold
		if err := d.Decode(&fields); err != nil {
			return nil, err
		}
	}
	fields["id"], fields["op"] = id, op
	b, err := json.Marshal(fields)
	return append(b, '\n'), err
}

// envelope is what every reply has.
type envelope struct {
	ID    int  `json:"id"`
	OK    bool `json:"ok"`
	Error *struct {
		Code    result.Code `json:"code"`
		Message string      `json:"message"`
	} `json:"error"`
}

// answer waits for what a command is answered, and reads clock, if there is one, at each mark before.
func (r *Runner) answer(ctx context.Context, doing string, limit time.Duration, clock *externalClock, answer any) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		line, err := r.line(ctx, doing, limit, timer)
		if err != nil {
			return err
		}
		if clock == nil || !isMark(line, r.id) {
			return r.decode(doing, line, answer)
		}
		if err := clock.mark(); err != nil {
			return r.ended(doing)
		}
	}
}

// line is the next one that the runner says.
func (r *Runner) line(ctx context.Context, doing string, limit time.Duration, timer *time.Timer) ([]byte, error) {
	select {
	case got := <-r.replies:
		if got.err != nil {
			return nil, r.unreadable(doing, got.err)
		}
		return got.line, nil
	case <-timer.C:
		r.process.Kill()
		return nil, r.fail(result.CodeHung, doing, fmt.Sprintf("no answer within %s: it hangs, or is far slower than expected", limit.Round(time.Millisecond)))
	case <-ctx.Done():
		r.process.Kill()
		r.broken = fmt.Errorf("%s: %w", doing, context.Cause(ctx))
		return nil, r.broken
	}
}

func (r *Runner) unreadable(doing string, err error) error {
	if errors.Is(err, io.EOF) {
		return r.ended(doing)
	}
	r.process.Kill()
	if errors.Is(err, errUnasked) {
		return r.fail(result.CodeNonsense, doing, "the runner answered what it was not asked: the code under test may have written to its descriptor")
	}
	return r.fail(result.CodeNonsense, doing, "the runner's answer has no end")
}

func (r *Runner) decode(doing string, line []byte, answer any) error {
	var e envelope
	if err := json.Unmarshal(line, &e); err != nil || e.ID != r.id || (!e.OK && e.Error == nil) {
		r.process.Kill()
		return r.fail(result.CodeNonsense, doing, fmt.Sprintf("the runner answered what is no answer: %.80q", line))
	}
	if !e.OK {
		fault := &RunnerError{Code: e.Error.Code, Message: e.Error.Message, Doing: doing}
		if fault.Code == result.CodeDeviceFault {
			r.broken = fault
		}
		return fault
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(line, answer); err != nil {
		r.process.Kill()
		return r.fail(result.CodeNonsense, doing, fmt.Sprintf("the runner's answer cannot be read: %v", err))
	}
	return nil
}
