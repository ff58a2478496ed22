package action

import (
	"strings"
	"testing"
)

// TestPin: workflows name the release of a perfgate that was released, else a commit that jobs build, else the placeholder for one.
func TestPin(t *testing.T) {
	commit := strings.Repeat("a", 40)
	for _, c := range []struct {
		version, asked string
		ref            string
		source         bool
	}{
		{"v1.2.3", "", "v1.2.3", false},
		{"v1.2.3", commit, commit, false},
		{"v1.2.3-0.20260101000000-abcdef123456", "", placeholder, true}, // go install …@main: twelve digits are no pin
		{"", "", placeholder, true},
		{"", commit, commit, true},
		{"", "v1", "v1", false},
	} {
		opt := WorkflowOptions{ActionRef: c.asked}
		opt.Pin(c.version)
		if opt.ActionRef != c.ref || opt.FromSource != c.source {
			t.Errorf("version %q, --action-ref %q: %s, from source: %v", c.version, c.asked, opt.ActionRef, opt.FromSource)
		}
	}
}
