package measure

import (
	"testing"

	"github.com/org/perfgate/kernels"
)

// What is seen is of a sample, and what is said of a launch.
func TestBeyondClaims(t *testing.T) {
	event := kernels.Method{Clock: clockEvent, Launches: 4, Cache: "hot"}
	reply := kernels.TimeReply{Samples: []float64{100, 110, 100, 40, 40}, Seen: []float64{420, 460, 420, 420, 420}}
	if got, err := beyondClaims(reply, event, 80); err != nil || got != 25 { // two of five are bent: no median shows that
		t.Errorf("%v, %v", got, err)
	}
	// With caches warm, on a CPU, of all samples between two checks together.
	if got, err := beyondClaims(reply, kernels.Method{Clock: clockThread, Launches: 4, Cache: "hot"}, 80); err != nil || got != 29 {
		t.Errorf("of all samples: %v, %v", got, err)
	}
	reply.Seen = reply.Seen[1:]
	if _, err := beyondClaims(reply, event, 80); err == nil {
		t.Error("a sample that nobody saw")
	}
}
