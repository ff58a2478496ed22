package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Remove removes a folder that an untrusted program could write to: folders that it made unreadable are made readable first. It
// never follows a link, and changes nothing outside.
func Remove(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	// Each pass opens what it can see; a folder inside a closed one is seen in the next.
	for range 1000 {
		opened := false
		_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, walkErr error) error {
			if entry == nil || !entry.IsDir() {
				return nil
			}
			if info, err := entry.Info(); err == nil && info.Mode().Perm()&0o700 != 0o700 && os.Chmod(path, 0o700) == nil {
				opened = true
			}
			return nil
		})
		if err = os.RemoveAll(dir); err == nil || !opened {
			return err
		}
	}
	return err
}
