package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

func TestEveryWhyIsWorded(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range result.ReasonKinds {
		got := Reason(&result.Reason{Kind: kind, Side: result.SideHead, Name: "NAME", Names: []string{"ONE", "TWO"}, Count: 7, Share: 0.0123, Message: "SAID {name}"})
		if got == "" || seen[got] || strings.ContainsAny(strings.ReplaceAll(got, "SAID {name}", ""), "{}") {
			t.Errorf("%s: %q", kind, got)
		}
		seen[got] = true
	}
	if len(reasonSentences) != len(result.ReasonKinds) {
		t.Errorf("%d sentences for %d kinds", len(reasonSentences), len(result.ReasonKinds))
	}
	if got := Reason(result.Message("what a tool said")); got != "what a tool said" {
		t.Errorf("without a kind: %q", got)
	}
}

func TestEveryUnprovenKindIsWorded(t *testing.T) {
	for _, kind := range rule.UnprovenKinds {
		if unprovenWords[kind] == "" {
			t.Errorf("%s has no words", kind)
		}
	}
}
