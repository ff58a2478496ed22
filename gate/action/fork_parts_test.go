package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// machines are inputs of a plan that two machines measure.
var machines = map[string]string{"INPUT_MACHINE_LABELS": "l4, h100"}

// measuredOn is the result of a machine: of the whole plan, or of a part.
func (r *rig) measuredOn(machine string, shift float64, index, of int) *result.Result {
	res := r.measuredPart(shift, index, of)
	res.Machine = result.Machine{Key: "key of " + machine, Model: "NVIDIA " + strings.ToUpper(machine)}
	return res
}

// onMachines keeps what both machines measured, in parts if of is not 0; what is slower by less than 0 is not there.
func (r *rig) onMachines(l4, h100 float64, of int) {
	r.Helper()
	for machine, shift := range map[string]float64{"l4": l4, "h100": h100} {
		for part := min(1, of); part <= of && shift >= 0; part++ {
			r.keep(artifactName("perfgate", machine, part), r.measuredOn(machine, shift, part, of))
		}
	}
}

// Parts of a plan make one verdict; one that is missing makes it an error. GPU models side by side measure the whole plan each, a row for each, and
// the worst counts.
func TestForkParts(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	three := map[string]string{"INPUT_SHARDS": "3"}
	inParts := map[string]string{"INPUT_SHARDS": "3", "INPUT_MACHINE_LABELS": "l4, h100"}
	shards := func(shift float64, parts ...int) func(*rig) {
		return func(r *rig) {
			for _, part := range parts {
				r.keep(artifactName("perfgate", "", part), r.measuredPart(shift, part, 3))
			}
		}
	}
	on := func(l4, h100 float64, of int) func(*rig) { return func(r *rig) { r.onMachines(l4, h100, of) } }
	other := func(forge func(*result.Result)) func(*rig) { // of h100
		return func(r *rig) {
			r.onMachines(0, -1, 0)
			res := r.measuredOn("h100", 0, 0, 0)
			forge(res)
			r.keep("perfgate-on-h100", res)
		}
	}
	both := []string{"NVIDIA L4", "NVIDIA H100"}
	stories := map[string]story{
		"pass":                            {env: three, play: shards(0, 1, 2, 3), status: "success"},
		"regression":                      {env: three, play: shards(0.1, 1, 2, 3), status: "failure", says: []string{"slower"}},
		"one missing":                     {env: three, play: shards(0, 1, 3), status: "error", says: []string{"shard 2/3 is missing"}},
		"missing, and regression":         {env: three, play: shards(0.1, 2, 3), status: "failure", says: []string{"shard 1/3 is missing"}},
		"none":                            {env: three, status: "error", says: []string{"left no result"}},
		"fewer parts than there are":      {env: three, play: func(r *rig) { r.keep("perfgate-shard-1", r.measuredPart(0, 1, 1)) }, status: "error", says: []string{"3 are expected"}},
		"machines":                        {env: machines, play: on(0, 0, 0), status: "success: advisory, PASS", says: both},
		"regression on one":               {env: machines, play: on(0, 0.1, 0), status: "failure: advisory, FAIL", says: append(both, "k/n=2")},
		"one machine missing":             {env: machines, play: on(0, -1, 0), status: "error", says: []string{"missing from 1 of 2 machines", "perfgate-on-h100"}},
		"machine missing, and regression": {env: machines, play: on(0.1, -1, 0), status: "failure", says: []string{"missing from 1 of 2 machines"}},
		"no machine":                      {env: machines, status: "error", says: []string{"left no result", "perfgate-on-l4", "perfgate-on-h100"}},
		"one machine twice": {env: machines, status: "error", says: []string{"overlap"}, play: func(r *rig) {
			r.onMachines(0, -1, 0)
			r.keep("perfgate-on-h100", r.measuredOn("l4", 0, 0, 0))
		}},
		"a case left out on one": {env: machines, status: "error", says: []string{"what was planned is not in the result: k/n=2 on h100"}, play: other(func(res *result.Result) {
			res.Cases = append(res.Cases[:1], res.Cases[2:]...)
		})},
		"new on one":          {env: machines, status: "error", says: []string{"base has k.cc"}, play: other(allNew)},
		"no parity on one":    {env: machines, status: "error", says: []string{"not one case of it was checked"}, play: other(func(res *result.Result) { res.Kernels[0].Parity.Run = 0 })},
		"in parts":            {env: inParts, play: on(0, 0, 3), status: "success: advisory, PASS", says: both},
		"in parts, regressed": {env: inParts, play: on(0.1, 0, 3), status: "failure", says: []string{"k/n=2"}},
		"in parts, one of one missing": {env: inParts, status: "error", says: []string{"shard 3/3", "k/n=3 on h100"}, play: func(r *rig) {
			r.onMachines(0, -1, 3)
			for part := 1; part <= 2; part++ {
				r.keep(artifactName("perfgate", "h100", part), r.measuredOn("h100", 0, part, 3))
			}
		}},
	}
	// A part under another policy than the configuration's does not merge, nor do two of different seeds.
	for name, c := range map[string]struct {
		forge func(*result.Result)
		says  string
	}{
		"policy of a part": {func(p *result.Result) { p.Policy.Tolerance = 0.9 }, "do not belong together"},
		"seed of a part":   {func(p *result.Result) { p.Shard.Seed = "7" }, "do not belong together"},
		"said to pass":     {func(p *result.Result) { p.Cases[0].Verdict = "same" }, "its samples come to regression"},
		"a case of others": {func(p *result.Result) { p.Cases[0].Name = "k/n=1" }, "overlap"},
	} {
		stories[name] = story{env: three, status: "error: ", says: []string{c.says}, play: func(r *rig) {
			shards(0.1, 1, 3)(r)
			res := r.measuredPart(0.1, 2, 3)
			c.forge(res)
			r.keep(artifactName("perfgate", "", 2), res)
		}}
	}
	for name, c := range stories {
		c.nothing = true
		stories[name] = c
	}
	tell(t, stories)
}
