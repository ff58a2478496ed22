package config_test

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/org/perfgate/gate/config"
)

// TestDtypesMatchTheHeader reads the numbers of the dtype words from the header that adapters are compiled with.
func TestDtypesMatchTheHeader(t *testing.T) {
	header, err := os.ReadFile("../../kernels/native/perfgate.h")
	must(t, err)
	words := []string{"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u8"}
	for _, word := range words {
		found := regexp.MustCompile(`(?i)\bPG_` + word + ` = ([0-9]+)\b`).FindSubmatch(header)
		if found == nil {
			t.Fatalf("the header has no %s", word)
		}
		want, err := strconv.ParseInt(string(found[1]), 10, 64)
		must(t, err)
		if v, err := config.ParseValue(word); err != nil || v.Int != want || v.Text != word || !v.IsDtype() {
			t.Errorf("%s is %+v, want %d (%v)", word, v, want, err)
		}
	}
}

func TestValuesHaveOneSpelling(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		i := rapid.Int64().Draw(r, "i")
		v, err := config.ParseValue(strconv.FormatInt(i, 10))
		if err != nil || v != config.IntValue(i) || v.IsDtype() {
			r.Fatalf("%d is %+v, %v", i, v, err)
		}
		text := rapid.StringMatching(`[-+]?[0-9_.xe]{1,4}`).Draw(r, "text")
		if v, err := config.ParseValue(text); err == nil && v.Text != strconv.FormatInt(v.Int, 10) {
			r.Fatalf("%q is read as %d", text, v.Int)
		}
	})
}

// TestEndsOfRange compares First and Last with a walk over the range.
func TestEndsOfRange(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := config.Fuzz{Min: rapid.Int64Range(-50, 50).Draw(r, "min"), MultipleOf: rapid.Int64Range(0, 20).Draw(r, "of")}
		f.Max = f.Min + rapid.Int64Range(0, 60).Draw(r, "width")
		var inside []int64
		for i := f.Min; i <= f.Max; i++ {
			if f.Contains(i) {
				inside = append(inside, i)
			}
		}
		first, some := f.First()
		last, also := f.Last()
		if some != (len(inside) > 0) || also != some {
			r.Fatalf("%+v: %v, %v, but %v is inside", f, some, also, inside)
		}
		if some && (first != inside[0] || last != inside[len(inside)-1]) {
			r.Fatalf("%+v: from %d to %d, but %v is inside", f, first, last, inside)
		}
	})
}

func TestParsePercent(t *testing.T) {
	for text, want := range map[string]float64{"0%": 0, "1.5%": 0.015, "99.9%": 0.999} {
		if got, err := config.ParsePercent(text); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("%s is %g, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "1.5", "0.015", "-1%", "100%", "1 %", "1e1%", "NaN%", "0x1%"} {
		if got, err := config.ParsePercent(text); err == nil {
			t.Errorf("%q is read as %g", text, got)
		}
	}
}
