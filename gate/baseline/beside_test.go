package baseline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// scattered are so many times around a level, in ns.
func scattered(rng *rand.Rand, level float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = significant(level * math.Exp(0.003*rng.NormFloat64()))
	}
	return out
}

// recordWith is a record whose case has a competitor, at a level.
func recordWith(n int, base, competitor float64) *Record {
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	r := sampleRecord(n, 8)
	r.Cases[0].ValuesNS = scattered(rng, base, 16)
	r.Cases[0].Competitors = []Beside{{Competitor: "sdpa", Fingerprint: "5d9a", Libraries: "torch-2.4", ValuesNS: scattered(rng, competitor, 16)}}
	return r
}

// The machine moved where base's code and the competitor are off their records together, and not where only one is, where they are apart, or
// where the move is nothing to a reader.
func TestMachineMoved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, competitor float64 // now, in times of the record
		moved            bool
	}{
		"both slower": {1.021, 1.022, true}, "both faster": {0.96, 0.961, true}, "base alone": {1.05, 1, false}, "the competitor alone": {1, 1.05, false},
		"apart": {1.08, 1.02, false}, "two ways": {1.03, 0.97, false}, "neither": {1, 1, false}, "too little": {1.004, 1.004, false},
	} {
		rng := rand.New(rand.NewPCG(11, 4))
		rec := recordWith(1, 321_000, 400_000)
		h := History{Found: []Found{{Record: rec}}}
		kept := rec.Cases[0]
		at := Together{
			Now:    Now{State: rec, Case: kept.Name, ConfigHash: kept.ConfigHash, Fingerprint: kept.Fingerprint},
			Method: kept.Method, Base: logs(scattered(rng, 321_000*c.base, 16)),
			Competitor: Beside{Competitor: "sdpa", Fingerprint: "5d9a", Libraries: "torch-2.4", ValuesNS: scattered(rng, 400_000*c.competitor, 16)},
		}
		m := h.Moved(at, math.Log1p(0.015)/2)
		if m == nil || m.Machine != c.moved || m.Commit != rec.Commit || m.Base.Low > c.base || m.Base.High < c.base || m.Competitor.Low > c.competitor || m.Competitor.High < c.competitor {
			t.Errorf("%s: %+v", name, m)
		}
		for what, other := range map[string]func(*Together){
			"other code of the competitor": func(t *Together) { t.Competitor.Fingerprint = "77" }, "another torch": func(t *Together) { t.Competitor.Libraries = "torch-2.5" },
			"another competitor": func(t *Together) { t.Competitor.Competitor = "flash" }, "other code of base": func(t *Together) { t.Now.Fingerprint = "77" },
			"another clock": func(t *Together) { t.Method.Clock = "wall" },
		} {
			one := at
			other(&one)
			if m := h.Moved(one, 0); m != nil {
				t.Errorf("%s was compared: %+v", what, m)
			}
		}
	}
}

// A result's competitors come into its record: those whose build is known and that were timed in processes enough.
func TestCompetitorsAreRecorded(t *testing.T) {
	t.Parallel()
	processes := func(v result.Variant, n int) []result.Process {
		var out []result.Process
		for i := range n {
			out = append(out, result.Process{Variant: v, Round: i / 2, ValueNS: 1e5 + float64(i)})
		}
		return out
	}
	r := &result.Result{
		Head: result.Version{Kind: result.KindRevision, Revision: commitName(1)}, Machine: result.Machine{Key: "m"},
		Kernels: []result.Kernel{{Name: "k", Head: &result.Build{Fingerprint: "aa"}, Competitors: []result.Competitor{
			{Name: "manual", Build: &result.Build{Fingerprint: "dd"}, Status: result.CompetitorNotAsked}, {Name: "sdpa", Build: &result.Build{Fingerprint: "bb", Libraries: "torch"}}, {Name: "few", Build: &result.Build{Fingerprint: "cc"}}, {Name: "broken"},
		}}},
		Cases: []result.Case{{Name: "k/n=1", Kernel: "k", Method: &result.Method{}, Processes: slices.Concat(processes(result.VariantHead, 8), processes(result.CompetitorNamed("sdpa"), 8), processes(result.CompetitorNamed("few"), 2)),
			Competitors: []result.Versus{{Competitor: "sdpa"}, {Competitor: "few"}, {Competitor: "broken"}}}},
	}
	rec, err := FromResult(r, result.SideHead, func(string) string { return "c0" })
	must(t, err)
	kept := rec.Cases[0].Competitors
	if len(kept) != 1 || kept[0].Competitor != "sdpa" || kept[0].Fingerprint != "bb" || kept[0].Libraries != "torch" || len(kept[0].ValuesNS) != 8 {
		t.Fatalf("%+v", kept)
	}
	rec.Cases[0].Competitors[0].ValuesNS[3] = -1
	if _, err := Encode(rec); err == nil {
		t.Error("a time below zero was written")
	}
}
