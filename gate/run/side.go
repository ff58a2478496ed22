package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Side is one of the two things compared, laid out in a folder.
type Side struct {
	Tree string // the folder that the configuration's paths are relative to; "" where there is no such side
	Root string // the folder around it that holds all of the side; "" means Tree
	// TreeID names all that Root holds, where that is known: of what was laid out from git, or was hashed. "" otherwise.
	TreeID string
	Info   result.Version
	Copied repo.Copied // what Root was copied from, where it is the copy of a working tree
}

// NewSide is a laid-out side seen from the configuration's folder dir within it, with flags of its own.
func NewSide(s repo.Side, dir string, flags []string) Side {
	if s.Root == "" {
		return Side{}
	}
	s.Info.Flags = flags
	return Side{Tree: filepath.Join(s.Root, dir), Root: s.Root, TreeID: s.TreeID, Info: s.Info, Copied: s.Copied}
}

// root is the folder that holds all of a side.
func (s Side) root() string {
	if s.Root == "" {
		return s.Tree
	}
	return filepath.Clean(s.Root)
}

// inPlace says in the words of a compiler where the user has the files that it was given.
func (s Side) inPlace(words string) string {
	if s.Copied.From == "" {
		return words
	}
	return strings.ReplaceAll(words, s.root()+"/", s.Copied.From+"/")
}

func (s Side) has(file string) bool {
	_, err := os.Stat(filepath.Join(s.Tree, file))
	return err == nil
}

// makeRoom makes the folder of an adapter that a side does not have, so that what the adapter includes by "../" is found from there:
// in a copy of a revision, which is ours. A folder of the user's stays as it is.
func (s Side) makeRoom(adapter string) error {
	if s.Info.Kind != result.KindRevision || adapter == "" {
		return nil
	}
	tree, err := os.OpenRoot(s.Tree)
	if err != nil {
		return fmt.Errorf("find base's files: %w", err)
	}
	defer tree.Close()
	if err := tree.MkdirAll(filepath.Dir(adapter), 0o755); err != nil {
		return fmt.Errorf("make the adapter's folder in the copy of base: %w", err)
	}
	return nil
}
