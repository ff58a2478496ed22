package parity

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func kernelOf(rules config.Parity) config.Kernel {
	rules.Cases = 40
	return config.Kernel{
		Name: "k", Parity: rules, Measure: [][]config.Value{{config.IntValue(300), config.IntValue(2)}},
		Params: []config.Param{
			{Name: "n", Fuzz: &config.Fuzz{Min: 1, Max: 200, Near: 64, MultipleOf: 1}},
			{Name: "b", Values: []config.Value{config.IntValue(1), config.IntValue(2)}},
		},
	}
}

func drawn(rules config.Parity) Subject {
	return Subject{Kernel: "k", Head: "head", Cases: plan.Fuzz(kernelOf(rules), 7, 40)}
}

func caseOf(t *testing.T, k config.Kernel, text string) plan.Case {
	t.Helper()
	c, err := plan.ParseCase(k, text)
	must(t, err)
	return c
}

func replay(c plan.Case) Subject {
	return Subject{Kernel: "k", Head: "head", Cases: plan.Replay(c, 7), Replay: true}
}

func param(cmd command, name string) int64 {
	for _, p := range cmd.Case.Params {
		if p.Name == name {
			return p.Value
		}
	}
	return 0
}

func wrong() reply {
	w := kernels.WorstElement{Tensor: "o", Coords: []int64{65}, Dims: "s", ULPs: 3}
	return reply{Elements: 10, Failed: 1, MaxRatio: 9, Worst: &w,
		Pattern: &kernels.Pattern{Wrong: 2, Looked: 67, Extents: []kernels.Extent{{Size: 67, First: 65, Last: 66, Count: 2}}}}
}

// brokenBeyond is wrong for n > 64 alone, whatever the rest.
func brokenBeyond(library string, cmd command) (reply, error) {
	if param(cmd, "n") > 64 {
		return wrong(), nil
	}
	return passes(library, cmd)
}

func TestFailureShrinksToTheThreshold(t *testing.T) {
	r := &rig{hasReference: true, answer: brokenBeyond}
	out := r.run(t, drawn(config.Parity{}))
	f := out.Failure
	if f == nil || f.Case != "k/n=65,b=1" || f.Values != "zeros" || !strings.HasPrefix(f.First, "k/n=300,b=2") {
		t.Fatalf("failure = %+v", f)
	}
	if f.Pattern != "all of s >= 65" || f.ULPs != 3 || f.Repro != "perfgate parity --kernel k --param n=65,b=1 --seed 7" {
		t.Errorf("failure = %+v", f)
	}
}

func TestCandidatesStayInTheDomain(t *testing.T) {
	p := config.Param{Name: "n", Fuzz: &config.Fuzz{Min: 32, Max: 256, Near: 48, MultipleOf: 32}}
	for _, offer := range []func(config.Param, int64) []int64{halves, smallSizes} {
		for _, v := range below(p, 1000, offer) {
			if v%32 != 0 || v < 32 || v > 256 {
				t.Errorf("candidate %d", v)
			}
		}
		if got := below(p, 32, offer); len(got) != 0 {
			t.Errorf("smaller than the smallest: %v", got)
		}
	}
}

// Faults that not every larger size has: halves alone jump over the smallest that shows them.
func TestFailureShrinksToTheSmallestSizeThatFails(t *testing.T) {
	for want, fails := range map[string]func(n int64) bool{
		"k/n=3,b=1":  func(n int64) bool { return n%2 == 1 && n > 1 },
		"k/n=5,b=1":  func(n int64) bool { return n == 5 || n > 150 },
		"k/n=63,b=1": func(n int64) bool { return n >= 63 && n%4 == 3 },
		"k/n=96,b=1": func(n int64) bool { return n > 0 && n%96 == 0 || n > 190 },
	} {
		k := kernelOf(config.Parity{})
		k.Params[0].Fuzz.Near = 32
		r := &rig{hasReference: true, answer: func(library string, cmd command) (reply, error) {
			if fails(param(cmd, "n")) {
				return wrong(), nil
			}
			return passes(library, cmd)
		}}
		if out := r.run(t, Subject{Kernel: "k", Head: "head", Cases: plan.Fuzz(k, 7, 40)}); out.Failure == nil || out.Failure.Case != want {
			t.Errorf("want %s: %+v", want, out.Failure)
		}
	}
}

