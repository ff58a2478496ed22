package trial

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/observe"
)

// trial is a benchmark while it is tried.
type trial struct {
	Benchmark
	scratch string
	dir     string         // where it runs: the user's folder, or the copy in which its program was built
	root    string         // the copy of the whole repository; "" where there is none
	asked   observe.Report // what its build and its processes asked for

	added map[string]string // options that let the command end within a trial's limit, by format
}

// gpuDevice begins the paths that a program opens which starts CUDA, and none that only asks which GPUs there are.
const gpuDevice = "/dev/nvidia-uvm"

// opened says whether the benchmark opened a path that begins so.
func (t *trial) opened(prefix string) bool {
	return slices.ContainsFunc(t.asked.Paths, func(a observe.Access) bool { return a.Asked.Has(observe.Opened) && strings.HasPrefix(a.Path, prefix) })
}

// device is what the benchmark was seen to run on; "" where that is not known.
func (t *trial) device() string {
	switch {
	case t.opened(gpuDevice):
		return config.DeviceCUDA
	case !hasGPU() || len(t.asked.Incomplete) == 0:
		return config.DeviceCPU
	}
	return ""
}

// paths are patterns of what the build and the benchmark read of what git keeps: folders at the top of the tree, and all files there, which say how it is
// built. None where not all of what they read was seen.
func (t *trial) paths(ctx context.Context) (patterns []string) {
	root, err := checkout.RealPath(t.dir)
	if err != nil {
		return nil
	}
	if len(t.asked.Incomplete) > 0 {
		t.Found("paths: none, since not all that it reads was seen (" + t.asked.Incomplete[0].String() + "): every change is measured")
		return nil
	}
	kept, err := repo.Git{Dir: "."}.Files(ctx, false)
	if err != nil {
		return nil
	}
	for _, a := range t.asked.Paths {
		name, err := filepath.Rel(root, a.Path)
		if t.root != "" && err == nil && !filepath.IsLocal(name) && a.Asked.Has(observe.Opened) && isFileIn(t.root, a.Path) {
			t.Found("paths: none, since it reads files of the repository outside of this folder: every change is measured")
			return nil
		}
		top, _, below := strings.Cut(name, "/")
		ours := below && err == nil && filepath.IsLocal(name) && a.Asked&(observe.Opened|observe.Executed) != 0
		if pattern := top + "/**"; ours && !slices.Contains(patterns, pattern) && slices.ContainsFunc(kept, func(file string) bool { return strings.HasPrefix(file, top+"/") }) {
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns) == 0 {
		return nil // all is at the top
	}
	return append(patterns, "*")
}

// isFileIn says whether a path is a file in a folder.
func isFileIn(folder, path string) bool {
	within, err := filepath.Rel(folder, path)
	info, missing := os.Stat(path)
	return err == nil && filepath.IsLocal(within) && missing == nil && info.Mode().IsRegular()
}

// startsPython says whether a command starts Python.
func startsPython(words []string) bool { return slices.ContainsFunc(words, isInterpreter) }

// isInterpreter says whether a word of a command starts Python.
func isInterpreter(word string) bool {
	word = path.Base(word)
	return strings.HasPrefix(word, "python") || word == "pytest" || word == "py.test"
}

// ownPackages is the assignment with which a command of Python imports the packages of its own tree: of src, or of the folder itself where the command
// would not find them there. "" where there are none, or the command says so itself.
func (t *trial) ownPackages(traits benchmark.Traits) string {
	words := strings.Fields(t.Command)
	if !startsPython(words) || traits.Script || strings.Contains(t.Command, "PYTHONPATH") {
		return ""
	}
	tree := os.DirFS(t.dir)
	if _, err := fs.Stat(tree, ownSite); err == nil {
		return "PYTHONPATH=" + ownSite
	}
	if all, err := fs.Glob(tree, "src/*/__init__.py"); err == nil && len(all) > 0 {
		return "PYTHONPATH=src"
	}
	if all, err := fs.Glob(tree, "*/__init__.py"); err == nil && len(all) > 0 && !slices.Contains(words, "-m") {
		return "PYTHONPATH=."
	}
	return ""
}

// showTable says what a table of the program's own was taken for.
func (t *trial) showTable(found benchmark.Recognised) {
	m := found.Spec.Table
	if m == nil {
		return
	}
	var values []string
	for _, v := range m.Values {
		values = append(values, v.Name)
	}
	t.Found(fmt.Sprintf("its table: rows are named %s, and %s is compared: change csv where that is not what it means", m.Case, strings.Join(values, ", ")))
	for _, c := range found.Set.Cases[:min(3, len(found.Set.Cases))] {
		if ns, err := c.Processes[0].Value(); err == nil && c.Failed == "" {
			t.Found(fmt.Sprintf("  %s: %s", c.Name, text.Duration(ns)))
		}
	}
	if len(found.Unused) > 0 {
		t.Found("left out: " + strings.Join(found.Unused, ", ") + " (value can list several columns)")
	}
}

// libraries are names of implementations that a kernel is compared with.
var libraries = strings.Fields("torch pytorch torch_eager eager cublas cublaslt cudnn cufft cusparse cub thrust rocblas hipblas miopen onednn mkl openblas eigen numpy scipy jax xla tensorflow")

func isLibrary(word string) bool { return slices.Contains(libraries, strings.ToLower(word)) }

// libraryLines are lines of plots that are a library's, next to others that are not.
func (t *trial) libraryLines(set benchmark.Set) (lines []string) {
	own := false
	for _, c := range set.Cases {
		if c.Line == "" || !isLibrary(c.Line) {
			own = own || c.Line != ""
		} else if !slices.Contains(lines, c.Line) {
			lines = append(lines, c.Line)
		}
	}
	if !own || len(lines) == 0 {
		return nil
	}
	lines = lines[:min(len(lines), result.MaxCompetitors)]
	t.Found("competitors: " + strings.Join(lines, ", ") + ", which are a library's: measured alongside, and no cases")
	return lines
}

// libraryRows are patterns that leave out rows of a library, where others are left.
func (t *trial) libraryRows(set benchmark.Set) (patterns []string) {
	others := 0
	for _, c := range set.Cases {
		words := strings.FieldsFunc(c.Name, func(r rune) bool { return strings.ContainsRune("/,=:[] ", r) })
		if !slices.ContainsFunc(words, isLibrary) {
			others++
			continue
		}
		patterns = append(patterns, "!"+c.Name)
	}
	if others == 0 || len(patterns) == 0 {
		return nil
	}
	t.Found(fmt.Sprintf("cases: %s left out, of libraries: no change of this code makes them slower", text.Count(len(patterns), "row")))
	return patterns
}
