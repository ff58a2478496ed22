package run

import (
	"testing"

	"github.com/org/perfgate/gate/benchmark"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
)

// A benchmark of one commit has one name in every process, and another one where a column is read in another way.
func TestBenchmarkIsNamedByWhatItsMappingSays(t *testing.T) {
	of := func(unit string) string {
		spec := benchmark.Spec{Command: "./bench", Table: &benchmark.Mapping{Case: "{n}", Values: []benchmark.Metric{{Name: "time", Unit: unit}}}}
		k := Kernel{Plan: plan.KernelPlan{Kernel: config.Kernel{Name: "k", Bench: &config.Bench{Spec: spec}}}}
		side := Side{}
		side.Info.Revision = "c0ffee"
		return new(workshop).benchPrint(k, side)
	}
	if first, again := of("ms"), of("ms"); first != again {
		t.Error("equal mappings have two names")
	}
	if of("ms") == of("us") {
		t.Error("two units have one name")
	}
}
