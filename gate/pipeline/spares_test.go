package pipeline

import (
	"context"
	"errors"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/oracle"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/kernels"
)

// A process that did not come up beside others, and a library that none waits for, are started alone. What waited in vain is no longer counted.
func TestWithoutASpareOneIsStarted(t *testing.T) {
	t.Parallel()
	alone := errors.New("started alone")
	otherwise := func(context.Context, string) (oracle.Runner, error) { return nil, alone }
	failed := make(chan readied, 1)
	failed <- readied{err: errors.New("no room beside the others")}
	for what, s := range map[string]*spares{
		"nil": nil, "none": {}, "failed": {count: 1, waiting: map[string][]chan readied{"library": {failed}}},
	} {
		for range 2 {
			if _, err := s.start(otherwise)(t.Context(), "library"); !errors.Is(err, alone) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if s != nil && s.count != 0 {
			t.Errorf("%s: %d are said to wait", what, s.count)
		}
	}
}

// Only interpreters that can import ahead have spares: one of head and one of base for each kernel that parity is asked about, and one of base
// where that is asked about cases.
func TestWhichLibrariesHaveSpares(t *testing.T) {
	t.Parallel()
	of := func(path string, ahead bool) Build { return Build{Library: kernels.Library{Path: path, Ahead: ahead}} }
	const base, head = "build-0/adapter.python.json", "build-1/adapter.python.json"
	asked := plan.KernelPlan{Measured: []plan.Case{{Params: []plan.Assignment{{Name: "causal", Value: config.Value{Text: "0"}}}}}}
	off := plan.KernelPlan{Kernel: config.Kernel{Parity: config.Parity{Off: true}}}
	for _, c := range []struct {
		kernel Kernel
		want   int
	}{
		{Kernel{Base: of(base, true), Head: of(head, true)}, 2},
		{Kernel{Base: of(head, true), Head: of(head, true)}, 1},
		{Kernel{Head: of(head, true)}, 1},
		{Kernel{Base: of(base, true), Head: of(head, true), Plan: asked}, 3},
		{Kernel{Base: of(base, false), Head: of(head, false)}, 0},
		{Kernel{Base: of("build-0/adapter.so", true), Head: of("build-1/adapter.so", true)}, 0},
		{Kernel{Plan: off, Base: of(base, true), Head: of(head, true)}, 0},
	} {
		if got := c.kernel.interpreted(); len(got) != c.want {
			t.Errorf("%+v has spares for %q, want %d", c.kernel, got, c.want)
		}
	}
}

// Others are told once that nothing more of a check has to import: when the last of it begins, or when it is over.
func TestSparesTellWhenAllHaveBegun(t *testing.T) {
	t.Parallel()
	told := 0
	r := &runners{}
	s := r.sparesFor(t.Context(), []Kernel{{Head: Build{Library: kernels.Library{Path: "build-1/adapter.so"}}}}, 1, func() { told++ })
	if told != 1 {
		t.Errorf("told %d times of a check without interpreters", told)
	}
	if s.close(); told != 1 {
		t.Errorf("told %d times once it is closed", told)
	}
	waits := &spares{most: 1, count: 1, needed: []string{"one"}, begun: func() { told++ }}
	if waits.begin(t.Context()); told != 1 {
		t.Error("told while one has not begun")
	}
	if waits.close(); told != 2 {
		t.Error("not told of a check that is over")
	}
}
