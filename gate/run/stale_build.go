package run

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/identity"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// staleBuild adds the changed files that the build of a side should have read, where it read nothing of the change: then a cache, or what another build left,
// stood in for that side's code. With a cache that goes by names or times it may be either side, whichever was built second.
func (w *workshop) staleBuild(k Kernel, said []result.Uncompared) ([]result.Uncompared, error) {
	var r identity.RealPaths
	isOurs := k.Plan.Kernel.IsCompiled() && k.Plan.Kernel.Build == nil
	base, head := readBuild{side: result.SideBase, tree: r.Of(k.Base.Runs.Tree)}, readBuild{side: result.SideHead, tree: r.Of(k.Head.Runs.Tree)}
	base.asked, base.known = k.Base.read(isOurs)
	head.asked, head.known = k.Head.read(isOurs)
	if r.Err != nil || !w.ChangesKnown || base.tree == "" || builtOtherwise(w.Question, k.Plan.Kernel) {
		return said, r.Err // of what both sides were asked otherwise nothing follows
	}
	sources := w.asBuilt(k.Plan.Kernel, w.Head).Sources
	for _, pair := range [][2]readBuild{{head, base}, {base, head}} {
		own, other := pair[0], pair[1]
		compilesNothing := !isOurs && own.opensNoSource()
		shouldRead := func(file string) bool { // a compiler also opens what it looks at, unless it has the rest from elsewhere
			looked := own.asked[filepath.Join(own.tree, file)] != 0
			return other.opened(file) || slices.Contains(sources, file) || looked && (isOurs || compilesNothing && kernels.IsSource(file))
		}
		if !own.known || slices.ContainsFunc(w.ChangedFiles, own.opened) {
			continue
		}
		files := slices.DeleteFunc(slices.Clone(w.ChangedFiles), func(file string) bool { return !own.has(file) || !shouldRead(file) })
		if len(files) > 0 {
			return append(said, newUncompared(result.Reason{Kind: result.ReasonStaleBuild, Side: own.side}, files, true, w.MayDrop)), nil
		}
	}
	return said, nil
}

// readBuild is what the build of a side asked for.
type readBuild struct {
	side  result.Side
	tree  string
	asked map[string]observe.Kinds
	known bool // a file that it does not have was not read
}

// opened says whether a build had the content of a file, or of a link that it followed.
func (b readBuild) opened(file string) bool {
	return b.asked[filepath.Join(b.tree, file)]&(observe.Opened|observe.Executed|observe.Linked) != 0
}

// opensNoSource says whether a build opened no source of its tree. One that looked at some, as make does, compared no more than their times.
func (b readBuild) opensNoSource() bool {
	for path, kinds := range b.asked {
		if _, ok := identity.Below(b.tree, path); ok && kinds.Has(observe.Opened) && kernels.IsSource(path) {
			return false
		}
	}
	return true
}

func (b readBuild) has(file string) bool {
	_, err := os.Lstat(filepath.Join(b.tree, file))
	return err == nil
}

// read is what a build asked for, by a command in this run or by perfgate's compilers. known is false where it was not seen what it read.
func (b Build) read(byCompilers bool) (asked map[string]observe.Kinds, known bool) {
	report := b.Asked
	switch {
	case byCompilers:
		report = b.Library.Asked
	case b.Began.IsZero():
		return nil, false
	}
	return report.ByPath(), report.HasAllReads()
}
