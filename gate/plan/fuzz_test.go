package plan_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
)

// randomRange draws any range that the configuration accepts.
func randomRange(r *rapid.T) *config.Fuzz {
	const largest = 1 << 62
	f := &config.Fuzz{MultipleOf: 1}
	f.Min = rapid.OneOf(rapid.Int64Range(0, 100), rapid.Int64Range(-largest, largest)).Draw(r, "min")
	f.Max = rapid.OneOf(rapid.Just(f.Min), rapid.Int64Range(f.Min, min(largest, f.Min+1000)), rapid.Int64Range(f.Min, largest)).Draw(r, "max")
	f.Near = rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 128), rapid.Int64Range(1, largest)).Draw(r, "near")
	f.Log = f.Min >= 1 && rapid.Bool().Draw(r, "log")
	step := rapid.OneOf(rapid.Just(int64(1)), rapid.Int64Range(1, 64), rapid.Int64Range(1, largest)).Draw(r, "multiple of")
	wider := *f
	wider.MultipleOf = step
	if _, ok := wider.First(); ok {
		return &wider
	}
	return f
}

func randomValues(r *rapid.T) []config.Value {
	if rapid.Bool().Draw(r, "dtypes") {
		words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"f64", "f32", "f16", "bf16"}), 1, 4, rapid.ID).Draw(r, "words")
		var out []config.Value
		for _, w := range words {
			v, err := config.ParseValue(w)
			if err != nil {
				r.Fatal(err)
			}
			out = append(out, v)
		}
		return out
	}
	var out []config.Value
	for _, i := range rapid.SliceOfNDistinct(rapid.Int64Range(-3, 300), 1, 5, rapid.ID).Draw(r, "values") {
		out = append(out, config.IntValue(i))
	}
	return out
}

// randomKernel has one to five parameters and up to three measured cases.
func randomKernel(r *rapid.T) config.Kernel {
	k := config.Kernel{Name: "k"}
	for i := range rapid.IntRange(1, 5).Draw(r, "params") {
		p := config.Param{Name: fmt.Sprintf("p%d", i)}
		if rapid.Bool().Draw(r, "fuzz") {
			p.Fuzz = randomRange(r)
		} else {
			p.Values = randomValues(r)
		}
		k.Params = append(k.Params, p)
	}
	for range rapid.IntRange(1, 3).Draw(r, "measured") {
		var row []config.Value
		for _, p := range k.Params {
			if p.Fuzz != nil {
				first, _ := p.Fuzz.First()
				row = append(row, config.IntValue(first))
			} else {
				row = append(row, rapid.SampledFrom(p.Values).Draw(r, "measure"))
			}
		}
		k.Measure = append(k.Measure, row)
	}
	return k
}

// enough is a number of cases that suffices for every property of a random kernel: its measured cases, two ends for
// each range, and rows for all pairs of at most five values, every fourth case being one of another sort.
const enough = 120

// text is all that a runner sees of cases.
func text(cases []plan.FuzzCase) string {
	var out []string
	for _, c := range cases {
		out = append(out, fmt.Sprint(c.Name(), c.Values, c.Seed, c.Spec()))
	}
	return strings.Join(out, "\n")
}

// What is drawn stays inside of what the configuration allows, is the same for a seed, has no case twice, begins with the measured cases and the ends of
// ranges, and has every pair of values.
func TestFuzzKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k, seed := randomKernel(r), rapid.Uint64().Draw(r, "seed")
		cases := plan.Fuzz(k, seed, enough)
		if len(cases) > enough || text(cases) != text(plan.Fuzz(k, seed, enough)) {
			r.Fatalf("%d cases, or two draws of one seed differ", len(cases))
		}
		seen, pairs := map[string]bool{}, map[string]bool{}
		for _, c := range cases {
			key := c.Name() + " " + c.Values
			if seen[key] || c.Seed != plan.InputSeed(seed, c.Case, c.Values) || !slices.Contains(config.InputKinds, c.Values) || len(c.Params) != len(k.Params) {
				r.Fatalf("%s stands twice, is not replayed by the run's seed, or is no case", key)
			}
			seen[key] = true
			for i, a := range c.Params {
				if a.Name != k.Params[i].Name || !k.Params[i].Contains(a.Value) {
					r.Fatalf("%s: %s=%s is outside of %+v", c.Name(), a.Name, a.Value, k.Params[i])
				}
				for _, b := range c.Params[i+1:] {
					pairs[fmt.Sprint(a, b)] = true
				}
			}
		}
		checkMeasuredFirst(r, k, cases)
		checkEnds(r, k, plan.Fuzz(k, seed, len(k.Measure)+1+2*len(k.Params)))
		for i, p := range k.Params {
			for _, q := range k.Params[i+1:] {
				for _, v := range p.Values {
					for _, w := range q.Values {
						if !pairs[fmt.Sprint(plan.Assignment{Name: p.Name, Value: v}, plan.Assignment{Name: q.Name, Value: w})] {
							r.Fatalf("%s=%s never meets %s=%s", p.Name, v, q.Name, w)
						}
					}
				}
			}
		}
	})
}

