package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// TestTune races settings with the real harness: one that is far faster than the shipped one, one that is wrong, one that does not build, and one
// that is the shipped one's code.
func TestTune(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	p := newProject(t)
	p.write("perfgate.yaml", strings.Replace(quickConfig, "    parity:", "    tune: {PASSES: [0, 40], SCALE: [1, 2, no]}\n    parity:", 1))
	kernel := read(t, p, "bench/scale_add.cc")
	loop := "  for (std::size_t i = 0; i < n; i++) y[i] += a * x[i];"
	knobs := "#ifndef PASSES\n#define PASSES 40\n#endif\n#ifndef SCALE\n#define SCALE 1\n#endif\n"
	slow := "  T sum = 0;\n  for (int p = 0; p < PASSES; p++)\n    for (std::size_t i = 0; i < n; i++) sum += x[i];\n  asm volatile(\"\" : : \"m\"(sum));\n"
	if !strings.Contains(kernel, loop) {
		t.Fatalf("the starter's kernel is another:\n%s", kernel)
	}
	p.write("bench/scale_add.cc", knobs+strings.Replace(kernel, loop, slow+strings.Replace(loop, "a *", "a * SCALE *", 1), 1))
	text, code := p.run(perfgatePath(), "tune", "--kernel", "scale_add", "--tolerance", "30%", "--check")
	if code != int(result.ExitFailed) || !strings.Contains(text, "PASSES=0,SCALE=1 is the fastest of 7 settings") {
		t.Fatalf("exit code %d:\n%s", code, text)
	}
	saved, err := os.ReadFile(filepath.Join(p.dir, "perfgate-tune", "tune.json"))
	var found result.Tuned
	if err == nil {
		err = json.Unmarshal(saved, &found)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]result.TunedStatus{
		"shipped": result.TunedMeasured, "PASSES=0,SCALE=1": result.TunedMeasured, "PASSES=0,SCALE=2": result.TunedWrong, "PASSES=0,SCALE=no": result.TunedBroken,
		"PASSES=40,SCALE=1": result.TunedSame, "PASSES=40,SCALE=2": result.TunedWrong, "PASSES=40,SCALE=no": result.TunedBroken,
	}
	for _, s := range found.Settings {
		if s.Status != want[s.Text] {
			t.Errorf("%s is %s, want %s: %s", s.Text, s.Status, want[s.Text], s.Reason)
		}
	}
	if use := found.Use["*"]; use["PASSES"] != "0" || found.Shipped() != result.TunedSlower || len(found.Use) != len(found.Cases)+1 || len(found.Settings) != len(want) {
		t.Errorf("use %v, shipped %s", found.Use, found.Shipped())
	}
}
