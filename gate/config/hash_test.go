package config

import (
	"strings"
	"testing"
)

// TestCaseHash pins the hash, which is sha256sum of
// {"kernel":"k","params":["B","S"],"adapter":"k.cc","flags":["-O3"],"command":"","cache":"cold"}:
// another one would orphan every stored record.
func TestCaseHash(t *testing.T) {
	t.Parallel()
	const want = "893b78e8460e509e527e3e3319e6523ffd872b259dc4603a7b1954bed8d4bbd4"
	c := parsed(t, kernelOf(hashed))
	if got := c.CaseHash("k"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := c.CaseHash("j"); got != "" {
		t.Errorf("of no kernel: %q", got)
	}
}

const hashed = "adapter: k.cc\nsources: [a.cc]\nflags: [-O3]\nparams: {B: {values: [1, 2]}, S: {values: [3]}}\nparity: {cases: 10}"

// What gives cases their meaning is in the hash. What picks some of them, is tested or judges them is not.
func TestCaseHashChanges(t *testing.T) {
	t.Parallel()
	const python = "adapter: k.pg.py\npin: {f: \"A=1, B=2\", g: C=3}"
	const bench = "bench: {command: ./b, format: nvbench}"
	for _, test := range []struct {
		src, from, to string
		changes       bool
	}{
		{hashed, "[1, 2]", "[1, 2, 4]", false},
		{hashed, "a.cc]", "a.cc, b.cc]", false},
		{hashed, "cases: 10", "cases: 20", false},
		{hashed, "[3]}}", "[3]}} # a comment", false},
		{hashed, "parity", "cache: hot\nparity", true},
		{hashed, "parity", "cache: cold\nparity", false},
		{hashed, "parity", "epoch: 1\nparity", false},
		{hashed, "parity", "epoch: 2\nparity", true},
		{hashed, "-O3", "-O2", true},
		{hashed, "k.cc", "j.cc", true},
		{hashed, "{B: {values: [1, 2]}, S: {values: [3]}}", "{S: {values: [3]}, B: {values: [1, 2]}}", true},
		{hashed, "flags: [-O3]", "build: {command: make, output: k.so}", true},
		{python, "A=1", "A=2", true},
		{python, `f: "A=1, B=2", g: C=3`, `g: C=3, f: "A=1, B=2"`, false},
		{bench, "nvbench}", "nvbench}\ncases: [x]", false},
		{bench, "./b", "./c", true},
		{bench, "nvbench}", "nvbench, time: batch}", true},
		{bench, "nvbench}", "csv}", true},
		{bench, "nvbench}", "csv, csv: {case: a, value: ms}}", true},
		{bench, "bench", "build: {command: make}\nbench", true},
		{bench, "bench", "epoch: 3\nbench", true},
	} {
		a, b := parsed(t, kernelOf(test.src)), parsed(t, kernelOf(strings.Replace(test.src, test.from, test.to, 1)))
		if changed := a.CaseHash("k") != b.CaseHash("k"); changed != test.changes {
			t.Errorf("%s to %s: changed is %v", test.from, test.to, changed)
		}
	}
}
