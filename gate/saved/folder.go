package saved

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/untrusted"
)

// ownIgnore is the .gitignore of a folder for results, which tells it from others.
const ownIgnore = "# written by perfgate\n*\n"

// IsFolder says whether a folder is one for results, which MakeFolder has made.
func IsFolder(dir string) bool {
	text, err := untrusted.Read(filepath.Join(dir, ".gitignore"), int64(len(ownIgnore)))
	return err == nil && string(text) == ownIgnore
}

// MakeFolder makes a folder for results, where there is none. It is invisible to git: results are no change of the tree.
func MakeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(ownIgnore), 0o644)
}

// ReplaceIn puts a file into a folder for results, which it makes where there is none: all of the file or nothing.
func ReplaceIn(dir, name string, write func(io.Writer) error) error {
	if err := MakeFolder(dir); err != nil {
		return fmt.Errorf("make the folder for the results (--out names another): %w", err)
	}
	return Replace(filepath.Join(dir, name), write)
}
