package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func TestEveryWhyIsWorded(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, kind := range result.WhyKinds {
		got := Reason(&result.Why{Kind: kind, Side: result.SideHead, Name: "NAME", Names: []string{"ONE", "TWO"}, Count: 7, Share: 0.0123, Said: "SAID {name}"}, "text")
		if got == "" || seen[got] || strings.ContainsAny(strings.ReplaceAll(got, "SAID {name}", ""), "{}") {
			t.Errorf("%s: %q", kind, got)
		}
		seen[got] = true
	}
	if len(whyWords) != len(result.WhyKinds) {
		t.Errorf("%d sentences for %d kinds", len(whyWords), len(result.WhyKinds))
	}
	if got := Reason(nil, "what a tool said"); got != "what a tool said" {
		t.Errorf("without a kind: %q", got)
	}
}
