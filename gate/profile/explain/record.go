package explain

import (
	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// What a result keeps of one case. Reports show less.
const (
	mostOthers = 8
	mostAdvice = 12
	mostText   = 2000 // bytes of one of the profiler's own texts
)

// Record puts an explanation into the words of a result.
func Record(e Explanation, source string) *result.CaseEvidence {
	out := &result.CaseEvidence{
		Source: source, Log: finite(e.Measured.Log), Profiled: finite(e.Profiled), Nothing: e.Nothing, Missing: e.Missing,
		Account: e.Account, Causes: e.Causes, Others: e.Rest[:min(len(e.Rest), mostOthers)],
	}
	for _, p := range e.Pairs {
		out.Launches = append(out.Launches, result.LaunchPair{Base: launch(p.Base), Head: launch(p.Head)})
	}
	for _, r := range e.Rules[:min(len(e.Rules), mostAdvice)] {
		out.Advice = append(out.Advice, result.Advice{Rule: capped(r.Name), Text: capped(r.Text), Speedup: finite(r.Speedup), SpeedupType: capped(r.SpeedupType)})
	}
	return out
}

func launch(k *profile.Kernel) *result.Launch {
	if k == nil {
		return nil
	}
	return &result.Launch{Kernel: capped(k.Name), Grid: capped(k.Grid), Block: capped(k.Block), DynamicSharedBytes: dynamicShared(k)}
}

// dynamicShared is the shared memory that a launch asks for, by the profile's word, else by what of the whole is neither
// declared nor the driver's own; nil where the profile does not tell.
func dynamicShared(k *profile.Kernel) *int64 {
	v, ok := k.Value("launch__shared_mem_per_block_dynamic")
	if !ok {
		total, known := k.Value("launch__shared_mem_per_block")
		declared, known2 := k.Value("launch__shared_mem_per_block_static")
		driver, known3 := k.Value("launch__shared_mem_per_block_driver")
		if v = total - declared - driver; !known || !known2 || !known3 {
			return nil
		}
	}
	if !(v >= 0 && v <= mostShared) {
		return nil
	}
	n := int64(v + 0.5)
	return &n
}

// mostShared is far more shared memory than a block of any GPU can have, in bytes.
const mostShared = 1 << 24

// capped bounds text that the code under test wrote: a templated kernel's name can have megabytes.
func capped(s string) string {
	if len(s) <= mostText {
		return s
	}
	return s[:mostText] + "…"
}
