package config

import (
	"slices"
	"testing"
)

func TestNamed(t *testing.T) {
	c, err := Parse("perfgate.yaml", []byte(`version: 1
paths: ["src/**", "data/*.bin", "one.h", "**/*.cu"]
kernels:
  - name: k
    adapter: bench/k.pg.cc
    sources: [gen/k.cc]
    flags: [-O3, -Igen/include, -isystem, third/include, -include, gen/first.h, -Wl,-T=link.ld, lib/libk.a, -L./lib]
    params: {n: {values: [1]}}
`))
	must(t, err)
	named := c.Named([]string{"-Imore"})
	for _, want := range []string{"src", "data", "one.h", "bench/k.pg.cc", "gen/k.cc", "gen/include", "third/include", "gen/first.h", "lib/libk.a", "lib", "more"} {
		if !slices.Contains(named, want) {
			t.Errorf("%s is not in %q", want, named)
		}
	}
	if c.Builds() {
		t.Error("nothing builds by a command")
	}
}
