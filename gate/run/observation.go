package run

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// observeAll says what kernels, which are recorded, ask for: each in one process that is not timed. A kernel that nothing is known of has an
// observation that says so.
func (m *measuring) observeAll(ctx context.Context, ks []Kernel, a *Account) (map[string]baseline.Observation, error) {
	out := map[string]baseline.Observation{}
	for _, k := range ks {
		side, err := m.recordedSide(k)
		if err != nil {
			return nil, err
		}
		ran, why, err := m.runner(k).observed(ctx, k, result.SideHead)
		if err != nil {
			return nil, err
		}
		if why != "" {
			a.note("%s: its record does not say what it asks for: %s", k.Name(), why)
			ran = observe.Unobserved(why)
		}
		built := identity.WithMakers(observe.Union(askedByBuild(k), ran), m.workshop.ran)
		o := side.observation(built, ran, m.records.digests())
		if k.Plan.Kernel.ReadsWhenRun() {
			o.Reads = readsOf(side.tree, o, m.records.digests())
		}
		out[k.Name()] = o
	}
	m.records.digests().Save()
	return out, nil
}

// askedByBuild is what head's build asked for. An adapter in Python is built of nothing: what it imports its processes ask for.
func askedByBuild(k Kernel) observe.Report {
	if k.Plan.Kernel.IsCompiled() && k.Plan.Kernel.Build == nil {
		return k.Head.Library.Asked
	}
	return k.Head.Asked
}

// recordedSide is where the processes of one side find files.
type recordedSide struct {
	tree        string             // that holds all of the side
	checkout    string             // "" where the run was started in none
	before      *identity.Snapshot // of the tree, before anything was built; nil is not known
	own         []string           // folders of perfgate's
	environment string             // the folder of the side's own; "" where it has what is installed
	system      []string           // where no files are that somebody installed
}

func (m *measuring) recordedSide(k Kernel) (recordedSide, error) {
	var r identity.RealPaths
	p := recordedSide{tree: r.Of(k.Head.Runs.root()), before: m.workshop.before.Head, checkout: r.Of(checkout.Around(m.opt.Checkout)), system: []string{"/proc", "/sys", "/dev"}}
	p.environment = m.records.folders[k.Name()]
	for _, folder := range nonEmpty(m.opt.Scratch, m.opt.Cache, filepath.Dir(m.runners.harness)) {
		p.own = append(p.own, r.Of(folder))
	}
	return p, r.Err
}

// observation sorts what was asked for into what is of the side's tree and what is of its environment.
func (p recordedSide) observation(built, ran observe.Report, digests *observe.Digests) baseline.Observation {
	var o baseline.Observation
	for _, r := range slices.Concat(built.Incomplete, ran.Incomplete) {
		o.Incomplete = append(o.Incomplete, r.Kind)
	}
	asked, around := map[string]observe.Kinds{}, []string{}
	for _, a := range slices.Concat(built.Paths, ran.Paths) {
		name, ofTree := identity.Below(p.tree, a.Path)
		switch {
		case ofTree && !utf8.ValidString(name):
			o.Incomplete = append(o.Incomplete, baseline.NotText)
		case ofTree:
			asked[name] |= a.Asked
		case p.isOwn(a.Path) || identity.OnTheWay(a, p.tree):
		default:
			if p.ofCheckout(a) {
				o.Incomplete = append(o.Incomplete, baseline.OfCheckout)
			}
			if a.Asked&observe.Made == 0 && utf8.ValidString(a.Path) {
				around = append(around, a.Path)
			}
		}
	}
	if p.hasForeign(asked) {
		o.Incomplete = append(o.Incomplete, baseline.OfOthers)
	}
	if len(asked) > baseline.MostAsked {
		o.Incomplete, asked = append(o.Incomplete, observe.TooMany), nil
	}
	o.Asked = map[string][]string{} // in order, by the ways in which they were asked for
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		ways := asked[name].String()
		o.Asked[ways] = append(o.Asked[ways], name)
	}
	if hides(ran) == nil {
		o.Environment = newEnvironment(around, p.environment, digests)
	}
	slices.Sort(o.Incomplete)
	o.Incomplete = slices.Compact(o.Incomplete)
	return o
}

// hasForeign says whether something was asked for that was not in the tree before anything was built, and that neither the build nor the process made:
// what that was made of is not known.
func (p recordedSide) hasForeign(asked map[string]observe.Kinds) bool {
	if p.before == nil {
		return false
	}
	for name := range asked {
		if p.before.Has(name) || identity.IsMade(asked, name) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(p.tree, name)); err == nil {
			return true
		}
	}
	return false
}

func (p recordedSide) isOwn(path string) bool {
	if _, ok := identity.Below(p.environment, path); ok && p.environment != "" {
		return false
	}
	return slices.ContainsFunc(slices.Concat(p.own, p.system), func(folder string) bool { _, ok := identity.Below(folder, path); return ok })
}

// ofCheckout says that a path is of the checkout that the run was started in, of which another run has another.
func (p recordedSide) ofCheckout(a observe.Access) bool {
	if p.checkout == "" || identity.OnTheWay(a, p.tree) || slices.ContainsFunc(p.own, func(folder string) bool { return identity.OnTheWay(a, folder) }) {
		return false
	}
	name, ok := identity.Below(p.checkout, a.Path)
	return ok && !(name == "." && identity.LookedAt(a))
}
