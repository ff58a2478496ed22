package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/untrusted"
)

// OpenFolder opens the store in a folder: a bare repository with one branch.
func OpenFolder(place string) *Store {
	// Git is told where the repository is: it looks for no other one around it, follows no file in it to another configuration, and does not ask who
	// owns it.
	git := repo.Git{Dir: place}.With("GIT_DIR=.", "GIT_COMMON_DIR=.")
	return &Store{spec: "dir:" + place, git: git, branch: "records", folder: place}
}

// folderConfig is all that git is told about the repository of a folder. What it tidies up is done while no other writer is at work.
const folderConfig = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[gc]\n\tautoDetach = false\n"

// isMade says whether the repository of a folder is there; a branch of another repository is. Another configuration than ours is an error: a
// checkout can bring a folder of this name, and programs that a configuration names would run.
func (s *Store) isMade() (bool, error) {
	if s.folder == "" {
		return true, nil
	}
	text, err := untrusted.Read(filepath.Join(s.folder, "config"), 1<<10)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read records: %w", err)
	case !bytes.Equal(text, []byte(folderConfig)):
		return false, fmt.Errorf("store %s: %s is not as perfgate writes it: name a folder that holds nothing else", s, filepath.Join(s.folder, "config"))
	}
	return true, nil
}

// make makes the repository of a folder where it is not there, and keeps other writers away until unlock. A killed process leaves no lock of ours,
// and those that git may leave are removed.
func (s *Store) make() (unlock func(), err error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.Open(s.folder)
	if err != nil {
		return nil, err
	}
	unlock = func() { dir.Close() }
	if err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX); err != nil {
		unlock()
		return nil, err
	}
	for _, locked := range []string{s.ref(), "HEAD", "packed-refs"} {
		os.Remove(filepath.Join(s.folder, locked+".lock"))
	}
	made, err := s.isMade()
	if err == nil && !made {
		err = s.lay()
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lay writes what makes a folder a repository, the configuration last. The default folder is kept out of git: its records are no change of the tree.
// A folder of another name may be meant to be committed.
func (s *Store) lay() error {
	files := [][2]string{{"HEAD", "ref: " + s.ref() + "\n"}, {"config", folderConfig}}
	if filepath.Base(s.folder) == ".perfgate" {
		files = append([][2]string{{".gitignore", "*\n"}}, files...)
	}
	for _, folder := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(s.folder, folder), 0o755); err != nil {
			return err
		}
	}
	for _, f := range files {
		write := func(w io.Writer) error { _, err := io.WriteString(w, f[1]); return err }
		if err := saved.Replace(filepath.Join(s.folder, f[0]), write); err != nil {
			return err
		}
	}
	return nil
}