func checkMeasuredFirst(r *rapid.T, k config.Kernel, cases []plan.FuzzCase) {
	measured, err := plan.Measured(k)
	if err != nil {
		r.Fatal(err)
	}
	var want []string
	for _, m := range measured {
		if !slices.Contains(want, m.Name()) {
			want = append(want, m.Name())
		}
	}
	for i, name := range want {
		if cases[i].Name() != name || cases[i].Values != "spec" {
			r.Fatalf("case %d is %s with %s, want %s", i, cases[i].Name(), cases[i].Values, name)
		}
	}
}

func checkEnds(r *rapid.T, k config.Kernel, cases []plan.FuzzCase) {
	seen := map[string]bool{}
	for _, c := range cases {
		for _, a := range c.Params {
			seen[a.Name+"="+a.Value.Text] = true
		}
	}
	for _, p := range k.Params {
		if p.Fuzz == nil {
			continue
		}
		first, _ := p.Fuzz.First()
		last, _ := p.Fuzz.Last()
		for _, end := range []int64{first, last} {
			if !seen[fmt.Sprintf("%s=%d", p.Name, end)] {
				r.Fatalf("%s=%d is not among the first %d cases", p.Name, end, len(cases))
			}
		}
	}
}

// Whatever the seed: 200 cases have the sizes that tiles hide and every kind of input, most are far smaller than what is measured and some are not, and
// values that overflow or rule a sum are among the first ten, at a large size.
func TestFuzzFindsWhatTilesHide(t *testing.T) {
	k := load(t, attention)
	const measured = 32.0 * 8 * 512 * 64
	for seed := range uint64(20) {
		sizes, kinds := map[int64]bool{}, map[string]bool{}
		largeWithBatch, small, large := false, 0, 0
		for _, c := range plan.Fuzz(k, seed, 200) {
			sizes[c.Int("S")], kinds[c.Values] = true, true
			largeWithBatch = largeWithBatch || c.Int("S") > 128 && c.Int("B") > 1 && c.Int("S")%64 != 0
			switch size := float64(c.Int("B") * c.Int("H") * c.Int("S") * c.Int("D")); {
			case size <= measured/16:
				small++
			case size >= measured/4:
				large++
			}
		}
		for _, s := range []int64{1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 575, 577, 639, 640} {
			if !sizes[s] {
				t.Errorf("seed %d: no case with S=%d", seed, s)
			}
		}
		if len(kinds) != len(config.InputKinds) || !largeWithBatch || small < 150 || large < 1 {
			t.Errorf("seed %d: inputs %v; long, ragged and with a batch: %v; %d of 200 cases are small, %d large", seed, kinds, largeWithBatch, small, large)
		}
		longest := map[string]int64{}
		for _, c := range plan.Fuzz(k, seed, 10) {
			longest[c.Values] = max(longest[c.Values], c.Int("S"))
		}
		if longest["outlier"] == 0 || longest["mixed"] == 0 || longest["dominant"] == 0 || longest["large"] == 0 || max(longest["outlier"], longest["large"]) < 512 {
			t.Errorf("seed %d: ten cases have inputs %v", seed, longest)
		}
	}
}

func TestFuzzWhere(t *testing.T) {
	k := load(t, attention+"    parity: {where: \"B*H*S <= 4096 && (causal == 0 || S % 8 == 0) && dtype != f32 || B*H*S == 16*4*448\"}\n")
	measured := len(k.Measure)
	for seed := range uint64(10) {
		cases := plan.Fuzz(k, seed, 200)
		if len(cases) != 200 {
			t.Errorf("seed %d: %d cases", seed, len(cases))
		}
		for _, c := range cases[measured:] {
			if !k.Parity.Where.Holds(c.Int) {
				t.Errorf("seed %d: %s", seed, c.Name())
			}
		}
	}
}

// TestFuzzCoversPairsUnderWhere: every two listed values stand together, although where allows each row with few values of the
// range, and some with none of the smallest.
func TestFuzzCoversPairsUnderWhere(t *testing.T) {
	const params = "    params: {a: {values: [1, 2, 3, 4, 5]}, b: {values: [1, 2, 3, 4, 5]}, n: {fuzz: {min: 1, max: 5000}}}\n    measure: [{a: 1, b: 1, n: 64}]\n"
	for _, where := range []string{"a*b*100 <= n", "n % 5 == a % 5", "n == 1 || n > 4000 + a*b", "a != 3 || n == 5000", "b != 2 || n == 1"} {
		k := load(t, params+"    parity: {where: \""+where+"\"}\n")
		for seed := range uint64(20) {
			seen := map[string]bool{}
			for _, c := range plan.Fuzz(k, seed, 100)[1:] {
				seen[fmt.Sprint(c.Int("a"), c.Int("b"))] = true
			}
			if len(seen) != 25 {
				t.Errorf("%s, seed %d: %d of 25 pairs", where, seed, len(seen))
			}
		}
	}
}

