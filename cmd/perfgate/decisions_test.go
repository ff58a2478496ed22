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

	"github.com/org/perfgate/gate/result"
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
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "real"), 0o755), os.Symlink("real", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	quiet := func(string) {}
	unlock, err := search.LockLedger(t.Context(), filepath.Join(dir, "real", "new"), quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := search.LockLedger(ctx, filepath.Join(dir, "link", "new"), quiet); err == nil {
		t.Error("a second call went on beside the first")
	}
}

// With --check, a shipped configuration does not pass without another one that it was compared with.
func TestTuneChecksAgainstSomething(t *testing.T) {
	t.Parallel()
	best := result.TunedInCase{Configuration: 0, Standing: result.TunedBest}
	f := tuneFlags{Check: true}
	for name, c := range map[string]struct {
		configurations []result.TunedConfiguration
		all            []result.TunedInCase
		exit           int
	}{
		"all others are broken":   {[]result.TunedConfiguration{{Status: result.TunedMeasured}, {Status: result.TunedBroken}}, []result.TunedInCase{best}, 3},
		"the other one failed":    {[]result.TunedConfiguration{{}, {}}, []result.TunedInCase{best, {Configuration: 1, Standing: result.TunedUnmeasured}}, 3},
		"the other one is slower": {[]result.TunedConfiguration{{}, {}}, []result.TunedInCase{best, {Configuration: 1, Standing: result.TunedSlower}}, 0},
		"the other is its code":   {[]result.TunedConfiguration{{}, {Status: result.TunedSame}}, []result.TunedInCase{best}, 0},
		"the other one is faster": {[]result.TunedConfiguration{{}, {}}, []result.TunedInCase{{Configuration: 1, Standing: result.TunedBest}, {Configuration: 0, Standing: result.TunedSlower}}, 1},
		"whether it is is open":   {[]result.TunedConfiguration{{}, {}}, []result.TunedInCase{{Configuration: 1, Standing: result.TunedBest}, {Configuration: 0, Standing: result.TunedInconclusive}}, 3},
	} {
		found := &result.Tuned{Configurations: c.configurations, All: &result.TunedCase{Best: c.all[0].Configuration, Configurations: c.all}}
		if exit, err := f.verdict(found); (err == nil) != (c.exit == 0) || int(exit) != c.exit {
			t.Errorf("%s: exit code %d, %v, want %d", name, exit, err, c.exit)
		}
	}
}
