package run

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/kernelstest"
)

// An interpreter in a side or in the checkout may be the pull request's: it runs in the sandbox alone. One of the machine is asked outside.
func TestInterpreterOfASideStaysInside(t *testing.T) {
	kernelstest.NeedLandlock(t, 1)
	base, head, checkout, machine := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	for _, within := range []string{base, head, checkout, machine} {
		escaped := filepath.Join(t.TempDir(), "escaped")
		path := filepath.Join(within, "venv", "bin", "python3")
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, kernelstest.WriteProgram(path, []byte("#!/bin/sh\necho >"+escaped+"\necho >$TMPDIR/confined\necho '{\"path\":\"'$0'\"}'\n")))
		c := parsed(t, "  - {name: k, adapter: k.pg.py, params: {n: {values: [1]}}}\npython: "+path+"\n")
		opt := Question{
			Trusted: repo.Trusted{Config: c}, Scratch: t.TempDir(), Checkout: checkout, Desk: filepath.Join(checkout, "bench"),
			Base: Side{Tree: filepath.Join(base, "bench"), Root: base}, Head: Side{Tree: filepath.Join(head, "bench"), Root: head},
		}
		_, _ = interpreters(t.Context(), opt, planned(t, c), &kernels.Sandbox{}) // it is no Python
		if _, err := os.Stat(filepath.Join(opt.Scratch, "confined")); err != nil {
			t.Errorf("%s: it did not run in the sandbox: %v", path, err)
		}
		if _, err := os.Stat(escaped); (err == nil) != (within == machine) {
			t.Errorf("%s: outside of the sandbox: %v", path, err)
		}
	}
}
