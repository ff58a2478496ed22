package search

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// newLedger is a ledger with its opening.
func newLedger(t *testing.T) *Ledger {
	t.Helper()
	l, err := LoadLedger(t.TempDir())
	must(t, err)
	must(t, l.Open(opening()))
	return l
}

func opening() Opening {
	return Opening{Schema: LedgerSchema, Base: "b", BaseLabel: "main", Config: "c", Machine: "m", Confidence: 0.99, Gain: 0.015}
}

// judged enters a candidate with its answer.
func (l *Ledger) judged(t *testing.T, hash string, v Verdict, asks bool) Answer {
	t.Helper()
	c, err := l.Begin(hash, hash)
	must(t, err)
	a := Answer{Schema: AnswerSchema, Verdict: v, Candidate: c}
	if asks {
		claim, err := l.Ask(c)
		must(t, err)
		a.Claim = &claim
	}
	if v == Better {
		a.RatioOfBase = &result.Shift{Ratio: 0.9, Low: 0.8, High: 0.95}
	}
	must(t, l.Close(a))
	return a
}

func reload(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	again, err := LoadLedger(l.dir)
	must(t, err)
	return again
}

func TestLedgerRemembers(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.judged(t, "one", Same, false)
	l.judged(t, "two", Better, true)
	l.judged(t, "three", Inconclusive, true)
	if _, err := l.Begin("four", "four"); err != nil {
		t.Fatal(err)
	}
	again := reload(t, l)
	if a := again.Answer(again.Find("two").Number); a == nil || a.Verdict != Better {
		t.Errorf("the answer to two is %+v", a)
	}
	if best := again.Best(); best == nil || best.Candidate.Hash != "two" {
		t.Errorf("the best is %+v", best)
	}
	s := again.Summary()
	if s.Judged != 3 || s.Requests != 2 || s.Better != 1 || len(s.Interrupted) != 1 || s.Interrupted[0].Label != "four" {
		t.Errorf("%+v", s)
	}
	if c, err := again.Begin("one", "again"); err != nil || c.Number != 1 {
		t.Errorf("known content is candidate %d, %v", c.Number, err)
	}
	if again.Find("five").Number != 0 {
		t.Error("a content that was never judged is known")
	}
}

// Whatever a candidate's compiler says, its answer is read again.
func TestLedgerOfWildAnswers(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	wild := strings.Repeat("\x1b[31merror\r\n\xff\x00", 20_000)
	c, err := l.Begin("one", wild)
	must(t, err)
	a := Answer{Schema: AnswerSchema, Verdict: Broken, Candidate: c, Faults: []Fault{{Verdict: Broken, Finding: result.Finding{Reason: result.Message(wild), Case: wild}, Output: wild}}}
	must(t, l.Close(a))
	if got := reload(t, l).Answer(1); got == nil || len(got.Faults[0].Output) < 30_000 || strings.ContainsAny(got.Faults[0].Case, "\x1b\n") {
		t.Errorf("%.200v", got)
	}
}

// A request is spent when it is made: a crash, or whoever ends a call that goes badly, gets nothing back.
func TestInterruptedRequestsAreSpent(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	first := l.spending().Next()
	c, err := l.Begin("one", "one")
	must(t, err)
	for range 3 {
		if _, err := l.Ask(c); err != nil {
			t.Fatal(err)
		}
	}
	if next := reload(t, l).spending().Next(); math.Abs(next-first/16) > 1e-12 {
		t.Errorf("after three requests without an answer the next may spend %v, want %v", next, first/16)
	}
}

func TestGrantedRequestsHandOnWhatTheyMaySpend(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	first := l.spending().Next()
	l.judged(t, "one", Better, true)
	if next := reload(t, l).spending().Next(); math.Abs(next-first*(1+1.0/4)) > 1e-12 {
		t.Errorf("%v, want %v", next, first*(1+1.0/4))
	}
}

// A line that was cut off as the machine went down is dropped, and the ledger goes on.
func TestTornLedgerGoesOn(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	c, err := l.Begin("one", "one")
	must(t, err)
	must(t, l.Close(Answer{Schema: AnswerSchema, Verdict: Same, Candidate: c}))
	whole := readFile(t, l, ledgerFile)
	for cut := 1; cut < 40; cut += 7 {
		writeFile(t, l, ledgerFile, whole[:len(whole)-cut])
		torn := reload(t, l)
		if torn.Torn != 3 || torn.Summary().Torn != 3 || len(torn.Interrupted()) != 1 {
			t.Fatalf("%d bytes short: torn %v, interrupted %v", cut, torn.Torn, torn.Interrupted())
		}
		torn.judged(t, "one", Worse, false)
		if a := reload(t, l).Answer(1); a == nil || a.Verdict != Worse {
			t.Fatalf("%d bytes short: %+v", cut, a)
		}
	}
}

func readFile(t *testing.T, l *Ledger, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(l.dir, name))
	must(t, err)
	return string(text)
}

