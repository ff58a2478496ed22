package layout

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Source is what is counted of a package, whatever the build tags of its files. Blank lines and comments are lines.
type Source struct {
	Files     map[string]int // lines of each file but tests
	TestLines int            // of files *_test.go
	Imports   []string       // by files but tests
	Comment   string         // of the package
}

// Lines are those of all files but tests.
func (s *Source) Lines() int {
	sum := 0
	for _, lines := range s.Files {
		sum += lines
	}
	return sum
}

// ReadSources reads the Go packages below a folder.
func ReadSources(root fs.FS) (map[string]*Source, error) {
	found := map[string]*Source{}
	err := EachFile(root, func(file string, src []byte) error {
		dir := path.Dir(file)
		if found[dir] == nil {
			found[dir] = &Source{Files: map[string]int{}}
		}
		if strings.HasSuffix(file, "_test.go") {
			found[dir].TestLines += CountLines(src)
			return nil
		}
		found[dir].Files[file] = CountLines(src)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		found[dir].Comment += parsed.Doc.Text()
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			found[dir].Imports = append(found[dir].Imports, imported)
		}
		return nil
	}, ".go")
	return found, err
}

// EachFile calls f for the files with one of these extensions, but for testdata and hidden folders, as go does.
func EachFile(root fs.FS, f func(file string, src []byte) error, extensions ...string) error {
	return fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != "." && (name == "testdata" || name[0] == '.' || name[0] == '_'):
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains(extensions, path.Ext(name)):
			return nil
		}
		src, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		return f(file, src)
	})
}

// CountLines counts as wc -l does.
func CountLines(src []byte) int { return bytes.Count(src, []byte("\n")) }
