package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/measure"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Competitor is a competitor of a kernel that goes on.
type Competitor struct {
	Config  config.Competitor
	From    Side // whose files it is built of, adapter included; the zero value: the configuration's
	Record  result.Competitor
	Library kernels.Library
}

// works says whether there is something to measure.
func (r Competitor) works() bool { return r.Record.Status == result.CompetitorMeasured }

// fail ends a competitor. Its kernel goes on.
func (r *Competitor) fail(why string) {
	r.Record.Status, r.Record.Reason = result.CompetitorFailed, result.Message(firstLine(why))
}

// competitorsOf are the competitors of a kernel before anything was built: those that are asked would be measured if there were rounds.
func competitorsOf(k config.Kernel, asks func(config.Competitor) bool) []Competitor {
	var out []Competitor
	for _, r := range k.Competitors {
		status := result.CompetitorNotAsked
		if asks(r) {
			status = result.CompetitorNoRounds
		}
		out = append(out, Competitor{Config: r, Record: result.Competitor{Name: r.Name, Adapter: r.Adapter, MinSpeedup: r.MinSpeedup, Status: status}})
	}
	return out
}

// competitorRecords are the competitors of a kernel as the result has them. Of one that was waiting for rounds, why says why there were none.
func (k Kernel) competitorRecords(why *result.Reason) []result.Competitor {
	var out []result.Competitor
	for _, r := range k.Competitors {
		if r.Record.Status == result.CompetitorNoRounds {
			r.Record.Reason = cmp.Or(r.Record.Reason, why)
		}
		out = append(out, r.Record)
	}
	return out
}

// competitors builds what a kernel is to be measured beside. A competitor's adapter is the configuration's, and so are its files: base's where base
// rules.
func (w *workshop) competitors(ctx context.Context, k Kernel, a *Account) (Kernel, error) {
	k.Competitors = slices.Clone(k.Competitors)
	for i := range k.Competitors {
		r := &k.Competitors[i]
		if r.Record.Status != result.CompetitorNoRounds || kernels.IsAgainst(r.Config.Adapter) {
			continue
		}
		if err := w.competitor(ctx, k, r, a); err != nil {
			return k, err
		}
	}
	return k, nil
}

func (w *workshop) competitor(ctx context.Context, k Kernel, r *Competitor, a *Account) error {
	w.Progress(Progress{Stage: StageBuild, What: fmt.Sprintf("%s (competitor %s)", k.Name(), r.Config.Name)})
	build, err := w.adapterOf(ctx, k, *r, a)
	if err != nil {
		return err
	}
	r.Record.Build, r.Library = build.Record, build.Library
	if build.Record.Failed {
		r.fail("it does not build: " + build.Record.Output)
	}
	return nil
}

// adapterOf builds the adapter of a competitor, of the files of the side whose the configuration is. Its fault is in the record; the error is ours or the
// machine's.
func (w *workshop) adapterOf(ctx context.Context, k Kernel, competitor Competitor, a *Account) (Build, error) {
	r, side, tree := competitor.Config, w.Head, w.Trusted.Config.Dir
	if ruling := w.ruling(); w.Trusted.Trust == repo.TrustBase && ruling.Tree != "" {
		side = ruling
	}
	if competitor.From.Tree != "" {
		side, tree = competitor.From, competitor.From.Tree
	}
	adapter := r.Adapter
	if filepath.IsAbs(adapter) { // one that perfgate wrote
		tree, adapter = filepath.Split(adapter)
	}
	in := w.Head // it runs next to head, in head's environment: a bump is no reason to beat it
	if competitor.From.Tree != "" {
		in = competitor.From
	}
	spec := kernels.BuildSpec{
		Kernel: k.Name(), Tree: side.Tree, Root: side.Root, AdapterTree: tree, Adapter: adapter, Sources: r.Sources, Flags: r.Flags,
	}
	made, err := w.environment(ctx, k.Plan.Kernel, in, a)
	lib := kernels.Library{}
	if err == nil {
		if spec.Environment = made; r.Python != "" {
			spec.Environment = nil
		}
		spec.Python = w.interpreter(r.Adapter, cmp.Or(r.Python, w.pythonOf(k.Plan.Kernel, in)))
		lib, err = w.once(ctx, spec)
	}
	a.CompileS += lib.Seconds
	w.uses.add(k.Name(), false, lib.Asked)
	w.uses.hidden = w.uses.hidden || spec.Python != nil // what it imports was not observed
	return builtAs(lib, err, "")
}

// judgeOfCompetitors is the library that says what competitors should compute, "" where parity did not find that it knows: the one that judges head,
// or head's own.
func (k Kernel) judgeOfCompetitors(t repo.Trusted) string {
	if k.Parity.Status != result.ParityPassed {
		return ""
	}
	return cmp.Or(k.judge(t), k.Head.Library.Path)
}

