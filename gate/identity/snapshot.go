package identity

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

// Snapshot is what was in a side's tree at one time. It is a walk, and reads no file.
type Snapshot struct {
	Root  string // without links
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
func takeSnapshot(tree, scratch string) (*Snapshot, error) {
	var r RealPaths
	s := &Snapshot{Root: r.Of(tree), files: map[string]stamp{}, names: map[string][]string{}}
	scratch = r.Of(scratch)
	if r.Err != nil {
		return nil, r.Err
	}
	err := filepath.WalkDir(s.Root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != s.Root && (entry.Name() == ".git" || path == scratch):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case len(s.files) == mostSeen:
			return ErrTooMany
		}
		info, err := entry.Info()
		if err == nil {
			s.add(path, info)
		}
		return err
	})
	return s, err
}

func (s *Snapshot) add(path string, info fs.FileInfo) {
	name, err := filepath.Rel(s.Root, path)
	if err != nil {
		return
	}
	if _, known := s.files[name]; !known && name != "." {
		s.names[filepath.Dir(name)] = append(s.names[filepath.Dir(name)], filepath.Base(name))
	}
	s.files[name] = stampOf(info)
}

// Has says whether there was something at a path.
func (s *Snapshot) Has(name string) bool {
	_, was := s.files[name]
	return was
}

// rewritten says whether a file is not the one that it was.
func (s *Snapshot) rewritten(name string) bool {
	info, err := os.Lstat(filepath.Join(s.Root, name))
	return err != nil || stampOf(info) != s.files[name]
}

// Snapshots are what both sides' trees had before anything was built: what is not in it is a product. What head's build makes of head's own files says
// nothing of them, so they are known from here alone.
type Snapshots struct {
	Base, Head *Snapshot
	Err        error // of a tree that cannot be known: nothing can be proved

	taken time.Time // zero where only one tree was looked at
}

// Settle waits until what is written has a later time of change than any file of the snapshots.
func (b *Snapshots) Settle() { time.Sleep(time.Until(b.taken.Add(clockStep))) }

// TakeSnapshots walks through the trees of both sides, or of the one that has any, but for the folder of the run where that lies in one. Settle has to
// come before anything is built.
func TakeSnapshots(base, head, scratch string) (b Snapshots) {
	if head != "" {
		b.Head, b.Err = takeSnapshot(head, scratch)
	}
	if base == "" || b.Err != nil {
		return b
	}
	b.Base, b.Err = takeSnapshot(base, scratch)
	b.taken = time.Now()
	return b
}

// Brought adds a file that head was given after all.
func (b Snapshots) Brought(file string) error {
	if b.Head == nil {
		return nil
	}
	for name := filepath.Clean(file); name != "."; name = filepath.Dir(name) {
		info, err := os.Lstat(filepath.Join(b.Head.Root, name))
		if err != nil {
			return err
		}
		b.Head.add(filepath.Join(b.Head.Root, name), info)
		slices.Sort(b.Head.names[filepath.Dir(name)])
	}
	return nil
}

// ancestorsAgree says whether a path that neither tree had would be looked for in the same folders of both.
func (b Snapshots) ancestorsAgree(name string) bool {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		was, inBase := b.Base.files[dir]
		is, inHead := b.Head.files[dir]
		if (was.mode|is.mode)&fs.ModeSymlink != 0 || inBase && inHead && (was.mode^is.mode)&fs.ModeType != 0 {
			return false
		}
	}
	return true
}

// RealPaths are paths without links, as an observer tells them. Err is of the first that could not be followed.
type RealPaths struct{ Err error }

// Of is a path without links.
func (r *RealPaths) Of(path string) string {
	if path == "" || r.Err != nil {
		return path
	}
	path, r.Err = checkout.RealPath(path)
	return path
}
