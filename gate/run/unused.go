package run

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// uses is what the observed processes of a run asked for, builds and runs of all kernels together.
type uses struct {
	asked   map[string]observe.Kinds // by path, links followed
	kernels map[string]bool          // of which something was observed; true where that includes a run
	folders []string                 // copies of a side's files, laid out as the configuration's folder is
	hidden  bool                     // not all that was asked for is known
}

// add adds what a process of a kernel asked for, which may have run its cases, in folders of files.
func (u *uses) add(kernel string, ran bool, asked observe.Report, folders ...string) {
	if u.asked == nil {
		u.asked, u.kernels = map[string]observe.Kinds{}, map[string]bool{}
	}
	u.kernels[kernel] = u.kernels[kernel] || ran
	u.folders = append(u.folders, folders...)
	u.hidden = u.hidden || len(asked.Incomplete) > 0
	for _, a := range asked.Paths {
		u.asked[a.Path] |= a.Asked
	}
}

// unusedFiles are those of head's change that the configuration names, by watch or as sources, and that no observed process asked for: whoever wrote them
// may expect that they were measured. Files that something older was loaded for are among them, named or not. nil where that is not known: what a library
// reads while it runs is seen only where its code is equal on both sides, so otherwise only what compilers take is spoken of. A shard speaks of what its own
// processes did, and all shards together of what none did.
func (w *workshop) unusedFiles(p *plan.Plan) []result.Uncompared {
	ks, u := w.Trusted.Config.Kernels, &w.uses
	unknown := func(k plan.KernelPlan) bool {
		ran, seen := u.kernels[k.Kernel.Name]
		return !seen || !ran && k.Kernel.ReadsWhenRun()
	}
	if !w.ChangesKnown || w.Base.Tree == "" || len(p.Kernels) == 0 || u.hidden || slices.ContainsFunc(p.Kernels, unknown) {
		return nil
	}
	unbuilt, out := w.unbuiltSources(ks)
	if len(w.Cases) > 0 || slices.ContainsFunc(ks, w.isLeftOut) {
		return out // others may use what these do not
	}
	allRan := !slices.ContainsFunc(p.Kernels, func(k plan.KernelPlan) bool { return !u.kernels[k.Kernel.Name] })
	var files []string
	for _, file := range w.ChangedFiles {
		if (allRan || kernels.IsSource(file)) && w.speaksOf(ks, file) && !w.isUsed(file, anyhow) && !slices.Contains(unbuilt, file) {
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		out = append(out, newUncompared(result.Reason{Kind: result.ReasonUnused}, files, false, false))
	}
	return out
}

// unwatchedReads are the files of head that an observed process read and that paths leaves out. Whether one is read is known only here: before a run the
// configuration's word has to do.
func (w *workshop) unwatchedReads() []string {
	if len(w.Trusted.Config.Watch) == 0 {
		return nil // every file starts one
	}
	var r identity.RealPaths
	var folders []string
	for _, folder := range nonEmpty(append([]string{w.Base.Tree, w.Head.Tree}, w.uses.folders...)...) {
		folders = append(folders, r.Of(folder))
	}
	files := map[string]bool{}
	for path, asked := range w.uses.asked {
		if asked&observe.Opened == 0 || asked.Has(observe.Changed) || identity.IsMade(w.uses.asked, path) {
			continue
		}
		for _, folder := range folders {
			if file, ok := identity.Below(folder, path); ok {
				files[file] = true
			}
		}
	}
	read := slices.Sorted(maps.Keys(files))
	watched := plan.Watched(w.Trusted.Config, read)
	return slices.DeleteFunc(read, func(file string) bool { return slices.Contains(watched, file) || !w.isInHead(file) })
}

// isLeftOut says that a run of some kernels is not of this one.
func (w *workshop) isLeftOut(k config.Kernel) bool {
	return len(w.Only) > 0 && !slices.Contains(w.Only, k.Name)
}

// unbuiltSources are those that head changes and that no observed process read, where one loaded what stands for them and nobody made, and what is said of
// them: which files none read, and which of them had a stand-in. Another shard or machine may have read them, or loaded a stand-in that this one did not.
func (w *workshop) unbuiltSources(ks []config.Kernel) (files []string, said []result.Uncompared) {
	unread, only := w.unreadFiles(ks)
	if len(unread) == 0 { // to look through all that was opened takes long
		return nil, nil
	}
	files, first := w.withStandIn(unread)
	if len(files) > 0 {
		said = []result.Uncompared{newUncompared(result.Reason{Kind: result.ReasonUnbuilt, Name: first}, files, only, w.MayDrop)}
	}
	return files, append(said, newUncompared(result.Reason{Kind: result.ReasonUnread}, unread, only, false))
}

// withStandIn are those of files that no process read for which one loaded a copy, or what may have been made of them, that nobody made in this run; and the
// first of what was loaded.
func (w *workshop) withStandIn(unread []string) (files []string, first string) {
	var r identity.RealPaths
	base, old := r.Of(w.Base.Tree), w.loadedUnmade()
	for _, file := range unread {
		source := filepath.Join(base, file)
		at := slices.IndexFunc(old, func(l loaded) bool {
			return identity.IsCopy(l.path, source) || l.product.MayBeOf(source) || l.product.IsCode && kernels.IsSource(file)
		})
		if at >= 0 {
			files, first = append(files, file), cmp.Or(first, old[at].name)
		}
	}
	return files, first
}

// loaded is a file that a process opened.
type loaded struct {
	path, name string           // the name is that in the tree, or the path where it is of none
	product    identity.Product // of the tree
}

// loadedUnmade are the files that observed processes opened, that no build made and that head does not change: of base by their paths in it, and others where
// both sides find the same. What perfgate itself laid out or keeps is of neither side.
func (w *workshop) loadedUnmade() (out []loaded) {
	var r identity.RealPaths
	base, own := r.Of(w.Base.root()), []string{r.Of(w.Scratch), r.Of(w.Cache), r.Of(w.Head.root())}
	if r.Err != nil {
		return nil
	}
	isOwn := func(path string) bool {
		return slices.ContainsFunc(own, func(folder string) bool { _, ok := identity.Below(folder, path); return ok && folder != "" })
	}
	for path, asked := range w.uses.asked {
		if asked&(observe.Opened|observe.Executed) == 0 || asked.Has(observe.Changed) || identity.IsMade(w.uses.asked, path) {
			continue
		}
		if file, ok := identity.Below(base, path); !ok && !isOwn(path) {
			out = append(out, loaded{path: path, name: path})
		} else if ok && identity.SameFiles(path, filepath.Join(w.Head.root(), file)) {
			out = append(out, loaded{path, file, identity.ProductOf(path)})
		}
	}
	slices.SortFunc(out, func(a, b loaded) int { return cmp.Compare(a.name, b.name) })
	return out
}

// unreadFiles are those that head changes and no observed process read, of kernels that this run has. only says that head changes nothing that one read, so
// that nothing of it was compared.
func (w *workshop) unreadFiles(ks []config.Kernel) (files []string, only bool) {
	only = true
	for _, file := range w.ChangedFiles {
		mayRead := func(k config.Kernel) bool {
			return len(w.Only) == 0 || !w.isLeftOut(k) && plan.MayRead(w.Trusted.Config, k, file)
		}
		watched := len(w.Trusted.Config.Watch) == 0 || config.MatchesAny(w.Trusted.Config.Watch, file)
		switch {
		case w.isUsed(file, observe.Opened|observe.Executed):
			only = false
		case watched && w.isInHead(file) && !w.isSaidOfKernels(ks, file) && slices.ContainsFunc(ks, mayRead):
			files = append(files, file)
		}
	}
	return files, only
}

func (w *workshop) isInHead(file string) bool {
	_, err := os.Lstat(filepath.Join(w.Head.Tree, file))
	return err == nil
}

// speaksOf says whether a changed file is one that somebody may expect to be measured.
func (w *workshop) speaksOf(ks []config.Kernel, file string) bool {
	if file == path.Base(w.Trusted.Config.File) || !w.isInHead(file) {
		return false
	}
	return len(w.Trusted.Config.NamedPaths()) > 0 && config.MatchesAny(w.Trusted.Config.Watch, file) && !w.isSaidOfKernels(ks, file) ||
		slices.ContainsFunc(ks, func(k config.Kernel) bool { return slices.Contains(k.Sources, file) })
}

// isSaidOfKernels says whether a kernel is reported to share a file, so that it is not spoken of again.
func (w *workshop) isSaidOfKernels(ks []config.Kernel, file string) bool {
	return slices.ContainsFunc(ks, func(k config.Kernel) bool {
		return slices.Contains(k.Adapters(), file) || slices.Contains(w.leftOut[k.Name].files, file)
	})
}

// anyhow are all ways to ask for a file.
const anyhow = ^observe.Kinds(0)

// isUsed says whether an observed process asked in one of some ways for a file of either side, by any of the places where it lies, or for all names around
// one that is added.
func (w *workshop) isUsed(file string, ways observe.Kinds) bool {
	_, err := os.Lstat(filepath.Join(w.Base.Tree, file))
	added := err != nil
	return slices.ContainsFunc(nonEmpty(append([]string{w.Base.Tree, w.Head.Tree, w.Trusted.Config.Dir, w.Referee.Tree}, w.uses.folders...)...), func(folder string) bool {
		real, err := checkout.RealPath(folder)
		at := filepath.Join(real, file)
		return err != nil || w.uses.asked[at]&ways != 0 || added && w.uses.asked[filepath.Dir(at)]&ways&observe.Listed != 0
	})
}
