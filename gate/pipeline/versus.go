package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/result"
)

// Versus compares two adapters of a kernel's tensors at a desk.
type Versus struct {
	Kernel string
	A      config.Competitor // measured as head is; its own reference says what is right
	B      config.Competitor
	BFrom  Side // whose files B is built of; the zero value is head's
}

// AdapterFault says why an adapter went no further, with what its build printed. The zero value is none.
type AdapterFault struct {
	Fault    string
	Reason   *result.Reason // behind Fault, where there is more to say
	Output   string
	Unlinked bool // all of it compiles, and it does not link
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
	opt.Base, opt.Stored, opt.Only = Side{}, nil, []string{v.Kernel}
	if err := v.configure(opt.Trusted.Config); err != nil {
		return out, err
	}
	var asked Asked
	s, err := newSession(opt, &asked)
	if err != nil {
		return out, err
	}
	defer s.close()
	if err := s.open(ctx, asked.Plan); err != nil {
		return out, err
	}
	s.workshop.asks = func(config.Competitor) bool { return false } // B is built once A says what its tensors are
	builds, err := s.workshop.build(ctx, asked.Plan)
	switch {
	case err != nil:
		return out, err
	case len(builds.Ended) > 0:
		return Compared{AdapterFault: faultOf("A", &builds.Ended[0])}, nil
	}
	err = s.alone(ctx, func() error {
		out, err = s.versus(ctx, builds.On[0], v, asked)
		return err
	})
	if out.Versus != nil {
		around := s.surroundings()
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

// faultOf says why what people call by a name went no further.
func faultOf(name string, ended *result.Kernel) AdapterFault {
	if b := ended.Head; b != nil && b.Failed {
		return AdapterFault{Fault: name + " does not build", Output: b.Output, Unlinked: b.Unlinked}
	}
	if ended.Reason != nil {
		return AdapterFault{Fault: name, Reason: ended.Reason}
	}
	return AdapterFault{Fault: name + ": " + string(ended.Status)}
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

// versus takes A's build to what both are like.
func (s *session) versus(ctx context.Context, k Kernel, v Versus, asked Asked) (out Compared, err error) {
	c := s.checker(checkTimed)
	k, ended, err := c.kernel(ctx, k, new(Account))
	switch {
	case err != nil:
		return out, err
	case ended != nil:
		return Compared{AdapterFault: faultOf("A", ended)}, nil
	}
	k.Competitors = competitorsOf(k.Plan.Kernel, func(config.Competitor) bool { return true })
	k.Competitors[0].From = v.BFrom
	var a Account
	if k, err = s.workshop.competitors(ctx, k, &a); err != nil {
		return out, err
	}
	if k, err = c.competitors(ctx, k, &a); err != nil {
		return out, err
	}
	if f := faultOfB(k.Competitors[0].Record); f.Fault != "" {
		return Compared{AdapterFault: f}, nil
	}
	d := &result.VersusResult{
		Schema: result.VersusSchema, Tool: asked.Frame.Tool, Started: asked.Frame.Started, Repro: asked.Frame.Repro, Seed: asked.Frame.Seed,
		Kernel: v.Kernel, A: v.A.Name, B: v.B.Name, Policy: asked.Frame.Policy,
	}
	err = s.measuring(asked).versus(ctx, k, d)
	return Compared{Versus: d}, err
}

// versus measures A in head's place and B in base's.
func (m *measuring) versus(ctx context.Context, k Kernel, d *result.VersusResult) error {
	var subjects []measure.Subject
	for _, c := range k.Plan.Measured {
		s := m.subject(k, c)
		b := k.Competitors[0]
		s.Waits = startsAhead(k, k.Plan.Kernel.Adapter, k.Head.Library) && startsAhead(k, b.Config.Adapter, b.Library)
		s.Base, s.Judge, s.Competitors, s.Shares = b.Library.Path, "", nil, false
		subjects = append(subjects, s)
	}
	opt := m.options([]Kernel{k}, m.policy, m.opt.Trusted.Config.Gate.Budget)
	opt.NoTimingCheck = true // both are the user's own
	found, err := measure.Rounds(ctx, subjects, opt)
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	d.Notes, d.Rounds = found.Notes, found.Rounds
	for i, c := range found.Cases {
		one := result.Case{
			Name: k.Plan.Measured[i].Name(), Kernel: d.Kernel, Verdict: c.Verdict, Reason: result.Message(c.Reason), Method: c.Method,
			Head: c.Summary(result.SideHead), Base: c.Summary(result.SideBase), Compared: c.Comparison, Processes: c.Processes,
		}
		for _, p := range k.Plan.Measured[i].Params {
			one.Params = append(one.Params, result.Param{Name: p.Name, Value: p.Value.Text})
		}
		d.Cases = append(d.Cases, one)
	}
	return nil
}
