package repo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Files are those below the folder that git keeps, and with others also those that it neither keeps nor ignores.
func (g Git) Files(ctx context.Context, others bool) ([]string, error) {
	args := []string{"ls-files", "-z", "--cached"}
	if others {
		args = append(args, "--others", "--exclude-standard")
	}
	listed, err := g.Output(ctx, args...)
	return words(listed), err
}

// CopyFiles copies files of a folder to another. What is listed and is not there is left out, as a file that was removed is.
func CopyFiles(from, to string, files []string) error {
	for _, name := range files {
		info, err := os.Lstat(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() { // a submodule
			continue
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o755)
		}
		if err == nil {
			err = copyFile(filepath.Join(from, name), filepath.Join(to, name), info.Mode())
		}
		if err != nil && !errors.Is(err, fs.ErrExist) { // a conflict is listed several times
			return err
		}
	}
	return nil
}
