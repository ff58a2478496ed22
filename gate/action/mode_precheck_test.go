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
	good := func() (*result.Touched, Outcome) {
		return &result.Touched{
			Base: result.Version{Revision: base}, Head: result.Version{Revision: head}, Verdict: result.RunPassed,
			Kernels: []result.TouchedKernel{{Name: "sum", Same: true}, {Name: "gemm", Same: true}},
		}, Outcome{}
	}
	if touched, _ := good(); s.aboutPrecheck(t.Context(), touched, cfg, c) != nil || !settled(touched) {
		t.Errorf("%+v is not believed", touched)
	}
	for name, spoil := range map[string]func(*result.Touched, *Outcome){
		"another head":       func(r *result.Touched, _ *Outcome) { r.Head.Revision = base },
		"another base":       func(r *result.Touched, _ *Outcome) { r.Base.Revision = head },
		"a kernel left out":  func(r *result.Touched, _ *Outcome) { r.Kernels = r.Kernels[:1] },
		"another exit code":  func(r *result.Touched, o *Outcome) { r.Kernels[0].Failed = []result.Side{result.SideHead} },
		"no kernel whatever": func(r *result.Touched, _ *Outcome) { r.Kernels = nil },
		"nothing to compile": func(r *result.Touched, _ *Outcome) {
			r.Kernels, r.Nothing = nil, &result.Reason{Kind: result.ReasonUnwatched}
		},
	} {
		touched, o := good()
		spoil(touched, &o)
		if s.aboutPrecheck(t.Context(), touched, cfg, c) == nil && int(touched.Exit) == o.Exit {
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
	touched.Kernels[1].Failed = []result.Side{result.SideBase}
	if err := s.aboutPrecheck(t.Context(), touched, cfg, c); err != nil || touched.Exit != result.ExitNotMeasurable || settled(touched) {
		t.Errorf("%v, %+v", err, touched)
	}
}
