package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

func TestWorstOfSeveralChecks(t *testing.T) {
	t.Parallel()
	unmeasured, no := errors.New("no answer"), &result.ExitError{Code: 1}
	if err := result.Worst(nil, unmeasured, no); result.ExitCodeOf(err) != 1 || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("%v", err)
	}
	if err := result.Worst(nil, unmeasured); result.ExitCodeOf(err) != 3 {
		t.Errorf("%v", err)
	}
	if err := result.Worst(nil, nil); err != nil {
		t.Errorf("%v", err)
	}
}

// The result that is done again is not cleared away as an earlier run's.
func TestRerunKeepsWhatItReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "result.json")
	must(t, os.WriteFile(file, nil, 0o644))
	for _, saved := range []string{dir, file} {
		if _, err := request.SavedResult(saved, dir); result.ExitCodeOf(err) != 2 || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: %v", saved, err)
		}
		if _, err := request.SavedResult(saved, t.TempDir()); err == nil || strings.Contains(err.Error(), "--out") {
			t.Errorf("%s: %v", saved, err)
		}
	}
}
