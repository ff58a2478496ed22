package identity

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/observe"
)

// Trees are the folders of the sides: what base asks for at a path in one, head has or lacks in its counterpart.
type Trees struct {
	Before     Snapshots
	Base, Head []string         // a side's own tree, then the one that its processes run in: a copy, or the same
	Kept       Pair             // what was kept of a build
	Tree       string           // the folder of base's configuration, which what was kept is laid out like
	Library    string           // base's, which is compared as code or by what made it
	Checkout   string           // "" where the run was started in none: what is asked for there is of no side
	Scratch    string           // of the run, which may lie in the checkout
	Ran        []observe.Report // of what else was run in base's tree, and may have made what is asked for
	LeftOut    []string         // files that both sides share, by their paths within the root
}

// Pair is a path of each side.
type Pair struct{ Base, Head string }

// Difference is why what base asked for may not be the same on head.
type Difference struct {
	Kind DifferenceKind
	name string
}

// DifferenceKind says what differs.
type DifferenceKind int

// Kinds of differences.
const (
	OtherContent DifferenceKind = iota // of a file of both trees: what a change is about
	otherwise                          // there on one side, of another kind
	listed                             // a folder that is listed, with the first name that only one side has
	rewritten
	ofHead
	ofCheckout
	incomplete
)

func (d Difference) String() string {
	if d.Kind == incomplete {
		return "what base asks for cannot all be seen (" + d.name + ")"
	}
	if d.Kind == listed {
		folder := filepath.Dir(d.name)
		if folder == "." {
			folder = "the top folder"
		}
		return "base lists " + folder + ", where only one side has " + filepath.Base(d.name)
	}
	return "base asks for " + d.name + map[DifferenceKind]string{
		OtherContent: ", which differs", otherwise: ", which differs", rewritten: ", which the build rewrites", ofHead: " of head", ofCheckout: " of the checkout",
	}[d.Kind]
}

// compared is a comparison of what base asked for. What it made itself is of no side.
type compared struct {
	Trees
	*dependence
}

// FirstDiffering is the first of what base asked for that may not be the same on head; nil where all is the same. With what is asked for comes what those
// asked for that made it.
func (t Trees) FirstDiffering(asked observe.Report) *Difference {
	switch {
	case t.Before.Err != nil:
		return &Difference{incomplete, "the trees: " + t.Before.Err.Error()}
	case t.Before.Head == nil:
		return &Difference{incomplete, "the trees are not known"}
	}
	c := &compared{t, newDependence(asked, t.Ran)}
	for i := 0; i < len(c.asked); i++ {
		if d := c.differs(c.asked[i]); d != nil {
			return d
		}
	}
	if len(c.incomplete) > 0 {
		return &Difference{incomplete, c.incomplete[0].String()}
	}
	return nil
}

// differs is why head may have another at a path, or why the path is of neither side; nil where that says nothing of them.
func (c *compared) differs(a observe.Access) *Difference {
	if a.Path == c.Library {
		return nil
	}
	for _, root := range c.Base {
		if name, ok := Below(root, a.Path); ok {
			return c.besides(name, a)
		}
	}
	if name, ok := Below(c.Kept.Base, a.Path); ok && c.Kept.Base != "" {
		return c.besidesKept(name, a)
	}
	for _, root := range append(slices.Clone(c.Head), c.Kept.Head) {
		if name, ok := Below(root, a.Path); ok && name != "." && root != "" {
			return &Difference{ofHead, name}
		}
	}
	if _, ok := Below(c.Scratch, a.Path); ok || c.Checkout == "" || c.around(a) {
		return nil
	}
	if name, ok := Below(c.Checkout, a.Path); ok && name != "." {
		return &Difference{ofCheckout, name}
	}
	return nil
}

// besides compares a path of the sides' own trees, as they were before anything was built.
func (c *compared) besides(name string, a observe.Access) *Difference {
	if slices.Contains(c.LeftOut, name) {
		return nil
	}
	was, inBase := c.Before.Base.files[name]
	is, inHead := c.Before.Head.files[name]
	one, two := filepath.Join(c.Before.Base.Root, name), filepath.Join(c.Before.Head.Root, name)
	switch {
	case !inBase && !inHead && c.Before.ancestorsAgree(name):
		return c.product(name, a)
	case !inBase || !inHead || (was.mode^is.mode)&tracked != 0:
		return &Difference{otherwise, name}
	case a.Asked.Has(observe.Moved):
		return &Difference{rewritten, name}
	case was.mode.IsDir() && a.Asked.Has(observe.Listed):
		if entry := c.onOneSide(name); entry != "" {
			return &Difference{listed, filepath.Join(name, entry)}
		}
		return nil
	case was.mode.IsDir():
		return nil
	case a.Asked.Has(observe.Changed) || c.Before.Base.rewritten(name) || c.Before.Head.rewritten(name):
		return &Difference{rewritten, name}
	case !SameAt(one, two, a.Asked):
		return &Difference{OtherContent, name}
	}
	return nil
}

