package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/profile"
)

// recorded reads what a tool or driver really said.
func recorded(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../testdata/machine", name))
	must(t, err)
	return string(b)
}

func TestParseNVCC(t *testing.T) {
	for file, want := range map[string]string{"nvcc-13.0.txt": "13.0.88", "nvcc-12.8.txt": "12.8.93", "nvcc-11.1.txt": "11.1.105", "ncu-2025.1.1.txt": ""} {
		if got := parseNVCC(recorded(t, file)); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
	if got := parseCodes(recorded(t, "nvcc-13.0-codes.txt")); len(got) != 12 || got[0] != "sm_75" || !slices.Contains(got, "sm_89") {
		t.Errorf("codes = %v", got)
	}
}

func TestParseAdminOnly(t *testing.T) {
	for file, want := range map[string]bool{"nvidia-params-restricted.txt": true, "nvidia-params-580.txt": false} {
		if got, known := parseAdminOnly(recorded(t, file)); got != want || !known {
			t.Errorf("%s: %v, %v", file, got, known)
		}
	}
	if _, known := parseAdminOnly(""); known {
		t.Error("no file, and yet something is known")
	}
}

func TestParseCapabilities(t *testing.T) {
	status := func(hex string) string { return "Name:\tperfgate\nCapEff:\t" + hex + "\nCapBnd:\t000001ffffffffff\n" }
	for _, c := range []struct {
		hex    string
		driver int
		want   bool
	}{
		{"000001ffffffffff", 470, true},  // root
		{"0000000000200000", 470, true},  // CAP_SYS_ADMIN alone
		{"0000004000000000", 565, true},  // CAP_PERFMON, which counts from driver 565 on
		{"0000004000000000", 550, false}, //
		{"00000000a80425fb", 580, false}, // root in a container of Docker
		{"0000000000000000", 580, false}, // an ordinary user
		{"nonsense", 580, false},
	} {
		if got := parseCapabilities(status(c.hex), profile.Version{Major: c.driver}); got != c.want {
			t.Errorf("%s with driver %d: %v", c.hex, c.driver, got)
		}
	}
	if parseCapabilities("", profile.Version{}) {
		t.Error("no status makes an admin")
	}
}
