package run

import (
	"context"
	"errors"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// Versus compares two adapters of a kernel's tensors.
type Versus struct {
	Kernel string
	A      config.Competitor // measured as head is; its own reference says what is right
	B      config.Competitor
	BFrom  Side // whose files B is built of; the zero value is head's
}

// errNoPlan says that there is nothing to compare.
var errNoPlan = errors.New("the kernel is not in the configuration, or a benchmark times it: versus compares adapters")

// Compare builds both adapters, checks them by A's reference, and measures them in rounds. Faults of the adapters are in fault; the error is ours, the
// machine's or the context's.
func Compare(ctx context.Context, opt Options, v Versus) (res *result.Result, fault AdapterFault, err error) {
	if err := v.configure(opt.Trusted.Config); err != nil {
		return nil, fault, err
	}
	res, fault, err = withHeadKernel(ctx, opt, v.Kernel, "A", func(ctx context.Context, s *session, k Kernel, values *Values) (AdapterFault, error) {
		return s.versus(ctx, k, v, values.Asked, &values.Measured)
	})
	if res != nil {
		res.Kind, res.Head.Label = result.KindVersus, v.A.Name
		err = rule.DecideVersus(res)
	}
	return res, fault, err
}

// configure makes A the kernel's adapter and B its only competitor.
func (v Versus) configure(c *config.Config) error {
	for i := range c.Kernels {
		k := &c.Kernels[i]
		if k.Name != v.Kernel || k.IsSelfTimed() {
			continue
		}
		if k.Parity.Off {
			return errors.New("versus compares what computes the same, and parity of the kernel is off")
		}
		if v.A.Adapter != "" && v.A.Adapter != k.Adapter {
			k.Adapter, k.Sources, k.Flags, k.Python, k.Build = v.A.Adapter, v.A.Sources, v.A.Flags, v.A.Python, nil
		}
		v.B.When = config.WhenAlways
		k.Competitors = []config.Competitor{v.B}
		return nil
	}
	return errNoPlan
}

// versus builds B, now that A says what its tensors are, and measures both in the same rounds.
func (s *session) versus(ctx context.Context, k Kernel, v Versus, asked Asked, out *Measured) (fault AdapterFault, err error) {
	k.Competitors = competitorsOf(k.Plan.Kernel, func(config.Competitor) bool { return true })
	k.Competitors[0].From = v.BFrom
	if k, err = s.workshop.competitors(ctx, k, &out.Account); err != nil {
		return fault, err
	}
	if k, err = s.checker(checkTimed).competitors(ctx, k, &out.Account); err != nil {
		return fault, err
	}
	if b := k.Competitors[0].Record; b.Status == result.CompetitorFailed {
		return faultOf(b.Name, b.Build, b.Reason), nil
	}
	k.settleCompetitors(result.CompetitorMeasured, nil)
	b := k.Competitors[0]
	if path := k.Head.Library.Path; !kernels.IsHosted(path) && identity.EqualFiles(path, b.Library.Path) {
		out.note("%s and %s are built to the same code: a difference is noise, unless they read other files while they run", v.A.Name, v.B.Name)
	}
	how := measure.Variant{Waits: startsAhead(k, k.Plan.Kernel.Adapter, k.Head.Library) && startsAhead(k, b.Config.Adapter, b.Library)}
	out.On = []Kernel{timed(k)}
	m := s.measuring(asked)
	found, err := m.timeCases(ctx, out, func(_ *Kernel, c *Case) (measure.Subject, bool) {
		return comparedWith(m.subject(k, c.Plan), how, result.CompetitorNamed(b.Record.Name), b.Library.Path), true
	}, func(_ *Kernel, c *Case, found *measure.Case) {
		c.measured(found, s.device.multiprocessors())
		c.Record.Looks = nil // a result has those at base
	}, withoutTimingCheck)
	out.Rounds, out.WarmUp = found.Rounds, found.WarmUp
	return fault, err
}
