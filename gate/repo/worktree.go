package repo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/kernels/checkout"
)

// Named is what a configuration names of a working tree, by paths from its root: that is copied though git ignores its folder.
type Named struct {
	Paths  []string // files and folders
	Builds bool     // commands of the user's build in the tree, so that a library which lies there is what one of them left
}

// Copied says what a private copy of a working tree is made of. The zero value is that of a side that is no such copy.
type Copied struct {
	From  string   // the working tree
	Taken []string // files that git ignores, and that are in the copy
	Left  []string // files, and folders with a slash at their end, that are not: what builds leave, and folders that git ignores
}

// Bounds on what is copied of a working tree beyond what git keeps of it.
var (
	mostUnkept      = 100_000
	mostUnkeptBytes = int64(1 << 30)
)

// copyWorktree copies the working tree at from into the folder to, as its files lie there, whatever git makes of them: what git keeps, what is new,
// and what git ignores. Products of builds stay behind, so that the copy is built as freshly as another revision is, and so does what git ignores by
// its folder and the configuration does not name.
// What lies in the folder that to is made in is the run's own.
func copyWorktree(ctx context.Context, from, to string, named Named) (Copied, error) {
	l := lister{ctx: ctx, root: from, named: named, out: Copied{From: from}}
	own, err := checkout.RealPath(filepath.Dir(to))
	if err != nil {
		return l.out, fmt.Errorf("find the folder of the run: %w", err)
	}
	if l.own, err = filepath.Rel(from, own); err != nil {
		return l.out, fmt.Errorf("find the folder of the run: %w", err)
	}
	if err := l.repository(".", true); err != nil {
		return l.out, err
	}
	if err := l.checkSize(); err != nil {
		return l.out, err
	}
	slices.Sort(l.files) // git's order, by which make finds the same files of both sides newer
	if err := CopyFiles(from, to, l.files); err != nil {
		return l.out, fmt.Errorf("copy the working tree to %s (TMPDIR names another place): %w", to, err)
	}
	slices.Sort(l.out.Taken)
	slices.Sort(l.out.Left)
	return l.out, os.MkdirAll(to, 0o755)
}

// copyPlain copies a file or a link. One that has gone meanwhile was in use by an editor.
func copyPlain(from, to, file string) error {
	info, err := os.Lstat(filepath.Join(from, file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(to, filepath.Dir(file)), 0o755)
	}
	if err != nil {
		return err
	}
	return copyFile(filepath.Join(from, file), filepath.Join(to, file), info.Mode().Type())
}

// mostSearched bounds what is looked through for a file that a compiler misses.
const mostSearched = 200_000

// Bring copies a file of the working tree that stayed behind into the copy of it, by the end of its path, as a source names it. It returns the
// path from the root of both; "" where there is no such file, or more than one.
func (c Copied) Bring(to, wanted string) (string, error) {
	found, err := c.find("/" + strings.TrimLeft(path.Clean("/"+wanted), "/"))
	if len(found) != 1 || err != nil {
		return "", err
	}
	if isThere(filepath.Join(to, found[0])) { // it was brought, and is missed all the same
		return "", nil
	}
	return filepath.ToSlash(found[0]), copyPlain(c.From, to, found[0])
}

// find lists what stayed behind and whose path ends so.
func (c Copied) find(end string) (found []string, err error) {
	searched := 0
	for _, left := range c.Left {
		err := filepath.WalkDir(filepath.Join(c.From, left), func(at string, e fs.DirEntry, err error) error {
			if searched++; searched > mostSearched {
				return fs.SkipAll
			}
			rel, relErr := filepath.Rel(c.From, at)
			if err == nil && relErr == nil && e.Type().IsRegular() && strings.HasSuffix("/"+filepath.ToSlash(rel), end) {
				found = append(found, rel)
			}
			return relErr // what cannot be looked into is not found
		})
		if err != nil {
			return nil, fmt.Errorf("find %s in the working tree: %w", end, err)
		}
	}
	return found, nil
}

