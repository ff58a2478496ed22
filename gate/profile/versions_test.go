package profile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
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

// TestNsightForTheDriver: a new ncu that the driver refuses does not stand before an older one that it accepts, and one whose exports are not read
// before none.
func TestNsightForTheDriver(t *testing.T) {
	t.Setenv("NCU", "")
	for _, c := range []struct{ onPath, besideNvcc, driver, want string }{
		{"2025.3.1.0", "2024.1.1.0", "580.95", "2025.3.1.0"},
		{"2025.3.1.0", "2024.1.1.0", "570.133.20", "2024.1.1.0"},
		{"2025.3.1.0", "2024.1.1.0", "450.1", "2025.3.1.0"},
		{"2025.3.1.0", "2024.1.1.0", "", "2025.3.1.0"},
		{"2022.4.1.0", "2023.1.0.0", "570.133.20", "2023.1.0.0"},
		{"2022.4.1.0", "2025.3.1.0", "", "2025.3.1.0"},
		{"2022.4.1.0", "2020.1.0.0", "570.133.20", ""},
	} {
		dir := t.TempDir()
		t.Setenv("PATH", filepath.Join(dir, "path")+":/usr/bin:/bin")
		for folder, version := range map[string]string{"path": c.onPath, "nvcc": c.besideNvcc} {
			path := filepath.Join(dir, folder, "ncu")
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, kernelstest.WriteProgram(path, []byte("#!/bin/sh\necho Version "+version+"\n")))
		}
		got, err := FindNsight(context.Background(), filepath.Join(dir, "nvcc", "nvcc"), c.driver)
		if c.want != "" && (err != nil || got.Version != c.want) {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
		if c.want == "" {
			f, isFailure := errors.AsType[*Failure](err)
			if !isFailure || f.Kind != result.GapProfilerTooOld || !strings.Contains(f.Message, filepath.Join(dir, "path", "ncu")) || !strings.Contains(f.Message, c.onPath) {
				t.Errorf("%+v: %+v, %v", c, got, err)
			}
		}
	}
}
