package measure

import (
	"fmt"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// maxVoided is how many rounds may be voided before the machine is given up.
const maxVoided = 8

func (s *session) health() string {
	if s.opt.Health == nil {
		return ""
	}
	return s.opt.Health()
}

// void forgets what a round measured on the cases that were open when it began. Their errors too: memory that a foreign
// process took is not the fault of a kernel.
func (s *session) void(r result.Round, open []*Case) error {
	for _, c := range open {
		c.dropPartialRound(len(s.rounds))
		if c.Verdict == gate.Error {
			c.Verdict, c.ErrorSide, c.Reason = gate.Undecided, "", ""
		}
		r.Cases = append(r.Cases, c.Subject.Name)
	}
	s.ran = append(s.ran, r)
	voided := len(s.ran) - len(s.rounds)
	if voided > maxVoided {
		return fmt.Errorf("%d rounds were voided, the last by this: %s", voided, r.Voided)
	}
	return nil
}
