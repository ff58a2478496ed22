package run

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
)

const goalsConfig = `
  - {name: a, adapter: a.pg.cc, params: {n: {values: [1, 2]}}, competitors: [{name: lib, adapter: l.pg.cc, min-speedup: 1x}]}
  - {name: b, adapter: b.pg.cc, params: {n: {values: [1, 2, 3]}}, competitors: [{name: lib, adapter: l.pg.cc}]}
goals: [{speedup: 1.1x, over: lib, cases: 2, required: true}]
`

// A goal is of all cases of the kernels that have its competitor, each one question more; a part of them is asked nothing.
func TestGoalsAreOfTheWholePlan(t *testing.T) {
	c := parsed(t, goalsConfig)
	p := Policy(c, planned(t, c), 0, false)
	if len(p.Goals) != 1 || p.Goals[0] != (result.Goal{Speedup: 1.1, Over: "lib", Cases: 2, Required: true}) || p.MinSpeedups != 2+5 {
		t.Errorf("the whole plan: %+v, %d questions", p.Goals, p.MinSpeedups)
	}
	if p := Policy(c, planned(t, c, "a"), 0, false); p.Goals != nil || p.MinSpeedups != 2 {
		t.Errorf("a kernel: %+v, %d questions", p.Goals, p.MinSpeedups)
	}
	aimless, _, _ := strings.Cut(goalsConfig, "goals:")
	without := parsed(t, aimless)
	for _, pair := range [][2]*config.Config{{c, without}, {without, c}} { // what head adds or removes takes the label
		if said := config.DiffRules(pair[0], pair[1], nil); len(said) != 1 || !strings.HasPrefix(said[0], "goals:") {
			t.Errorf("head changes goals: %q", said)
		}
	}
	c.Goals[0].Cases = 6
	if _, err := plan.New(c, nil); err == nil || !strings.Contains(err.Error(), "6 cases are wanted, and 5 are timed") {
		t.Errorf("more cases than there are: %v", err)
	}
}
