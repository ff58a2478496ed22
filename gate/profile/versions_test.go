package profile

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{"570.133.20": {570, 133}, "13.0": {13, 0}, " 580\n": {580, 0}, "2025.3.1": {2025, 3}} {
		if got, ok := ParseVersion(text); !ok || got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, bad := range []string{"", "unknown", "v12", "99999999999999999999.1"} {
		if got, ok := ParseVersion(bad); ok {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

// TestNsightForTheDriver: a new ncu that the driver refuses does not stand before an older one that it accepts.
func TestNsightForTheDriver(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("NCU", "")
	t.Setenv("PATH", filepath.Join(dir, "new")+":/usr/bin:/bin")
	for folder, version := range map[string]string{"new": "2025.3.1.0", "old": "2024.1.1.0"} {
		path := filepath.Join(dir, folder, "ncu")
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, kernelstest.WriteProgram(path, []byte("#!/bin/sh\necho Version "+version+"\n")))
	}
	nvcc := filepath.Join(dir, "old", "nvcc")
	for driver, want := range map[string]string{"580.95": "2025.3.1.0", "570.133.20": "2024.1.1.0", "450.1": "2025.3.1.0", "": "2025.3.1.0"} {
		if got, err := FindNsight(context.Background(), nvcc, driver); err != nil || got.Version != want {
			t.Errorf("driver %q: %+v, %v, want %s", driver, got, err, want)
		}
	}
}
