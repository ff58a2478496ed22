package benchmark

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var shells = []string{"sh", "bash", "dash", "env"}

// isStarter says whether a word of a command stands before the program that it runs: NAME=value, a shell, an interpreter of Python.
func isStarter(word string) bool {
	base := path.Base(word)
	return strings.Contains(word, "=") || slices.Contains(shells, base) || strings.HasPrefix(base, "python")
}

// ProgramOf is the file that a command runs, as the command writes it: the first of tree that it names, whatever starts that (an interpreter,
// taskset, timeout), else its first word; "" where a shell has more to do than that.
func ProgramOf(tree fs.FS, line string) string {
	if _, script, _, ok := scriptOf(line); ok {
		return script
	}
	words := slices.DeleteFunc(strings.Fields(line), isStarter)
	for i, word := range words {
		name := strings.Trim(word, `'"`)
		unbuilt := strings.HasPrefix(name, "./") || i == 0 && strings.Contains(name, "/") // no file yet, but no option or data either
		if unbuilt || isFile(tree, name) {
			return name
		}
	}
	return firstWord(line)
}

// firstWord is the first word of a command that is not there to start another.
func firstWord(line string) string {
	for _, word := range strings.Fields(line) {
		if !strings.Contains(word, "=") && !slices.Contains(shells, path.Base(word)) {
			return strings.Trim(word, `'"`)
		}
	}
	return ""
}

// NameOf is what a command is best called by: the program that it runs, or the module of an interpreter.
func NameOf(tree fs.FS, line string) string {
	words := strings.Fields(line)
	if i := slices.Index(words, "-m"); i > 0 && i+1 < len(words) && strings.HasPrefix(path.Base(words[i-1]), "python") {
		return words[i+1]
	}
	return ProgramOf(tree, line)
}

// OwnFiles are patterns of the files in the tree that the benchmark of a command seems to consist of. Whether they define what they time cannot be
// told, so a person has to say that both sides may run the same. A program that a build makes is none.
func OwnFiles(tree fs.FS, f Format, line string) []string {
	program := ProgramOf(tree, line)
	switch f.(type) {
	case pytestBenchmark:
		return collected(tree, line)
	case hyperfine:
		program = firstWord(line) // the others are what it measures
	}
	if isFile(tree, program) && isText(tree, program) {
		return []string{path.Clean(program)}
	}
	return nil
}

// collected are patterns of the tests in the files and folders that a command of pytest names, and of the script that has it.
func collected(tree fs.FS, line string) (patterns []string) {
	for _, word := range strings.Fields(line) {
		word, _, _ = strings.Cut(strings.Trim(word, `'"`), "::") // one test of a file
		name := path.Clean(word)
		info, err := fs.Stat(tree, name)
		switch {
		case err != nil, name == ".", slices.Contains(patterns, name):
		case info.IsDir():
			patterns = append(patterns, testsIn(tree, name)...)
		case isText(tree, name):
			patterns = append(patterns, name)
		}
	}
	return patterns
}

// testsIn are patterns of the tests in a folder: all of it, unless it has modules beside them, which may be what they measure.
func testsIn(tree fs.FS, dir string) []string {
	tests := []string{"test_*.py", "*_test.py", "conftest.py"}
	modules, found := false, make([]bool, len(tests))
	_ = fs.WalkDir(tree, dir, func(name string, d fs.DirEntry, err error) error { // a folder that cannot be read has no tests to name
		if err != nil || d.IsDir() || path.Ext(name) != ".py" || d.Name() == "__init__.py" {
			return nil
		}
		i := slices.IndexFunc(tests, func(pattern string) bool { ok, err := path.Match(pattern, d.Name()); return ok && err == nil })
		if i < 0 {
			modules = true
		} else {
			found[i] = true
		}
		return nil
	})
	if base := path.Base(dir); !modules || strings.HasPrefix(base, "bench") || strings.HasPrefix(base, "test") {
		return []string{dir + "/**"}
	}
	var patterns []string
	for i, pattern := range tests {
		if found[i] {
			patterns = append(patterns, dir+"/**/"+pattern)
		}
	}
	return patterns
}

func isFile(tree fs.FS, name string) bool {
	info, err := fs.Stat(tree, path.Clean(name))
	return err == nil && info.Mode().IsRegular()
}

// isText says whether a file is no program that a compiler made.
func isText(tree fs.FS, name string) bool {
	f, err := tree.Open(path.Clean(name))
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1024))
	return err == nil && !bytes.ContainsRune(head, 0)
}
