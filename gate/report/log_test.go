package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

func textOf(t Text) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Text)
	}
	return b.String()
}

func TestSandboxFact(t *testing.T) {
	gaps := []string{"UDP"}
	for name, c := range map[string]struct {
		s     *result.Sandbox
		words string
	}{
		"none asked for": {nil, ""},
		"off":            {&result.Sandbox{Mode: "off"}, "all that the user may do"},
		"no Landlock":    {&result.Sandbox{Mode: "auto", Gaps: []string{"anything"}}, "none: it could not forbid anything"},
		"seccomp alone":  {&result.Sandbox{Mode: "auto", Seccomp: true, Gaps: []string{"files"}}, "system calls closed"},
		"both":           {&result.Sandbox{Mode: "on", Landlock: 7, Seccomp: true, Commands: true, Kernels: true, Gaps: gaps}, "Landlock 7 and seccomp: builds"},
		"all":            {&result.Sandbox{Mode: "on", Landlock: 7, Commands: true, Kernels: true, Gaps: gaps}, "builds and kernels could read"},
		"at a desk":      {&result.Sandbox{Mode: "auto", Landlock: 7, Kernels: true, Gaps: gaps}, "no build command"},
		"old driver":     {&result.Sandbox{Mode: "auto", Landlock: 7, Commands: true, Gaps: gaps}, "builds, but not kernels"},
	} {
		got := textOf(sandbox(c.s))
		if !strings.Contains(got, c.words) || c.s != nil && c.s.Landlock > 0 && !strings.Contains(got, "could not forbid UDP") || (c.s == nil) != (got == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestShardsFactAndMachines(t *testing.T) {
	part := &result.Result{Shard: &result.Shard{Index: 2, Of: 3}}
	part.Policy.Cases = 7
	if got := textOf(shards(part)); !strings.Contains(got, "2 of 3") || !strings.Contains(got, "the plan's 7") {
		t.Errorf("%q", got)
	}
	merged := &result.Result{Merged: []result.Part{{Index: 1, Of: 2, Machine: "NVIDIA L4", Verdict: "pass", Cases: 3}, {Index: 1, Of: 1, Machine: "NVIDIA H100", Verdict: "fail", Cases: 1}}}
	if got := textOf(shards(merged)); !strings.Contains(got, "merged of 2 results: 1/2 on NVIDIA L4 (pass, 3 cases") || !strings.Contains(got, "NVIDIA H100 (fail, 1 case") {
		t.Errorf("%q", got)
	}
	c := result.Case{Name: "k/n=1", Kernel: "k", Params: []result.Param{{Name: "n", Value: "1"}}, Machine: "NVIDIA L4"}
	if got := nameOf(c); got.Full != "k/n=1 on NVIDIA L4" || len(got.Params) != 2 || len(c.Params) != 1 {
		t.Errorf("%+v", got)
	}
}