func ratio(head, base kernels.Number) func(string, command) (reply, error) {
	return func(library string, _ command) (reply, error) {
		if library == "base" {
			return good(10, base), nil
		}
		return good(10, head), nil
	}
}

func TestYardstick(t *testing.T) {
	for name, c := range map[string]struct {
		head, base kernels.Number
		rule       string
		status     result.ParityStatus
		warned     bool
	}{
		"as exact":         {0.3, 0.3, config.YardstickFail, result.ParityPassed, false},
		"below the floor":  {0.09, 0, config.YardstickFail, result.ParityPassed, false},
		"within the yard":  {0.59, 0.3, config.YardstickFail, result.ParityPassed, false},
		"worse, warn":      {0.7, 0.3, config.YardstickWarn, result.ParityPassed, true},
		"worse, fail":      {0.7, 0.3, config.YardstickFail, result.ParityFailed, false},
		"base was perfect": {0.11, 0, config.YardstickFail, result.ParityFailed, false},
	} {
		s := drawn(config.Parity{Yardstick: c.rule})
		s.Base = "base"
		out := (&rig{hasReference: true, answer: ratio(c.head, c.base)}).run(t, s)
		if out.Status != c.status || (len(out.Warnings) > 0) != c.warned {
			t.Errorf("%s: %+v", name, out)
		}
		if out.Failure != nil && out.Failure.Code != result.CodeYardstick {
			t.Errorf("%s: %+v", name, out.Failure)
		}
	}
}

func TestNotDeterministic(t *testing.T) {
	differs := false
	r := &rig{hasReference: true, answer: func(string, command) (reply, error) {
		g := good(10, 0.1)
		g.Same = &differs
		return g, nil
	}}
	if out := r.run(t, drawn(config.Parity{})); out.Status != result.ParityPassed || out.Differing != out.Run || len(out.Warnings) == 0 {
		t.Errorf("reported: %+v", out)
	}
	if out := r.run(t, drawn(config.Parity{Deterministic: true})); out.Status != result.ParityFailed || out.Failure.Code != result.CodeNotDeterministic {
		t.Errorf("deterministic: true: %+v", out)
	}
}

// brokenRelation is wrong for n > 64 alone, as far as a relation tells.
func brokenRelation(library string, cmd command) (reply, error) {
	if cmd.Oracle == "none" {
		return reply{Passed: true}, nil
	}
	return brokenBeyond(library, cmd)
}

func TestRelationsServeWithoutAnOracle(t *testing.T) {
	rules := config.Parity{Metamorphic: []config.Relation{{Kind: config.RelationScale, Over: []string{"v"}}}}
	r := &rig{answer: passes}
	out := r.run(t, drawn(rules))
	if out.Status != result.ParityPassed || out.Oracle != OracleRelations || r.commands[1].Relation != "scale" || r.commands[1].Tensors != "v" {
		t.Errorf("parity = %+v, command = %+v", out, r.commands[1])
	}
	broken := &rig{answer: brokenRelation}
	if out := broken.run(t, drawn(rules)); out.Failure == nil || out.Failure.Code != result.CodeRelation {
		t.Errorf("parity = %+v", out)
	}
}

func TestCorpusComesFirstAndRemembersOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), CorpusFile)
	r := &rig{hasReference: true, answer: brokenBeyond}
	run := func(save bool) result.Parity {
		return r.run(t, drawn(config.Parity{}), func(o *Options) { o.Wishes = Wishes{Corpus: path, Save: save} })
	}
	run(true)
	run(true)
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 1 {
		t.Fatalf("corpus = %q, %v", text, err)
	}
	if out := run(false); out.Run != 1 || out.Failure.Case != "k/n=65,b=1" {
		t.Errorf("the corpus is not tried first: %+v", out)
	}
	r.answer = passes
	for _, unfit := range []string{`"case":"gone=1","values":"normal","seed":"1"`, `"case":"n=1,b=1","values":"gone","seed":"1"`, `"case":"n=1,b=1","values":"normal","seed":"x"`} {
		must(t, os.WriteFile(path, []byte(`{"kernel":"k",`+unfit+"}\n"), 0o600))
		if out := run(false); out.Status != result.ParityPassed || len(out.Warnings) != 1 || out.Run != 40 {
			t.Errorf("%s does not fit: %+v", unfit, out)
		}
	}
}

