package kernels

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/sandbox"
)

// hosted is an adapter in Python: a description that stands where other adapters have a library. The harness becomes an interpreter
// that loads the harness as a library (native/harness/program.cc), so that whatever starts a harness starts this one too.
type hosted struct {
	Interpreter Interpreter `json:"interpreter"`
	Package     string      `json:"package"` // folder that holds perfgate's own package
	File        string      `json:"file"`    // the adapter, a copy
	Shown       string      `json:"shown"`   // its path in the tree
	Tree        string      `json:"tree"`    // folder of the side that modules are imported from
	Root        string      `json:"root"`    // folder around it that belongs to the side
	// Checkouts are other folders of the repository: what an editable install has there is imported from the side.
	Checkouts []string `json:"checkouts"`
	Pins      []Pin    `json:"pins"`
	Variables []string `json:"variables"` // NAME=VALUE, for the interpreter
	// Environment are the variables that lead to the side's environment, and Reads its folder; none where it has what is installed.
	Environment []string `json:"environment"`
	Reads       []string `json:"reads"`
	Caches      string   `json:"caches"` // folder for what frameworks compile; this side's alone
	// ImportFirst are installed packages that a process imports before the adapter does: in one that waits for its turn while others measure, in any other so
	// that what they are is known before the adapter could change it.
	ImportFirst []string `json:"importFirst"`
}

// Pin leaves an autotuner those of its configurations that have the values of one: "BLOCK=64, num_warps=4".
type Pin struct {
	Function string `json:"function"`
	Config   string `json:"config" is:"choices"` // as the configuration reads it
}

func (p Pin) String() string { return p.Function + ": " + p.Config }

// pinLines is a line for each pin, and for each choice of "softmax_kernel: BLOCK=64; other_kernel: ..." one that holds where it can.
func pinLines(pins []Pin, chosen string) string {
	var lines []string
	for _, p := range pins {
		lines = append(lines, p.String())
	}
	for choice := range strings.SplitSeq(chosen, "; ") {
		if function, config, ok := strings.Cut(choice, ": "); ok {
			lines = append(lines, function+"?: "+config)
		}
	}
	return strings.Join(lines, "\n")
}

// hostedName is the name of the description of an adapter in Python.
const hostedName = "adapter.python.json"

// IsHosted says whether what stands at the place of a library describes an adapter in Python.
func IsHosted(library string) bool { return filepath.Base(library) == hostedName }

// readHosted reads what stands at the place of a library; nil where it is one.
func readHosted(library string) (*hosted, error) {
	if !IsHosted(library) {
		return nil, nil
	}
	text, err := untrusted.Read(library, mostText)
	if err != nil {
		return nil, fmt.Errorf("read what describes an adapter: %w", err)
	}
	var h hosted
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, fmt.Errorf("read what describes an adapter: %w", err)
	}
	return &h, nil
}

func (h *hosted) write(path string) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("write what describes an adapter: %w", err)
	}
	return nil
}

// arguments are those of a harness that runs the adapter, whose autotuners choose again what they chose before.
func (h *hosted) arguments(harness, chosen string) []string {
	return []string{
		"--python", h.Interpreter.Path, "--host", filepath.Join(h.Package, "perfgate", "_host.py"),
		"--library", filepath.Join(filepath.Dir(harness), hostedHarness), "--pycache", filepath.Join(h.Caches, "pycache"),
		"--python-adapter", h.File, "--shown", h.Shown, "--tree", h.Tree, "--root", h.Root, "--checkouts", strings.Join(h.Checkouts, "\n"), "--pins", pinLines(h.Pins, chosen),
	}
}

// environment is that of an interpreter whose frameworks keep what they compile with the side. The user has a name: inductor asks for it, and
// a sandbox hides the table of users.
func (h *hosted) environment(env []string) []string {
	env = child.With(withCaches(withoutPrefix(env, "PYTHON"), h.Caches), "USER=perfgate", "LOGNAME=perfgate")
	return append(child.With(env, h.Environment...), h.Variables...)
}

// policy is what such a runner needs of the sandbox beyond what every runner does: to read the side's files, since modules are imported
// when they are needed, and to write into the side's caches.
func (h *hosted) policy(harness string) (sandbox.Policy, error) {
	root := h.Root
	if root == "" {
		root = h.Tree
	}
	files, err := readable(root)
	if err != nil {
		return sandbox.Policy{}, err
	}
	own := sandbox.Policy{Read: append([]string{filepath.Join(filepath.Dir(harness), hostedHarness), h.Package, h.File}, h.Reads...), Write: []string{h.Caches}}
	// Triton and inductor compile with the compilers of the PATH while they run.
	return sandbox.Policy{Read: h.Interpreter.Folders}.With(files, own, sandbox.SearchPath()), nil
}

// writePackage writes perfgate's Python package below dir, once.
func writePackage(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "perfgate")); err == nil {
		return nil
	}
	if err := os.CopyFS(dir, PythonPackage()); err != nil {
		return fmt.Errorf("write the Python package: %w", err)
	}
	return nil
}
