package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/org/perfgate/gate/result"
)

// maxVoided is how many rounds may be voided before the machine is given up.
const maxVoided = 8

// voidPause is how long the machine gets to recover after the first voided round; after each further one twice as
// long, at most maxPause: a hot GPU cools in seconds, and who computes beside us may soon be done. Tests shorten it.
var voidPause = time.Second

const maxPause = 30 * time.Second

func (s *session) health() string {
	if s.opt.Health == nil {
		return ""
	}
	return s.opt.Health()
}

// void forgets what a round measured on the cases that were open when it began, and waits a moment. Their errors too:
// memory that a foreign process took is not the fault of a kernel.
func (s *session) void(ctx context.Context, r result.Round, open []*Case) error {
	for _, c := range open {
		c.dropPartialRound(len(s.rounds))
		if c.Verdict == result.Error {
			c.Verdict, c.ErrorSide, c.Reason = result.Undecided, "", ""
		}
		r.Cases = append(r.Cases, c.Subject.Name)
	}
	s.ran = append(s.ran, r)
	voided := len(s.ran) - len(s.rounds)
	if voided > maxVoided {
		return fmt.Errorf("%d rounds were voided, the last by this: %s", voided, r.Voided)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(min(maxPause, voidPause<<(voided-1))):
		s.health() // what went on meanwhile disturbed nothing
		return nil
	}
}