// onOneSide is the first name that only one side has in a folder; "" where there is none.
func (c *compared) onOneSide(folder string) string {
	base, head := c.namesIn(c.Before.Base, folder), c.namesIn(c.Before.Head, folder)
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(base, head))))
	if at := slices.IndexFunc(all, func(name string) bool { return slices.Contains(base, name) != slices.Contains(head, name) }); at >= 0 {
		return all[at]
	}
	return ""
}

// namesIn are the names in a folder but for files that are left out.
func (c *compared) namesIn(s *Snapshot, folder string) []string {
	return slices.DeleteFunc(slices.Clone(s.names[folder]), func(name string) bool { return slices.Contains(c.LeftOut, filepath.Join(folder, name)) })
}

// product compares what neither tree had. What base's process made is as what that asked for; what another left is as what that one asked for, or the
// same by its content; and what is on neither side is the same.
func (c *compared) product(name string, a observe.Access) *Difference {
	if IsMade(c.seen, a.Path) {
		c.includeMakers(a.Path) // which may have written over it
		return nil
	}
	if c.Before.Base.Root != c.Before.Head.Root && a.Asked&(observe.Changed|observe.Moved) == 0 && SameAt(a.Path, filepath.Join(c.Before.Head.Root, name), a.Asked) {
		return nil
	}
	if c.includeMakers(a.Path); IsMade(c.seen, a.Path) {
		return nil
	}
	return &Difference{otherwise, name}
}

// besidesKept compares what was kept of a build, else what it was kept of.
func (c *compared) besidesKept(name string, a observe.Access) *Difference {
	if SameAt(a.Path, filepath.Join(c.Kept.Head, name), a.Asked) {
		return nil
	}
	path := filepath.Join(c.Tree, name)
	if inTree, ok := Below(c.Before.Base.Root, path); ok {
		return c.besides(inTree, observe.Access{Path: path, Asked: a.Asked})
	}
	return &Difference{otherwise, name}
}

// around says whether a path is a folder around base that was looked at on the way.
func (t Trees) around(a observe.Access) bool {
	return OnTheWay(a, t.Scratch) || slices.ContainsFunc(append(slices.Clone(t.Base), t.Kept.Base), func(folder string) bool { return folder != "" && OnTheWay(a, folder) })
}

// OnTheWay says whether a path is a folder, or one around it, and was only looked at.
func OnTheWay(a observe.Access, folder string) bool {
	_, around := Below(a.Path, folder)
	return around && LookedAt(a)
}

func LookedAt(a observe.Access) bool { return a.Asked&^(observe.LookedUp|observe.Linked) == 0 }

// below is a path as it is called within a folder.
func Below(folder, path string) (string, bool) {
	name, err := filepath.Rel(folder, path)
	return name, err == nil && filepath.IsLocal(name)
}

// tracked are the bits of a mode that git keeps.
const tracked = fs.ModeType | 0o100

// SameAt says whether two paths are the same to whoever asks so for them: kind and mode, where a link leads, a file's content, the names in a folder
// that is listed. What is on neither side is the same, and so is what base's process itself has made.
func SameAt(was, is string, asked observe.Kinds) bool {
	a, err1 := os.Lstat(was)
	b, err2 := os.Lstat(is)
	gone1, gone2 := absent(err1), absent(err2)
	switch {
	case asked == observe.Made && gone2, gone1 && gone2:
		return true
	case err1 != nil || err2 != nil || (a.Mode()^b.Mode())&tracked != 0:
		return false
	case a.Mode().IsRegular():
		return EqualFiles(was, is)
	case a.Mode()&fs.ModeSymlink != 0:
		one, err1 := os.Readlink(was)
		two, err2 := os.Readlink(is)
		return err1 == nil && err2 == nil && one == two
	case a.IsDir():
		return asked&(observe.Listed|observe.Moved) == 0 || slices.Equal(NamesIn(was), NamesIn(is))
	}
	return false
}

// EqualFiles says whether two files hold the same. What cannot be read, or is too large to be compared, is another.
func EqualFiles(a, b string) bool {
	one, err1 := untrusted.Read(a, MostBytes)
	two, err2 := untrusted.Read(b, MostBytes)
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// absent says that nothing is at a path, or that what should be a folder on the way is a file.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// NamesIn are the names in a folder but for git's own, in order.
func NamesIn(folder string) []string {
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
