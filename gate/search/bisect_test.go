package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/stats"
)

// past is a made-up history: the level of every commit in ln units, and those that do not build.
type past struct {
	commits []string // the good end first
	level   map[string]float64
	broken  map[string]bool
	random  *rand.Rand
	asked   int // processes measured
}

// newPast plants a loss at one of n commits of which one in seven does not build.
func newPast(n int, loss float64, seed uint64) (p *past, first string) {
	p = &past{level: map[string]float64{}, broken: map[string]bool{}, random: rand.New(rand.NewPCG(seed, 1))}
	at := 1 + p.random.IntN(n)
	level := 0.0
	for i := range n + 1 {
		name := fmt.Sprintf("commit%02d", i)
		if i == at {
			level, first = math.Log1p(loss), name
		}
		p.commits, p.level[name] = append(p.commits, name), level
		p.broken[name] = i != 0 && i != n && i != at && i != at-1 && p.random.IntN(7) == 0
	}
	return p, first
}

// process is the ln time of a fresh process in a session: processes scatter by 0.6 %.
func (p *past) process(commit string, session float64) float64 {
	p.asked++
	return p.level[commit] + session + 0.006*p.random.NormFloat64()
}

// session is how much the machine is slower in one sitting: 0.4 %.
func (p *past) session() float64 { return 0.004 * p.random.NormFloat64() }

// rounds measures as the gate does.
func (p *past) rounds(_ context.Context, ask Measurement) (Step, error) {
	if p.broken[ask.Head] {
		return Step{Answer: StepSkipped}, nil
	}
	policy := rule.Default()
	policy.Tolerance, policy.Cases = ask.Threshold, 1
	var rounds []stats.Round
	looks := rule.ScheduleOf(policy).Looks()
	for look, n := range looks {
		for len(rounds) < n {
			s := p.session()
			rounds = append(rounds, stats.Round{
				Base: []float64{p.process(ask.Base, s), p.process(ask.Base, s)},
				Head: []float64{p.process(ask.Head, s), p.process(ask.Head, s)},
			})
		}
		c, err := rule.Compare(rounds, look+1, rule.Timing{QuantumNS: 32, Launches: 1, MedianNS: 1e5}, policy)
		if err != nil {
			return Step{}, err
		}
		switch v := rule.Decide(c, policy, look == len(looks)-1); v {
		case result.Undecided:
		case result.Regression:
			return Step{Answer: StepBad, Ratio: c.Ratio, Low: c.RatioLow, High: c.RatioHigh, Rounds: n}, nil
		case result.Inconclusive:
			return Step{Answer: StepInconclusive, Ratio: c.Ratio, Rounds: n}, nil
		default:
			return Step{Answer: StepGood, Ratio: c.Ratio, Rounds: n}, nil
		}
	}
	panic("the last look decides")
}

func (p *past) task() span {
	return span{Good: p.commits[0], Commits: p.commits[1:], Tolerance: 0.015}
}

// plainBisect is git bisect run around a yes or no: broken commits are skipped, as exit code 125 does.
func plainBisect(p *past, slower func(commit string) bool) string {
	low, high := 0, len(p.commits)-1
	skipped := map[int]bool{}
	for high-low > 1 {
		at := -1
		for far := range high - low {
			for _, i := range []int{(low+high)/2 + far, (low+high)/2 - far} {
				if i > low && i < high && !skipped[i] && at < 0 {
					at = i
				}
			}
		}
		if at < 0 {
			return ""
		}
		switch {
		case p.broken[p.commits[at]]:
			skipped[at] = true
		case slower(p.commits[at]):
			high = at
		default:
			low = at
		}
	}
	return p.commits[high]
}

// TestFindsThePlantedCommit: among 64 commits with broken ones, +3 and +10 %. Beside it git bisect run around one number and a
// threshold, and around ten processes a side and the test that benchstat does.
func TestFindsThePlantedCommit(t *testing.T) {
	t.Parallel()
	const searches = 20
	for _, loss := range []float64{0.03, 0.10} {
		found := map[string]int{}
		cost := map[string]int{}
		for seed := range uint64(searches) {
			p, first := newPast(64, loss, seed)
			out, err := findFirstSlower(t.Context(), p.task(), p.rounds)
			must(t, err)
			if right(out, first) {
				found["rounds"]++
			} else {
				t.Logf("+%.0f %%, seed %d: %s %s %v, want %s", 100*loss, seed, out.Kind, out.First, out.Among, first)
			}
			cost["rounds"] += p.asked
			p.asked = 0
			good := math.Exp(p.process(p.commits[0], p.session()))
			if plainBisect(p, func(c string) bool { return math.Exp(p.process(c, p.session())) > good*(1+loss/2) }) == first {
				found["threshold"]++
			}
			cost["threshold"] += p.asked
			p.asked = 0
			if plainBisect(p, func(c string) bool { return slowerByRanks(p, c) }) == first {
				found["ranks"]++
			}
			cost["ranks"] += p.asked
		}
		for _, who := range []string{"rounds", "threshold", "ranks"} {
			t.Logf("+%.0f %%: %-9s right %2d of %d, %d processes a search", 100*loss, who, found[who], searches, cost[who]/searches)
		}
		if found["rounds"] < searches {
			t.Errorf("+%.0f %%: %d of %d searches are right", 100*loss, found["rounds"], searches)
		}
	}
}

