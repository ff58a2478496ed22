package task

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// Found is a problem in a folder, and its solution.
type Found struct {
	Task     Task
	Solution string // path
	Err      error  // why it cannot be read, or that it has no solution
}

// Find returns the problems below a folder of tree, sorted by path: task.yml of GPU MODE, and files of Python with what problems of
// KernelBench define. Folders whose names begin with a dot are left out.
func Find(tree fs.FS, folder string) ([]Found, error) {
	read := func(name string) ([]byte, error) { return readIn(tree, path.Clean(name)) }
	files, err := filesBelow(tree, folder)
	if err != nil {
		return nil, err
	}
	var found []Found
	var problems, solutions, both []string
	for _, file := range files {
		source, err := fileText(read, file)
		switch {
		case FormatOf(file) == GPUMode:
			found = append(found, findGPUMode(read, file, files))
		case err != nil:
		case defined(source, "Model") && defined(source, "get_inputs") && defined(source, "ModelNew"):
			both = append(both, file)
		case defined(source, "Model") && defined(source, "get_inputs"):
			problems = append(problems, file)
		case defined(source, "ModelNew"):
			solutions = append(solutions, file)
		}
	}
	problems, solutions = sorted(both, problems, solutions)
	for _, file := range problems {
		f := Found{Solution: solutionOf(file, problems, solutions)}
		if f.Task, f.Err = Read(read, file); f.Err == nil && f.Solution == "" {
			f.Err = fmt.Errorf("%s: no file with ModelNew below %s goes with it: give it the same name, or name it in sources", file, folder)
		}
		found = append(found, f)
	}
	return found, nil
}

// sorted says what files are that define both Model and ModelNew: solutions that repeat their problem where it has a file of its own, else
// problems that have their solution in them.
func sorted(both, problems, solutions []string) (allProblems, allSolutions []string) {
	allProblems, allSolutions = problems, slices.Concat(solutions, both)
	for _, file := range both {
		only := len(problems) == 1 && len(allSolutions) == 1
		if !only && !slices.ContainsFunc(problems, func(p string) bool { return goesWith(file, p) }) {
			allProblems = append(allProblems, file)
		}
	}
	slices.Sort(allProblems)
	return allProblems, allSolutions
}

// readIn reads what a Reader reads of a plain file. A pipe would keep who opens it waiting.
func readIn(tree fs.FS, name string) ([]byte, error) {
	if info, err := fs.Stat(tree, name); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fmt.Errorf("%s is not a regular file", name))
	}
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxText+1))
}

// filesBelow are files of the formats, in the order of their paths.
func filesBelow(tree fs.FS, folder string) ([]string, error) {
	var files []string
	err := fs.WalkDir(tree, path.Clean(folder), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && name != path.Clean(folder):
			return fs.SkipDir
		case entry.Type().IsRegular() && FormatOf(name) != "":
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// findGPUMode reads a problem, with the submission beside it: submission.py, or the one file that defines custom_kernel.
func findGPUMode(read Reader, file string, files []string) Found {
	t, err := Read(read, file)
	f := Found{Task: t, Err: err}
	if err != nil {
		return f
	}
	var beside []string
	for _, other := range files {
		if path.Dir(other) != path.Dir(file) || FormatOf(other) == GPUMode {
			continue
		}
		if source, err := fileText(read, other); err == nil && defined(source, "custom_kernel") && !judging().MatchString(source) {
			beside = append(beside, other)
		}
	}
	switch usual := path.Join(path.Dir(file), "submission.py"); {
	case slices.Contains(beside, usual):
		f.Solution = usual
	case len(beside) == 1:
		f.Solution = beside[0]
	default:
		f.Err = errors.New(file + ": no submission.py next to it, nor one other file that defines custom_kernel: name it in sources")
	}
	return f
}

// judging finds a program that judges submissions, which has the name of what it judges and defines nothing.
var judging = text.Pattern(`(?m)^(?:from|import)\s+submission\b`)

// solutionOf is the file with ModelNew that goes with a problem of KernelBench: the only one of an only problem, one with its name, or one
// that KernelBench has named by level and number; "" where none does.
func solutionOf(problem string, problems, solutions []string) string {
	if len(problems) == 1 && len(solutions) == 1 {
		return solutions[0]
	}
	at := slices.IndexFunc(solutions, func(s string) bool { return goesWith(s, problem) })
	if at < 0 {
		return ""
	}
	return solutions[at]
}

// goesWith says whether a file with ModelNew is named after a problem.
func goesWith(solution, problem string) bool {
	number, _, _ := strings.Cut(path.Base(problem), "_")
	level := levelFolder().FindString(path.Base(path.Dir(problem)))
	m := generated().FindStringSubmatch(path.Base(solution))
	return m != nil && m[2] == number && (level == "" || level == "level"+m[1]) || plainName(solution) == plainName(problem)
}

var (
	levelFolder = text.Pattern(`^level[0-9]+$`)
	generated   = text.Pattern(`^level_([0-9]+)_problem_([0-9]+)_sample_[0-9]+_kernel\.py$`)
)

// plainName is the name of a file without what tells a solution from its problem.
func plainName(file string) string {
	name := strings.ToLower(strings.TrimSuffix(path.Base(file), ".py"))
	return strings.Trim(strings.Replace(name, "_new", "", 1), "_")
}
