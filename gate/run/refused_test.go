package run

import (
	"context"
	"testing"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// speccing answers for cases, or ends with one.
type speccing struct {
	kernels.Process
	refuses, endsWith string
	open              *int
}

func (s speccing) Call(_ context.Context, _, what string, _, answer any, _ time.Duration) error {
	switch what {
	case s.refuses:
		return &kernels.RunnerError{Code: result.CodeUnsupported, Message: "no such case"}
	case s.endsWith:
		return &kernels.RunnerError{Code: result.CodeCrashed}
	}
	answer.(*kernels.SpecReply).Tensors = []kernels.Tensor{{Role: "out", Bytes: 4, Shape: []int64{1}}}
	return nil
}

func (s speccing) Has(string) bool { return false }

func (s speccing) Printed() string { return "" }

func (s speccing) Close() { *s.open-- }

// One process of a library is asked about all cases of a kernel, and another one only where the first has ended.
func TestOneProcessIsAskedAboutAllCases(t *testing.T) {
	t.Parallel()
	started, open := map[string]int{}, 0
	start := func(_ context.Context, library string) (kernels.Process, error) {
		started[library]++
		open++
		return speccing{refuses: "k/n=0", endsWith: "k/n=-1", open: &open}, nil
	}
	asked := []*parity.Judge{{Library: "base", Start: start}, {Library: "head", Start: start}}
	c := &checker{}
	for _, step := range []struct {
		n, why     string
		base, head int
	}{{"1", "", 1, 0}, {"2", "", 1, 0}, {"0", "no such case", 1, 1}, {"0", "no such case", 1, 1}, {"-1", "", 1, 1}, {"3", "", 2, 1}} {
		of := plan.Case{Kernel: "k", Params: []plan.Assignment{{Name: "n", Value: config.Value{Text: step.n}}}}
		why, err := c.refusal(t.Context(), asked, of)
		if err != nil || why != step.why || started["base"] != step.base || started["head"] != step.head {
			t.Errorf("n=%s: %q, %v after %v", step.n, why, err, started)
		}
	}
	for _, one := range asked {
		one.Close()
	}
	if open != 0 {
		t.Errorf("%d are left", open)
	}
}
