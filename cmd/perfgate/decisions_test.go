package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/search"
)

// A verb that runs code under test has a supervisor, which leaves nothing behind when the verb is killed. A new verb is put into one list or the
// other.
func TestVerbsThatRunKernelsAreSupervised(t *testing.T) {
	t.Parallel()
	runsNone := []string{"action", "baseline", "compare", "completion", "explain", "help", "history", "merge", "report", "version"}
	for _, verb := range newRootCommand(&streams{out: io.Discard, err: io.Discard}).Commands() {
		if name := verb.Name(); runsKernels([]string{name}) == slices.Contains(runsNone, name) {
			t.Errorf("%s: supervised %v, and in the list of those that run nothing %v", name, runsKernels([]string{name}), slices.Contains(runsNone, name))
		}
	}
	for _, line := range []string{"action measure", "baseline record", "-v run", "-q --verbose baseline record"} {
		if !runsKernels(strings.Fields(line)) {
			t.Errorf("%s is not supervised", line)
		}
	}
}

// One ledger has one lock, by whatever name it is called.
func TestLedgerIsLockedByWhereItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o755), os.Symlink("real", filepath.Join(dir, "link"))))
	quiet := func(string) {}
	unlock, err := search.LockLedger(t.Context(), filepath.Join(dir, "real", "new"), quiet)
	must(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := search.LockLedger(ctx, filepath.Join(dir, "link", "new"), quiet); err == nil {
		t.Error("a second call went on beside the first")
	}
}
