package config

import (
	"strings"
	"testing"
)

func TestRivals(t *testing.T) {
	parse := func(kernel string) (*Config, error) {
		return Parse("perfgate.yaml", []byte("version: 1\nkernels:\n  - name: k\n"+kernel))
	}
	c, err := parse(`    adapter: k.pg.cc
    rivals:
      - {name: lib, adapter: lib.pg.py, python: .venv/bin/python, keep: 1.2x}
      - {name: old, adapter: old.pg.cc, sources: [old.cc], flags: [-O2], keep: 0.99x, when: always}
      - {name: sdpa, adapter: "torch:sdpa", python: .venv/bin/python}
`)
	if err != nil {
		t.Fatal(err)
	}
	k := c.Kernels[0]
	if len(k.Rivals) != 3 || k.Rivals[2].Adapter != "torch:sdpa" || k.Rivals[0].Keep != 1.2 || k.Rivals[0].When != WhenChanged || k.Rivals[1].Keep != 0.99 || k.Rivals[1].When != WhenAlways {
		t.Errorf("%+v", k.Rivals)
	}
	if got := strings.Join(k.Adapters(), " "); got != "k.pg.cc lib.pg.py old.pg.cc" {
		t.Errorf("adapters %s", got)
	}
	if err := c.CheckFiles(t.TempDir()); err == nil || !strings.Contains(err.Error(), "kernel k: \"old.cc\" does not exist") {
		t.Errorf("files: %v", err)
	}
	for rivals, want := range map[string]string{
		"[{name: lib, adapter: torch:conv}]":               "torch:sdpa",
		"[{name: lib, adapter: torch:sdpa, flags: [-O3]}]": "flags has no effect beside an adapter in Python",
		"[{name: lib, adapter: a.pg.cc, keep: 1.2}]":       `keep is "1.2"`,
		"[{name: lib, adapter: a.pg.cc, keep: 120%}]":      `how many times as fast, like 1.2x`,
		"[{name: lib, adapter: a.pg.cc, keep: 0x}]":        `keep is "0x"`,
		"[{name: lib}]": `a rival lacks the key "adapter"`,
		"[{name: lib, adapter: a.pg.cc, wen: always}]":                                                 `unknown key "wen" in a rival`,
		"[{name: lib, adapter: a.pg.cc, when: never}]":                                                 `changed, always, record, manual`,
		"[{name: lib, adapter: a.pg.py, flags: [-O3]}]":                                                `flags has no effect beside an adapter in Python`,
		"[{name: lib, adapter: a.pg.cc, python: python3}]":                                             `python has no effect`,
		"[{name: a, adapter: a.pg.cc}, {name: a, adapter: b.pg.cc}]":                                   `a second rival "a" (first at line 5)`,
		"[{name: a, adapter: ../a.pg.cc}]":                                                             `adapter`,
		"[a.pg.cc]":                                                                                    `a rival must be a mapping`,
		"[{name: a, adapter: a}, {name: b, adapter: b}, {name: c, adapter: c}, {name: d, adapter: d}]": `4 entries, at most 3`,
	} {
		if _, err := parse("    adapter: k.pg.cc\n    rivals: " + rivals + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", rivals, err, want)
		}
	}
	if _, err := parse("    bench: {command: ./b, format: csv}\n    rivals: [{name: a, adapter: a.pg.cc}]\n"); err == nil || !strings.Contains(err.Error(), "rivals has no effect beside bench") {
		t.Error(err)
	}
}
