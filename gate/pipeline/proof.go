package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// askLimit is how long base may take to launch one case where nothing is timed.
const askLimit = 3 * time.Minute

// otherInput says which input of equal code may differ between the sides while it runs, "" where none does: what one process of base, which launches
// every measured case and is not timed, asked the Linux kernel for, and what head has in that place. other is what it loaded in place of its tree's.
func (m *measuring) otherInput(ctx context.Context, k Kernel) (why string, other *elsewhere, err error) {
	asked, why, err := m.askedByBase(ctx, k)
	if why != "" || err != nil {
		return why, nil, err
	}
	if other, err = m.loadedElsewhere(asked); other != nil || err != nil {
		return "", other, err
	}
	if len(asked.Incomplete) > 0 {
		return incompleteWords(asked.Incomplete[0]), nil, nil
	}
	t, err := m.treesOf(k)
	if err != nil {
		return "", nil, err
	}
	if differs := t.firstDiffering(asked.Paths); differs != "" {
		return "base asks for " + differs, nil, nil
	}
	return "", nil, nil
}

// loadedElsewhere is what an adapter's process of base loaded in place of what its tree has. What perfgate keeps of a build is the tree's.
func (m *measuring) loadedElsewhere(asked observe.Report) (*elsewhere, error) {
	o, err := m.opt.owner(m.opt.Base, m.opt.Head)
	if err != nil {
		return nil, err
	}
	_, others := o.loadedFiles(asked)
	scratch, err := checkout.RealPath(m.opt.Scratch)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(path string) bool { _, ok := below(scratch, path); return ok })
	return o.fromElsewhere(others)
}

// incompleteWords say why it is not known what a process asked for.
func incompleteWords(r observe.Reason) string {
	return fmt.Sprintf("what base asks for cannot all be seen (%s)", hiddenBy(r))
}

// askedByBase observes a process of base that sets up and launches every measured case, and finds nothing compiled by another. why is set where it does
// not get that far: the rounds will say more.
func (m *measuring) askedByBase(ctx context.Context, k Kernel) (asked observe.Report, why string, err error) {
	caches, err := os.MkdirTemp(m.opt.Scratch, "observed-")
	if err != nil {
		return asked, "", fmt.Errorf("make a folder for what an observed process compiles: %w", err)
	}
	defer os.RemoveAll(caches)
	l := m.runners.of(k)
	r, err := l.begin(ctx, func() (kernels.RunnerSpec, error) {
		s, err := l.spec(k.Base.Library.Path)
		s.Observe = &observe.Options{Own: nonEmpty(caches, m.opt.Cache, filepath.Dir(m.runners.harness)), Caches: observe.SharedCaches(os.Environ())}
		s.Caches = caches
		return s, err
	})
	var fault *kernels.RunnerError
	if errors.As(err, &fault) {
		return asked, "base's process, which was to be observed, did not start: " + fault.Error(), nil
	}
	if err != nil {
		return asked, "", err
	}
	err = m.launchAll(ctx, r, k)
	r.Close()
	if errors.As(err, &fault) {
		return asked, "base does not launch every case while it is observed: " + fault.Error(), nil
	}
	return r.Observed(), "", err
}

// launchAll sets up and launches every measured case of a kernel, as what times them does.
func (m *measuring) launchAll(ctx context.Context, r *kernels.Runner, k Kernel) error {
	for _, c := range k.Plan.Measured {
		args := map[string]any{"case": c.Spec()}
		if err := r.Call(ctx, "spec", c.Name(), args, new(kernels.SpecReply), askLimit); err != nil {
			return err
		}
		args["seed"], args["cache"] = strconv.FormatUint(m.opt.Seed, 10), k.Plan.Kernel.Cache
		if err := r.Call(ctx, "probe", c.Name(), args, new(kernels.ProbeReply), askLimit); err != nil {
			return err
		}
	}
	return nil
}

// trees are the folders of the sides as they are now, built: what base has at a path in one, head has or lacks in its counterpart.
type trees struct {
	pairs    []sides // base's tree, and what was kept of its build
	library  string  // base's: it was compared as code
	checkout string  // "" where the run was started in none: what is asked for there is of no side
	scratch  string  // of the run, which may lie in the checkout
}

type sides struct{ base, head string }

func (m *measuring) treesOf(k Kernel) (t trees, err error) {
	var r realPaths
	t.pairs = []sides{
		{r.of(m.opt.Base.root()), r.of(m.opt.Head.root())},
		{r.of(kernels.Besides(k.Base.Library.Path)), r.of(kernels.Besides(k.Head.Library.Path))},
	}
	t.library, t.checkout, t.scratch = r.of(k.Base.Library.Path), r.of(m.opt.Checkout), r.of(m.opt.Scratch)
	return t, r.err
}

// realPaths are paths without links, as an observer tells them. err is of the first that could not be followed.
type realPaths struct{ err error }

func (r *realPaths) of(path string) string {
	if path == "" || r.err != nil {
		return path
	}
	path, r.err = checkout.RealPath(path)
	return path
}

// firstDiffering is the first of differs.
func (t trees) firstDiffering(asked []observe.Access) string {
	for _, a := range asked {
		if other := t.differs(a); other != "" {
			return other
		}
	}
	return ""
}

// differs names a path that was asked for where base and head are not the same, or that is of neither; "" where it says nothing of them.
func (t trees) differs(a observe.Access) string {
	if a.Path == t.library {
		return ""
	}
	for _, p := range t.pairs {
		if name, ok := below(p.base, a.Path); ok {
			if sameAt(a.Path, filepath.Join(p.head, name), a.Asked) {
				return ""
			}
			return name + ", which differs"
		}
	}
	for _, p := range t.pairs {
		if name, ok := below(p.head, a.Path); ok && name != "." {
			return name + " of head"
		}
	}
	if _, ok := below(t.scratch, a.Path); ok || t.checkout == "" || t.around(a) {
		return ""
	}
	if name, ok := below(t.checkout, a.Path); ok && name != "." {
		return name + " of the checkout"
	}
	return ""
}

// around says whether a path is a folder around base that was looked at on the way.
func (t trees) around(a observe.Access) bool {
	return onTheWay(a, t.scratch) || slices.ContainsFunc(t.pairs, func(p sides) bool { return onTheWay(a, p.base) })
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
