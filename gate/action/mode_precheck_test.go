package action

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
)

// A plan is made by a job that compiled head. What it says of itself is not taken over, and what it leaves out is no pass.
func TestPlanIsHeldAgainstItsRun(t *testing.T) {
	t.Parallel()
	base, head := strings.Repeat("b", 40), strings.Repeat("a", 40)
	s := &step{target: Target{Head: head, Base: base}}
	c := change{files: []string{"sum.cu"}}
	cfg := &config.Config{File: "perfgate.yaml", Kernels: []config.Kernel{{Name: "sum"}, {Name: "gemm"}}}
	good := func() (*result.Precheck, Outcome) {
		return &result.Precheck{
			Base: result.Version{Revision: base}, Head: result.Version{Revision: head},
			Kernels: []result.PrecheckKernel{{Kernel: result.Kernel{Name: "sum"}, Same: true}, {Kernel: result.Kernel{Name: "gemm"}, Same: true}},
		}, Outcome{}
	}
	if touched, _ := good(); s.aboutPrecheck(t.Context(), touched, cfg, c) != nil || !settled(touched) {
		t.Errorf("%+v is not believed", touched)
	}
	for name, spoil := range map[string]func(*result.Precheck, *Outcome){
		"another head":      func(r *result.Precheck, _ *Outcome) { r.Head.Revision = base },
		"another base":      func(r *result.Precheck, _ *Outcome) { r.Base.Revision = head },
		"a kernel left out": func(r *result.Precheck, _ *Outcome) { r.Kernels = r.Kernels[:1] },
		"another exit code": func(r *result.Precheck, o *Outcome) {
			r.Kernels[0].Base, r.Kernels[0].Head = new(result.Build), &result.Build{Failed: true}
		},
		"no kernel whatever": func(r *result.Precheck, _ *Outcome) { r.Kernels = nil },
		"nothing to compile": func(r *result.Precheck, _ *Outcome) {
			r.Kernels, r.Nothing = nil, &result.Reason{Kind: result.ReasonUnwatched}
		},
	} {
		touched, o := good()
		spoil(touched, &o)
		if s.aboutPrecheck(t.Context(), touched, cfg, c) == nil && int(touched.Conclusion.Exit) == o.Exit {
			t.Errorf("%s is believed", name)
		}
	}
	touched, _ := good()
	touched.Kernels, touched.Nothing = nil, &result.Reason{Kind: result.ReasonNoChange}
	if err := s.aboutPrecheck(t.Context(), touched, cfg, change{}); err != nil {
		t.Errorf("a change of nothing: %v", err)
	}
	// Neither its verdict nor its word on measuring counts.
	touched, _ = good()
	touched.Kernels[1].Same, touched.Measure = false, false
	if err := s.aboutPrecheck(t.Context(), touched, cfg, c); err != nil || settled(touched) {
		t.Errorf("a kernel that is not the same is not measured: %v, %+v", err, touched)
	}
	// What could not be compiled is asked of the machine that measures.
	touched.Kernels[1].Base, touched.Kernels[1].Head = &result.Build{Failed: true}, new(result.Build)
	if err := s.aboutPrecheck(t.Context(), touched, cfg, c); err != nil || touched.Conclusion.Exit != result.ExitNotMeasurable || settled(touched) {
		t.Errorf("%v, %+v", err, touched)
	}
}
