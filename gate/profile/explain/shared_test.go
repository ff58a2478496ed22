package explain

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

const (
	inAtomics   = "smsp__inst_executed_op_shared_atom.sum"
	inOfAtomics = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"
	inAccesses  = "smsp__sass_inst_executed_op_shared.sum"
	inConstants = "idc__request_cycles_active.avg.pct_of_peak_sustained_elapsed"
	inXU        = "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"
)

// TestAtomicsAndConflicts: both repeat wavefronts at shared memory, and one number has them. Loads and stores are 2e7 in all of these.
func TestAtomicsAndConflicts(t *testing.T) {
	plain := counters{inAccesses: 2e7, inFronts: 2e7, inBestFront: 2e7}
	slower := func(c counters) counters {
		c[inCycles], c[inLatency], c[stall("short_scoreboard")] = 2e6, 60, 30
		return c
	}
	for name, c := range map[string]struct {
		base, head counters
		want       result.CauseID
	}{
		"conflicts":                           {plain, slower(counters{inAccesses: 2e7, inFronts: 8e7, inBestFront: 2e7}), "bank-conflicts"},
		"atomics on one address":              {plain, slower(counters{inAtomics: 2e6, inAccesses: 2.2e7, inFronts: 8.4e7, inBestFront: 2.2e7}), "atomic-contention"},
		"as many atomics as loads":            {plain, slower(counters{inAtomics: 2e7, inAccesses: 4e7, inFronts: 20e7, inBestFront: 4e7}), "atomic-contention"},
		"conflicts beside a few atomics":      {plain, slower(counters{inAtomics: 1e5, inAccesses: 2.01e7, inFronts: 30e7, inBestFront: 2.01e7}), "bank-conflicts"},
		"conflicts beside as many atomics":    {counters{inAtomics: 5e6, inAccesses: 2.5e7, inFronts: 2.5e7, inBestFront: 2.5e7}, slower(counters{inAtomics: 5e6, inAccesses: 2.5e7, inFronts: 30e7, inBestFront: 2.5e7}), "bank-conflicts"},
		"conflicts that Nsight counts apart":  {plain, slower(counters{inAtomics: 1e7, inOfAtomics: 1e7, inAccesses: 3e7, inFronts: 20e7, inBestFront: 3e7}), "bank-conflicts"},
		"contention that Nsight counts apart": {counters{inAtomics: 1e7, inOfAtomics: 1e7, inAccesses: 3e7, inFronts: 3e7, inBestFront: 3e7}, slower(counters{inAtomics: 1e7, inOfAtomics: 18e7, inAccesses: 3e7, inFronts: 20e7, inBestFront: 3e7}), "atomic-contention"},
		"conflicts as before, and one atomic": {counters{inAccesses: 2e7, inFronts: 40e7, inBestFront: 2e7}, slower(counters{inAtomics: 1, inAccesses: 2e7 + 1, inFronts: 40e7, inBestFront: 2e7}), "short-scoreboard-stall"},
	} {
		wants(t, name, Input{Base: made(c.base), Head: made(c.head), Measured: sureOf(2)}, c.want)
	}
}

// TestConstantsAtAnIndex: a constant cache near its peak is a unit as others are; the same work of it explains nothing.
func TestConstantsAtAnIndex(t *testing.T) {
	for name, c := range map[string]struct {
		base, head counters
		want       result.CauseID
	}{
		"at its peak":                     {counters{inConstants: 50}, counters{inCycles: 2e6, inConstants: 95, inLatency: 60, stall("mio_throttle"): 30}, "constant-cache"},
		"not at its peak, and waited for": {counters{inConstants: 10}, counters{inCycles: 2e6, inConstants: 40, inLatency: 60, stall("mio_throttle"): 30}, "constant-cache"},
		"busy on both sides":              {counters{inConstants: 90}, counters{inCycles: 2e6, inConstants: 45, inLatency: 60, stall("mio_throttle"): 30}, "mio-stall"},
		"less busy than another":          {counters{inConstants: 10, inXU: 20}, counters{inCycles: 2e6, inConstants: 36, inXU: 50, inLatency: 60, stall("mio_throttle"): 30}, "math-pipe-stall"},
		"more instructions, as busy":      {counters{inConstants: 80}, counters{inCycles: 2e6, inConstants: 40, inInst: 2e8}, "more-instructions"},
	} {
		wants(t, name, Input{Base: made(c.base), Head: made(c.head), Measured: sureOf(2)}, c.want)
	}
}

// TestMoreWarpsThanCanIssue: a warp that is ready and not selected is set off against there being more warps, before any wait is.
func TestMoreWarpsThanCanIssue(t *testing.T) {
	base := made(counters{"sm__warps_active.avg.per_cycle_active": 30, inLatency: 15, stall("long_scoreboard"): 13})
	head := made(counters{inCycles: 1.1e6, inLatency: 33, stall("long_scoreboard"): 13, stall("not_selected"): 14, stall("barrier"): 4})
	wants(t, "", Input{Base: base, Head: head, Measured: sureOf(1.1)}, BarrierStall)
}

func made(c counters) profile.Profile {
	return profile.Profile{Kernels: []profile.Kernel{kernel(c)}}
}

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

// TestWaitsThatAreNotOfMemory: what warps wait for at global memory can be what is ahead of it in L1, and L2 has other clients than L1.
func TestWaitsThatAreNotOfMemory(t *testing.T) {
	longer := counters{inCycles: 2e6, inLatency: 60, stall("long_scoreboard"): 50, stall("short_scoreboard"): 8}
	with := func(c counters) counters {
		all := maps.Clone(longer)
		maps.Copy(all, c)
		return all
	}
	plain := counters{inAccesses: 2e7, inFronts: 2e7, inBestFront: 2e7, "smsp__sass_inst_executed_op_global_st.sum": 1e5}
	others := counters{"lts__t_sectors.sum": 1e7, "lts__t_sectors_srcunit_tex.sum": 1e5}
	for name, c := range map[string]struct {
		base, head counters
		want       result.CauseID
	}{
		"stores behind conflicts":    {plain, with(counters{inAccesses: 2e7, inFronts: 60e7, inBestFront: 2e7, "smsp__sass_inst_executed_op_global_st.sum": 1e5}), BankConflicts},
		"as many loads as conflicts": {counters{inAccesses: 2e7, inFronts: 2e7, inBestFront: 2e7, "smsp__sass_inst_executed_op_global_ld.sum": 1e7}, with(counters{inAccesses: 2e7, inFronts: 3e7, inBestFront: 2e7, "smsp__sass_inst_executed_op_global_ld.sum": 1e7}), MemoryLatency},
		"misses of others at L2":     {others, with(counters{"lts__t_sectors.sum": 4e7, "lts__t_sectors_srcunit_tex.sum": 1e5, inL2Hits: 5, "dram__bytes_read.sum": 5e8}), MemoryLatency},
		"misses of its own":          {nil, with(counters{inL2Hits: 5, "dram__bytes_read.sum": 3e8}), L2HitRate},
	} {
		wants(t, name, Input{Base: made(c.base), Head: made(c.head), Measured: sureOf(2)}, c.want)
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
	slow := counters{inCycles: 2e6, inInst: 2e8}
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
	k := kernel(counters{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio": 0, inTouched: 0, inIdeal: 0})
	for _, limit := range Limits(profile.Profile{Kernels: []profile.Kernel{k}}) {
		for _, fact := range limit.Facts {
			if strings.Contains(fact, "sectors") || strings.Contains(fact, "0 bytes") {
				t.Error(fact)
			}
		}
	}
}