// competitors checks each competitor once, in the cases that are timed, by the same reference as head. One that computes something else is no
// competitor; one that has some of the cases is measured in these.
func (c *checker) competitors(ctx context.Context, k Kernel, a *Account) (Kernel, error) {
	judge := k.judgeOfCompetitors(c.opt.Trusted)
	k.Competitors = slices.Clone(k.Competitors)
	for i := range k.Competitors {
		r := &k.Competitors[i]
		if judge != "" && kernels.IsAgainst(r.Config.Adapter) && r.Record.Status == result.CompetitorNoRounds {
			if err := c.against(ctx, k, r, judge, a); err != nil {
				return k, err
			}
		}
		if judge == "" || r.Library.Path == "" || r.Record.Status != result.CompetitorNoRounds {
			continue
		}
		out, err := c.parityOfCompetitor(ctx, k, *r, judge, k.Plan.Measured, a)
		if err == nil && out.Failure != nil && out.Failure.Code == result.CodeOtherCase {
			var has []plan.Case
			if has, err = c.casesOf(ctx, k, *r); err == nil && len(has) > 0 && len(has) < len(k.Plan.Measured) {
				out, err = c.parityOfCompetitor(ctx, k, *r, judge, has, a)
			}
		}
		if err != nil {
			return k, fmt.Errorf("parity of competitor %s of %s: %w", r.Config.Name, k.Name(), err)
		}
		r.checked(out)
	}
	return k, nil
}

// against builds a competitor that comes with perfgate, of the tensors that the judge says the kernel has.
func (c *checker) against(ctx context.Context, k Kernel, r *Competitor, judge string, a *Account) error {
	tensors, err := c.tensorsOf(ctx, k, judge)
	var text []byte
	if err == nil {
		text, err = kernels.AgainstAdapter(r.Config.Adapter, tensors)
	}
	if err != nil {
		r.fail(err.Error())
		return ctx.Err()
	}
	dir, err := os.MkdirTemp(c.opt.Scratch, "against")
	if err != nil {
		return fmt.Errorf("make a folder for %s: %w", r.Config.Adapter, err)
	}
	r.Config.Adapter = filepath.Join(dir, "against.pg.py")
	if err := os.WriteFile(r.Config.Adapter, text, 0o600); err != nil {
		return err
	}
	return c.workshop.competitor(ctx, k, r, a)
}

// tensorsOf are the tensors of the timed cases of a kernel, by their arguments.
func (c *checker) tensorsOf(ctx context.Context, k Kernel, library string) (map[string][]kernels.Tensor, error) {
	runner, err := c.runners.of(k).start(ctx, library)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	tensors := map[string][]kernels.Tensor{}
	for _, p := range k.Plan.Measured {
		var spec kernels.SpecReply
		if err := runner.Call(ctx, "spec", p.Name(), map[string]any{"case": p.Spec()}, &spec, time.Minute); err != nil {
			return nil, err
		}
		tensors[p.ID().Args()] = spec.Tensors
	}
	return tensors, nil
}

func (c *checker) parityOfCompetitor(ctx context.Context, k Kernel, r Competitor, judge string, cases []plan.Case, a *Account) (result.Parity, error) {
	subject := parity.Subject{
		Kernel: k.Name(), Head: r.Library.Path, Base: judge, Judge: judge, Cases: plan.Once(cases, c.opt.Seed),
		Tolerances: tolerances(k.Plan.Kernel.Parity), Competitor: true, Replay: true,
	}
	opt := c.options(k.Name()+" (competitor "+r.Config.Name+")", subject)
	opt.Start, opt.NoShrink = c.runners.of(k).start, true
	out, err := parity.Run(ctx, subject, opt)
	a.RunnersS += out.Seconds
	return out, err
}

// casesOf are the cases of a kernel that a competitor does not refuse.
func (c *checker) casesOf(ctx context.Context, k Kernel, r Competitor) ([]plan.Case, error) {
	library := &parity.Judge{Library: r.Library.Path, Start: c.runners.of(k).start}
	defer library.Close()
	var has []plan.Case
	for _, p := range k.Plan.Measured {
		why, err := refusedBy(ctx, library, p, false)
		if err != nil {
			return nil, err
		}
		if why == "" {
			has = append(has, p)
		}
	}
	return has, nil
}

// checked notes what parity made of a competitor.
func (r *Competitor) checked(p result.Parity) {
	if p.Failure != nil {
		p.Failure.Repro = "" // no command of ours checks a competitor alone
	}
	r.Record.Parity = &p
	if why := wrongBy(p); why != "" {
		r.fail(why)
	}
}

// wrongBy says why a variant is not measured that parity has checked by the kernel's reference, "" where it is.
func wrongBy(p result.Parity) string {
	switch p.Status {
	case result.ParityPassed:
		return ""
	case result.ParityFailed:
		what := map[result.Code]string{result.CodeWrongOutput: "it computes something else: ", result.CodeOtherCase: "it is no implementation of the kernel's tensors: "}[p.Failure.Code]
		return cmp.Or(what, "it fails in the parity check: ") + p.Failure.Case + ": " + p.Failure.Message
	}
	return "whether it computes the same could not be checked: " + result.MessageOf(p.Reason)
}