// lister finds what of a working tree is copied. All paths are from its root.
type lister struct {
	ctx   context.Context
	root  string
	named Named
	own   string // the folder of the run, which may lie in the tree
	files []string
	out   Copied

	unkept      int // files that git does not keep
	unkeptBytes int64
	largest     string
	largestSize int64
}

// level is a folder that is looked into.
type level struct {
	path    string
	hidden  string // the folder around it, or itself, that git ignores or that a build made; "": there is none
	inBuild string // the folder around it, or itself, that sources and a build share; "": there is none
}

// entry is a file or a folder of a level.
type entry struct {
	path    string
	kind    fs.FileMode
	in      level
	ignored bool // by a rule that names it, and not a folder around it
}

// repository lists the files of the repository in a folder: of the working tree itself, of a submodule, or of a clone that lies in the tree.
func (l *lister) repository(at string, must bool) error {
	git := Git{Dir: filepath.Join(l.root, at)}
	listed, err := git.Files(l.ctx, false)
	if err != nil && (must || l.ctx.Err() != nil) {
		return err
	}
	kept := map[string]bool{}
	for _, name := range listed { // none where git refuses: then all of it is new
		for path := filepath.Join(at, filepath.FromSlash(name)); path != at && !kept[path]; path = filepath.Dir(path) {
			kept[path] = true
		}
	}
	levels := []level{{path: at}}
	for len(levels) > 0 {
		var entries []entry
		for _, in := range levels {
			found, err := l.read(in, kept)
			if err != nil {
				return err
			}
			entries = append(entries, found...)
		}
		if err := l.askIgnored(git, at, entries, kept); err != nil {
			return err
		}
		levels = nil
		for _, e := range entries {
			into, err := l.take(e, kept)
			if err != nil {
				return err
			}
			levels = append(levels, into...)
		}
	}
	return nil
}

// read lists a folder. One in which a build system keeps its state is its build folder: all of it where git keeps nothing of it, else what is ignored.
func (l *lister) read(in level, kept map[string]bool) ([]entry, error) {
	list, err := os.ReadDir(filepath.Join(l.root, in.path))
	if errors.Is(err, fs.ErrPermission) && !kept[in.path] {
		l.out.Left = append(l.out.Left, in.path+"/") // a build could not read it either
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the working tree: %w", err)
	}
	if in.hidden == "" && slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return slices.Contains(buildState, e.Name()) && !kept[filepath.Join(in.path, e.Name())]
	}) {
		switch {
		case kept[in.path] || in.path == ".":
			in.inBuild = in.path
		case l.wants(in.path, in.path):
			in.hidden = in.path
		default:
			l.out.Left = append(l.out.Left, in.path+"/")
			return nil, nil
		}
	}
	var out []entry
	for _, e := range list {
		if path := filepath.Join(in.path, e.Name()); e.Name() != ".git" && path != l.own {
			out = append(out, entry{path: path, kind: e.Type(), in: in})
		}
	}
	return out, nil
}

