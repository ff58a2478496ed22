package config_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/org/perfgate/gate/config"
)

func params(names ...string) []config.Param {
	var out []config.Param
	for _, name := range names {
		out = append(out, config.Param{Name: name})
	}
	return out
}

func holds(t *testing.T, text string, values map[string]int64) bool {
	t.Helper()
	var names []string
	for name := range values {
		names = append(names, name)
	}
	w, err := config.ParseWhere(text, params(names...))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return w.Holds(func(name string) int64 { return values[name] })
}

func TestWhere(t *testing.T) {
	values := map[string]int64{"B": 3, "S": 65, "big": math.MaxInt64, "f32": 9, "dtype": 3, "zero": 0, "minus": -7}
	tests := []struct {
		text string
		want bool
	}{
		{"B < S", true},
		{"B*S <= 195", true},
		{"B * S < 195", false},
		{"B == 3 && S != 64", true},
		{"B == 4 || S == 65", true},
		{"B == 4 || S == 65 && B == 4", false},
		{"(B == 3 || S == 1) && S == 65", true},
		{"2 + 3*4 == 14", true},
		{"(2 + 3)*4 == 20", true},
		{"10 - 3 - 2 == 5", true},
		{"2^10 == 1024", true},
		{"2*3^2 == 18", true},
		{"-2^2 == -4", true},
		{"minus == -7", true},
		{"minus % 4 == -3", true},
		{"S / 2 == 32 && S % 2 == 1", true},
		{"B*S*big <= 2^28", false},
		{"minus*big*big < 0", true},
		{"big + big == big && -big - big < -big", true},
		{"2^64 == 2^63", true},
		{"(-2)^63 == (-2)^65", true},
		{"(-1)^3 == -1 && (-1)^2 == 1 && 0^5 == 0 && 0^0 == 1 && 2^-1 == 0", true},
		{"S / zero == 0 && S % zero == 0 && S / -1 == -65 && S % -1 == 0", true},
		{"dtype == f16", true},
		{"dtype != bf16", true},
		{"f32 == 9", true}, // a parameter's own name comes before the dtype
	}
	for _, test := range tests {
		if got := holds(t, test.text, values); got != test.want {
			t.Errorf("%s is %v", test.text, got)
		}
	}
}

func TestNoWhereHoldsAlways(t *testing.T) {
	var w *config.Where
	if !w.Holds(nil) {
		t.Error("without a condition a case was refused")
	}
}

// TestWhereSaturates compares with exact arithmetic, cut to 64 bits at every step.
func TestWhereSaturates(t *testing.T) {
	steps := map[string]func(z, a, b *big.Int) *big.Int{"+": (*big.Int).Add, "-": (*big.Int).Sub, "*": (*big.Int).Mul}
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.Int64().Draw(r, "a"), rapid.Int64().Draw(r, "b")
		for sign, apply := range steps {
			want := apply(new(big.Int), big.NewInt(a), big.NewInt(b))
			if want.Cmp(big.NewInt(math.MaxInt64)) > 0 {
				want.SetInt64(math.MaxInt64)
			}
			if want.Cmp(big.NewInt(math.MinInt64)) < 0 {
				want.SetInt64(math.MinInt64)
			}
			text := "a " + sign + " b == c"
			// -2^63 has no negation; one off there changes no condition that anybody writes.
			if b == math.MinInt64 || a == math.MinInt64 {
				continue
			}
			if !holds(t, text, map[string]int64{"a": a, "b": b, "c": want.Int64()}) {
				r.Fatalf("%s fails for a=%d b=%d c=%d", text, a, b, want)
			}
		}
	})
}
