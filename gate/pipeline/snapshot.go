package pipeline

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/org/perfgate/kernels/checkout"
)

// mostSeen bounds the names of a tree that are kept.
const mostSeen = 200_000

// snapshot is what was in a side's tree at one time. It is a walk, and reads no file.
type snapshot struct {
	root  string // without links
	files map[string]stamp
	names map[string][]string // in a folder, in order and without git's own
}

// stamp is what Linux says of a file. A file that was written, replaced or given back its old content has another: programs can set the time of
// writing, and none can set the time of change.
type stamp struct {
	mode             fs.FileMode
	size             int64
	written, changed syscall.Timespec
	device, inode    uint64
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{mode: info.Mode(), size: info.Size()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.written, s.changed, s.device, s.inode = stat.Mtim, stat.Ctim, stat.Dev, stat.Ino
	}
	return s
}

// takeSnapshot walks through a tree, but for the folder of the run where that lies in it.
func takeSnapshot(tree, scratch string) (*snapshot, error) {
	var r realPaths
	s := &snapshot{root: r.of(tree), files: map[string]stamp{}, names: map[string][]string{}}
	scratch = r.of(scratch)
	if r.err != nil {
		return nil, r.err
	}
	err := filepath.WalkDir(s.root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != s.root && (entry.Name() == ".git" || path == scratch):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case len(s.files) == mostSeen:
			return errTooMany
		}
		info, err := entry.Info()
		if err == nil {
			s.add(path, info)
		}
		return err
	})
	return s, err
}

func (s *snapshot) add(path string, info fs.FileInfo) {
	name, err := filepath.Rel(s.root, path)
	if err != nil {
		return
	}
	if _, known := s.files[name]; !known && name != "." {
		s.names[filepath.Dir(name)] = append(s.names[filepath.Dir(name)], filepath.Base(name))
	}
	s.files[name] = stampOf(info)
}

// rewritten says whether a file is not the one that it was.
func (s *snapshot) rewritten(name string) bool {
	info, err := os.Lstat(filepath.Join(s.root, name))
	return err != nil || stampOf(info) != s.files[name]
}

// sideSnapshots are what both sides' trees had before anything was built: what is not in it is a product. What head's build makes of head's own files says
// nothing of them, so they are known from here alone.
type sideSnapshots struct {
	base, head *snapshot
	err        error // of a tree that cannot be known: nothing can be proved
}

func takeSnapshots(o Options) sideSnapshots {
	var b sideSnapshots
	if o.recording { // head alone
		b.head, b.err = takeSnapshot(o.Head.root(), o.Scratch)
		return b
	}
	if o.Base.Tree == "" {
		return b
	}
	if b.base, b.err = takeSnapshot(o.Base.root(), o.Scratch); b.err != nil {
		return b
	}
	b.head, b.err = takeSnapshot(o.Head.root(), o.Scratch)
	time.Sleep(clockStep) // what is written from now on has a later time of change
	return b
}

// brought adds a file that head was given after all.
func (b sideSnapshots) brought(file string) error {
	if b.head == nil {
		return nil
	}
	for name := filepath.Clean(file); name != "."; name = filepath.Dir(name) {
		info, err := os.Lstat(filepath.Join(b.head.root, name))
		if err != nil {
			return err
		}
		b.head.add(filepath.Join(b.head.root, name), info)
		slices.Sort(b.head.names[filepath.Dir(name)])
	}
	return nil
}

// ancestorsAgree says whether a path that neither tree had would be looked for in the same folders of both.
func (b sideSnapshots) ancestorsAgree(name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		was, inBase := b.base.files[dir]
		is, inHead := b.head.files[dir]
		if (was.mode|is.mode)&fs.ModeSymlink != 0 || inBase && inHead && (was.mode^is.mode)&fs.ModeType != 0 {
			return false
		}
	}
	return true
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
