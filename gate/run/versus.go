package run

import (
	"context"
	"errors"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
)

// Versus compares two adapters of a kernel's tensors.
type Versus struct {
	Kernel string
	A      config.Competitor // measured as head is; its own reference says what is right
	B      config.Competitor
	BFrom  Side // whose files B is built of; the zero value is head's
}

// Compared is what Compare found: why one of the two cannot be compared, or the versus.
type Compared struct {
	AdapterFault
	Versus *result.VersusResult
}

// errNoPlan says that there is nothing to compare.
var errNoPlan = errors.New("the kernel is not in the configuration, or a benchmark times it: versus compares adapters")

// Compare builds both adapters, checks them by A's reference, and measures them in rounds. Faults of the adapters are in what it
// returns; the error is ours, the machine's or the context's.
func Compare(ctx context.Context, opt Options, v Versus) (out Compared, err error) {
	if err := v.configure(opt.Trusted.Config); err != nil {
		return out, err
	}
	var around Surroundings
	out.AdapterFault, around, err = withHeadKernel(ctx, opt, v.Kernel, "A", func(ctx context.Context, s *session, k Kernel, asked Asked) (fault AdapterFault, err error) {
		out.Versus, fault, err = s.versus(ctx, k, v, asked)
		return fault, err
	})
	if out.Versus != nil {
		out.Versus.Machine, out.Versus.Seconds = around.Machine, around.TotalS
	}
	return out, err
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

// faultOfB says why a competitor was not measured, the zero value where it was.
func faultOfB(r result.Competitor) AdapterFault {
	switch {
	case r.Status != result.CompetitorFailed:
		return AdapterFault{}
	case r.Build != nil && r.Build.Failed:
		return AdapterFault{Fault: r.Name + " does not build", Output: r.Build.Output, Unlinked: r.Build.Unlinked}
	}
	return AdapterFault{Fault: r.Name, Reason: r.Reason}
}

// versus builds B, now that A says what its tensors are, and measures A in head's place and B in base's.
func (s *session) versus(ctx context.Context, k Kernel, v Versus, asked Asked) (d *result.VersusResult, fault AdapterFault, err error) {
	k.Competitors = competitorsOf(k.Plan.Kernel, func(config.Competitor) bool { return true })
	k.Competitors[0].From = v.BFrom
	var out Measured
	if k, err = s.workshop.competitors(ctx, k, &out.Account); err != nil {
		return nil, fault, err
	}
	if k, err = s.checker(checkTimed).competitors(ctx, k, &out.Account); err != nil {
		return nil, fault, err
	}
	b := k.Competitors[0]
	if fault = faultOfB(b.Record); fault.Fault != "" {
		return nil, fault, nil
	}
	d = &result.VersusResult{
		Schema: result.VersusSchema, Tool: asked.Frame.Tool, Started: asked.Frame.Started, Repro: asked.Frame.Repro, Seed: asked.Frame.Seed,
		Kernel: v.Kernel, A: v.A.Name, B: v.B.Name, Policy: asked.Frame.Policy,
	}
	out.On = []Timed{timed(k)}
	m := s.measuring(asked)
	found, err := m.timeCases(ctx, &out, func(_ *Timed, c *Case) (measure.Subject, bool) {
		one := comparedWith(m.subject(k, c.Plan), b.Library.Path)
		one.Waits = startsAhead(k, k.Plan.Kernel.Adapter, k.Head.Library) && startsAhead(k, b.Config.Adapter, b.Library)
		one.Shares = false
		return one, true
	}, func(_ *Timed, c *Case, found *measure.Case) {
		c.measured(found, s.device.multiprocessors())
		d.Cases = append(d.Cases, c.Record)
	}, withoutTimingCheck)
	d.Notes, d.Rounds = found.Notes, found.Rounds
	return d, fault, err
}
