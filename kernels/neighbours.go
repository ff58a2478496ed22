package kernels

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
)

// Libraries that a build command made are kept below a folder of this name, each in a folder of its own that is laid out like the
// tree, so that $ORIGIN in a run path leads to what it led to there.
const keptFolder = "libraries"

// Bounds on what is kept beside a library: a project's own libraries, and not a toolkit.
const (
	maxNeighbours     = 64
	maxNeighbourBytes = 2 << 30
)

// neighbours are the libraries of a tree that a library needs and finds by a run path with $ORIGIN in it, and those that they
// need in turn, by their paths in the tree. A library that is not there, or outside of the tree, is the loader's to find.
func neighbours(tree, library string, content []byte) (map[string][]byte, error) {
	found := map[string][]byte{}
	var total int64
	var look func(path string, content []byte) error
	look = func(path string, content []byte) error {
		for _, candidate := range neededByOrigin(path, content) {
			if _, known := found[candidate]; known || candidate == library {
				continue
			}
			text, err := untrusted.ReadIn(tree, candidate, maxNeighbourBytes)
			if err != nil {
				continue
			}
			total += int64(len(text))
			if len(found) == maxNeighbours || total > maxNeighbourBytes {
				return fmt.Errorf("%s needs more than %d libraries of its tree, or more than %d MiB of them", library, maxNeighbours, maxNeighbourBytes>>20)
			}
			found[candidate] = text
			if err := look(candidate, text); err != nil {
				return err
			}
		}
		return nil
	}
	return found, look(library, content)
}

// neededByOrigin are the places in the tree where the loader would look for the libraries that the one at path needs.
func neededByOrigin(path string, content []byte) []string {
	f, err := untrusted.ParseELF(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil // its fingerprint is an error
	}
	defer f.Close()
	needed, err := dynamicNames(f, elf.DT_NEEDED)
	if err != nil {
		return nil
	}
	var places []string
	for _, dir := range runPath(f) {
		rest, ok := strings.CutPrefix(dir, "$ORIGIN")
		for _, name := range needed {
			if place := filepath.Join(filepath.Dir(path), rest, name); ok && filepath.IsLocal(place) {
				places = append(places, place)
			}
		}
	}
	return places
}

// keep writes a library that was made as output in tree, and its neighbours, below scratch, and returns where it is. What else lies in its folder is linked
// there, since it may look for data beside itself; each tree has a folder of its own.
func keep(scratch, tree, output string, content []byte) (string, error) {
	output = filepath.Clean(output)
	files, err := neighbours(tree, output, content)
	if err != nil {
		return "", err
	}
	files[output] = content
	var d digest
	d.add(tree)
	d.add(hashFiles(files))
	root := filepath.Join(scratch, keptFolder, d.sum())
	for path, text := range files {
		whole := func(f *os.File) error {
			_, err := f.Write(text)
			return errors.Join(err, f.Chmod(0o755))
		}
		if err := fill(filepath.Join(root, path), moveFirst, whole); err != nil {
			return "", fmt.Errorf("keep %s: %w", path, err)
		}
	}
	return filepath.Join(root, output), linkRest(filepath.Join(tree, filepath.Dir(output)), filepath.Join(root, filepath.Dir(output)))
}

// linkRest links what lies in the folder from, and not in to, into that.
func linkRest(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return fmt.Errorf("find the files next to a library: %w", err)
	}
	for _, e := range entries {
		err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("keep %s: %w", e.Name(), err)
		}
	}
	return nil
}

func hashFiles(files map[string][]byte) string {
	var d digest
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		d.add(name)
		d.add(string(sum[:]))
	}
	return d.sum()
}

// Besides is the folder that holds a kept library and its neighbours, or the library alone where it was not kept so.
func Besides(library string) string {
	for dir := filepath.Dir(library); len(dir) > 1; dir = filepath.Dir(dir) {
		if filepath.Base(filepath.Dir(dir)) == keptFolder {
			return dir
		}
	}
	return library
}

// hashKept hashes all that was kept with a library, itself excepted.
func hashKept(root, library string) string {
	files := map[string][]byte{}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && path != library {
			rel, _ := filepath.Rel(root, path)
			files[rel], _ = untrusted.Read(path, mostLibrary)
		}
		return nil
	})
	return hashFiles(files)
}
