package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestTune(t *testing.T) {
	t.Parallel()
	parse := func(kernel string) (*Config, error) {
		return Parse("perfgate.yaml", []byte("version: 1\nkernels:\n  - name: k\n"+kernel))
	}
	c, err := parse("    adapter: k.pg.cc\n    tune: {BLOCK: [64, 128], MODE: [fast, exact, -1.5]}\n")
	if err != nil {
		t.Fatal(err)
	}
	k := c.Kernels[0]
	var got []string
	for _, s := range k.Configurations() {
		got = append(got, k.ConfigurationText(s))
	}
	want := "BLOCK=64,MODE=fast BLOCK=64,MODE=exact BLOCK=64,MODE=-1.5 BLOCK=128,MODE=fast BLOCK=128,MODE=exact BLOCK=128,MODE=-1.5"
	if strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
	if len((Kernel{}).Configurations()) != 0 {
		t.Error("a kernel without parameters has configurations")
	}
	for _, text := range []string{"    adapter: k.pg.cc\n    build: {command: make, output: k.so}\n    tune: {B: [64]}\n", "    adapter: k.pg.py\n    tune: {pack.k.B: [64]}\n"} {
		if _, err := parse(text); err != nil {
			t.Errorf("%s\nsays %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"    adapter: k.pg.cc\n    tune: {A-B: [1]}\n":                                     `a name in tune is "A-B"`,
		"    adapter: k.pg.cc\n    tune: {B: 64}\n":                                        `values of B must be a list`,
		"    adapter: k.pg.cc\n    tune: {B: []}\n":                                        `values of B is an empty list`,
		"    adapter: k.pg.cc\n    tune: {B: [64, 64]}\n":                                  `values of B lists "64" twice`,
		"    adapter: k.pg.cc\n    tune: {B: ['1 -o /tmp/x']}\n":                           `is "1 -o /tmp/x"`,
		"    adapter: k.pg.cc\n    tune: {B: [{x: 1}]}\n":                                  `values of B`,
		"    bench: {command: ./b, format: csv}\n    tune: {B: [64]}\n":                    `tune has no effect beside bench`,
		"    adapter: k.pg.cc\n    tune: {k.B: [64]}\n":                                    `k.B is a constant of Python, and the adapter is none`,
		"    adapter: k.pg.cc\n    tune: {A: [" + many(20) + "], B: [" + many(20) + "]}\n": `tune makes more than 256 configurations`,
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nsays %v, and should say %q", text, err, want)
		}
	}
}

// many are n numbers.
func many(n int) string {
	out := "0"
	for i := 1; i < n; i++ {
		out += fmt.Sprintf(", %d", i)
	}
	return out
}
