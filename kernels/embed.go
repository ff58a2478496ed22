// Package kernels builds adapters and talks to the harness processes that load them.
//
//	sources, compiler -> Builder -> Library, Harness
//	Library, limits, sandbox -> StartRunner -> Runner, a Process
//	a command of the configuration -> StartCommand -> Command -> what it printed and how it ended
//
// Process is the one interface to all that launches cases: the harness with a library or an adapter in Python, the same under a sanitizer or a profiler,
// and a benchmark program (gate/measure). What it is asked is a command of the protocol: spec lists, probe calibrates, time times, parity and judge check,
// profile profiles. It has one method for them, since no process answers all: one for each would make every kind of process refuse most of them.
//
// The harness, its header and the example kernels are C++ sources that travel inside the binary: they are compiled
// with the machine's own compiler when they are needed.
package kernels

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
)

//go:embed native/perfgate.h native/harness
var native embed.FS

//go:embed examples
var examples embed.FS

// Header returns perfgate.h, the adapter interface.
func Header() []byte {
	b, err := native.ReadFile("native/perfgate.h")
	if err != nil {
		panic(err) // embedded at build time
	}
	return b
}

// WriteExample copies a shipped example kernel into dir, which is created.
func WriteExample(name, dir string) error {
	tree, err := fs.Sub(examples, "examples/"+name)
	if err != nil {
		return err
	}
	if _, err := fs.Stat(tree, "."); err != nil {
		return fmt.Errorf("there is no example kernel %q", name)
	}
	return os.CopyFS(dir, tree)
}
