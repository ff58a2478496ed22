package measure

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// toy is a stop rule: it ends after so many rounds, and drops a configuration after two.
type toy struct {
	last   int
	slow   string
	rounds *int
}

func (s toy) LooksAt(int) bool { return true }

func (s toy) Last() int { return s.last }

func (s toy) Look(rounds int, _ []*result.Case) (bool, error) {
	*s.rounds = rounds
	return rounds == s.last, nil
}

func (s toy) Wants(_ *result.Case, v result.Variant) bool {
	return *s.rounds < 2 || v != result.ConfigurationNamed(s.slow)
}

// configurationsOf are head and others, by their libraries.
func configurationsOf(libraries []string, like Variant) []Variant {
	out := []Variant{like.As(result.VariantHead, libraries[0])}
	for _, library := range slices.DeleteFunc(slices.Clone(libraries[1:]), func(library string) bool { return library == "" }) {
		out = append(out, like.As(result.ConfigurationNamed(library), library))
	}
	return out
}

// valuesOf are the log values of a variant's processes in so many rounds.
func valuesOf(c *Case, v variant, rounds int) [][2]float64 {
	if !rule.InRounds(v.Variant.Variant, c.Processes, rounds) {
		return nil
	}
	out := make([][2]float64, rounds)
	for i, p := range c.Of(v.Variant.Variant)[:2*rounds] {
		out[p.Round][i%2] = math.Log(p.ValueNS)
	}
	return out
}

// mirrored measures configurations of a subject until a rule has enough.
func mirrored(t *testing.T, s Subject, libraries []string, stop rule.StopRule, opt Options) Outcome {
	t.Helper()
	s.Variants = configurationsOf(libraries, s.Variants[1])
	opt.Policy, opt.Budget, opt.Seed, opt.Design, opt.Stop = policy(0.05, 1), time.Minute, 7, Mirrored, stop
	out, err := Rounds(t.Context(), []Subject{s}, opt)
	if err != nil || out.BudgetGone {
		t.Fatalf("%v, %+v", err, out)
	}
	return out
}

// Every configuration is measured in two processes a round. An error of a round that was voided is forgotten with it, one of any other ends its
// configuration alone, and one that is dropped is measured no more.
func TestMirroredRounds(t *testing.T) {
	shortPause(t)
	b := newBench(3)
	b.levelNS["slow"], b.levelNS["broken"] = 2e6, 1e6
	failed := false
	fault := &kernels.RunnerError{Code: "out-of-memory", Message: "no memory left on the GPU"}
	b.faults["head"] = func(op string, _ int) error {
		if op != "time" || failed {
			return nil
		}
		failed = true
		return fault
	}
	b.faults["broken"] = func(op string, _ int) error {
		if op == "time" {
			return fault
		}
		return nil
	}
	voided := false
	health := func() string {
		if failed && !voided {
			voided = true
			return "thermal slowdown"
		}
		return ""
	}
	out := mirrored(t, subjects(1)[0], []string{"head", "slow", "broken"}, toy{5, "slow", new(int)}, Options{Start: b.start, Health: health})
	if !voided || len(out.Rounds) != 6 || len(out.Cases) != 1 {
		t.Fatalf("voided %v, %+v", voided, out)
	}
	c := out.Cases[0]
	stays, slow, broken := c.variants[0], c.variants[1], result.Standing(c.Comparisons, result.ConfigurationNamed("broken"))
	if a, b := len(c.Of(stays.Variant.Variant)), len(c.Of(slow.Variant.Variant)); a != 10 || b != 4 {
		t.Errorf("%d processes of one that stays, %d of one that is dropped after two rounds", a, b)
	}
	if c.Verdict != result.Undecided || len(c.Comparisons) != 1 || broken.Verdict != result.Unmeasured || !strings.Contains(result.MessageOf(broken.Reason), fault.Message) {
		t.Errorf("%s and %+v", c.Verdict, c.Comparisons)
	}
	if values := valuesOf(c, stays, 5); len(values) != 5 || values[0][0] == 0 {
		t.Errorf("%+v", values)
	}
	if b.live != 0 {
		t.Errorf("%d runners were not closed", b.live)
	}
}