// A kernel that is right for three times as many cases as were planned is found wrong by one of those that come then.
func TestUntilGoesOnWithFreshCases(t *testing.T) {
	asked := 0
	r := &rig{hasReference: true, answer: func(l string, cmd command) (reply, error) {
		answer, err := passes(l, cmd)
		asked++
		answer.Passed = asked <= 120
		return answer, err
	}}
	out := r.run(t, drawn(config.Parity{}), func(o *Options) { o.NoShrink, o.Wishes.Until = true, time.Hour })
	if out.Status != result.ParityFailed || out.Run <= 40 || out.Reason != nil {
		t.Errorf("parity = %+v", out)
	}
}

// Time that ends before the planned cases do is said, whoever set it.
func TestUntilSaysWhatOfThePlanItCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &rig{hasReference: true, answer: func(l string, cmd command) (reply, error) {
			time.Sleep(10 * time.Millisecond)
			return passes(l, cmd)
		}}
		out := r.run(t, drawn(config.Parity{}), func(o *Options) { o.Wishes.Until = 30 * time.Millisecond })
		if out.Planned != 40 || out.Run >= 40 || !strings.Contains(result.MessageOf(out.Reason), "time limit") {
			t.Errorf("parity = %+v", out)
		}
	})
}

// A base whose process has ended, or cannot start, is not asked again; one that refuses a case is.
func TestBaseThatIsGoneIsForgotten(t *testing.T) {
	for code, gone := range map[result.Code]bool{
		result.CodeCrashed: true, result.CodeDeviceFault: true, result.CodeFilled: true, result.CodeAdapterLoad: true, result.CodeOutOfMemory: false, "not-supported": false,
	} {
		c := newCheck(Subject{}, Options{})
		if err := c.forgetBase(&kernels.RunnerError{Code: code}); err != nil || c.baseGone != gone || c.yard.unasked[code] == 0 != gone {
			t.Errorf("%s: %v, gone %t, asked for nothing %v", code, err, c.baseGone, c.yard.unasked)
		}
	}
	if other := errors.New("the run was cancelled"); (&check{}).forgetBase(other) != other {
		t.Error("an error that is not base's was taken for one")
	}
}

// An interpreter whose setup raised keeps what was imported by half, so that the next case fails in another way: each smaller case has a fresh one.
func TestExceptionsShrinkInFreshInterpreters(t *testing.T) {
	t.Parallel()
	fresh := true
	r := &rig{hasReference: true, load: func(string) error { fresh = true; return nil }}
	r.answer = func(string, command) (reply, error) {
		message := "ImportError: no such library"
		if !fresh {
			message = "AssertionError: registered already"
		}
		fresh = false
		return reply{}, &kernels.RunnerError{Code: result.CodeSetupFailed, Message: message}
	}
	out := r.run(t, Subject{Kernel: "k", Head: "build/adapter.python.json", Cases: cases(2)})
	if out.Failure == nil || !strings.Contains(out.Failure.Message, "no such library") || out.Failure.Values != "zeros" {
		t.Errorf("%+v", out.Failure)
	}
}

// A line that a crash cut off is passed over and said, and what is saved next stands on a line of its own, as behind a line without an end.
func TestCorpusThatWasCutOff(t *testing.T) {
	t.Parallel()
	const whole = `{"kernel":"gone","case":"n=1","values":"normal","seed":"1"}`
	for last, want := range map[string]int{whole + "\n": 2, whole: 2, whole + "\n" + whole[:20]: 2, whole[:20]: 1, "": 1} {
		path := filepath.Join(t.TempDir(), CorpusFile)
		must(t, os.WriteFile(path, []byte(last), 0o644))
		r := &rig{hasReference: true, answer: brokenBeyond}
		out := r.run(t, drawn(config.Parity{}), func(o *Options) { o.Wishes = Wishes{Corpus: path, Save: true} })
		text, _ := os.ReadFile(path)
		kept, err := readCorpus(path)
		if err != nil || len(kept.entries) != want || kept.torn != 0 || strings.Count(string(text), "\n") != want {
			t.Errorf("%q became %q: %+v, %v", last, text, kept, err)
		}
		if cut := strings.HasSuffix(last, whole[:20]); cut != strings.Contains(strings.Join(out.Warnings, ""), "was cut off") {
			t.Errorf("%q: %q", last, out.Warnings)
		}
	}
	path := filepath.Join(t.TempDir(), CorpusFile)
	must(t, os.WriteFile(path, []byte("no JSON\n"+whole+"\n"), 0o644))
	if _, err := readCorpus(path); err == nil {
		t.Error("a line in the middle that is none is passed over")
	}
}
