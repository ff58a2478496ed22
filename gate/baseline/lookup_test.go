package baseline

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// sessionsOf makes sessions of one code with a known scatter between them, in log units.
func sessionsOf(code string, n int, sd float64, random *rand.Rand) []Session {
	var out []Session
	for range n {
		level := sd * random.NormFloat64()
		s := Session{Fingerprint: code}
		for range 8 {
			s.Values = append(s.Values, level+0.003*random.NormFloat64())
		}
		out = append(out, s)
	}
	return out
}

// TestLearnPoolsCodes holds the estimate to the truth, over many short-lived codes of different speed.
func TestLearnPoolsCodes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []Session
	for code := range 200 {
		group := sessionsOf(string(rune('a'+code)), 3, 0.005, random)
		for i := range group {
			for j := range group[i].Values {
				group[i].Values[j] += float64(code) // a level of its own says nothing
			}
		}
		all = append(all, group...)
	}
	l := Learn(all)
	if sd := math.Sqrt(l.Var); !l.Known() || l.DF != 400 || sd < 0.0045 || sd > 0.0055 {
		t.Errorf("learnt %v from truth 0.5 %%", l)
	}
}

// TestUnknownVarianceDecidesNothing: with 7 sessions the screen must refuse, whatever it is shown.
func TestUnknownVarianceDecidesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sessions := sessionsOf("a", 7, 0.001, random)
	b := &Base{Sessions: sessions, Learnt: Learn(sessions), Case: Case{Method: result.Method{Launches: 1, LaunchNS: 1e5}}}
	if _, err := b.Screen(sessions[0], gate.Default()); err == nil || b.Processes(gate.Default()) != 0 {
		t.Errorf("seven sessions decided (%v)", err)
	}
}

func history(t *testing.T, change func(int, *Record)) History {
	t.Helper()
	var h History
	for n := range 10 {
		r := sampleRecord(n, 4)
		change(n, r)
		h.Found = append(h.Found, Found{Record: r, Distance: n})
	}
	return h
}

// TestBaseSaysWhatChanged: an upgrade, another configuration and other code each keep a record from being the base, and
// are said in words.
func TestBaseSaysWhatChanged(t *testing.T) {
	now := Now{State: sampleRecord(0, 4), Case: sampleRecord(0, 4).Cases[0].Name, ConfigHash: sampleRecord(0, 4).Cases[0].ConfigHash, Fingerprint: sampleRecord(0, 4).Cases[0].Fingerprint}
	for want, change := range map[string]func(int, *Record){
		"":                     func(int, *Record) {},
		"kernel of the system": func(_ int, r *Record) { r.Machine.Kernel = "6.1" },
		"configuration":        func(_ int, r *Record) { r.Cases[0].ConfigHash = "other" },
		"other code":           func(_ int, r *Record) { r.Cases[0].Fingerprint = "other" },
		"no ancestor":          func(_ int, r *Record) { r.Cases[0].Name = "other" },
	} {
		b, why := history(t, change).Base(now)
		if (b != nil) != (want == "") || !strings.Contains(why, want) {
			t.Errorf("base %v because %q, want %q", b != nil, why, want)
		}
	}
}

// TestMethodsNeverMeet: sessions timed another way are not averaged with base's.
func TestMethodsNeverMeet(t *testing.T) {
	h := history(t, func(n int, r *Record) {
		if n > 3 {
			r.Cases[0].Method.Launches = 25
		}
	})
	c := h.Found[0].Record.Cases[0]
	b, _ := h.Base(Now{State: h.Found[0].Record, Case: c.Name, ConfigHash: c.ConfigHash, Fingerprint: c.Fingerprint})
	if b == nil || len(b.Sessions) != 4 {
		t.Errorf("%+v sessions, want the 4 of one method", b)
	}
}

// TestBestKnown: a step up after a level of five records, and one lucky record that is no level.
func TestBestKnown(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	h := history(t, func(n int, r *Record) { // n counts backwards in time
		level := 0.0
		switch {
		case n < 5:
			level = 0.08
		case n == 7:
			level = -0.05
		}
		for i := range r.Cases[0].ValuesNS {
			r.Cases[0].ValuesNS[i] = 1e5 * math.Exp(level+0.001*random.NormFloat64())
		}
	})
	c := h.Found[0].Record.Cases[0]
	best, ok := h.BestKnown(Now{State: h.Found[0].Record, Case: c.Name, ConfigHash: c.ConfigHash}, SteadyNone)
	if !ok || best.Records != 5 || best.Commit != h.Found[5].Record.Commit {
		t.Fatalf("best %+v, %v", best, ok)
	}
	if lost, ok := best.Creep(NewSession(c)); !ok || lost < 0.08 || lost > 0.11 {
		t.Errorf("crept by %v, want about 0.09", lost)
	}
}
