package judge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
)

// Most that a tree of a candidate may hold: it is copied for every call.
const (
	mostFiles = 100_000
	mostBytes = 1 << 30
)

// ErrTree says that a folder cannot be a candidate.
var ErrTree = errors.New("this cannot be a candidate")

// Tree is what a folder holds, by path with slashes. Folders are not listed: they are there for what they hold.
type Tree map[string]File

// File is a file of a tree.
type File struct {
	Link       string `json:"link,omitempty"` // where a symbolic link leads; "" of a regular file
	Sum        string `json:"sum,omitempty"`  // of a regular file's content
	Executable bool   `json:"executable,omitempty"`
}

// Hash names the whole tree.
func (t Tree) Hash() string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(t)) {
		f := t[path]
		fmt.Fprintf(h, "%q %q %q %v\n", path, f.Link, f.Sum, f.Executable)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Copy copies a folder that others may write to into a new one, and returns what the copy holds. Anything called .git stays behind, and so do the
// folders of except, which are paths without links as from is. Links are copied as links. What is neither a file nor a folder nor a link, a name
// that is no UTF-8, and more than mostFiles or mostBytes are an ErrTree.
func Copy(from, to string, except ...string) (Tree, error) {
	c := copier{to: to, tree: Tree{}}
	return c.tree, c.walk(from, except)
}

// Scan is what a folder holds, as Copy would copy it.
func Scan(from string, except ...string) (Tree, error) {
	c := copier{tree: Tree{}}
	return c.tree, c.walk(from, except)
}

// CheckLinks refuses links of a candidate, laid out in folder, that lead out of it: what they lead to is not judged with it, and could be
// another candidate's. Those that base has, too, are base's affair.
func (t Tree) CheckLinks(base Tree, folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("look at the links of %s: %w", folder, err)
	}
	defer root.Close()
	for _, path := range slices.Sorted(maps.Keys(t)) {
		link := t[path].Link
		if link == "" || base[path] == t[path] {
			continue
		}
		if _, err := root.Stat(filepath.FromSlash(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: the link %s leads to %s, which is not in it: put a copy there", ErrTree, path, link)
		}
	}
	return nil
}

type copier struct {
	to      string // "" copies nothing
	tree    Tree
	entries int
	bytes   int64
}

func (c *copier) walk(from string, except []string) error {
	root, err := os.OpenRoot(from) // nothing outside is reached, even where folders are exchanged for links meanwhile
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == ".git" || slices.Contains(except, filepath.Join(from, path)):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err := c.count(path); err != nil {
			return err
		}
		if entry.IsDir() {
			return c.folder(path)
		}
		return c.file(root, path, entry.Type())
	})
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// count refuses too many entries, and names that the ledger's JSON could not give back.
func (c *copier) count(path string) error {
	if c.entries++; c.entries > mostFiles {
		return fmt.Errorf("%w: it holds more than %d files and folders. Name a git revision or a patch, or keep what a build makes elsewhere", ErrTree, mostFiles)
	}
	if !utf8.ValidString(path) {
		return fmt.Errorf("%w: the name %q is no UTF-8: rename it", ErrTree, path)
	}
	return nil
}

func (c *copier) folder(path string) error {
	if c.to == "" {
		return nil
	}
	return os.MkdirAll(filepath.Join(c.to, path), 0o755)
}

func (c *copier) file(root *os.Root, path string, kind fs.FileMode) (err error) {
	switch {
	case kind&fs.ModeSymlink != 0:
		f := File{}
		if f.Link, err = root.Readlink(path); err == nil && !utf8.ValidString(f.Link) {
			err = fmt.Errorf("%w: the link %s leads to %q, which is no UTF-8", ErrTree, path, f.Link)
		}
		if err == nil && c.to != "" {
			err = os.Symlink(f.Link, filepath.Join(c.to, path))
		}
		c.tree[filepath.ToSlash(path)] = f
		return err
	case !kind.IsRegular():
		return fmt.Errorf("%w: %s is neither a file nor a folder nor a link", ErrTree, path)
	}
	f, err := c.regular(root, path)
	c.tree[filepath.ToSlash(path)] = f
	return err
}

