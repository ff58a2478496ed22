package profile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/child"
	"github.com/org/perfgate/kernels/kernelstest"
)

// TestExport: a details page that cannot be had costs the rules alone.
func TestExport(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		rules  int
	}{
		"both pages":      {"", 5},
		"no details page": {`case "$*" in *"--page details"*) echo "==ERROR== A rule failed" >&2; exit 1 ;; esac`, 0},
	} {
		e, err := fakeIn(t, t.TempDir(), c.before, "").Export(context.Background(), "x.ncu-rep", child.Spec{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p, err := Read(strings.NewReader(e.Raw), strings.NewReader(e.Details))
		if len(p.Kernels) != 1 || len(p.Rules) != c.rules || (err == nil) != (c.rules > 0) || (e.NoDetails == nil) != (c.rules > 0) {
			t.Errorf("%s: %d kernels, %d rules, %v, %v", name, len(p.Kernels), len(p.Rules), err, e.NoDetails)
		}
	}
}

// TestReportOfANewerVersion: the ncu that comes first cannot load it and another one can, or none can, which is one message.
func TestReportOfANewerVersion(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "x.ncu-rep")
	must(t, os.WriteFile(report, []byte("report"), 0o644))
	before := packages
	t.Cleanup(func() { packages = before })
	packages = filepath.Join(dir, "packages")
	t.Setenv("NCU", "")
	first := fakeIn(t, filepath.Join(dir, "first"), `printf "==ERROR== Failed to load report file '%s'.\n" "$2"; exit 1`, "")
	t.Setenv("PATH", filepath.Dir(first.Path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, err := ReadEither(context.Background(), report, "")
	var f *Failure
	if !errors.As(err, &f) || f.Kind != result.GapUnloadableReport || !strings.Contains(err.Error(), report) || !strings.Contains(err.Error(), first.Path) {
		t.Errorf("%v", err)
	}
	must(t, kernelstest.WriteProgram(first.Path, []byte("#!/bin/sh\n[ $1 = --version ] && echo Version 2022.3.0.0\n")))
	if _, err := ReadEither(context.Background(), report, ""); !errors.As(err, &f) || f.Kind != result.GapProfilerTooOld {
		t.Errorf("%v", err)
	}
	fakeIn(t, filepath.Join(packages, "nsight-compute", "2025.3"), "", "")
	if p, err := ReadEither(context.Background(), report, ""); err != nil || len(p.Kernels) != 1 || len(p.Rules) != 5 {
		t.Errorf("%d kernels, %d rules, %v", len(p.Kernels), len(p.Rules), err)
	}
	if _, err := ReadEither(context.Background(), report, "details.csv"); err == nil {
		t.Error("a details page beside a report is passed over")
	}
}
