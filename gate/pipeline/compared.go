package pipeline

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/observe"
)

// trees are the folders of the sides: what base asks for at a path in one, head has or lacks in its counterpart.
type trees struct {
	before     sideSnapshots
	base, head []string         // a side's own tree, then the one that its processes run in: a copy, or the same
	kept       sides            // what was kept of a build
	tree       string           // the folder of base's configuration, which what was kept is laid out like
	library    string           // base's, which is compared as code or by what made it
	checkout   string           // "" where the run was started in none: what is asked for there is of no side
	scratch    string           // of the run, which may lie in the checkout
	ran        []observe.Report // of what else was run in base's tree, and may have made what is asked for
	leftOut    []string         // files that both sides share, by their paths within the root
}

type sides struct{ base, head string }

// treesOf are the trees of a kernel's sides, whose processes load libraries.
func (w *workshop) treesOf(k Kernel, libraries sides) (t trees, err error) {
	var r realPaths
	t = trees{
		before: w.before, ran: w.ran, tree: r.of(w.base.Tree),
		base: []string{r.of(w.base.root()), r.of(k.Base.Runs.root())}, head: []string{r.of(w.head.root()), r.of(k.Head.Runs.root())},
		checkout: r.of(w.opt.Checkout), scratch: r.of(w.opt.Scratch),
	}
	if libraries.base != "" {
		t.library, t.kept = r.of(libraries.base), sides{r.of(kernels.Besides(libraries.base)), r.of(kernels.Besides(libraries.head))}
	}
	return t, r.err
}

// difference is why what base asked for may not be the same on head.
type difference struct {
	kind differenceKind
	name string
}

type differenceKind int

const (
	otherContent differenceKind = iota // of a file of both trees: what a change is about
	otherwise                          // there on one side, of another kind, other names in a folder
	rewritten
	ofHead
	ofCheckout
	incomplete
)

func (d difference) String() string {
	if d.kind == incomplete {
		return "what base asks for cannot all be seen (" + d.name + ")"
	}
	return "base asks for " + d.name + map[differenceKind]string{
		otherContent: ", which differs", otherwise: ", which differs", rewritten: ", which the build rewrites", ofHead: " of head", ofCheckout: " of the checkout",
	}[d.kind]
}

// compared is a comparison of what base asked for. What it made itself is of no side.
type compared struct {
	trees
	*dependence
}

// firstDiffering is the first of what base asked for that may not be the same on head; nil where all is the same. With what is asked for comes what those
// asked for that made it.
func (t trees) firstDiffering(asked observe.Report) *difference {
	switch {
	case t.before.err != nil:
		return &difference{incomplete, "the trees: " + t.before.err.Error()}
	case t.before.head == nil:
		return &difference{incomplete, "the trees are not known"}
	}
	c := &compared{t, newDependence(asked, t.ran)}
	for i := 0; i < len(c.asked); i++ {
		if d := c.differs(c.asked[i]); d != nil {
			return d
		}
	}
	if len(c.incomplete) > 0 {
		return &difference{incomplete, hiddenBy(c.incomplete[0])}
	}
	return nil
}

// differs is why head may have another at a path, or why the path is of neither side; nil where that says nothing of them.
func (c *compared) differs(a observe.Access) *difference {
	if a.Path == c.library {
		return nil
	}
	for _, root := range c.base {
		if name, ok := below(root, a.Path); ok {
			return c.besides(name, a)
		}
	}
	if name, ok := below(c.kept.base, a.Path); ok && c.kept.base != "" {
		return c.besidesKept(name, a)
	}
	for _, root := range append(slices.Clone(c.head), c.kept.head) {
		if name, ok := below(root, a.Path); ok && name != "." && root != "" {
			return &difference{ofHead, name}
		}
	}
	if _, ok := below(c.scratch, a.Path); ok || c.checkout == "" || c.around(a) {
		return nil
	}
	if name, ok := below(c.checkout, a.Path); ok && name != "." {
		return &difference{ofCheckout, name}
	}
	return nil
}

