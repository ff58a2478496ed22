package parity

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// answers are how a library answers.
type answers = func(library string, cmd command) (reply, error)

// fails answers with a code where a command fits, and passes elsewhere.
func fails(c result.Code, where func(library string, cmd command) bool) answers {
	return func(library string, cmd command) (reply, error) {
		if where(library, cmd) {
			return code(c)(library, cmd)
		}
		return passes(library, cmd)
	}
}

func of(libraries string) func(string, command) bool {
	return func(library string, _ command) bool { return strings.Contains(libraries, library) }
}

func by(oracles ...string) func(string, command) bool {
	return func(_ string, cmd command) bool { return slices.Contains(oracles, cmd.Oracle) }
}

// references answers as a right kernel does beside a reference whose outputs have a digest.
func references(digest string) answers {
	return func(string, command) (reply, error) {
		g := good(10, 0)
		g.OracleDigest = digest
		return g, nil
	}
}

// TestOutcomes: what comes of a check, by how libraries answer: whose fault it is, and that nothing checked is never passed.
func TestOutcomes(t *testing.T) {
	crashed, absent, memory := result.CodeCrashed, result.CodeNoReference, result.CodeOutOfMemory
	three := Subject{Kernel: "k", Head: "head", Cases: cases(3)}
	both := Subject{Kernel: "k", Head: "head", Base: "base", Cases: cases(2)}
	all := drawn(config.Parity{})
	one, hundred := replay(caseOf(t, kernelOf(config.Parity{}), "n=1,b=1")), replay(caseOf(t, kernelOf(config.Parity{}), "n=100,b=2"))
	load := func(broken string) func(string) error {
		return func(library string) error {
			if !strings.Contains(broken, library) {
				return nil
			}
			return &kernels.RunnerError{Code: "adapter-load", Message: "undefined symbol"}
		}
	}
	// A softmax of one column is too small to tell right from wrong by.
	tooSmall := func(_ string, cmd command) (reply, error) {
		r := reply{OracleDigest: "1", Passed: cmd.Atol == 1, Failed: 1}
		if param(cmd, "n") > 1 {
			r.OracleDigest = cmd.Seed
		}
		return r, nil
	}
	fixed := func(string, command) (reply, error) {
		return reply{Passed: true, Elements: 1, OracleDigest: "same", InputDigest: "same"}, nil
	}
	large := func(_ string, cmd command) bool { return param(cmd, "n") > 64 }
	torch := "ModuleNotFoundError: No module named 'torch'"
	for name, c := range map[string]struct {
		rig     rig
		subject Subject
		status  result.ParityStatus
		side    result.Side
		code    result.Code
		words   string // of the reason, or of where it failed
		silent  string
	}{
		"no case":                  {rig{hasReference: true, answer: passes}, Subject{Head: "head"}, result.ParitySkipped, "", "", "", ""},
		"no oracle":                {rig{answer: passes}, three, result.ParitySkipped, "", "", "", ""},
		"every case refused":       {rig{hasReference: true, answer: code(result.CodeUnsupported), printed: torch}, three, result.ParitySkipped, "", "", "refused every case", ""},
		"refused, and why":         {rig{hasReference: true, answer: code(result.CodeUnsupported), printed: torch}, three, result.ParitySkipped, "", "", torch, ""},
		"no reference anyhow":      {rig{hasReference: true, answer: code(absent), printed: torch}, three, result.ParitySkipped, "", "", "pg_reference", "torch"},
		"no memory for anyone":     {rig{hasReference: true, answer: code(memory)}, three, result.ParitySkipped, "", "", "", ""},
		"head crashes":             {rig{answer: fails(crashed, of("head"))}, both, result.ParityFailed, "", crashed, "", ""},
		"base crashes":             {rig{answer: fails(crashed, of("base"))}, both, result.ParityError, result.SideBase, "", "", ""},
		"the oracle fails":         {rig{hasReference: true, answer: code("reference-failed")}, both, result.ParityError, result.SideBoth, "", "", ""},
		"head is not loaded":       {rig{hasReference: true, answer: passes, load: load("head")}, both, result.ParityError, result.SideHead, "", "", ""},
		"neither is loaded":        {rig{hasReference: true, answer: passes, load: load("headbase")}, both, result.ParityError, result.SideBoth, "", "", ""},
		"base for a reference":     {rig{hasReference: true, answer: fails(absent, by("reference"))}, both, result.ParityPassed, "", "", "", ""},
		"a constant reference":     {rig{hasReference: true, answer: references("same")}, all, result.ParityError, "", "", "", ""},
		"a reference unseen":       {rig{hasReference: true, answer: references("")}, all, result.ParityPassed, "", "", "", ""},
		"inputs that are fixed":    {rig{hasReference: true, answer: fixed}, all, result.ParityPassed, "", "", "", ""},
		"one element":              {rig{hasReference: true, answer: tooSmall}, one, result.ParityFailed, "", result.CodeWrongOutput, "k/n=1,b=1", ""},
		"a slow reference":         {rig{hasReference: true, answer: fails(result.CodeHung, by("reference"))}, all, result.ParityError, result.SideBoth, "", "k/n=300,b=2 takes over 30s with pg_reference", ""},
		"a slow reference, helped": {rig{hasReference: true, answer: fails(result.CodeHung, by("reference"))}, all, result.ParityError, result.SideBoth, "", "--fuzz-time", ""},
		"a kernel that hangs":      {rig{hasReference: true, answer: fails(result.CodeHung, by("reference", "none"))}, all, result.ParityFailed, "", result.CodeHung, "", ""},
		"crashes that shrink":      {rig{hasReference: true, answer: fails(crashed, large)}, all, result.ParityFailed, "", crashed, "k/n=65,b=1", ""},
		"a replay is not shrunk":   {rig{hasReference: true, answer: brokenBeyond}, hundred, result.ParityFailed, "", result.CodeWrongOutput, "k/n=100,b=2", ""},
	} {
		out := c.rig.run(t, c.subject)
		words, failed := result.MessageOf(out.Reason), result.Code("")
		if out.Failure != nil {
			words, failed = out.Failure.Case, out.Failure.Code
		}
		if out.Status != c.status || c.side != "" && out.ErrorSide != c.side || failed != c.code || !strings.Contains(words, c.words) || c.silent != "" && strings.Contains(words, c.silent) {
			t.Errorf("%s: %+v %+v", name, out, out.Failure)
		}
		if out.Status == result.ParitySkipped && out.Reason == nil || out.Status == result.ParityPassed && out.Run != len(c.subject.Cases) || c.subject.Replay && out.Run != 1 {
			t.Errorf("%s: %+v", name, out)
		}
	}
}
