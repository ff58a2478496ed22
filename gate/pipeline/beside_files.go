package pipeline

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
)

// besideFile names a file that lies in a folder of a kernel's adapter, sources or library, or below one, and that the sides do not have alike; ""
// where there is none. Code that is equal may read it while it runs, by a way that no import of the library tells. What compilers are given, and what
// people read, is none: the code that is compiled of it was compared.
func (m *measuring) besideFile(k Kernel) string {
	c := k.Plan.Kernel
	var folders []string
	for _, file := range append(c.Adapters(), c.Sources...) {
		folders = append(folders, path.Dir(file))
	}
	files := m.opt.ChangedFiles
	if !m.opt.ChangesKnown {
		var err error
		if files, err = m.dataBelow(folders); err != nil {
			return "files that could not be compared: " + err.Error()
		}
	}
	for _, file := range files {
		lies := slices.ContainsFunc(folders, func(folder string) bool {
			return folder == "." && filepath.IsLocal(file) || strings.HasPrefix(file, folder+"/")
		})
		if lies && isData(file) && !m.sameFiles(file) && file != path.Base(m.opt.Trusted.Config.File) {
			return file
		}
	}
	if c.Build != nil && c.Build.Output != "" {
		return m.besideLibrary(path.Dir(path.Clean(c.Build.Output)))
	}
	return ""
}

// dataBelow lists the data in folders of both sides, of which it is not known which differ.
func (m *measuring) dataBelow(folders []string) ([]string, error) {
	names := map[string]bool{}
	for _, side := range []Side{m.opt.Base, m.opt.Head} {
		for _, folder := range folders {
			err := repo.Walk(filepath.Join(side.Tree, folder), func(file string, kind fs.FileMode) error {
				if kind.IsDir() || !isData(file) {
					return nil
				}
				if names[path.Join(folder, filepath.ToSlash(file))] = true; len(names) > mostCompared {
					return errTooMany
				}
				return nil
			})
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// recipes are what builds are told by.
var recipes = strings.Fields("CMakeLists.txt Makefile GNUmakefile makefile meson.build meson_options.txt BUILD WORKSPACE SConstruct SConscript .cmake .mk .bazel .bzl")

// isData says whether a file is neither code, which compilers are given, nor a text for people, nor a recipe or a product of a build.
func isData(file string) bool {
	name := path.Base(file)
	isRecipe := slices.Contains(recipes, name) || slices.Contains(recipes, path.Ext(name))
	return !isRecipe && !kernels.IsCode(name) && !plan.NeverRead(name, false) && !repo.IsProduct(name)
}

func (m *measuring) sameFiles(file string) bool {
	was, err1 := readWhole(filepath.Join(m.opt.Base.Tree, file))
	is, err2 := readWhole(filepath.Join(m.opt.Head.Tree, file))
	return err1 == nil && err2 == nil && bytes.Equal(was, is)
}

// besideLibrary names a file of the folder in which a build command has made the library, as besideFile does. Where the sides' folders are called in
// it is no difference; libraries are compared as code, where they are needed.
func (m *measuring) besideLibrary(folder string) string {
	names := map[string]bool{}
	for _, side := range []Side{m.opt.Base, m.opt.Head} {
		list, err := os.ReadDir(filepath.Join(side.Tree, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return folder + ", which could not be read"
		}
		for _, e := range list {
			if e.Type().IsRegular() && isData(e.Name()) {
				names[e.Name()] = true
			}
		}
	}
	for name := range names {
		was, err1 := readWhole(filepath.Join(m.opt.Base.Tree, folder, name))
		is, err2 := readWhole(filepath.Join(m.opt.Head.Tree, folder, name))
		was, is = bytes.ReplaceAll(was, []byte(m.opt.Base.root()), nil), bytes.ReplaceAll(is, []byte(m.opt.Head.root()), nil)
		if isELF(was) && isELF(is) {
			continue
		}
		if err1 != nil || err2 != nil || !bytes.Equal(was, is) {
			return path.Join(folder, name)
		}
	}
	return ""
}

func isELF(content []byte) bool { return bytes.HasPrefix(content, []byte("\x7fELF")) }