// besides compares a path of the sides' own trees, as they were before anything was built.
func (c *compared) besides(name string, a observe.Access) *difference {
	if slices.Contains(c.leftOut, name) {
		return nil
	}
	was, inBase := c.before.base.files[name]
	is, inHead := c.before.head.files[name]
	one, two := filepath.Join(c.before.base.root, name), filepath.Join(c.before.head.root, name)
	switch {
	case !inBase && !inHead && c.before.ancestorsAgree(name):
		return c.product(name, a)
	case !inBase || !inHead || (was.mode^is.mode)&tracked != 0:
		return &difference{otherwise, name}
	case a.Asked.Has(observe.Moved):
		return &difference{rewritten, name}
	case was.mode.IsDir() && a.Asked.Has(observe.Listed) && !slices.Equal(c.namesIn(c.before.base, name), c.namesIn(c.before.head, name)):
		return &difference{otherwise, name}
	case was.mode.IsDir():
		return nil
	case a.Asked.Has(observe.Changed) || c.before.base.rewritten(name) || c.before.head.rewritten(name):
		return &difference{rewritten, name}
	case !sameAt(one, two, a.Asked):
		return &difference{otherContent, name}
	}
	return nil
}

// namesIn are the names in a folder but for files that are left out.
func (c *compared) namesIn(s *snapshot, folder string) []string {
	return slices.DeleteFunc(slices.Clone(s.names[folder]), func(name string) bool { return slices.Contains(c.leftOut, filepath.Join(folder, name)) })
}

// product compares what neither tree had. What base's process made is as what that asked for; what another left is as what that one asked for, or the
// same by its content; and what is on neither side is the same.
func (c *compared) product(name string, a observe.Access) *difference {
	if c.madeBy(a.Path) {
		c.includeMakers(a.Path) // which may have written over it
		return nil
	}
	if c.before.base.root != c.before.head.root && a.Asked&(observe.Changed|observe.Moved) == 0 && sameAt(a.Path, filepath.Join(c.before.head.root, name), a.Asked) {
		return nil
	}
	if c.includeMakers(a.Path); c.madeBy(a.Path) {
		return nil
	}
	return &difference{otherwise, name}
}

// besidesKept compares what was kept of a build, else what it was kept of.
func (c *compared) besidesKept(name string, a observe.Access) *difference {
	if sameAt(a.Path, filepath.Join(c.kept.head, name), a.Asked) {
		return nil
	}
	path := filepath.Join(c.tree, name)
	if inTree, ok := below(c.before.base.root, path); ok {
		return c.besides(inTree, observe.Access{Path: path, Asked: a.Asked})
	}
	return &difference{otherwise, name}
}

// around says whether a path is a folder around base that was looked at on the way.
func (t trees) around(a observe.Access) bool {
	return onTheWay(a, t.scratch) || slices.ContainsFunc(append(slices.Clone(t.base), t.kept.base), func(folder string) bool { return folder != "" && onTheWay(a, folder) })
}

// onTheWay says whether a path is a folder, or one around it, and was only looked at.
func onTheWay(a observe.Access, folder string) bool {
	_, around := below(a.Path, folder)
	return around && lookedAt(a)
}

func lookedAt(a observe.Access) bool { return a.Asked&^(observe.LookedUp|observe.Linked) == 0 }

// below is a path as it is called within a folder.
func below(folder, path string) (string, bool) {
	name, err := filepath.Rel(folder, path)
	return name, err == nil && filepath.IsLocal(name)
}

// tracked are the bits of a mode that git keeps.
const tracked = fs.ModeType | 0o100

// sameAt says whether two paths are the same to whoever asks so for them: kind and mode, where a link leads, a file's content, the names in a folder
// that is listed. What is on neither side is the same, and so is what base's process itself has made.
func sameAt(was, is string, asked observe.Kinds) bool {
	a, err1 := os.Lstat(was)
	b, err2 := os.Lstat(is)
	gone1, gone2 := absent(err1), absent(err2)
	switch {
	case asked == observe.Made && gone2, gone1 && gone2:
		return true
	case err1 != nil || err2 != nil || (a.Mode()^b.Mode())&tracked != 0:
		return false
	case a.Mode().IsRegular():
		return equalFiles(was, is)
	case a.Mode()&fs.ModeSymlink != 0:
		one, err1 := os.Readlink(was)
		two, err2 := os.Readlink(is)
		return err1 == nil && err2 == nil && one == two
	case a.IsDir():
		return asked&(observe.Listed|observe.Moved) == 0 || slices.Equal(namesIn(was), namesIn(is))
	}
	return false
}

// equalFiles says whether two files hold the same. What cannot be read, or is too large to be compared, is another.
func equalFiles(a, b string) bool {
	one, err1 := untrusted.Read(a, mostComparedBytes)
	two, err2 := untrusted.Read(b, mostComparedBytes)
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// absent says that nothing is at a path, or that what should be a folder on the way is a file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// namesIn are the names in a folder but for git's own, in order.
func namesIn(folder string) []string {
	list, err := os.ReadDir(folder)
	if err != nil {
		return []string{err.Error()}
	}
	var names []string
	for _, e := range list {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	return names
}