// asksRounds says whether competitors want the kernel measured side by side whatever records say, and even where both sides are the same code.
func (k Kernel) asksRounds() (rounds, always bool) {
	for _, r := range k.Competitors {
		if r.Record.Status == result.CompetitorNoRounds {
			rounds = true
			always = always || r.Config.When == config.WhenAlways
		}
	}
	return rounds, always
}

// askedCompetitors are those of a kernel that are asked, in their order, so that each has its place in the rounds. set says how one is measured.
func (k Kernel) askedCompetitors(set func(Competitor, *measure.Variant)) (out []measure.Variant) {
	for _, r := range k.Competitors {
		if r.Record.Status != result.CompetitorNotAsked {
			one := measure.Variant{Variant: result.CompetitorNamed(r.Record.Name), MinSpeedup: r.Config.MinSpeedup}
			set(r, &one)
			out = append(out, one)
		}
	}
	return out
}

// measuredCompetitors are a kernel's as measuring takes them.
func (k Kernel) measuredCompetitors(t repo.Trusted) []measure.Variant {
	return k.askedCompetitors(func(r Competitor, one *measure.Variant) {
		one.Waits = startsAhead(k, r.Config.Adapter, r.Library)
		if r.works() {
			one.Library, one.Judge = r.Library.Path, k.judgeOfCompetitors(t)
		}
	})
}

// changeCompetitors changes the competitors of a kernel, of which others may have a copy.
func (k *Kernel) changeCompetitors(change func(*Competitor)) {
	k.Competitors = slices.Clone(k.Competitors)
	for i := range k.Competitors {
		change(&k.Competitors[i])
	}
}

// settleCompetitors says what becomes of the competitors of a kernel that wait for rounds, and why where they have none. Records alone have no word on them.
func (k *Kernel) settleCompetitors(status result.CompetitorStatus, why *result.Reason) {
	k.changeCompetitors(func(r *Competitor) {
		if r.Record.Status == result.CompetitorNoRounds {
			r.Record.Status, r.Record.Reason = status, cmp.Or(why, r.Record.Reason)
		}
	})
}

// builtAs is a built library as a side has it, or the fault of what was built, with a hint at its cause. The error is ours or the machine's.
func builtAs(lib kernels.Library, err error, hint string) (Build, error) {
	if err == nil {
		libraries, _ := kernels.LibrariesFingerprint(lib.Path) // "" is never equal to what a record holds
		return Build{Record: &result.Build{
			Fingerprint: lib.Fingerprint, Inputs: lib.Inputs, Libraries: libraries, Command: lib.Command, Cached: lib.Cached, Seconds: lib.Seconds, Output: capText(lib.Output),
		}, Library: lib}, nil
	}
	var fault *kernels.BuildError
	if !errors.As(err, &fault) {
		return Build{}, err
	}
	record := &result.Build{Failed: true, Cause: fault.Cause, Unlinked: fault.Unlinked, Output: capText(fault.Error() + hint + "\n" + fault.Output)}
	return Build{Record: record, Library: lib}, nil
}

// asks says whether a run, or a record, measures a competitor.
func (o Question) asks(r config.Competitor) bool {
	if o.recording {
		return plan.AsksRecord(r, true)
	}
	return plan.Asks(r, o.Competitors)
}

// toRecord leaves of the competitors of a kernel those that its record is to have, and asks nothing of head: nothing is decided there.
func (k *Kernel) toRecord(first bool) {
	k.changeCompetitors(func(r *Competitor) {
		r.Config.MinSpeedup, r.Record.MinSpeedup = 0, 0
		if !plan.AsksRecord(r.Config, first) {
			r.Record.Status = result.CompetitorNotAsked
		}
	})
}

// movedCompetitors compares base and the competitors of a case, as rounds have timed them, with the records.
func (s *screening) movedCompetitors(k Kernel, c *Case) {
	r := &c.Record
	base := r.Of(result.VariantBase)
	if r.Method == nil || len(base) == 0 {
		return
	}
	for i := range r.Competitors {
		v := &r.Competitors[i]
		code := slices.IndexFunc(k.Competitors, func(one Competitor) bool { return one.Config.Name == v.Competitor })
		if code < 0 {
			continue
		}
		processes := r.Of(result.CompetitorNamed(v.Competitor))
		if len(processes) == 0 {
			continue
		}
		v.Moved = s.history.Moved(baseline.Together{
			Now: s.records.now(c.Plan, k.Base.Library.Fingerprint), Method: *r.Method, Base: baseline.SessionOf(base).Values,
			Competitor: baseline.BesideOf(v.Competitor, processes, k.Competitors[code].Record.Build),
		}, math.Log1p(s.policy.OfCase(*r).Tolerance)/2)
	}
}
