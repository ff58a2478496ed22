package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
)

// TestReportOfFewMetrics: what a report does not have is said to be missing, and no figure is made of it.
func TestReportOfFewMetrics(t *testing.T) {
	few := func(seconds float64) profile.Profile {
		return profile.Profile{Kernels: []profile.Kernel{{Name: "k", Metrics: map[string]profile.Metric{
			"gpu__time_duration.sum": {Value: seconds}, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": {Value: 1e7}, "smsp__inst_executed.sum": {Value: 1e6},
		}}}}
	}
	limits := Limits(few(1e-3))
	if len(limits) != 1 || len(limits[0].Terms)+len(limits[0].Facts) != 0 {
		t.Errorf("%+v", limits)
	}
	e := Explain(Input{Base: few(1e-3), Head: few(2e-3), Measured: sureOf(2)})
	if len(e.Causes)+len(e.Rest) != 0 || e.Nothing == "" || len(e.Missing) == 0 {
		t.Errorf("%+v", e)
	}
}

// TestAskedByGPU: a GPU is asked for what it has, and the one that is not known for all.
func TestAskedByGPU(t *testing.T) {
	copies, hopper, half := "smsp__inst_executed_op_ldgsts.sum", tensorCores.exact, "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed"
	for _, c := range []struct {
		gpu  profile.Version
		want []string
	}{
		{profile.Version{Major: 7, Minor: 5}, []string{half}}, {profile.Version{Major: 8}, []string{copies, half}}, {ada, []string{copies}},
		{profile.Version{Major: 9}, []string{copies, hopper}}, {profile.Version{}, []string{copies, hopper, half}},
	} {
		asked := Asked(c.gpu)
		for _, name := range []string{copies, hopper, half} {
			if slices.Contains(asked, name) != slices.Contains(c.want, name) {
				t.Errorf("%v is asked for %s: %v", c.gpu, name, slices.Contains(asked, name))
			}
		}
		if unique := slices.Compact(slices.Sorted(slices.Values(asked))); len(unique) != len(asked) {
			t.Errorf("%v: %d names, %d of them once", c.gpu, len(asked), len(unique))
		}
	}
}

// TestProfilesOfTwoGPUs are not compared, and those that do not say are.
func TestProfilesOfTwoGPUs(t *testing.T) {
	of := func(gpu string, c counters) profile.Profile {
		p := made(c)
		p.Kernels[0].Words = map[string]string{"device__attribute_display_name": gpu}
		return p
	}
	slow := counters{"cycles": 2e6, "inst": 2e8}
	for _, c := range []struct {
		base, head profile.Profile
		compared   bool
	}{
		{of("NVIDIA A100", nil), of("NVIDIA A100", slow), true}, {of("NVIDIA A100", nil), made(slow), true}, {of("NVIDIA A100", nil), of("Tesla T4", slow), false},
	} {
		if e := Explain(Input{Base: c.base, Head: c.head, Measured: sureOf(2)}); (len(e.Causes) == 1) != c.compared || (e.Nothing == "") != c.compared {
			t.Errorf("compared: %v: %+v", c.compared, e)
		}
	}
}

// TestSectorsOfGenericAddresses: a profile that counts sectors and no bytes of them says nothing of what was asked for.
func TestSectorsOfGenericAddresses(t *testing.T) {
	k := kernel(counters{"sector-bytes": 0, "touched": 0, "ideal": 0})
	for _, limit := range Limits(profile.Profile{Kernels: []profile.Kernel{k}}) {
		for _, fact := range limit.Facts {
			if strings.Contains(fact, "sectors") || strings.Contains(fact, "0 bytes") {
				t.Error(fact)
			}
		}
	}
}

// TestUsesTensorCores: where there is Hopper's own counter, it alone counts.
func TestUsesTensorCores(t *testing.T) {
	for own, want := range map[float64]bool{0: false, 2: true} {
		if got := UsesTensorCores(made(counters{"tensor-peak": 2, "hopper-tensor-peak": own})); got != want {
			t.Errorf("%v %% of peak: %v", own, got)
		}
	}
}
