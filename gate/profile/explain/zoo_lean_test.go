package explain_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
)

// TestLeanProfilesExplainTheSame: recordings were made with more sections than are collected now. Without what those brought, each of them names
// the same causes.
func TestLeanProfilesExplainTheSame(t *testing.T) {
	asked := explain.Asked(profile.Version{Major: 9})
	collected := func(name string) bool {
		return slices.Contains(asked, name) || strings.HasPrefix(name, "launch__") || strings.HasPrefix(name, "device__") ||
			strings.HasPrefix(name, "smsp__average_warp") // of WarpStateStats
	}
	lean := func(p profile.Profile) profile.Profile {
		p.Kernels = slices.Clone(p.Kernels)
		for i := range p.Kernels {
			p.Kernels[i].Metrics = maps.Clone(p.Kernels[i].Metrics)
			maps.DeleteFunc(p.Kernels[i].Metrics, func(name string, _ profile.Metric) bool { return !collected(name) })
		}
		return p
	}
	for _, set := range []string{zooSet, "learn", "frozen"} {
		for _, p := range recordingOf(t, set) {
			in := p.in
			in.Base, in.Head = lean(in.Base), lean(in.Head)
			if less := explain.Explain(in); ids(less.Causes) != ids(p.Causes) {
				t.Errorf("%s %s: %s, and %s with what is collected", p.Kernel, p.Flag, ids(p.Causes), ids(less.Causes))
			}
		}
	}
}
