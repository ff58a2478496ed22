package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDiffOfEqualConfigurationsIsEmpty(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/config/ok/*.yaml")
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a, err1 := Parse(file, src)
		b, err2 := Parse(file, append(src, "\n# a comment is no change\n"...))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if d := Diff(a, b); len(d) != 0 {
			t.Errorf("%s: %q", file, d)
		}
	}
	if len(files) == 0 {
		t.Fatal("no configuration to test with")
	}
}

// A change that loosens the gate must not pass unseen, whichever key it hides in.
func TestDiffSeesEveryKey(t *testing.T) {
	base := `version: 1
kernels:
  - name: k
    adapter: k.pg.cc
    sources: [k.cc]
    params:
      n: {values: [1, 2], fuzz: {min: 1, max: 10}}
    measure: [{n: 1}]
    parity: {cases: 10, atol: 1e-3}
gate: {tolerance: 1.5%}
`
	for change, want := range map[string]string{
		"tolerance: 1.5%->tolerance: 50%":                                    "gate.tolerance: 1.5% → 50%",
		"k.pg.cc->other.pg.cc":                                               "adapter: k.pg.cc → other.pg.cc",
		"atol: 1e-3->atol: 1":                                                "parity.atol: 0.001 → 1",
		"[{n: 1}]->[{n: 2}]":                                                 "measure: (1) → (2)",
		"max: 10->max: 11":                                                   "params",
		"name: k->name: other":                                               "kernel k: removed",
		"{cases: 10, atol: 1e-3}->off":                                       "→ off",
		"version: 1->version: 1\npaths: [x]":                                 "paths: nothing → x",
		"sources: [k.cc]->sources: [k2.cc]":                                  "sources: k.cc → k2.cc",
		"measure:->cache: hot\n    measure:":                                 "cache: cold → hot",
		"version: 1->version: 1\nbaseline: {store: \"dir:x\"}":               "baseline.store: dir:.perfgate → dir:x",
		"cases: 10->values: [normal], cases: 10":                             "parity.values: nothing → normal",
		"version: 1->version: 1\npython: /usr/bin/python3":                   "python: python3 → /usr/bin/python3",
		"version: 1->version: 1\ninstalled: [numpy]":                         "installed: nothing → numpy",
		"measure:->host-time: true\n    measure:":                            "host-time: false → true",
		"measure:->flags: [-O1]\n    measure:":                               "flags: nothing → -O1",
		"measure:->competitors: [{name: r, adapter: r.pg.cc}]\n    measure:": "competitors: nothing → name r, adapter r.pg.cc, when changed",
	} {
		from, to, _ := strings.Cut(change, "->")
		a, err1 := Parse("a", []byte(base))
		b, err2 := Parse("b", []byte(strings.Replace(base, from, to, 1)))
		if err1 != nil || err2 != nil {
			t.Fatal(change, err1, err2)
		}
		if d := Diff(a, b); !slices.ContainsFunc(d, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%s: %q, want %q in it", change, d, want)
		}
	}
}

// A row of several parameters is told as one.
func TestDiffOfRows(t *testing.T) {
	const base = "version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1]}, m: {values: [2, 3]}}, measure: [{n: 1, m: 2}]}\n"
	a, err1 := Parse("a", []byte(base))
	b, err2 := Parse("b", []byte(strings.Replace(base, "m: 2}]", "m: 3}]", 1)))
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if d := Diff(a, b); !slices.ContainsFunc(d, func(s string) bool { return strings.Contains(s, "measure: (1,2) → (1,3)") }) {
		t.Errorf("%q", d)
	}
}

func TestDiffOfBenchmarks(t *testing.T) {
	const base = "version: 1\nkernels:\n  - name: k\n    build: {command: make}\n    bench: {command: ./b, format: nvbench}\n    files: [x]\n    cases: [a]\n"
	for change, want := range map[string]string{
		"./b->./c": "bench", "format: nvbench->format: nvbench, time: batch": "bench", "format: nvbench->format: csv": "bench", "command: make->command: make all": "bench", "format: nvbench->format: nvbench, kernel: sum": "bench",
		"files: [x]->files: [y]": "files: x → y", "cases: [a]->cases: [b]": "cases: a → b",
	} {
		from, to, _ := strings.Cut(change, "->")
		a, err1 := Parse("a", []byte(base))
		b, err2 := Parse("b", []byte(strings.Replace(base, from, to, 1)))
		if err1 != nil || err2 != nil {
			t.Fatal(change, err1, err2)
		}
		if d := DiffRules(a, b, nil); len(d) == 0 || !strings.Contains(d[0], want) {
			t.Errorf("%s: %q, want %q in it", change, d, want)
		}
	}
}

// What decides over a kernel is its own, and what holds for all of them.
func TestDiffRules(t *testing.T) {
	base := `version: 1
kernels:
  - {name: a, adapter: a.pg.cc, sources: [a.cc], params: {n: {values: [1]}}}
  - {name: b, adapter: b.pg.cc, sources: [b.cc], params: {n: {values: [1]}}}
gate: {tolerance: 2%}
`
	for change, want := range map[string][2]string{ // of all kernels, and of b alone
		"version: 1->version: 1\ncost: {gpu-hour: 2}":                                                {},
		"version: 1->version: 1\nprofile: {cases: 1}":                                                {},
		"version: 1->version: 1\nbaseline: {store: \"dir:x\"}":                                       {},
		"version: 1->version: 1\nbaseline: {cumulative-tolerance: 9%}":                               {"baseline.cumulative-tolerance: 5% → 9%", "baseline.cumulative-tolerance: 5% → 9%"},
		"version: 1->version: 1\nbaseline: {mode: paired}":                                           {"baseline.mode: auto → paired", "baseline.mode: auto → paired"},
		"gate:->  - {name: c, adapter: c.pg.cc, sources: [c.cc], params: {n: {values: [1]}}}\ngate:": {},
		"sources: [a.cc]->sources: [a2.cc]":                                                          {"kernel a: sources: a.cc → a2.cc", ""},
		"name: b->name: c":                                                                           {"kernel b: removed", "kernel b: removed"},
		"2%->3%":                                                                                     {"gate.tolerance: 2% → 3%", "gate.tolerance: 2% → 3%"},
		"version: 1->version: 1\ntolerances: [{cases: a, tolerance: 4%}]":                            {"tolerances: nothing → cases a, tolerance 4%", "tolerances: nothing → cases a, tolerance 4%"},
		"version: 1->version: 1\ndevice: cpu":                                                        {"device: auto → cpu", "device: auto → cpu"},
		"version: 1->version: 1\npaths: [x]":                                                         {"paths: nothing → x", "paths: nothing → x"},
	} {
		from, to, _ := strings.Cut(change, "->")
		a, err1 := Parse("a", []byte(base))
		b, err2 := Parse("b", []byte(strings.Replace(base, from, to, 1)))
		if err1 != nil || err2 != nil {
			t.Fatal(change, err1, err2)
		}
		all, one := strings.Join(DiffRules(a, b, nil), "; "), strings.Join(DiffRules(a, b, []string{"b"}), "; ")
		if all != want[0] || one != want[1] {
			t.Errorf("%s: %q, and of b alone %q; want %q", change, all, one, want)
		}
	}
}
