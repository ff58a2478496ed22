package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/observe"
)

// settler says where timing could only show noise, and runs nothing for it: where both trees are equal, or where base's commit has records that say what its
// kernels asked for, and none of that differs. It looks at the trees as they are before anything is built.
type settler struct {
	opt     Question
	equal   bool // both trees, in all that they have
	records []*baseline.Record
	note    string // why no record can settle anything; "" where one may
}

// mostRecorded is how many machines are asked what they have recorded of one commit.
const mostRecorded = 64

func newSettler(ctx context.Context, opt Question, stored *Stored) (*settler, error) {
	s := &settler{opt: opt}
	var err error
	if s.equal, err = equalTrees(opt); err != nil || s.equal {
		return s, err
	}
	commit := opt.Base.Info.Revision
	switch {
	case commit == "":
		s.note = "base is not a commit, so no record can settle a kernel here"
	case stored == nil || stored.Store == nil:
		s.note = fmt.Sprintf("there is no store of records, and only a record of base can settle a kernel here: name one as baseline.store, and run perfgate baseline record %.12s "+
			"on the machine that measures", commit)
	default:
		err = s.load(ctx, stored.Store, commit)
	}
	return s, err
}

// load reads the records of base's commit of all machines. One that cannot be read might not agree with the others, so then none counts.
func (s *settler) load(ctx context.Context, store *baseline.Store, commit string) error {
	keys, err := store.List(ctx, "")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		s.note = fmt.Sprintf("the store of records cannot be read, so none can settle a kernel: %s", firstLine(err.Error()))
		return nil
	}
	for _, key := range keys {
		if _, of, ok := baseline.SplitKey(key); !ok || of != commit {
			continue
		}
		r, err := baseline.Load(ctx, store, key)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || len(s.records) == mostRecorded {
			s.records, s.note = nil, fmt.Sprintf("no record can settle a kernel, since one of base cannot be used: %s", baseline.Problem{Key: key, Err: err})
			return nil
		}
		s.records = append(s.records, r)
	}
	if len(s.records) == 0 {
		s.note = fmt.Sprintf("base has no record in %s, and only that can settle a kernel here: run perfgate baseline record %.12s on the machine that measures", store, commit)
	}
	return nil
}

// settled is what is known of a kernel without running it.
type settled struct {
	same   *result.Reason // why timing could only show noise; nil where that is not known
	open   *result.Reason // why records do not say that
	differ []string       // what base asks for and head has another of, from the configuration's folder
}

// kernel settles a kernel. rules are head's changes of what it is asked, which count where head's are in force.
func (s *settler) kernel(k plan.KernelPlan, ruled bool) (settled, error) {
	if s.opt.NoSkip || ruled || len(s.opt.Base.Info.Flags)+len(s.opt.Head.Info.Flags) > 0 ||
		slices.ContainsFunc(k.Kernel.Competitors, func(r config.Competitor) bool { return r.When == config.WhenAlways }) {
		return settled{}, nil
	}
	if s.equal {
		return settled{same: &result.Reason{Kind: result.ReasonEqualTrees}}, nil
	}
	shared, err := findLeftOut(s.opt, k.Kernel)
	if err != nil || len(shared.parts) > 0 { // a run says what of head's change it does not compare
		return settled{}, err
	}
	var out settled
	machines := 0
	for _, r := range s.records {
		asked, open := s.recorded(r, k)
		if open != nil {
			return settled{open: open}, nil
		}
		if asked == nil {
			continue // this machine does not measure it
		}
		machines++
		out.differ = append(out.differ, s.differing(asked)...)
	}
	slices.Sort(out.differ)
	if out.differ = slices.Compact(out.differ); machines > 0 && len(out.differ) == 0 {
		out.same = &result.Reason{Kind: result.ReasonAskedSame, Count: machines, Name: s.opt.Base.Info.Revision}
	}
	if machines == 0 && len(s.records) > 0 {
		out.open = &result.Reason{Kind: result.ReasonAskedUnknown, Name: s.records[0].Machine.Key}
	}
	return out, nil
}

// recorded is what a record saw the cases of a kernel ask for, nil where it has none of them; open says why that is not all.
func (s *settler) recorded(r *baseline.Record, k plan.KernelPlan) (asked []observe.Access, open *result.Reason) {
	known := map[string]bool{}
	for _, c := range r.Cases {
		if c.Kernel != k.Kernel.Name {
			continue
		}
		o, ok := r.Observation(&c)
		switch {
		case c.ConfigHash != s.opt.Trusted.Config.CaseHash(c.Kernel):
			return nil, &result.Reason{Kind: result.ReasonConfigChanged, Name: r.Commit}
		case !ok:
			return nil, &result.Reason{Kind: result.ReasonAskedUnknown, Name: r.Machine.Key}
		case !o.Complete():
			return nil, &result.Reason{Kind: result.ReasonAskedUnknown, Name: r.Machine.Key, Message: string(o.Incomplete[0])}
		}
		known[c.Name] = true
		asked = append(asked, o.Paths()...)
	}
	if len(known) == 0 {
		return nil, nil
	}
	if slices.ContainsFunc(k.Measured, func(c plan.Case) bool { return !known[c.Name()] }) {
		return nil, &result.Reason{Kind: result.ReasonAskedUnknown, Name: r.Machine.Key}
	}
	return asked, nil
}

// differing are the paths that are not the same on both sides to whoever asks so for them.
func (s *settler) differing(asked []observe.Access) []string {
	base, head := s.opt.Base.root(), s.opt.Head.root()
	seen := map[observe.Access]bool{}
	var out []string
	for _, a := range asked {
		if seen[a] {
			continue
		}
		seen[a] = true
		if a.Asked&observe.Moved == 0 && identity.SameAt(filepath.Join(base, a.Path), filepath.Join(head, a.Path), a.Asked) {
			continue
		}
		name, err := filepath.Rel(s.opt.Head.Tree, filepath.Join(head, a.Path))
		if err != nil {
			name = a.Path
		}
		out = append(out, filepath.ToSlash(name))
	}
	return out
}

// equalTrees says whether both sides have the same in all places: files are looked at, git is not asked. Where git names files that differ, they do.
func equalTrees(o Question) (bool, error) {
	base, head := o.Base.root(), o.Head.root()
	if base == head {
		return true, nil
	}
	if o.ChangesKnown && len(o.ChangedFiles) > 0 {
		return false, nil
	}
	names, err := o.namesOf(func(string, fs.FileMode) bool { return true }) // folders as well: empty ones can be listed, too
	if errors.Is(err, identity.ErrTooMany) {
		return false, nil
	}
	return err == nil && !slices.ContainsFunc(names, func(name string) bool {
		return !identity.SameAt(filepath.Join(o.Base.Tree, name), filepath.Join(o.Head.Tree, name), observe.Opened)
	}), err
}
