package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest"
)

// TestTune races configurations with the real harness: one that is faster than the shipped one, one that is wrong and the fastest by far, one that does not
// build, and one that is the shipped one's code.
func TestTune(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	p := newProject(t)
	p.write("perfgate.yaml", strings.Replace(quickConfig, "    parity:", "    tune: {PASSES: [5, 40], SCALE: [1, 2, no]}\n    parity:", 1))
	p.edit("bench/scale_add.cc", "  for (std::size_t i = 0; i < n; i++) y[i] += a * x[i];", `  T sum = 0;
  for (int p = 0; p < PASSES; p++)
    for (std::size_t i = 0; i < n; i++) sum += x[i];
  asm volatile("" : : "m"(sum));
  for (std::size_t i = 0; i < n; i++) y[i] += a * SCALE * x[i];`)
	p.write("bench/scale_add.cc", `#ifndef PASSES
#define PASSES 40
#endif
#ifndef SCALE
#define SCALE 1
#endif
#if SCALE == 2
#undef PASSES
#define PASSES 0
#endif
`+p.read("bench/scale_add.cc"))
	p.expect(1, "PASSES=5,SCALE=1 is the fastest of 7 configurations", "perfgate", "tune", "--kernel", "scale_add", "--tolerance", "30%", "--check")
	saved := filepath.Join(p.dir, "perfgate-tune", "tune.json")
	found, err := result.ReadFile(saved)
	must(t, err)
	if err := rule.Replay(found, found.Policy).Err(); err != nil {
		t.Error(err)
	}
	want := map[string]string{
		"PASSES=5,SCALE=1": "measured", "PASSES=5,SCALE=2": "wrong", "PASSES=5,SCALE=no": "broken",
		"PASSES=40,SCALE=1": "same code", "PASSES=40,SCALE=2": "same code", "PASSES=40,SCALE=no": "broken",
	}
	tried := found.Kernels[0].Configurations
	for _, c := range tried {
		became := "measured"
		switch {
		case c.SameAs != nil:
			became = "same code"
		case c.Build.Failed:
			became = "broken"
		case c.Parity.Status == result.ParityFailed:
			became = "wrong"
		}
		if became != want[c.Name] || c.IsMeasured() != (became == "measured") {
			t.Errorf("%s is %s, want %s: %s", c.Name, became, want[c.Name], result.MessageOf(c.Reason))
		}
	}
	if use := found.Use["*"]; use["PASSES"] != "5" || use["SCALE"] != "1" || len(found.Use) != len(found.Cases)+1 || len(tried) != len(want) {
		t.Errorf("use %v", found.Use)
	}
	p.expect(0, "", "perfgate", "report", saved, "-o", "again")
	if is, was := p.read("again/report.md"), p.read("perfgate-tune/report.md"); is != was {
		t.Errorf("%s\nwas\n%s", is, was)
	}
	p.expect(2, "perfgate tune --kernel=scale_add | --check", "perfgate", "rerun", saved)
}
