package report

import (
	"testing"

	"github.com/org/perfgate/gate"
)

func TestEveryUnprovenKindIsWorded(t *testing.T) {
	for _, kind := range gate.UnprovenKinds {
		if unprovenWords[kind] == "" {
			t.Errorf("%s has no words", kind)
		}
	}
}