// While one configuration is measured the next one's process starts, so that a round of many costs no more starts than there are configurations.
func TestMirroredRoundsStartAhead(t *testing.T) {
	o := &overlap{bench: newBench(3), ahead: 1}
	names := []string{"one", "two", "three"}
	for i, name := range names {
		o.levelNS[name] = 1e6 * float64(i+1)
	}
	s := waiting(1)[0]
	out := mirrored(t, s, names, toy{last: 3, rounds: new(int)}, Options{StartAhead: o.open, Ahead: o.ahead})
	if len(out.Rounds) != 3 || o.live != 0 {
		t.Fatalf("%d rounds, %d processes left", len(out.Rounds), o.live)
	}
	if want := 2 + 3*2*len(names); o.most < 2 || o.most > 3 || o.starts > want { // two for calibration: it has another one start, which may be of a later one
		t.Errorf("%d processes at once of %d, want 2 or 3 of %d", o.most, o.starts, want)
	}
	for i, v := range out.Cases[0].variants {
		if values := valuesOf(out.Cases[0], v, 3); math.Abs(values[2][1]-math.Log(1e6*float64(i+1))) > 0.1 {
			t.Errorf("%s: %v", names[i], values)
		}
	}
}

// Configurations that may share a process are measured in two a round, each in one order and in its reverse.
func TestMirroredRoundsShare(t *testing.T) {
	o := &overlap{bench: newBench(3), ahead: 1}
	names := []string{"one", "two", "three"}
	for _, name := range names {
		o.levelNS[name] = 1e6
	}
	s := waiting(1)[0]
	s.Variants[1].Shares = true
	out := mirrored(t, s, names, toy{last: 3, rounds: new(int)}, Options{StartAhead: o.open, Ahead: o.ahead})
	if len(out.Rounds) != 3 || o.live != 0 || o.starts > 2+3*2 {
		t.Fatalf("%d rounds, %d processes left of %d", len(out.Rounds), o.live, o.starts)
	}
	order := o.order[len(o.order)-6:]
	if there, back := order[:3], order[3:]; !slices.Equal(there, []string{back[2], back[1], back[0]}) {
		t.Errorf("a round went %v", order)
	}
	for i, v := range out.Cases[0].variants {
		if values := valuesOf(out.Cases[0], v, 3); len(values) != 3 {
			t.Errorf("%s: %v", names[i], values)
		}
	}
}

// What is significantly slower is dropped in its case, until what is left is as good as the fastest.
func TestEliminate(t *testing.T) {
	b := newBench(3)
	b.levelNS["slow"], b.levelNS["level"] = 1.2e6, 1e6
	names := []string{"head", "slow", "level"}
	e := rule.Elimination{Confidence: 0.99, Gain: 0.05, Cases: 1, Shipped: result.VariantHead}
	for _, v := range configurationsOf(names, Variant{}) {
		e.Variants = append(e.Variants, v.Variant)
	}
	out := mirrored(t, subjects(1)[0], names, rule.NewSurvivors(e), Options{Start: b.start})
	of := out.Cases[0].variants
	processes := func(v variant) int { return len(out.Cases[0].Of(v.Variant.Variant)) }
	wants := func(v variant) bool { return out.Cases[0].wants(&v) }
	if head, slow, level := of[0], of[1], of[2]; wants(slow) || !wants(head) || !wants(level) || processes(slow) > processes(level) || len(out.Rounds) == rule.NewSurvivors(e).Last() {
		t.Errorf("after %d rounds: %+v", len(out.Rounds), of)
	}
}

// Where the time budget is exhausted before two rounds, what they take is told by what was done.
func TestWhatTwoRoundsNeed(t *testing.T) {
	s := &session{opt: Options{Budget: 10 * time.Second}}
	for _, done := range []int{4, 2} {
		s.cases = append(s.cases, &Case{Case: result.Case{Processes: make([]result.Process, done)}, variants: make([]variant, done/2)})
	}
	if got := s.neededOfTwo(); got != 20 { // 6 of 12 processes
		t.Errorf("%v s", got)
	}
}