func TestFuzzImpossibleWhere(t *testing.T) {
	k := load(t, attention+"    parity: {where: B < 1}\n")
	if cases := plan.Fuzz(k, 1, 200); len(cases) != len(k.Measure) {
		t.Errorf("%d cases", len(cases))
	}
}

func TestFuzzExhaustsSmallDomains(t *testing.T) {
	k := load(t, "    params: {a: {values: [1, 2, 3]}, b: {fuzz: {min: 1, max: 4}}}\n    measure: [{a: 1, b: 1}]\n")
	all := 3 * 4 * len(config.InputKinds)
	for _, n := range []int{all - 1, all, all + 100} {
		if cases := plan.Fuzz(k, 3, n); len(cases) != min(n, all) {
			t.Errorf("asked for %d, got %d of %d", n, len(cases), all)
		}
	}
	if cases := plan.Fuzz(k, 3, 0); len(cases) != 0 {
		t.Errorf("asked for none, got %d", len(cases))
	}
}

// TestFuzzLog: with log, random draws reach every magnitude of a wide range about as often.
func TestFuzzLog(t *testing.T) {
	k := load(t, "    params: {n: {fuzz: {min: 1, max: 1000000000, log: true}}}\n    measure: [{n: 1024}]\n")
	below := 0
	cases := plan.Fuzz(k, 5, 2000)
	for _, c := range cases[500:] {
		if float64(c.Int("n")) < math.Sqrt(1e9) {
			below++
		}
	}
	// A quarter of the cases is small anyway, and the rest splits evenly.
	if share := float64(below) / 1500; share < 0.5 || share > 0.75 {
		t.Errorf("%.2f of the draws lie in the lower half of the magnitudes", share)
	}
}

func TestReplay(t *testing.T) {
	k := load(t, attention)
	for _, c := range plan.Fuzz(k, 7, 100) {
		if !slices.ContainsFunc(plan.Replay(c.Case, 7), func(f plan.FuzzCase) bool { return f.Values == c.Values && f.Seed == c.Seed }) {
			t.Errorf("%s with %s inputs is not replayed", c.Name(), c.Values)
		}
	}
}

// A kernel that is tried with some kinds of input alone gets these, and what is timed.
func TestConfiguredInputs(t *testing.T) {
	for name, values := range map[string][]string{"spec": {"spec"}, "sharp": {"normal", "large"}, "blunt": {"zeros"}, "both": {"uniform", "tiny"}} {
		k := config.Kernel{Name: "k", Parity: config.Parity{Values: values}, Measure: [][]config.Value{{config.IntValue(300), config.IntValue(2)}}, Params: []config.Param{
			{Name: "n", Fuzz: &config.Fuzz{Min: 1, Max: 200, Near: 64, MultipleOf: 1}},
			{Name: "m", Fuzz: &config.Fuzz{Min: 1, Max: 200, MultipleOf: 1}},
		}}
		drawn := plan.Fuzz(k, 3, 120)
		seen := map[string]int{}
		for _, c := range append(drawn, plan.Replay(drawn[0].Case, 3)...) {
			seen[c.Values]++
		}
		for kind := range seen {
			if kind != "spec" && !slices.Contains(values, kind) {
				t.Errorf("%s: %d cases with %s inputs", name, seen[kind], kind)
			}
		}
		for _, kind := range append(values, "spec") {
			if seen[kind] < 2 {
				t.Errorf("%s: %d cases with %s inputs", name, seen[kind], kind)
			}
		}
		if len(drawn) < 100 {
			t.Errorf("%s: %d cases", name, len(drawn))
		}
	}
}

// Cases that the configuration lists are tried beside the measured ones, each with every kind of input, and no others.
func TestListedCasesAreAllThatIsTried(t *testing.T) {
	t.Parallel()
	row := func(m, n int64) []config.Value { return []config.Value{config.IntValue(m), config.IntValue(n)} }
	k := config.Kernel{
		Name:    "k",
		Params:  []config.Param{{Name: "m", Fuzz: &config.Fuzz{Min: 1, Max: 99, MultipleOf: 1}}, {Name: "n", Values: []config.Value{config.IntValue(3), config.IntValue(4)}}},
		Measure: [][]config.Value{row(64, 4)},
		Parity:  config.Parity{Cases: 1, Listed: [][]config.Value{row(5, 3), row(7, 4)}, Values: []string{"normal"}},
	}
	var got []string
	for _, c := range plan.Fuzz(k, 1, 200) {
		got = append(got, c.Case.Name()+" "+c.Values)
		if !c.Case.Allowed() {
			t.Errorf("%s is tried and not allowed", c.Case.Name())
		}
		if c.Case.With(0, config.IntValue(1)).Allowed() {
			t.Errorf("a failure of %s may shrink to a case that is not listed", c.Case.Name())
		}
	}
	if want := []string{"k/m=64,n=4 spec", "k/m=5,n=3 spec", "k/m=7,n=4 spec", "k/m=5,n=3 normal", "k/m=7,n=4 normal"}; !slices.Equal(got, want) {
		t.Errorf("tried %q, want %q", got, want)
	}
}
