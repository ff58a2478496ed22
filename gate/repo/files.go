package repo

import (
	"context"
	"errors"
	"io/fs"
)

// Files are those below the folder that git keeps, and with others also those that it neither keeps nor ignores.
func (g Git) Files(ctx context.Context, others bool) ([]string, error) {
	args := []string{"ls-files", "-z", "--cached"}
	if others {
		args = append(args, "--others", "--exclude-standard")
	}
	return g.list(ctx, args...)
}

// CopyFiles copies files and links of a folder to another. What is listed and is not there is left out, as a file that was removed is.
func CopyFiles(from, to string, files []string) error {
	for _, name := range files {
		if err := copyPlain(from, to, name); err != nil && !errors.Is(err, fs.ErrExist) { // a conflict is listed several times
			return err
		}
	}
	return nil
}
