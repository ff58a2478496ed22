package explain

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// worse says in which way a figure that is shown must differ on the slower side, by its name; 0 where it only describes.
func worse(id result.CauseID, name string) way {
	for _, f := range support[id] {
		if f.name == name {
			return f.slower
		}
	}
	switch {
	case strings.HasPrefix(name, "stall: "), strings.HasSuffix(name, ", of peak") && id != TensorUnused:
		return more
	case strings.HasSuffix(name, " clock"):
		return less
	}
	return either
}

// contradictions are what is wrong with an explanation by its own figures.
func contradictions(e Explanation) []string {
	var out []string
	sign := math.Copysign(1, e.Measured.Log)
	for _, c := range e.Causes {
		supported := false
		for _, ch := range c.Changes {
			w := worse(c.ID, ch.Name)
			if ch.Base == nil || ch.Head == nil {
				continue
			}
			d := sign * (*ch.Head - *ch.Base)
			if float64(w)*d < 0 {
				out = append(out, string(c.ID)+": "+ch.Name)
			}
			supported = supported || d != 0
		}
		if !supported {
			out = append(out, string(c.ID)+" shows nothing")
		}
		if c.Share < named || sign*c.Log <= 0 || c.Title == "" || c.Remedy == "" {
			out = append(out, string(c.ID)+" covers nothing, or has no words")
		}
		if strings.Contains(c.Title+c.Remedy, "NaN") || strings.Contains(c.Title+c.Remedy, "Inf") {
			out = append(out, string(c.ID)+": "+c.Title+"; "+c.Remedy)
		}
	}
	base, head := 0.0, 0.0
	for _, t := range e.Account {
		base, head = base+t.Base, head+t.Head
	}
	if len(e.Account) > 0 && (math.Abs(base-1) > 1e-6 || math.Abs(head/math.Exp(e.Measured.Log)-1) > 1e-6) {
		out = append(out, "the account does not add up")
	}
	return out
}

// TestNoFigureContradicts: of any two of the recordings, in any measured ratio.
func TestNoFigureContradicts(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/ncu/zoo/*.raw.csv")
	var all []profile.Profile
	for _, f := range files {
		p, err := profile.ReadFiles(f, "")
		Must(t, err)
		all = append(all, p)
	}
	if len(all) < 50 {
		t.Fatalf("%d recordings", len(all))
	}
	r, causes := rand.New(rand.NewPCG(1, 2)), 0
	for range 1500 {
		in := Input{Base: all[r.IntN(len(all))], Head: all[r.IntN(len(all))]}
		in.Measured = sureOf(math.Exp(ProfiledLog(in) * (0.5 + r.Float64())))
		e := Explain(in)
		causes += len(e.Causes)
		for _, c := range contradictions(e) {
			t.Errorf("%s: %+v", c, e.Causes)
		}
	}
	if causes < 500 {
		t.Errorf("%d causes were named", causes)
	}
}

// TestNoFigureOfNonsenseContradicts does the same with counters that no GPU would give.
func TestNoFigureOfNonsenseContradicts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	names := append(Asked(ada), Metrics...)
	for _, r := range reasons {
		names = append(names, stallMetric(r.name))
	}
	made := func() profile.Profile {
		var p profile.Profile
		for range 1 + r.IntN(3) {
			k := kernel(nil)
			k.Name = string(rune('a' + r.IntN(3)))
			for range r.IntN(20) {
				name := names[r.IntN(len(names))]
				k.Metrics[name] = profile.Metric{Value: k.Metrics[name].Value * math.Exp(3*r.NormFloat64())}
				switch r.IntN(12) {
				case 0:
					k.Metrics[name] = profile.Metric{Value: 100 * r.Float64()}
				case 1:
					delete(k.Metrics, name)
				}
			}
			p.Kernels = append(p.Kernels, k)
		}
		return p
	}
	for range 2000 {
		in := Input{Base: made(), Head: made(), Measured: sureOf(math.Exp(r.NormFloat64()))}
		e := Explain(in)
		for _, c := range contradictions(e) {
			t.Fatalf("%s: %+v", c, e.Causes)
		}
	}
}

// TestDoubted: what was counted on another path than was timed is no cause, and still among what was looked at.
func TestDoubted(t *testing.T) {
	e := Instructions(sureOf(2), counted(1e6), counted(2e6))
	if len(e.Causes) != 1 {
		t.Fatalf("%+v", e)
	}
	if d := e.Doubted("hidden"); len(d.Causes) != 0 || len(d.Rest) != 1 || d.Nothing != "hidden" {
		t.Errorf("%+v", d)
	}
}

// TestLimits: one profile says where the time of its kernels goes, the longest first, and what its counters show of that.
func TestLimits(t *testing.T) {
	long, short := kernel(counters{"cycles": 4e6, "grid": 66, "fronts": 8e7, "best-fronts": 1e7}), kernel(nil)
	long.Name = "long"
	got := Limits(profile.Profile{Kernels: []profile.Kernel{short, long, kernel(counters{"cycles": 1})}})
	if len(got) != 2 || got[0].Launch.Kernel != "long" || math.Abs(got[0].Share-0.8) > 1e-3 {
		t.Fatalf("%+v", got)
	}
	sum := 0.0
	for _, term := range got[0].Terms {
		sum += term.Share
	}
	facts := strings.Join(got[0].Facts, "; ")
	if math.Abs(sum-1) > 0.05 || !strings.Contains(facts, "66 blocks on 132 SMs") || !strings.Contains(facts, "88 % of the wavefronts at shared memory are bank conflicts") {
		t.Errorf("%v of the time, %s", sum, facts)
	}
}
