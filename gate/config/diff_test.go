package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiffOfEqualConfigurationsIsEmpty(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../../testdata/config/ok/*.yaml")
	for _, file := range files {
		src, err := os.ReadFile(file)
		must(t, err)
		if d := Diff(parsed(t, string(src)), parsed(t, string(src)+"\n# a comment is no change\n")); len(d) != 0 {
			t.Errorf("%s: %q", file, d)
		}
	}
	if len(files) == 0 {
		t.Fatal("no configuration to test with")
	}
}

// A change that loosens the gate must not pass unseen, whichever key it hides in. What decides over a kernel is its own, and what holds for all of them:
// not what is profiled or paid, where records are kept, and which kernels are new.
func TestDiff(t *testing.T) {
	t.Parallel()
	const compiled = `version: 1
kernels:
  - name: k
    adapter: k.pg.cc
    sources: [k.cc]
    params:
      n: {values: [1, 2], fuzz: {min: 1, max: 10}}
      m: {values: [2, 3]}
    measure: [{n: 1, m: 2}]
    parity: {cases: 10, atol: 1e-3}
  - {name: other, adapter: o.pg.cc, params: {n: {values: [1]}}}
gate: {tolerance: 1.5%}
`
	const bench = "version: 1\nkernels:\n  - name: k\n    build: {command: make}\n    bench: {command: ./b, format: nvbench}\n    files: [x]\n    cases: [a]\n"
	const all, own, aside = "decides over all", "decides over k", "does not decide"
	for _, test := range []struct{ src, from, to, reach, want string }{
		{compiled, "tolerance: 1.5%", "tolerance: 50%", all, "gate.tolerance: 1.5% → 50%"},
		{compiled, "k.pg.cc", "l.pg.cc", own, "kernel k: adapter: k.pg.cc → l.pg.cc"},
		{compiled, "atol: 1e-3", "atol: 1", own, "kernel k: parity.atol: 0.001 → 1"},
		{compiled, "[{n: 1, m: 2}]", "[{n: 1, m: 3}]", own, "kernel k: measure: (1,2) → (1,3)"},
		{compiled, "max: 10", "max: 11", own, "kernel k: params: n=1,2[1..10 near 0 multiple-of 1 log false]; m=2,3 → n=1,2[1..11 near 0 multiple-of 1 log false]; m=2,3"},
		{compiled, "name: k", "name: l", own, "kernel k: removed"},
		{compiled, "{cases: 10, atol: 1e-3}", "off", own, "kernel k: parity: cases 10, atol 0.001, accuracy-regression warn, min-matched 99% → off"},
		{compiled, "version: 1", "version: 1\npaths: [x]", all, "paths: nothing → x"},
		{compiled, "sources: [k.cc]", "sources: [k2.cc]", own, "kernel k: sources: k.cc → k2.cc"},
		{compiled, "measure:", "cache: hot\n    measure:", own, "kernel k: cache: cold → hot"},
		{compiled, "measure:", "epoch: 2\n    measure:", own, "kernel k: epoch: 1 → 2"},
		{compiled, "cases: 10", "values: [normal], cases: 10", own, "kernel k: parity.values: nothing → normal"},
		{compiled, "version: 1", "version: 1\npython: /usr/bin/python3", all, "python: python3 → /usr/bin/python3"},
		{compiled, "version: 1", "version: 1\ninstalled: [numpy]", all, "installed: nothing → numpy"},
		{bench, "format: nvbench", "format: csv, csv: {case: a, value: ms}", own, "kernel k: bench.format: nvbench → csv; kernel k: bench.time: cold → nothing; kernel k: bench.csv: nothing → case \"a\", value [{\"ms\" \"\" \"\"}], separator comma"},
		{compiled, "measure:", "host-time: true\n    measure:", own, "kernel k: host-time: false → true"},
		{compiled, "measure:", "flags: [-O1]\n    measure:", own, "kernel k: flags: nothing → -O1"},
		{compiled, "measure:", "competitors: [{name: r, adapter: r.pg.cc}]\n    measure:", own, "kernel k: competitors: nothing → name r, adapter r.pg.cc, when changed"},
		{compiled, "version: 1", "version: 1\ncost: {gpu-hour: 2}", aside, "cost.gpu-hour: 0 → 2"},
		{compiled, "version: 1", "version: 1\nprofile: {cases: 1}", aside, "profile.cases: 3 → 1"},
		{compiled, "version: 1", "version: 1\nbaseline: {store: \"dir:x\"}", aside, "baseline.store: dir:.perfgate → dir:x"},
		{compiled, "gate:", "  - {name: c, adapter: c.pg.cc, params: {n: {values: [1]}}}\ngate:", aside, "kernel c: added"},
		{compiled, "version: 1", "version: 1\nbaseline: {cumulative-tolerance: 9%}", all, "baseline.cumulative-tolerance: 5% → 9%"},
		{compiled, "version: 1", "version: 1\nbaseline: {mode: paired}", all, "baseline.mode: auto → paired"},
		{compiled, "version: 1", "version: 1\ntolerances: [{cases: a, tolerance: 4%}]", all, "tolerances: nothing → cases a, tolerance 4%"},
		{compiled, "version: 1", "version: 1\nwaivers: [{cases: a, reason: why, owner: me, until: 2026-01-31, tolerance: 4%}]", all,
			"waivers: nothing → cases a, reason why, owner me, until 2026-01-31, tolerance 4%"},
		{compiled, "version: 1\n", "version: 1\nwaivers: [{cases: a, reason: why, owner: me, until: 2026-01-31}]\n", all, "waivers: nothing → cases a, reason why, owner me, until 2026-01-31"},
		{compiled, "version: 1", "version: 1\nsuite: {tolerance: 1%, trade: true, worst: 4%}", all, "suite.tolerance: 0% → 1%; suite.trade: false → true; suite.worst: 0% → 4%"},
		{compiled, "version: 1", "version: 1\nsuite: {tolerance: 1%, weights: {k: 2, \"o/**\": 3}}", all, "suite.weights: nothing → k 2; o/** 3; suite.tolerance: 0% → 1%"},
		{compiled, "version: 1", "version: 1\ndevice: cpu", all, "device: auto → cpu"},
		{bench, "./b", "./c", own, "kernel k: bench.command: ./b → ./c"},
		{bench, "format: nvbench", "format: nvbench, time: batch", own, "kernel k: bench.time: cold → batch"},
		{bench, "command: make", "command: make all", own, "kernel k: bench.build: make → make all"},
		{bench, "format: nvbench", "format: nvbench, kernel: sum", own, "kernel k: bench.kernel: nothing → sum"},
		{bench, "files: [x]", "files: [y]", own, "kernel k: files: x → y"},
		{bench, "cases: [a]", "cases: [b]", own, "kernel k: cases: a → b"},
	} {
		a, b := parsed(t, test.src), parsed(t, strings.Replace(test.src, test.from, test.to, 1))
		decides, others := test.want, ""
		if test.reach == aside {
			decides = ""
		}
		if test.reach == all {
			others = test.want
		}
		diff, rules, other := strings.Join(Diff(a, b), "; "), strings.Join(DiffRules(a, b, nil), "; "), strings.Join(DiffRules(a, b, []string{"other"}), "; ")
		if test.src == bench {
			other = others
		}
		if test.to == "name: l" {
			diff = strings.TrimSuffix(diff, "; kernel l: added")
		}
		if diff != test.want || rules != decides || other != others {
			t.Errorf("%s to %s: %q, of rules %q, of another kernel's %q; want %q, which %s", test.from, test.to, diff, rules, other, test.want, test.reach)
		}
	}
}