// right: the planted commit, alone or among those that broken commits hide it with.
func right(out BisectOutcome, first string) bool {
	return out.Kind == Found && out.First == first || out.Kind == Narrowed && slices.Contains(out.Among, first)
}

func slowerByRanks(p *past, commit string) bool {
	sample := func(commit string) (out []float64) {
		session := p.session()
		for range 10 {
			out = append(out, p.process(commit, session))
		}
		return out
	}
	base, head := sample(p.commits[0]), sample(commit)
	test, err := stats.MannWhitneyU(base, head)
	return err == nil && test.P < 0.05 && stats.MedianOrNaN(head) > stats.MedianOrNaN(base)
}

func TestHowASearchEnds(t *testing.T) {
	t.Parallel()
	broken := math.NaN()
	for _, c := range []struct {
		name   string
		levels []float64 // the good end first
		open   map[string]int
		kind   BisectKind
		first  string
		among  []string
	}{
		{"one step", []float64{0, 0.1}, nil, Found, "1", nil},
		{"the first commit", []float64{0, 0.1, 0.1, 0.1, 0.1}, nil, Found, "1", nil},
		{"the last commit", []float64{0, 0, 0, 0, 0.1}, nil, Found, "4", nil},
		{"nothing", []float64{0, 0, 0, 0.001}, nil, NoChange, "", nil},
		{"the ends stay open", []float64{0, 0, 0, 0.012}, map[string]int{"3": 99}, InconclusiveEnds, "", nil},
		{"a commit is open at first", []float64{0, 0, 0.1, 0.1}, map[string]int{"2": 1}, Found, "2", nil},
		{"a commit stays open", []float64{0, 0, 0.05, 0.1}, map[string]int{"2": 99}, Narrowed, "", []string{"2", "3"}},
		{"broken around the change", []float64{0, 0, broken, broken, 0.1, 0.1}, nil, Narrowed, "", []string{"2", "3", "4"}},
		{"broken elsewhere", []float64{0, broken, 0, 0.1, broken, 0.1}, nil, Found, "3", nil},
		{"many small losses", []float64{0, 0.02, 0.04, 0.06, 0.08}, nil, Gradual, "3", nil},
		{"two losses, one larger", []float64{0, 0.02, 0.02, 0.02, 0.1}, nil, Found, "4", nil},
	} {
		task, measure := numbered(c.levels, c.open, new(int))
		out, err := findFirstSlower(t.Context(), task, measure)
		if err != nil || out.Kind != c.kind || out.First != c.first || !slices.Equal(out.Among, c.among) {
			t.Errorf("%s: %s %q %v, %v; want %s %q %v", c.name, out.Kind, out.First, out.Among, err, c.kind, c.first, c.among)
		}
	}
	task, measure := numbered([]float64{0, 0, broken}, nil, new(int))
	var end *Unmeasured
	if _, err := findFirstSlower(t.Context(), task, measure); !errors.As(err, &end) {
		t.Errorf("a bad end that does not build: %v", err)
	}
}

// TestResumes: what was measured before an interruption is not measured again.
func TestResumes(t *testing.T) {
	t.Parallel()
	levels := slices.Concat(make([]float64, 40), slices.Repeat([]float64{0.1}, 24))
	calls := 0
	task, measure := numbered(levels, nil, &calls)
	whole, err := findFirstSlower(t.Context(), task, measure)
	if err != nil || whole.First != "40" {
		t.Fatalf("%s, %v", whole.First, err)
	}
	all := calls
	stop := errors.New("interrupted")
	var saved []Step
	cut := task
	cut.Done = func(steps []Step) error {
		if saved = slices.Clone(steps); len(steps) == 3 {
			return stop
		}
		return nil
	}
	if _, err := findFirstSlower(t.Context(), cut, measure); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	calls = 0
	cut.Steps, cut.Done = saved, nil
	again, err := findFirstSlower(t.Context(), cut, measure)
	if err != nil || !reflect.DeepEqual(again, whole) || calls != all-3 {
		t.Errorf("resumed: %+v, %v, %d calls; want %+v after %d", again, err, calls, whole, all-3)
	}
}

