package config

import (
	"strings"
	"testing"
)

func TestCompetitors(t *testing.T) {
	parse := func(kernel string) (*Config, error) {
		return Parse("perfgate.yaml", []byte("version: 1\nkernels:\n  - name: k\n"+kernel))
	}
	c, err := parse(`    adapter: k.pg.cc
    competitors:
      - {name: lib, adapter: lib.pg.py, python: .venv/bin/python, min-speedup: 1.2x}
      - {name: old, adapter: old.pg.cc, sources: [old.cc], flags: [-O2], min-speedup: 0.99x, when: always}
      - {name: sdpa, adapter: "torch:sdpa", python: .venv/bin/python}
`)
	if err != nil {
		t.Fatal(err)
	}
	k := c.Kernels[0]
	if len(k.Competitors) != 3 || k.Competitors[2].Adapter != "torch:sdpa" || k.Competitors[0].MinSpeedup != 1.2 || k.Competitors[0].When != WhenChanged || k.Competitors[1].MinSpeedup != 0.99 || k.Competitors[1].When != WhenAlways {
		t.Errorf("%+v", k.Competitors)
	}
	if got := strings.Join(k.Adapters(), " "); got != "k.pg.cc lib.pg.py old.pg.cc" {
		t.Errorf("adapters %s", got)
	}
	if err := c.CheckFiles(t.TempDir()); err == nil || !strings.Contains(err.Error(), "kernel k: \"old.cc\" does not exist") {
		t.Errorf("files: %v", err)
	}
	for competitors, want := range map[string]string{
		"[{name: lib, adapter: torch:conv}]":                 "torch:sdpa",
		"[{name: lib, adapter: torch:sdpa, flags: [-O3]}]":   "flags has no effect beside an adapter in Python",
		"[{name: lib, adapter: a.pg.cc, min-speedup: 1.2}]":  `min-speedup is "1.2"`,
		"[{name: lib, adapter: a.pg.cc, min-speedup: 120%}]": `how many times as fast, like 1.2x`,
		"[{name: lib, adapter: a.pg.cc, min-speedup: 0x}]":   `min-speedup is "0x"`,
		"[{name: lib}]": `a competitor lacks the key "adapter"`,
		"[{name: lib, adapter: a.pg.cc, wen: always}]":                                                 `unknown key "wen" in a competitor`,
		"[{name: lib, adapter: a.pg.cc, when: never}]":                                                 `changed, always, record, manual`,
		"[{name: lib, adapter: a.pg.py, flags: [-O3]}]":                                                `flags has no effect beside an adapter in Python`,
		"[{name: lib, adapter: a.pg.cc, python: python3}]":                                             `python has no effect`,
		"[{name: a, adapter: a.pg.cc}, {name: a, adapter: b.pg.cc}]":                                   `a second competitor "a" (first at line 5)`,
		"[{name: a, adapter: ../a.pg.cc}]":                                                             `adapter`,
		"[a.pg.cc]":                                                                                    `a competitor must be a mapping`,
		"[{name: a, adapter: a}, {name: b, adapter: b}, {name: c, adapter: c}, {name: d, adapter: d}]": `4 entries, at most 3`,
	} {
		if _, err := parse("    adapter: k.pg.cc\n    competitors: " + competitors + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", competitors, err, want)
		}
	}
	if _, err := parse("    bench: {command: ./b, format: csv}\n    competitors: [{name: a, adapter: a.pg.cc}]\n"); err == nil || !strings.Contains(err.Error(), "competitors has no effect beside bench") {
		t.Error(err)
	}
}
