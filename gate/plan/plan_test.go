package plan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
)

const two = `version: 1
kernels:
  - name: saxpy
    adapter: a.cc
    params:
      n: {values: [1024, 4096]}
      dtype: {values: [f32, f64, f16]}
  - name: gemm
    adapter: b.cc
    params: {m: {fuzz: {min: 1, max: 64}}}
    measure: [{m: 64}, {m: 33}]
`

func parse(t *testing.T, src string) *config.Config {
	t.Helper()
	c, err := config.Parse("perfgate.yaml", []byte(src))
	must(t, err)
	return c
}

func measuredNames(p *plan.Plan) string {
	var out []string
	for _, k := range p.Kernels {
		for _, c := range k.Measured {
			out = append(out, c.Name())
		}
	}
	return strings.Join(out, " ")
}

func TestNew(t *testing.T) {
	saxpy := "saxpy/n=1024,dtype=f32 saxpy/n=1024,dtype=f64 saxpy/n=1024,dtype=f16 saxpy/n=4096,dtype=f32 saxpy/n=4096,dtype=f64 saxpy/n=4096,dtype=f16"
	gemm := "gemm/m=64 gemm/m=33"
	tests := []struct {
		only []string
		want string
		k    int
	}{
		{nil, saxpy + " " + gemm, 8},
		{[]string{"gemm"}, gemm, 2},
		{[]string{"gemm", "saxpy", "gemm"}, saxpy + " " + gemm, 8},
	}
	for _, test := range tests {
		p, err := plan.New(parse(t, two), test.only)
		must(t, err)
		if got := measuredNames(p); got != test.want || p.K != test.k {
			t.Errorf("%v: K=%d %s, want K=%d %s", test.only, p.K, got, test.k, test.want)
		}
	}
}

// What a launch costs the host is a case beside each case: in the error rate, and chosen by its own name.
func TestHostCases(t *testing.T) {
	p, err := plan.New(parse(t, "version: 1\nkernels:\n  - {name: k, adapter: k.pg.cu, host-time: true, params: {n: {values: [1, 2]}}}\n  - {name: one, adapter: one.pg.cu, host-time: true}\n"), nil)
	must(t, err)
	if got, want := measuredNames(p), "k/n=1 k/n=2 k/n=1/host k/n=2/host one one/host"; got != want || p.K != 6 {
		t.Errorf("%s, K=%d, want %s", got, p.K, want)
	}
	part, err := p.Cases([]string{"**/host"}, nil)
	if got, want := measuredNames(part), "k/n=1/host k/n=2/host one/host"; err != nil || got != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestNewUnknownKernel(t *testing.T) {
	_, err := plan.New(parse(t, two), []string{"gemm", "attn"})
	want := `no kernel "attn"; perfgate.yaml has saxpy, gemm`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A configuration may list thousands of cases, and no more in all than a result holds.
func TestThousandsOfCases(t *testing.T) {
	var list strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&list, "      - {n: %d}\n", i+1)
	}
	kernel := func(name string) string {
		return "  - name: " + name + "\n    adapter: k.pg.cc\n    params: {n: {fuzz: {min: 1, max: 9}}}\n    measure:\n" + list.String()
	}
	p, err := plan.New(parse(t, "version: 1\nkernels:\n"+kernel("k")), nil)
	if err != nil || p.K != 2000 {
		t.Fatalf("%+v, %v", p, err)
	}
	if part, err := p.Shard(plan.Shard{Index: 7, Of: 8}); err != nil || len(part.Kernels[0].Measured) != 250 {
		t.Errorf("%+v, %v", part, err)
	}
	const grid = "    params: {a: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9]}, b: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9]}, c: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9]}, d: {values: [1, 2, 3, 4, 5, 6, 7, 8, 9]}}\n"
	_, err = plan.New(parse(t, "version: 1\nkernels:\n  - name: k\n    adapter: k.pg.cc\n"+grid+"  - name: l\n    adapter: l.pg.cc\n"+grid), nil)
	if err == nil || !strings.Contains(err.Error(), "13122 cases together, more than 10000") {
		t.Error(err)
	}
}

func TestMeasuredErrors(t *testing.T) {
	values := func(n int) []config.Value {
		var out []config.Value
		for i := range n {
			out = append(out, config.IntValue(int64(i)))
		}
		return out
	}
	tests := []struct {
		kernel config.Kernel
		want   string
	}{
		{config.Kernel{Name: "k", Params: []config.Param{{Name: "a", Values: values(101)}, {Name: "b", Values: values(101)}}}, "multiply out to 10201 cases"},
		{config.Kernel{Name: "k", Params: []config.Param{{Name: "a", Fuzz: &config.Fuzz{Min: 1, Max: 2}}}}, "a has no values to measure"},
		{config.Kernel{Name: "k", Measure: [][]config.Value{values(1)}}, "1 values for 0 parameters"},
	}
	for _, test := range tests {
		_, err := plan.Measured(test.kernel)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if cases, err := plan.Measured(config.Kernel{Name: "k", Params: []config.Param{{Name: "a", Values: values(100)}, {Name: "b", Values: values(100)}}}); err != nil || len(cases) != 10_000 {
		t.Errorf("100 times 100 values: %d cases, %v", len(cases), err)
	}
}

// A tolerance of cases that there are none of is a mistake in the file, whichever kernels are asked for. Rows of a benchmark are not known yet.
func TestTolerancesOfNoCase(t *testing.T) {
	const bench = "  - {name: bench, bench: {command: ./b, format: csv}}\n"
	for pattern, want := range map[string]string{
		"gemm": "", "gemm/m=33": "", "saxpy/**": "", "bench/any": "", "**": "", "gem": `no timed case matches "gem"`, "gemm/m=34": `no timed case matches "gemm/m=34"; an example is "saxpy/n=1024,dtype=f32"`,
	} {
		c := parse(t, two+bench+"tolerances: [{cases: \""+pattern+"\", tolerance: 3%}]\n")
		_, err := plan.New(c, []string{"saxpy"})
		var placed config.Errors
		if (err == nil) != (want == "") || err != nil && (!errors.As(err, &placed) || placed[0].Line == 0 || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

// must ends a test where what it needs fails.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
