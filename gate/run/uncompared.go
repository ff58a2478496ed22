package run

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/observe"
)

// sharedBenchmark are files of the benchmark of a kernel that head changes and that both sides get from the one whose policy counts, and whether base
// itself has files of the benchmark, as far as the configuration names them.
func sharedBenchmark(o Question, patterns []string) (files []string, baseHas bool, err error) {
	if len(patterns) == 0 || o.Base.Tree == "" || o.Base.Tree == o.Head.Tree {
		return nil, true, nil
	}
	files, has, err := repo.Differing(o.Base.Tree, o.Head.Tree, patterns)
	if err != nil {
		return nil, true, err
	}
	if rulesHave := has[0] && whoRules(o) == result.SideBase || has[1] && whoRules(o) != result.SideBase; !rulesHave {
		files = nil
	}
	return files, has[0], nil
}

// leftOut are the parts of head's change that both sides of a kernel share.
type leftOut struct {
	parts    []sharedPart
	files    []string // of all parts, from the configuration's folder
	only     bool     // no other file differs that the kernel may read
	built    bool     // both sides are built in the same way
	approved bool
}

// sharedPart is one of them. counts is false where the kernel may have nothing to do with it.
type sharedPart struct {
	why    result.Reason
	files  []string
	counts bool
}

// findLeftOut finds them before anything is built, which leaves files in the sides.
func findLeftOut(o Question, k config.Kernel) (leftOut, error) {
	var out leftOut
	if o.Base.Tree == "" || o.Base.Tree == o.Head.Tree {
		return out, nil
	}
	shared, baseHas, err := sharedBenchmark(o, k.Files)
	if err != nil {
		return out, err
	}
	if !baseHas { // what base has nothing of is new, and no change
		shared = nil
	}
	environment, err := o.differing(plan.IsOfEnvironment) // what is installed may be as it says
	if err != nil {
		return out, err
	}
	uses := func(wanted plan.EnvironmentUse) []string {
		return slices.DeleteFunc(slices.Clone(environment), func(file string) bool { return plan.EnvironmentOf(o.Trusted.Config, k, file) != wanted })
	}
	unapproved, err := o.environmentFiles(k)
	if err != nil {
		return out, err
	}
	var adapter []string // whether the kernel lies in it, in whole or in part, nobody knows
	if k.Adapter != "" && o.Trusted.ChangesAdapter(k.Adapter) {
		adapter = []string{k.Adapter}
	}
	for _, part := range []sharedPart{
		{result.Reason{Kind: result.ReasonBenchmarkFiles, Side: whoRules(o)}, shared, true},
		{result.Reason{Kind: result.ReasonAdapterFile, Side: whoRules(o)}, adapter, true},
		{result.Reason{Kind: result.ReasonConfiguration, Side: whoRules(o)}, sharedConfiguration(o, k), true},
		epochs(o, k),
		{result.Reason{Kind: result.ReasonEnvironmentLabel}, unapproved, true},
		{result.Reason{Kind: result.ReasonEnvironmentFiles}, uses(plan.Used), true},
		{result.Reason{Kind: result.ReasonEnvironmentFiles}, uses(plan.MayBeUsed), false},
	} {
		if len(part.files) > 0 {
			out.parts, out.files = append(out.parts, part), append(out.files, part.files...)
		}
	}
	out.approved, out.built = o.MayDrop, !builtOtherwise(o, k)
	if len(out.parts) > 0 && out.built {
		var others []string // asked where nothing was observed
		others, err = o.differing(func(file string) bool {
			return !slices.Contains(out.files, file) && plan.MayRead(o.Trusted.Config, k, file)
		})
		out.only = len(others) == 0
	}
	return out, err
}

// mostCompared bounds the names of two folders that git knows nothing about.
const mostCompared = 20000

// differing are the files that are not the same on both sides, of those that pick picks by their paths from the configuration's folder.
func (o Question) differing(pick func(file string) bool) (_ []string, err error) {
	files := slices.Clone(o.ChangedFiles)
	if !o.ChangesKnown {
		if files, err = o.namesOf(func(file string, kind fs.FileMode) bool { return !kind.IsDir() && pick(file) }); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return !pick(file) || identity.SameFiles(filepath.Join(o.Base.Tree, file), filepath.Join(o.Head.Tree, file))
	}), nil
}

