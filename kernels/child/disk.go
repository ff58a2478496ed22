package child

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// DiskLimit bounds what a child writes into folders of its own. One file alone is bounded by a sandbox's limit; many are
// counted now and then, so that a fast writer gets some way beyond.
type DiskLimit struct {
	Folders []string
	Bytes   int64 // in all of them together; 0 means no limit but that the disk keeps some room
}

const (
	diskLook = 500 * time.Millisecond
	// keepFree is how much room a disk keeps, so that the result can still be written; small disks keep a 50th.
	keepFree = 256 << 20
	// mostFiles ends the count of a folder: who makes more is over the limit, whatever they hold.
	mostFiles = 200_000
)

// broken looks at the folders. A disk that had no room before is not the child's.
func (l DiskLimit) broken() func() Limit {
	hadRoom := roomLeft(l.Folders[0])
	return func() Limit {
		switch {
		case l.Bytes > 0 && used(l.Folders, l.Bytes) > l.Bytes:
			return OverDisk
		case hadRoom && !roomLeft(l.Folders[0]):
			return DiskFull
		}
		return ""
	}
}

// used is what the files below the folders take of the disk, up to a little beyond most.
func used(folders []string, most int64) int64 {
	var bytes int64
	files := 0
	for _, dir := range folders {
		_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil // gone meanwhile, or closed to us
			}
			if files++; files > mostFiles {
				bytes = most + 1
			}
			if bytes > most {
				return fs.SkipAll
			}
			if info, err := entry.Info(); err == nil {
				if stat, ok := info.Sys().(*syscall.Stat_t); ok {
					bytes += stat.Blocks * 512 // stat(2) counts in these, whatever the file system's are
				}
			}
			return nil
		})
	}
	return bytes
}

func roomLeft(dir string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return true
	}
	size := uint64(s.Bsize)
	return s.Bavail*size >= min(keepFree, s.Blocks*size/50)
}