func writeFile(t *testing.T, l *Ledger, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o644))
}

func TestDamagedLedgerIsRefused(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(lines []string) []string{
		"a better without a claim": func(l []string) []string { l[2] = strings.Replace(l[2], `"same"`, `"better"`, 1); return l },
		"a line was taken out":     func(l []string) []string { return append(l[:1], l[2:]...) },
		"lines were exchanged":     func(l []string) []string { l[1], l[2] = l[2], l[1]; return l },
		"it begins again":          func(l []string) []string { return append(l, l[0]) },
		"it is something else":     func([]string) []string { return []string{"hello"} },
		"an unknown field":         func(l []string) []string { l[1] = strings.Replace(l[1], "{", `{"hour":3,`, 1); return l },
		"another schema": func(l []string) []string {
			l[0] = strings.Replace(l[0], LedgerSchema, "perfgate/ledger/v1", 1)
			return l
		},
		"a byte in the middle flew": func(l []string) []string { l[1] = l[1][:5] + "x" + l[1][6:]; return l },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			l.judged(t, "one", Same, false)
			l.judged(t, "two", Wrong, false)
			path := filepath.Join(l.dir, ledgerFile)
			text, err := os.ReadFile(path)
			must(t, err)
			lines := spoil(strings.Split(strings.TrimSpace(string(text)), "\n"))
			must(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
			if _, err := LoadLedger(l.dir); !errors.Is(err, ErrLedger) || !strings.Contains(err.Error(), "line") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v", err)
			}
		})
	}
}

// A ledger whose lines can be read and do not follow from each other is refused.
func TestLedgerThatDoesNotFollowIsRefused(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]ledgerLine{
		"an answer to nobody":            {Answered: &Answer{Verdict: Same, Candidate: Candidate{Number: 7}}},
		"a better without a request":     {Answered: &Answer{Verdict: Better, Candidate: Candidate{Number: 1}}},
		"an answer to no request":        {Answered: &Answer{Verdict: Better, Candidate: Candidate{Number: 1}, Claim: &Claim{Request: 9}}},
		"a verdict that nobody knows":    {Answered: &Answer{Verdict: "great", Candidate: Candidate{Number: 1}}},
		"a request out of turn":          {Asked: &claimRequest{Candidate: 1, Claim: Claim{Request: 5}}},
		"a second beginning":             {Opened: &Opening{Schema: LedgerSchema}},
		"a candidate out of turn":        {Began: &Candidate{Number: 9}},
		"nothing":                        {},
		"two in one":                     {Began: &Candidate{Number: 1}, Answered: &Answer{Verdict: Better, Candidate: Candidate{Number: 1}, Claim: &Claim{Request: 9}}},
		"an answer before all, negative": {Answered: &Answer{Verdict: Same, Candidate: Candidate{Number: -1}}},
	} {
		l := newLedger(t)
		l.judged(t, "one", Same, false)
		must(t, l.append(next))
		if _, err := LoadLedger(l.dir); !errors.Is(err, ErrLedger) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFoldersThatHoldNoLedger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644))
	if _, err := LoadLedger(dir); !errors.Is(err, ErrLedger) || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("%v", err)
	}
}

func TestLedgerOfAnotherSearchIsRefused(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*Opening){
		"base": func(o *Opening) { o.Base = "x" }, "configuration": func(o *Opening) { o.Config = "x" }, "machine": func(o *Opening) { o.Machine = "x" },
		"kernels": func(o *Opening) { o.Kernels = []string{"k"} }, "cases": func(o *Opening) { o.Cases = []string{"k/*"} },
		"confidence": func(o *Opening) { o.Confidence = 0.9 }, "gain": func(o *Opening) { o.Gain = 0.1 },
	} {
		l := newLedger(t)
		other := opening()
		change(&other)
		if err := l.Open(other); !errors.Is(err, ErrLedger) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if err := l.Open(opening()); err != nil {
			t.Errorf("%s: its own opening: %v", what, err)
		}
	}
}

// Two calls that both read the ledger, as on two machines that share a folder, do not write over each other.
func TestLedgerOfTwoWritersLosesNothing(t *testing.T) {
	t.Parallel()
	first := newLedger(t)
	second := reload(t, first)
	first.judged(t, "one", Same, false)
	if _, err := second.Begin("two", "two"); !errors.Is(err, ErrLedger) {
		t.Errorf("%v", err)
	}
	if got := reload(t, first).Summary(); got.Judged != 1 {
		t.Errorf("%+v", got)
	}
	first.judged(t, "two", Same, false)
}

// A candidate that can never be judged does not keep others from being resumed.
func TestInterruptedTakeTurns(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	for _, hash := range []string{"one", "two", "one"} {
		if _, err := l.Begin(hash, hash); err != nil {
			t.Fatal(err)
		}
	}
	if open := reload(t, l).Interrupted(); len(open) != 2 || open[0].Hash != "two" {
		t.Errorf("%+v", open)
	}
}
