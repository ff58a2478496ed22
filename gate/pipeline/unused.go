package pipeline

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/program"
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

// builds adds what a build of a kernel asked for.
func (u *uses) builds(kernel string, asked observe.Report) { u.add(kernel, false, asked) }

// runs adds what a process of a kernel asked for that ran in a folder of files.
func (u *uses) runs(kernel string, asked observe.Report, folder string) {
	u.add(kernel, true, asked)
	u.folders = append(u.folders, folder)
}

// first adds what the first run of a kernel's benchmark asked for.
func (u *uses) first(kernel string, run program.Run, folder string) {
	u.add(kernel, run.Launched, run.Asked)
	u.folders = append(u.folders, folder)
}

func (u *uses) add(kernel string, run bool, asked observe.Report) {
	if u.asked == nil {
		u.asked, u.kernels = map[string]observe.Kinds{}, map[string]bool{}
	}
	u.kernels[kernel] = u.kernels[kernel] || run
	u.hidden = u.hidden || len(asked.Incomplete) > 0
	for _, a := range asked.Paths {
		u.asked[a.Path] |= a.Asked
	}
}

// covers says whether enough of each kernel was observed to know which files it uses. What a library reads while it runs is seen only where its code is
// equal on both sides, so otherwise only what compilers take is spoken of.
func (u *uses) covers(ks []config.Kernel) bool {
	return !u.hidden && !slices.ContainsFunc(ks, func(k config.Kernel) bool {
		ran, seen := u.kernels[k.Name]
		return !seen || !ran && k.ReadsWhenRun()
	})
}

// ran says whether a run of every kernel was observed.
func (u *uses) ran(ks []config.Kernel) bool {
	return !slices.ContainsFunc(ks, func(k config.Kernel) bool { return !u.kernels[k.Name] })
}

// has says whether anybody asked for a file of a folder, or for all names around one that is added.
func (u *uses) has(folder, file string, added bool) bool {
	real, err := checkout.RealPath(folder)
	at := filepath.Join(real, file)
	return err != nil || u.asked[at] != 0 || added && u.asked[filepath.Dir(at)].Has(observe.Listed)
}

// unusedFiles are those of head's change that the configuration names, by watch or as sources, and that no observed process asked for: whoever wrote them
// may expect that they were measured. nil where that is not known.
func (w *workshop) unusedFiles(p *plan.Plan) []result.Uncompared {
	ks := w.config.Kernels
	if !w.opt.ChangesKnown || w.base.Tree == "" || w.opt.Shard != nil || len(w.opt.Cases) > 0 || len(p.Kernels) != len(ks) || !w.uses.covers(ks) {
		return nil
	}
	var files []string
	for _, file := range w.opt.ChangedFiles {
		if w.speaksOf(ks, file) && !w.isUsed(file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return []result.Uncompared{newUncompared(result.Reason{Kind: result.ReasonUnused}, files, false, false)}
}

// speaksOf says whether a changed file is one that somebody may expect to be measured, and about which enough is known.
func (w *workshop) speaksOf(ks []config.Kernel, file string) bool {
	if file == path.Base(w.config.File) || !w.uses.ran(ks) && !kernels.IsSource(file) {
		return false
	}
	if _, err := os.Lstat(filepath.Join(w.head.Tree, file)); err != nil { // head removes it
		return false
	}
	return len(w.config.Watch) > 0 && config.MatchesAny(w.config.Watch, file) && !slices.ContainsFunc(ks, func(k config.Kernel) bool {
		return slices.Contains(k.Adapters(), file) || slices.Contains(w.leftOut[k.Name].files, file) // said of the kernel
	}) || slices.ContainsFunc(ks, func(k config.Kernel) bool { return slices.Contains(k.Sources, file) })
}

// isUsed says whether an observed process asked for a file of either side, by any of the places where it lies.
func (w *workshop) isUsed(file string) bool {
	folders := nonEmpty(append([]string{w.base.Tree, w.head.Tree, w.config.Dir, w.referee.Tree}, w.uses.folders...)...)
	_, err := os.Lstat(filepath.Join(w.base.Tree, file))
	return slices.ContainsFunc(folders, func(folder string) bool { return w.uses.has(folder, file, err != nil) })
}
