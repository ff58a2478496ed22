package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// The line that a reader sees first is the one that tells what to mend, whichever tool wrote it.
func TestFirstErrorIsTheFault(t *testing.T) {
	for name, c := range map[string]struct{ output, want string }{
		"nothing":          {"", ""},
		"no error":         {"\n  k: build.command failed: exit status 2\nmake: *** [all] Error 1", "k: build.command failed: exit status 2"},
		"gcc":              {"k: a.cc does not compile\na.cc: In function 'void f()':\na.cc:1:9: error: 'x' was not declared\na.cc:2:1: error: second", "a.cc:1:9: error: 'x' was not declared"},
		"gcc, fatal":       {"a.cc:1:10: fatal error: h.h: No such file or directory\ncompilation terminated.", "a.cc:1:10: fatal error: h.h: No such file or directory"},
		"a name":           {"a.cc: In member function 'void my::error::what()':\na.cc:3:1: error: bad", "a.cc:3:1: error: bad"},
		"assembler":        {"/tmp/x.s: Assembler messages:\n/tmp/x.s:12: Error: no such instruction", "/tmp/x.s:12: Error: no such instruction"},
		"GNU ld":           {"k: the library does not link\n/usr/bin/ld: 0.o: in function `pg_launch':\nk.pg.cc:(.text+0xa): undefined reference to `smooth(float*, int)'\ncollect2: error: ld returned 1 exit status", "k.pg.cc:(.text+0xa): undefined reference to `smooth(float*, int)'"},
		"summary first":    {"collect2: error: ld returned 1 exit status\nk.pg.cc:(.text+0xa): undefined reference to `f()'", "k.pg.cc:(.text+0xa): undefined reference to `f()'"},
		"defined twice":    {"/usr/bin/ld: 1.o: in function `z()':\nd.cc:(.text+0x0): multiple definition of `z()'; s.o: first defined here\ncollect2: error: ld returned 1 exit status", "d.cc:(.text+0x0): multiple definition of `z()'; s.o: first defined here"},
		"no such library":  {"k: the library does not link\n/usr/bin/ld: cannot find -lnope: No such file or directory\ncollect2: error: ld returned 1 exit status", "/usr/bin/ld: cannot find -lnope: No such file or directory"},
		"ld.lld":           {"ld.lld: error: undefined symbol: smooth(float*)\n>>> referenced by k.pg.cc\nclang++: error: linker command failed with exit code 1 (use -v to see invocation)", "ld.lld: error: undefined symbol: smooth(float*)"},
		"nvlink":           {"nvlink error   : Undefined reference to '_Z1fv' in '/tmp/0.o'\nnvlink fatal   : merge_elf failed", "nvlink error   : Undefined reference to '_Z1fv' in '/tmp/0.o'"},
		"ptxas":            {"k: a.cu does not compile\nptxas error   : Entry function 'f' uses too much shared data", "ptxas error   : Entry function 'f' uses too much shared data"},
		"nvcc":             {"k: a.cu does not compile\nnvcc fatal   : Unknown option '--fast'", "nvcc fatal   : Unknown option '--fast'"},
		"killed":           {"k: the library does not link\ncollect2: fatal error: ld terminated with signal 9 [Killed]\ncompilation terminated.", "collect2: fatal error: ld terminated with signal 9 [Killed]"},
		"only a summary":   {"collect2: error: ld returned 1 exit status", "collect2: error: ld returned 1 exit status"},
		"python":           {"k: SyntaxError: expected ':'\nat k.py:1: def f(x)", "k: SyntaxError: expected ':' at k.py:1: def f(x)"},
		"summary and more": {"collect2: error: ld returned 1 exit status\n/usr/bin/ld: odd", "/usr/bin/ld: odd"},
	} {
		if got := firstError(c.output); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A kind without words would be shown by its bare name.
func TestEveryKindIsWorded(t *testing.T) {
	for _, kind := range result.FindingKinds {
		w, known := wordings[kind]
		if !known || w.sentence[""] == "" {
			t.Errorf("%s has no sentence: add it to wordings (wordings.go)", kind)
			continue
		}
		if f := (result.Finding{Kind: kind, Kernel: "k"}); !strings.HasPrefix(Sentence(f), "k: ") && !strings.HasPrefix(Sentence(f), "k ") {
			t.Errorf("%s: %q", kind, Sentence(f))
		}
		for side, sentence := range w.sentence {
			if got := Sentence(result.Finding{Kind: kind, Side: side}); strings.ContainsAny(got, "{}«»") {
				t.Errorf("%s: a place in %q that is not filled: %q", kind, sentence, got)
			}
		}
	}
	if len(wordings) != len(result.FindingKinds) {
		t.Errorf("%d wordings for %d kinds", len(wordings), len(result.FindingKinds))
	}
}

// A note is no point against a pass, so a part of the report has to ask for its kind.
func TestEveryNoteIsShown(t *testing.T) {
	t.Parallel()
	for _, kind := range result.FindingKinds {
		for _, side := range []result.Side{"", result.SideHead} {
			if rule.EffectOf(kind, side) != result.EffectNote {
				continue
			}
			r := load(t, "pass")
			r.Conclusion.Findings = nil
			bare := flat(New(r))
			r.Conclusion.Findings = []result.Finding{{Kind: kind, Side: side, Effect: result.EffectNote, Kernel: r.Cases[0].Kernel, Case: r.Cases[0].Name, Waiver: &result.Waiver{}}}
			if flat(New(r)) == bare {
				t.Errorf("a note of kind %s changes nothing of a report: name in wordings the part where a reader looks for it", kind)
			}
		}
	}
}

// What is shown of a long log is its first error and its end, in order and without a line twice.
func TestExcerptOfALongLog(t *testing.T) {
	noise := strings.Split(strings.Repeat("building\n", 50), "\n")[:50]
	log := append(append(append([]string{"make"}, noise...), "in function f:", "a.cc:1:2: error: bad", "  1 | x"), append(noise, "make: *** Error 1")...)
	got := strings.Join(Excerpt(log, 16), "\n")
	for _, want := range []string{"in function f:\na.cc:1:2: error: bad\n  1 | x", "make: *** Error 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n") + 1; n > 18 {
		t.Errorf("%d lines", n)
	}
	for _, most := range []int{2, 4, 8, 16, 32} {
		for at := range 40 {
			lines := make([]string, 40)
			lines[at] = "error: this"
			lines[39] = lines[39] + "end"
			text := strings.Join(Excerpt(lines, most), "\n")
			if strings.Count(text, "error: this") != 1 || !strings.HasSuffix(text, "end") {
				t.Errorf("error at %d, %d lines:\n%s", at, most, text)
			}
		}
	}
}
