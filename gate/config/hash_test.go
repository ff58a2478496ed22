package config_test

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
)

const hashed = `version: 1
kernels:
  - name: k
    adapter: k.cc
    sources: [a.cc]
    flags: [-O3]
    params: {B: {values: [1, 2]}, S: {values: [3]}}
    parity: {cases: 10}
`

func caseHash(t *testing.T, src string) string {
	t.Helper()
	c, err := config.Parse("perfgate.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return c.CaseHash("k")
}

// TestCaseHash pins the hash, which is sha256sum of
// {"kernel":"k","params":["B","S"],"adapter":"k.cc","flags":["-O3"],"command":"","cache":"cold"}:
// another one would orphan every stored record.
func TestCaseHash(t *testing.T) {
	const want = "893b78e8460e509e527e3e3319e6523ffd872b259dc4603a7b1954bed8d4bbd4"
	if got := caseHash(t, hashed); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCaseHashChanges(t *testing.T) {
	tests := []struct {
		name, from, to string
		changes        bool
	}{
		{"a value", "[1, 2]", "[1, 2, 4]", false},
		{"a source", "a.cc]", "a.cc, b.cc]", false},
		{"parity", "cases: 10", "cases: 20", false},
		{"a comment", "version: 1", "version: 1 # one", false},
		{"cache", "    parity", "    cache: hot\n    parity", true},
		{"default written out", "    parity", "    cache: cold\n    parity", false},
		{"flags", "-O3", "-O2", true},
		{"adapter", "k.cc", "j.cc", true},
		{"order of parameters", "{B: {values: [1, 2]}, S: {values: [3]}}", "{S: {values: [3]}, B: {values: [1, 2]}}", true},
		{"a build command", "    flags: [-O3]", "    build: {command: make, output: k.so}", true},
	}
	const python = "version: 1\nkernels: [{name: k, adapter: k.pg.py, pin: {f: \"A=1, B=2\", g: C=3}}]\n"
	if caseHash(t, python) == caseHash(t, strings.Replace(python, "A=1", "A=2", 1)) || caseHash(t, python) != caseHash(t, strings.Replace(python, `f: "A=1, B=2", g: C=3`, `g: C=3, f: "A=1, B=2"`, 1)) {
		t.Error("another choice is pinned, and the hash is the same; or the order of pins counts")
	}
	for _, test := range tests {
		src := strings.Replace(hashed, test.from, test.to, 1)
		if changed := caseHash(t, src) != caseHash(t, hashed); changed != test.changes {
			t.Errorf("%s: changed is %v", test.name, changed)
		}
	}
}

func TestCaseHashOfNothing(t *testing.T) {
	c, err := config.Parse("perfgate.yaml", []byte(hashed))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.CaseHash("j"); got != "" {
		t.Errorf("got %q", got)
	}
}
