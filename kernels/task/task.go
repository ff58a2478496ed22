// Package task reads problems of kernel competitions and benchmarks as they are: those of GPU MODE and of KernelBench. What they mean when
// they run is in kernels/python/perfgate/_task*.py.
//
//	task.yml or a module with Model and ModelNew -> Task: reference, submission, the arguments of its cases
package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/org/perfgate/gate/untrusted"
)

// Format is a way of writing problems.
type Format string

// The formats that are read.
const (
	GPUMode     Format = "GPU MODE"
	KernelBench Format = "KernelBench"
)

// FormatOf is the format of a problem that stands in the place of an adapter, by the name of its file: task.yml is GPU MODE's, and a file of
// Python that is no adapter is KernelBench's. "" for everything else.
func FormatOf(file string) Format {
	switch base := path.Base(file); {
	case base == "task.yml" || base == "task.yaml":
		return GPUMode
	case strings.HasSuffix(base, ".py") && !strings.HasSuffix(base, ".pg.py"):
		return KernelBench
	}
	return ""
}

// Task is a problem without its solution.
type Task struct {
	Format     Format
	Path       string   // of the file that stands for it, in its tree
	Modules    []Module // what it is made of
	Tests      []Spec   // GPU MODE: what is checked
	Benchmarks []Spec   // GPU MODE: what is timed
}

// Module is a file of Python that a problem imports by name.
type Module struct {
	Name string
	Path string // in the tree
	Text string
}

// Spec is one case: the arguments of generate_input, in the order of task.yml.
type Spec []Argument

// Argument has an int64, a float64, a bool, a string, or lists and maps of them.
type Argument struct {
	Name  string
	Value any
}

// maxText bounds each file that is read.
const maxText = 1 << 20

// Reader reads a file of a tree by its path there. Its error wraps fs.ErrNotExist where there is none.
type Reader func(path string) ([]byte, error)

// Within reads plain files below root, by their paths from a folder in it. No link leads out of it.
func Within(root, dir string) Reader {
	return func(name string) ([]byte, error) {
		text, err := untrusted.ReadIn(root, filepath.Join(dir, filepath.FromSlash(name)), maxText)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return text, err
	}
}

// Read reads the problem that file stands for.
func Read(read Reader, file string) (Task, error) {
	t := Task{Format: FormatOf(file), Path: file}
	var err error
	switch t.Format {
	case GPUMode:
		err = t.readGPUMode(read)
	case KernelBench:
		err = t.readKernelBench(read)
	default:
		err = errors.New("neither task.yml nor a file of Python")
	}
	if err != nil {
		return Task{}, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// fileText reads one file of a problem.
func fileText(read Reader, file string) (string, error) {
	content, err := read(file)
	if err != nil {
		return "", err
	}
	if len(content) > maxText {
		return "", fmt.Errorf("%s has more than %d KiB", file, maxText>>10)
	}
	if !utf8.Valid(content) {
		return "", fmt.Errorf("%s is no UTF-8: its other characters would be lost on their way to Python", file)
	}
	return string(content), nil
}

// Paths are the files of the problem in the tree: who may change one of them may change what is right.
func (t Task) Paths() []string {
	paths := []string{t.Path}
	for _, m := range t.Modules {
		if m.Path != t.Path {
			paths = append(paths, m.Path)
		}
	}
	return paths
}

// Adapter is the text of an adapter in Python for the problem. solution is the path of what solves it in the tree; "" launches the reference.
func (t Task) Adapter(solution string) []byte {
	rows := [][]string{}
	for _, m := range t.Modules {
		rows = append(rows, []string{m.Name, m.Path, m.Text})
	}
	module, choices := "_task_kernelbench", ""
	if t.Format == GPUMode {
		module, choices = "_task_gpumode", "json.loads("+Literal(t.choices())+"), "
	}
	return fmt.Appendf(nil, "import json\n\nfrom perfgate import _bridge, %s as _format\n\nglobals().update(_format.functions(_bridge.TREE, json.loads(%s), %s%s))\n",
		module, Literal(rows), choices, quoted(solution))
}

// Literal is a value that marshals, as JSON in a literal of Python, which reads JSON's escapes as JSON does.
func Literal(value any) string {
	encoded, _ := json.Marshal(value) // what specs let through marshals
	return quoted(string(encoded))
}

func quoted(s string) string {
	encoded, _ := json.Marshal(s)
	return string(encoded)
}

// defined says whether a text of Python defines or imports a name at its top level.
func defined(text, name string) bool {
	return regexp.MustCompile(`(?m)^(?:def|class)\s+` + name + `\b|^` + name + `\s*[:=]|^from\s.*\simport\s.*\b` + name + `\b`).MatchString(text)
}

// readKernelBench reads the one file of such a problem.
func (t *Task) readKernelBench(read Reader) error {
	source, err := fileText(read, t.Path)
	if err != nil {
		return err
	}
	for _, name := range []string{"Model", "get_inputs", "get_init_inputs"} {
		if !defined(source, name) {
			return fmt.Errorf("it defines no %s, as problems of KernelBench do; an adapter's name ends in .pg.py", name)
		}
	}
	t.Modules = []Module{{"problem", t.Path, source}}
	return nil
}