func (c *copier) regular(root *os.Root, path string) (f File, err error) {
	in, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return f, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, cmp.Or(err, fmt.Errorf("%w: %s changed while it was copied", ErrTree, path))
	}
	f.Executable = info.Mode()&0o100 != 0
	h := sha256.New()
	into := io.Writer(h)
	if c.to != "" {
		out, err := os.OpenFile(filepath.Join(c.to, path), os.O_WRONLY|os.O_CREATE|os.O_EXCL, modeOf(f))
		if err != nil {
			return f, err
		}
		defer func() { err = cmp.Or(err, out.Close()) }()
		into = io.MultiWriter(h, out)
	}
	n, err := io.Copy(into, io.LimitReader(in, mostBytes-c.bytes+1))
	if c.bytes += n; err == nil && c.bytes > mostBytes {
		err = fmt.Errorf("%w: it holds more than %d MiB. Name a git revision or a patch, or keep what a build makes elsewhere", ErrTree, mostBytes>>20)
	}
	f.Sum = hex.EncodeToString(h.Sum(nil))
	return f, err
}

func modeOf(f File) fs.FileMode {
	if f.Executable {
		return 0o755
	}
	return 0o644
}

// change is what a candidate has other than base.
type change struct {
	Deleted []string `json:"deleted,omitempty"`
	Changed Tree     `json:"changed,omitempty"`
}

const changeFile = "change.json"

// Keep puts what a candidate has other than base into the ledger's folder, so that it can be laid out again whatever becomes of what the caller
// named. folder holds the candidate.
func (l *Ledger) Keep(base, candidate Tree, folder string) error {
	to := filepath.Join(l.dir, treesDir, candidate.Hash())
	if _, err := os.Stat(filepath.Join(to, changeFile)); err == nil {
		return nil
	}
	ch := change{Changed: Tree{}}
	for path := range base {
		if _, has := candidate[path]; !has {
			ch.Deleted = append(ch.Deleted, path)
		}
	}
	slices.Sort(ch.Deleted)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("keep the candidate: %w", err)
	}
	for path, f := range candidate {
		if base[path] == f {
			continue
		}
		ch.Changed[path] = f
		if f.Link == "" {
			if err := keepFile(filepath.Join(folder, path), filepath.Join(to, f.Sum)); err != nil {
				return fmt.Errorf("keep the candidate: %w", err)
			}
		}
	}
	if err := result.ReplaceFile(filepath.Join(to, changeFile), func(w io.Writer) error { return result.Encode(w, ch) }); err != nil {
		return fmt.Errorf("keep the candidate: %w", err)
	}
	return nil
}

func keepFile(from, to string) error {
	in, err := untrusted.Open(from, mostBytes)
	if err != nil {
		return err
	}
	defer in.Close()
	return result.ReplaceFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// LayOut lays a kept candidate out in a new folder, over a copy of base. A copy that no longer is what was judged is an ErrLedger.
func (l *Ledger) LayOut(hash, base, to string) error {
	from := filepath.Join(l.dir, treesDir, hash)
	text, err := untrusted.Read(filepath.Join(from, changeFile), mostBytes)
	if err != nil {
		return fmt.Errorf("%w: the copy of candidate %s: %w", ErrLedger, result.ShortID(hash), err)
	}
	var ch change
	if err := json.Unmarshal(text, &ch); err != nil {
		return fmt.Errorf("%w: the copy of candidate %s: %w", ErrLedger, result.ShortID(hash), err)
	}
	if _, err := Copy(base, to); err != nil {
		return err
	}
	if err := ch.apply(from, to); err != nil {
		return fmt.Errorf("%w: the copy of candidate %s: %w", ErrLedger, result.ShortID(hash), err)
	}
	laid, err := Scan(to)
	if err == nil && laid.Hash() != hash {
		err = fmt.Errorf("%w: the copy of candidate %s in %s is not what was judged", ErrLedger, result.ShortID(hash), from)
	}
	return err
}

// apply changes a copy of base. Links of base may lie where a candidate has a folder: what is deleted goes first.
func (ch change) apply(from, to string) error {
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range ch.Deleted {
		if err := root.Remove(filepath.FromSlash(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(ch.Changed)) {
		if err := put(root, filepath.FromSlash(path), ch.Changed[path], from); err != nil {
			return err
		}
	}
	return nil
}

// put writes one file of a candidate.
func put(root *os.Root, path string, f File, from string) error {
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := root.RemoveAll(path); err != nil {
		return err
	}
	if f.Link != "" {
		return root.Symlink(f.Link, path)
	}
	if strings.ContainsAny(f.Sum, "/\\.") {
		return fmt.Errorf("%q is no name of a kept file", f.Sum)
	}
	content, err := untrusted.Read(filepath.Join(from, f.Sum), mostBytes)
	if err != nil {
		return err
	}
	return root.WriteFile(path, content, modeOf(f))
}
