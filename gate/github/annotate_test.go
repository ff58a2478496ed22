package github

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestAnnotations(t *testing.T) {
	changed := []Lines{{"csrc/attention.cu", 10, 12}, {"README.md", 1, 1}, {"csrc/sub/tile.cuh", 3, 3}}
	sources := map[string][]string{"attention": {"csrc/attention.cu", "csrc/sub/tile.cuh"}, "softmax": {"README.md"}}
	got := Annotations(sample(t, "regression"), sources, changed)
	if len(got) != 2 || got[0].Path != "csrc/attention.cu" || got[0].StartLine != 10 || got[0].EndLine != 12 || got[1].Path != "csrc/sub/tile.cuh" {
		t.Fatalf("%+v", got)
	}
	if got[0].Level != LevelFailure || got[0].Title != "attention is slower in 2 cases, by up to +94.9 %" ||
		!strings.HasPrefix(got[0].Message, "attention/B=1,H=8,S=128,D=64,causal=0 is 1.95x slower (+94.9 %, 99 % interval +84.7 … +105.7 %); 5 % is tolerated\n") {
		t.Errorf("%q\n%s", got[0].Title, got[0].Message)
	}
	for name, want := range map[string]string{
		"parity": "computes the wrong result", "head-no-build": "does not build", "inconclusive": "may be slower", "pass": "", "base-no-build": "", "improvement": "",
	} {
		got := Annotations(sample(t, name), sources, changed[:1])
		switch {
		case want == "" && len(got) > 0:
			t.Errorf("%s: %+v", name, got)
		case want != "" && (len(got) != 1 || !strings.Contains(got[0].Title, want) || got[0].Message == ""):
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := Annotations(sample(t, "regression"), nil, changed); len(got) != 0 {
		t.Errorf("without sources: %+v", got)
	}
}

func TestAnnotationsAreFew(t *testing.T) {
	var changed []Lines
	for i := range 500 {
		changed = append(changed, Lines{"a.cu", 2 * (i + 1), 2 * (i + 1)})
	}
	if got := Annotations(sample(t, "regression"), map[string][]string{"attention": {"a.cu"}}, changed); len(got) != mostPlaces {
		t.Errorf("%d annotations", len(got))
	}
}

func TestAnnotationsShowWhatHides(t *testing.T) {
	r := sample(t, "head-no-build")
	r.Kernels[0].Head.Output = "a\x1b[31m\u202eb\nc\r\x00d"
	got := Annotations(r, map[string][]string{"attention": {"a.cu"}}, []Lines{{"a.cu", 1, 1}})
	if len(got) != 1 || !strings.HasSuffix(got[0].Message, "\na\\u202eb\nc \\x00d") {
		t.Errorf("%+v", got)
	}
}

// What was accepted, waived or traded is a notice that says so, and none of it stands among what failed.
func TestExcusedIsANotice(t *testing.T) {
	r := sample(t, "regression")
	slow := 0
	for i, f := range r.Conclusion.Findings {
		if f.Kind == result.FindingRegression {
			slow++
			r.Conclusion.Findings[i].Effect = result.Excused[min(slow, 2)]
			if slow == 1 {
				r.Conclusion.Findings[i].Effect = result.EffectFails
			}
		}
	}
	sources, changed := map[string][]string{"attention": {"a.cu"}}, []Lines{{"a.cu", 1, 1}}
	got := Annotations(r, sources, changed)
	if len(got) != 1 || got[0].Level != LevelFailure || !strings.Contains(got[0].Title, "slower in 1 case") {
		t.Errorf("one of %d fails: %+v", slow, got)
	}
	for i := range r.Conclusion.Findings {
		r.Conclusion.Findings[i].Effect = result.EffectWaived
	}
	got = Annotations(r, sources, changed)
	if len(got) != 1 || got[0].Level != LevelNotice || !strings.HasSuffix(got[0].Title, ": waived") || !strings.Contains(got[0].Message, "; waived") {
		t.Errorf("all waived: %+v", got)
	}
}