// namesOf lists what lies in the folders of both sides and is picked, in order and from their configuration's folder.
func (o Question) namesOf(pick func(name string, kind fs.FileMode) bool) ([]string, error) {
	names := map[string]bool{}
	for _, side := range []Side{o.Base, o.Head} {
		err := repo.Walk(side.root(), func(file string, kind fs.FileMode) error {
			name, err := filepath.Rel(side.Tree, filepath.Join(side.root(), file))
			if err != nil || !pick(name, kind) {
				return err
			}
			if names[name] = true; len(names) > mostCompared {
				return identity.ErrTooMany
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compare the files of the sides: %w", err)
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// uncompared are the parts by what files say.
func (l leftOut) uncompared() (out []result.Uncompared) {
	for _, part := range l.parts {
		out = append(out, newUncompared(part.why, part.files, l.only && part.counts, l.approved))
	}
	return out
}

// decideShared settles by what base asked for whether nothing but what both sides share differs. What could not be seen leaves that to the files.
func (m *measuring) decideShared(k *Kernel, l leftOut, t identity.Trees, asked observe.Report) {
	if !l.built || len(l.parts) == 0 || t.Before.Head == nil {
		return
	}
	for _, file := range l.files {
		if name, ok := identity.Below(t.Before.Base.Root, filepath.Join(t.Tree, file)); ok {
			t.LeftOut = append(t.LeftOut, name)
		}
	}
	differs := t.FirstDiffering(asked)
	if differs != nil && differs.Kind != identity.OtherContent {
		return
	}
	k.Uncompared = slices.Clone(k.Uncompared)
	for i, u := range k.Uncompared {
		for _, part := range l.parts {
			if u.Reason.Kind == part.why.Kind && slices.Equal(u.Reason.Names, newUncompared(part.why, part.files, false, false).Reason.Names) {
				k.Uncompared[i].Only = differs == nil && part.counts
			}
		}
	}
}

// sharedConfiguration is the configuration, where head changes there what is built and run of a kernel, and both sides are given one of the two. Where
// the working tree's policy counts, each side is built as its own says, see asBuilt, and what runs as a benchmark is shared.
func sharedConfiguration(o Question, k config.Kernel) []string {
	t := o.Trusted
	other, its, ok := otherwise(t, k)
	if !ok {
		return nil
	}
	sameBuilt := howBuilt(its) == howBuilt(k) && howInstalled(other, its) == howInstalled(t.Config, k) && (!k.IsInterpreted() || interpreterOf(other, its) == interpreterOf(t.Config, k))
	if howRun(other, its) == howRun(t.Config, k) && (t.Trust != repo.TrustBase || sameBuilt) {
		return nil
	}
	return []string{path.Base(t.Config.File)}
}

// otherwise is a kernel as the configuration has it whose policy does not count.
func otherwise(t repo.Trusted, k config.Kernel) (c *config.Config, its config.Kernel, ok bool) {
	if c = t.Base; t.Trust == repo.TrustBase {
		c = t.Head
	}
	if c != nil {
		its, ok = c.Kernel(k.Name)
	}
	return c, its, ok
}

// epochs is the configuration, where head changes the epoch of a kernel there: no round shows what that does to the records to come.
func epochs(o Question, k config.Kernel) sharedPart {
	base, head := k, k
	if _, its, ok := otherwise(o.Trusted, k); ok && whoRules(o) == result.SideBase {
		head = its
	} else if ok {
		base = its
	}
	part := sharedPart{why: result.Reason{Kind: result.ReasonEpoch, Name: fmt.Sprintf("%d to %d", base.Epoch, head.Epoch)}}
	if base.Epoch != head.Epoch {
		part.files = []string{path.Base(o.Trusted.Config.File)}
	}
	return part
}

// epoch says that head changes the epoch of the kernel; nil where it does not.
func (l leftOut) epoch() *result.Reason {
	for _, part := range l.parts {
		if part.why.Kind == result.ReasonEpoch {
			return &part.why
		}
	}
	return nil
}

// withoutMeaning takes base from a kernel whose cases mean something else there, where what head calls them by does not fit it: there is nothing that a
// round could compare.
func (k *Kernel) withoutMeaning(l leftOut, misfit bool) {
	if why := l.epoch(); why != nil && misfit {
		k.Base, k.BaseAdapter, k.Absent = Build{}, "", why
	}
}

// howRun is the same for kernels whose benchmarks run in the same way.
func howRun(c *config.Config, k config.Kernel) string {
	if !k.IsSelfTimed() {
		return ""
	}
	return fmt.Sprintf("%q", []any{k.Bench.Format, k.Bench.Command, k.Bench.Script, k.Bench.Args, interpreterOf(c, k)})
}

func whoRules(o Question) result.Side {
	if o.Trusted.Trust == repo.TrustBase {
		return result.SideBase
	}
	return result.SideHead
}

func newUncompared(why result.Reason, names []string, only, approved bool) result.Uncompared {
	const most = 8
	why.Names, why.Count = names[:min(len(names), most)], len(names)
	return result.Uncompared{Reason: why, Only: only, Approved: approved}
}

// builtOtherwise says whether the sides differ in how they are built, whatever their files are.
func builtOtherwise(o Question, k config.Kernel) bool {
	if len(o.Base.Info.Flags)+len(o.Head.Info.Flags) > 0 {
		return true
	}
	own, ok := o.ownOf(k)
	return ok && (howBuilt(own) != howBuilt(k) || !o.sharesEnvironment(k) && o.installedOtherwise(k))
}

// installedOtherwise says whether base's own configuration makes the environment of a kernel otherwise than the one that counts.
func (o Question) installedOtherwise(k config.Kernel) bool {
	own, ok := o.ownOf(k)
	return ok && howInstalled(o.Trusted.Base, own) != howInstalled(o.Trusted.Config, k)
}

// howInstalled is the same for kernels whose environments are made in the same way.
func howInstalled(c *config.Config, k config.Kernel) string {
	e := c.EnvironmentOf(k)
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%q", []any{e.Fetch, e.Build, e.Inputs})
}

// howBuilt is the same for kernels that are built in the same way.
func howBuilt(k config.Kernel) string {
	parts := slices.Concat(k.Sources, []string{""}, k.Flags)
	if k.Build != nil {
		parts = append(parts, k.Build.Command, k.Build.Output)
	}
	if k.IsSelfTimed() {
		parts = append(parts, k.Bench.Build)
	}
	return strings.Join(parts, "\x00")
}

// settled are the parts that both sides of a kernel share in the end, now that it is known what they were built to.
func (k Kernel) settled(all []result.Uncompared) []result.Uncompared {
	all = slices.DeleteFunc(slices.Clone(all), func(u result.Uncompared) bool {
		return k.isNew() && u.Reason.Kind != result.ReasonEpoch || u.Reason.Kind == result.ReasonBenchmarkFiles && k.OwnBenchmarks || u.Reason.Kind == result.ReasonAdapterFile && k.BaseAdapter != ""
	})
	for i := range all {
		all[i].Only = all[i].Only && (k.Plan.Kernel.IsSelfTimed() || k.Base.Library.Fingerprint == k.Head.Library.Fingerprint)
	}
	return all
}
