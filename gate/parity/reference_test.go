package parity

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

// So does one that a kernel disagrees with, and one that is asked about a single case: nobody can tell who is right.
func TestConstantReferenceIsNobodysFailure(t *testing.T) {
	constant := func(_ string, cmd command) (reply, error) {
		return reply{OracleDigest: "same", Passed: cmd.Atol == 1, Failed: 1, Oracle: "reference"}, nil
	}
	for _, n := range []int{1, 3, 40} {
		s := drawn(config.Parity{})
		s.Cases = s.Cases[:n]
		out := (&rig{hasReference: true, answer: constant}).run(t, s)
		if out.Status != result.ParityError || out.ErrorSide != result.SideBoth || out.Failure != nil {
			t.Errorf("%d cases, head wrong: %+v %+v", n, out, out.Failure)
		}
		out = (&rig{hasReference: true, answer: func(string, command) (reply, error) {
			return reply{Passed: true, OracleDigest: "same"}, nil
		}}).run(t, s)
		if out.Status != result.ParityError {
			t.Errorf("%d cases, head agrees: %+v", n, out)
		}
	}
}

// A failure that base shares is said to be one.
func TestBaseIsAskedAboutTheShrunkCase(t *testing.T) {
	varied := func(answer func(string, command) (reply, error)) func(string, command) (reply, error) {
		return func(library string, cmd command) (reply, error) {
			r, err := answer(library, cmd)
			r.OracleDigest = cmd.Seed
			return r, err
		}
	}
	s := drawn(config.Parity{})
	s.Base = "base"
	both := &rig{hasReference: true, answer: varied(brokenBeyond)}
	out := both.run(t, s)
	if out.Failure == nil || out.Failure.Case != "k/n=65,b=1" || !strings.Contains(out.Failure.Message, "base fails here too") {
		t.Errorf("both are wrong: %+v", out.Failure)
	}
	if last := both.commands[len(both.commands)-1]; param(last, "n") != 65 || last.Oracle != "reference" {
		t.Errorf("base was asked about %+v", last)
	}
	head := &rig{hasReference: true, answer: varied(func(library string, cmd command) (reply, error) {
		if library == "base" {
			return passes(library, cmd)
		}
		return brokenBeyond(library, cmd)
	})}
	if out := head.run(t, s); out.Failure == nil || strings.Contains(out.Failure.Message, "base") {
		t.Errorf("head is wrong: %+v", out.Failure)
	}
}

func TestUntilRaisesTheLimitOfACase(t *testing.T) {
	for until, want := range map[time.Duration]time.Duration{0: defaultCaseLimit, time.Second: defaultCaseLimit, time.Hour: time.Hour} {
		longest, followUp := time.Duration(0), time.Duration(0) // the second of those whose answer decides nothing
		r := &rig{hasReference: true, answer: brokenBeyond, around: func(_, op string, args, _ any, limit time.Duration, call func() error) error {
			if op != "spec" {
				longest = max(longest, limit)
			}
			if cmd, ok := args.(command); ok && (cmd.Atol == 1 || cmd.Oracle == "none") || op == "reset" {
				followUp = max(followUp, limit)
			}
			return call()
		}}
		r.run(t, drawn(config.Parity{}), func(o *Options) { o.NoShrink, o.Wishes.Until = true, until })
		if longest > want || longest < min(want, max(want-time.Minute, defaultCaseLimit)) || followUp > defaultCaseLimit {
			t.Errorf("until %s: %s, follow-up questions %s", until, longest, followUp)
		}
	}
}

// Equal inputs that give other bits fail with deterministic: true where relations are the only oracle, too.
func TestDeterminismWithRelationsAlone(t *testing.T) {
	differs := false
	for _, rel := range []config.Relation{{Kind: config.RelationScale, Over: []string{"v"}}, {Kind: config.RelationSplit, Over: []string{"none"}}} {
		r := &rig{answer: func(_ string, cmd command) (reply, error) {
			g := good(10, 0.1)
			if cmd.Twice {
				g.Same = &differs
			}
			return g, nil
		}}
		rules := config.Parity{Metamorphic: []config.Relation{rel, {Kind: config.RelationScale, Over: []string{"w"}}}}
		if out := r.run(t, drawn(rules)); out.Status != result.ParityPassed || out.Differing != out.Run {
			t.Errorf("%s: %+v", rel, out)
		}
		rules.Deterministic = true
		if out := r.run(t, drawn(rules)); out.Status != result.ParityFailed || out.Failure.Code != result.CodeNotDeterministic {
			t.Errorf("%s, deterministic: true: %+v", rel, out)
		}
	}
}

// A kernel with one case reads its corpus and is shrunk as any other: only a case that somebody asked for is left alone.
func TestSingleCaseIsNoReplay(t *testing.T) {
	k := config.Kernel{Name: "k", Measure: [][]config.Value{{}}, Parity: config.Parity{Cases: len(config.InputKinds)}}
	path := filepath.Join(t.TempDir(), CorpusFile)
	must(t, os.WriteFile(path, []byte(`{"kernel":"k","case":"","values":"tiny","seed":"99"}`+"\n"), 0o600))
	r := &rig{hasReference: true, answer: func(_ string, cmd command) (reply, error) {
		w := wrong()
		w.OracleDigest = cmd.Seed
		return w, nil
	}}
	f := r.run(t, Subject{Kernel: "k", Head: "head", Cases: plan.Fuzz(k, 7, 40)}, func(o *Options) { o.Wishes.Corpus = path }).Failure
	if f == nil || f.Values != "zeros" || f.First != "k, tiny inputs" || f.Seed != "99" {
		t.Errorf("%+v", f)
	}
}

// A base that has no memory left for a case is no base beside it.
func TestBaseThatDoesNotAnswerIsCounted(t *testing.T) {
	s := drawn(config.Parity{})
	s.Base = "base"
	r := &rig{hasReference: true, answer: func(library string, cmd command) (reply, error) {
		if library == "base" && param(cmd, "n") > 64 {
			return code("out-of-memory")(library, cmd)
		}
		return passes(library, cmd)
	}}
	out := r.run(t, s)
	if out.Status != result.ParityPassed || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], "of 40 cases: out-of-memory") || out.Oracle != "reference and base" {
		t.Errorf("some: %+v", out)
	}
	r.answer = func(library string, cmd command) (reply, error) {
		if library == "base" {
			return code("out-of-memory")(library, cmd)
		}
		return passes(library, cmd)
	}
	if out := r.run(t, s); out.Oracle != OracleReference || !strings.Contains(strings.Join(out.Warnings, ""), "in 40 of 40 cases") {
		t.Errorf("all: %+v", out)
	}
}

func TestSavingIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), CorpusFile)
	r := &rig{hasReference: true, answer: brokenBeyond}
	for _, want := range []string{" now has k/n=65,b=1, zeros inputs, seed 7", " already has k/n=65,b=1, zeros inputs, seed 7"} {
		said := ""
		r.run(t, drawn(config.Parity{}), func(o *Options) {
			o.Wishes = Wishes{Corpus: path, Save: true, Saved: func(text string) { said += text }}
		})
		if said != path+want {
			t.Errorf("said %q", said)
		}
	}
}
