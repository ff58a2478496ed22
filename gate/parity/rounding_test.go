package parity

import (
	"math"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels"
)

func wrongBy(failed int64, ratio float64, extents ...kernels.Extent) kernels.ParityReply {
	return kernels.ParityReply{
		Elements: 4096, Failed: failed, Worst: &kernels.WorstElement{Ratio: kernels.Number(ratio)},
		Pattern: &kernels.Pattern{Wrong: failed, Looked: 4096, Extents: extents},
	}
}

func TestRoundingIsToldFromStructure(t *testing.T) {
	all, row := kernels.Extent{Size: 64, First: 0, Last: 63, Count: 64}, kernels.Extent{Size: 64, First: 5, Last: 5, Count: 1}
	some := kernels.Extent{Size: 64, First: 3, Last: 60, Count: 3}
	excused := wrongBy(3000, 40, all, all)
	excused.PassesWith, excused.Length = "f16", 1200
	factor := wrongBy(1, 1500, row, row)
	factor.PassesWith, factor.Length = "f16", 1
	lost := wrongBy(1, 53, row, row)
	lost.PassesWith, lost.Length = "f16", 257
	pair := excused
	pair.Length = 2
	for name, c := range map[string]struct {
		reply kernels.ParityReply
		want  Look
	}{
		"three elements, twice the bound":   {wrongBy(3, 2, some, some), LookRounding},
		"one element":                       {wrongBy(1, 1.5, row, row), LookRounding},
		"a whole row":                       {wrongBy(64, 3, row, all), LookStructure},
		"here and there in a vector":        {wrongBy(6, 1.5, kernels.Extent{Size: 1, Count: 1}, kernels.Extent{Size: 4096, First: 7, Last: 4000, Count: 6}), LookRounding},
		"the end of a vector":               {wrongBy(6, 1.5, kernels.Extent{Size: 4096, First: 4090, Last: 4095, Count: 6}), LookStructure},
		"far off":                           {wrongBy(3, 4000, some, some), LookUnknown},
		"an exact sum that is off":          {wrongBy(1, math.Inf(1), row, row), LookUnknown},
		"far off, and no sum":               {factor, LookUnknown},
		"far off, one element of a sum":     {lost, LookUnknown},
		"everywhere":                        {wrongBy(4096, 3, all, all), LookUnknown},
		"everywhere, as a sum in f16 would": {excused, LookRounding},
		"everywhere, and two terms":         {pair, LookUnknown},
	} {
		if got := LookOf(c.reply); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	factorOfAll := excused
	factorOfAll.Worst = &kernels.WorstElement{Tensor: "o", Got: 1.1, Want: 1, Ratio: 40}
	factorOfAll.MeanErrors = []kernels.MeanError{{Tensor: "p"}, {Tensor: "o", Value: 0.098}}
	if LookOf(factorOfAll) != LookUnknown {
		t.Error("an output that is off by a factor is no rounding")
	}
	factorOfAll.MeanErrors[1].Value = 0.01
	if LookOf(factorOfAll) != LookRounding {
		t.Error("errors that lean a little are rounding")
	}
	if words := LookWords(excused, "bf16"); !strings.Contains(words, "about 1200 terms in bf16") || !strings.Contains(words, "`accumulate: f16`") {
		t.Error(words)
	}
	few := wrongBy(2, 1.7, some, some)
	few.PassesWith, few.Length = "tf32", 3
	if words := LookWords(few, "f32"); LookOf(few) != LookRounding || !strings.Contains(words, "define pg_reference_f32") || !strings.Contains(words, "`accumulate: tf32`") {
		t.Error(words)
	}
	few.NarrowReference = true
	if words := LookWords(few, "f32"); strings.Contains(words, "pg_reference_f32") || !strings.Contains(words, "`accumulate: tf32`") {
		t.Error(words)
	}
	carried := wrongBy(2000, 40, all, kernels.Extent{Size: 64, First: 20, Last: 63, Count: 44})
	carried.PassesWith, carried.Length = "bf16", 90
	if words := LookWords(carried, "bf16"); LookOf(carried) != LookStructure || !strings.Contains(words, "`accumulate: bf16`") {
		t.Error(words)
	}
	unwritten := wrongBy(3, 2, some, some)
	unwritten.Unwritten = 1
	if LookOf(unwritten) != LookUnknown {
		t.Error("what was never written is no rounding")
	}
}