// numbered is a search over levels[1:], whose commits are their numbers: those of no level do not build, and open has how patient a step has to be for
// an answer. calls counts measurements.
func numbered(levels []float64, open map[string]int, calls *int) (span, measurer) {
	t := span{Good: "0", Tolerance: 0.01}
	for i := range levels[1:] {
		t.Commits = append(t.Commits, fmt.Sprint(i+1))
	}
	return t, func(_ context.Context, ask Measurement) (Step, error) {
		*calls++
		var base, head int
		fmt.Sscan(ask.Base, &base)
		fmt.Sscan(ask.Head, &head)
		switch l := levels[head] - levels[base]; {
		case open[ask.Head] >= ask.Patience:
			return Step{Answer: StepInconclusive, Ratio: math.Exp(l)}, nil
		case math.IsNaN(levels[base]):
			return Step{Answer: StepSkipped, OfBase: true}, nil
		case math.IsNaN(l):
			return Step{Answer: StepSkipped}, nil
		case l > math.Log1p(ask.Threshold):
			return Step{Answer: StepBad, Ratio: math.Exp(l)}, nil
		default:
			return Step{Answer: StepGood, Ratio: math.Exp(l)}, nil
		}
	}
}

// TestHintsSaveSteps: where records are right, three steps and the proof are all; where they are wrong, or made up, they cost a few steps.
func TestHintsSaveSteps(t *testing.T) {
	t.Parallel()
	calls := 0
	task, measure := numbered(slices.Concat(make([]float64, 40), slices.Repeat([]float64{0.1}, 24)), nil, &calls)
	if _, err := findFirstSlower(t.Context(), task, measure); err != nil {
		t.Fatal(err)
	}
	alone := calls
	many := slices.Repeat([]Hint{{"50", "51"}}, 40)
	for i := range many {
		many[i] = Hint{fmt.Sprint(i), fmt.Sprint(i + 1)}
	}
	for name, c := range map[string]struct {
		hints []Hint
		most  int
	}{
		"right":              {[]Hint{{"39", "40"}}, 4},
		"a span of records":  {[]Hint{{"36", "44"}}, 7},
		"wrong":              {[]Hint{{"11", "12"}}, alone + 2},
		"not of this line":   {[]Hint{{"none", "gone"}, {"40", "39"}}, alone},
		"made up by the lot": {many, alone + 2*mostHints},
		"from before good":   {[]Hint{{"-7", "3"}}, alone + 2},
	} {
		calls = 0
		task.Hints = func(context.Context, Step) []Hint { return c.hints }
		out, err := findFirstSlower(t.Context(), task, measure)
		if err != nil || out.First != "40" || out.Kind != Found || calls > c.most {
			t.Errorf("%s: %s %s, %v, %d calls; want at most %d", name, out.Kind, out.First, err, calls, c.most)
		}
	}
}

// TestNarrowed: commits that touch nothing are not tried, the one that is found is held against its parent all the same, and where
// the loss is at one that was left out, it is found there.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	broken := math.NaN()
	line := slices.Concat(make([]float64, 40), slices.Repeat([]float64{0.1}, 24))
	holed := slices.Clone(line)
	holed[39] = broken
	for name, c := range map[string]struct {
		levels   []float64
		touching []string
		parent   string
		most     int
		widened  bool
	}{
		"few":                           {line, []string{"10", "20", "39", "40", "50"}, "39", 6, false},
		"the parent is left out":        {line, []string{"10", "20", "40", "50"}, "39", 6, false},
		"the loss is left out":          {line, []string{"10", "20", "50"}, "39", 12, true},
		"nothing touches anything":      {line, nil, "39", 12, true},
		"the parent cannot be measured": {holed, []string{"10", "20", "40"}, "20", 7, false},
	} {
		calls := 0
		task, measure := numbered(c.levels, nil, &calls)
		task.Narrow = func(context.Context, Step) ([]string, error) { return c.touching, nil }
		out, err := findFirstSlower(t.Context(), task, measure)
		if err != nil || out.Kind != Found || out.First != "40" || out.Parent != c.parent || out.Widened != c.widened || calls > c.most {
			t.Errorf("%s: %s %s beside %s, widened %v, %v, %d calls", name, out.Kind, out.First, out.Parent, out.Widened, err, calls)
		}
	}
}
