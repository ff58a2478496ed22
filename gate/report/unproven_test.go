package report

import (
	"testing"

	"github.com/org/perfgate/gate/rule"
)

func TestEveryUnprovenKindIsWorded(t *testing.T) {
	for _, kind := range rule.UnprovenKinds {
		if unprovenWords[kind] == "" {
			t.Errorf("%s has no words", kind)
		}
	}
}