// askIgnored asks git which entries a rule names. A folder that has a .gitignore which ignores itself is named by that.
func (l *lister) askIgnored(git Git, at string, entries []entry, kept map[string]bool) error {
	asked := map[string]int{}
	var names strings.Builder
	for i, e := range entries {
		if e.in.hidden != "" || !e.kind.IsDir() && kept[e.path] {
			continue
		}
		paths := []string{e.path}
		if own := filepath.Join(e.path, ".gitignore"); e.kind.IsDir() && !kept[own] && isThere(filepath.Join(l.root, own)) {
			paths = append(paths, own)
		}
		for _, path := range paths {
			rel, err := filepath.Rel(at, path)
			if err != nil {
				return err
			}
			name := "./" + filepath.ToSlash(rel) // a colon in front would be more than a name
			asked[name] = i
			names.WriteString(name + "\x00")
		}
	}
	if len(asked) == 0 {
		return nil
	}
	answer, err := git.Input([]byte(names.String())).list(l.ctx, "--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin")
	if err != nil && KindOf(err) != No && (at == "." || KindOf(err) != NotARepository) {
		return err
	}
	for _, name := range answer {
		if i, ok := asked[name]; ok {
			entries[i].ignored = true
		}
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// take decides on an entry, and returns the folders to look into.
func (l *lister) take(e entry, kept map[string]bool) ([]level, error) {
	if e.kind.IsDir() {
		return l.takeFolder(e, kept[e.path])
	}
	if kept[e.path] {
		l.files = append(l.files, e.path)
		return nil, nil
	}
	info, err := os.Lstat(filepath.Join(l.root, e.path))
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.kind&^fs.ModeSymlink != 0 {
		return nil, nil // gone, or a socket
	}
	if err != nil {
		return nil, fmt.Errorf("read the working tree: %w", err)
	}
	if l.stays(e) || e.kind.IsRegular() && errors.Is(unix.Access(filepath.Join(l.root, e.path), unix.R_OK), fs.ErrPermission) { // a build could not read it either
		l.out.Left = append(l.out.Left, e.path)
		return nil, nil
	}
	l.files = append(l.files, e.path)
	if e.ignored || e.in.hidden != "" {
		l.out.Taken = append(l.out.Taken, filepath.ToSlash(e.path))
	}
	l.unkept, l.unkeptBytes = l.unkept+1, l.unkeptBytes+info.Size()
	if info.Size() > l.largestSize {
		l.largest, l.largestSize = e.path, info.Size()
	}
	return nil, nil
}

func (l *lister) takeFolder(e entry, kept bool) ([]level, error) {
	in := level{path: e.path, hidden: e.in.hidden, inBuild: e.in.inBuild}
	if in.hidden == "" && (e.ignored || slices.Contains(productFolders, filepath.Base(e.path)) && !kept) {
		in.hidden = e.path
	}
	if in.hidden != "" && !kept && !l.wants(e.path, in.hidden) {
		if saved.IsFolder(filepath.Join(l.root, e.path)) {
			return nil, nil // results of perfgate's are no news
		}
		l.out.Left = append(l.out.Left, e.path+"/")
		return nil, nil
	}
	if in.hidden == "" || kept {
		if isThere(filepath.Join(l.root, e.path, ".git")) {
			return nil, l.repository(e.path, false)
		}
	}
	return []level{in}, nil
}

// stays says whether a file that git does not keep is left where it is.
func (l *lister) stays(e entry) bool {
	switch {
	case slices.Contains(l.named.Paths, e.path):
		return false
	case isProduct(filepath.Base(e.path), l.named.Builds):
		return true
	case e.in.hidden != "":
		return !l.wants(e.path, e.in.hidden)
	case e.in.inBuild != "" && e.ignored:
		return !l.wants(e.path, e.in.inBuild)
	}
	return l.isLinkToFolder(e)
}

// isLinkToFolder says whether an entry leads to a folder elsewhere, such as one that a build makes.
func (l *lister) isLinkToFolder(e entry) bool {
	info, err := os.Stat(filepath.Join(l.root, e.path))
	return e.kind&fs.ModeSymlink != 0 && err == nil && info.IsDir()
}

// wants says whether the configuration names something in the folder hidden that is the path, around it, or below it.
func (l *lister) wants(path, hidden string) bool {
	return slices.ContainsFunc(l.named.Paths, func(named string) bool {
		return named != "." && isBelow(named, hidden) && (isBelow(path, named) || isBelow(named, path))
	})
}

// isBelow says whether a path is a folder or lies in it.
func isBelow(path, folder string) bool {
	return folder == "." || path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}

// checkSize refuses to copy data by the gigabyte.
func (l *lister) checkSize() error {
	var much string
	switch {
	case l.unkeptBytes > mostUnkeptBytes:
		much = fmt.Sprintf("%d MiB", l.unkeptBytes>>20)
	case l.unkept > mostUnkept:
		much = fmt.Sprintf("%d files", l.unkept)
	default:
		return nil
	}
	return result.Usagef("the working tree %s has %s that git does not keep, the largest file %s with %d MiB, and at most %d MiB and %d files are copied for a run: "+
		"move it out of the working tree, or have a rule of .gitignore name its folder", l.root, much, cmp.Or(l.largest, "none"), l.largestSize>>20, mostUnkeptBytes>>20, mostUnkept)
}
