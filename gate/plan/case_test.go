package plan_test

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
)

// load reads a configuration and returns its only kernel.
func load(t *testing.T, body string) config.Kernel {
	t.Helper()
	src := "version: 1\nkernels:\n  - name: attention\n    adapter: a.cc\n" + body
	c, err := config.Parse("perfgate.yaml", []byte(src))
	must(t, err)
	return c.Kernels[0]
}

const attention = `    params:
      B: {fuzz: {min: 1, max: 48}}
      H: {values: [4, 8, 16]}
      S: {fuzz: {min: 1, max: 640, near: 64}}
      D: {values: [64]}
      dtype: {values: [f16, f32]}
      causal: {values: [0, 1]}
    measure:
      - {B: 32, H: 8, S: 512, D: 64, causal: 0, dtype: f16}
      - {B: 16, H: 4, S: 448, D: 64, causal: 1, dtype: f32}
`

func TestCaseName(t *testing.T) {
	cases, err := plan.Measured(load(t, attention))
	must(t, err)
	want := "attention/B=32,H=8,S=512,D=64,dtype=f16,causal=0"
	if got := cases[0].Name(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := cases[0].ID().Args(); "attention/"+got != want {
		t.Errorf("got %s", got)
	}
	if v := cases[0].Int("dtype"); v != 3 {
		t.Errorf("dtype is %+v", v)
	}
	if cases[0].Int("X") != 0 || cases[0].Int("S") != 512 {
		t.Error("values by name")
	}
}

func TestParseCase(t *testing.T) {
	k := load(t, attention)
	want := "attention/B=1,H=1,S=65,D=64,dtype=f32,causal=0"
	for _, text := range []string{
		want,
		"B=1,H=1,S=65,D=64,dtype=f32,causal=0", // H=1 is not listed, and a shrunk case may have it
		"causal=0,dtype=f32,D=64,S=65,H=1,B=1",
		"B=1, H=1, S=65, D=64, dtype=f32, causal=0",
	} {
		c, err := plan.ParseCase(k, text)
		if err != nil || c.Name() != want {
			t.Errorf("%s: %s, %v", text, c.Name(), err)
		}
	}
}

func TestParseCaseErrors(t *testing.T) {
	k := load(t, attention)
	tests := []struct{ text, want string }{
		{"", `no value for B, H, S, D, dtype, causal; attention has B, H, S, D, dtype, causal`},
		{"B=1,H=1", `no value for S, D, dtype, causal`},
		{"B=1,H=1,S=65,D=64,dtype=f32,causal=0,X=1", `attention has no parameter "X"; it has B, H, S, D, dtype, causal`},
		{"B=1,B=2", "B is given twice"},
		{"B", `"B" is not of the form name=value`},
		{"B=", "neither a plain decimal integer nor a dtype"},
		{"B=1.5", "neither a plain decimal integer nor a dtype"},
		{"B=f16", "B: f16 is not an integer"},
		{"dtype=3", "dtype: 3 is not a dtype"},
		{"B=99999999999999999999", "does not fit into 64 bits"},
		{"gemm/B=1", `is one of kernel "gemm", not of "attention"`},
		{"B=1,,H=1", `"B=1,,H=1" is not of the form`},
	}
	for _, test := range tests {
		_, err := plan.ParseCase(k, test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestKernelWithoutParameters(t *testing.T) {
	k := load(t, "")
	cases, err := plan.Measured(k)
	if err != nil || len(cases) != 1 || cases[0].Name() != "attention" {
		t.Fatalf("%v, %v", cases, err)
	}
	for _, text := range []string{"", "attention", "attention/"} {
		if c, err := plan.ParseCase(k, text); err != nil || c.Name() != "attention" {
			t.Errorf("%q: %v, %v", text, c, err)
		}
	}
	if fuzz := plan.Fuzz(k, 1, 200); len(fuzz) != len(config.InputKinds) {
		t.Errorf("%d fuzz cases, want one for each kind of input", len(fuzz))
	}
}
