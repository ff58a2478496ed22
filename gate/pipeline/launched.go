package pipeline

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// launched is what both sides launch, nil where neither could be recorded. sms is how many multiprocessors the GPU has.
func launched(base, head []kernels.LaunchShape, sms int) *result.Launched {
	if len(base) == 0 && len(head) == 0 {
		return nil
	}
	return &result.Launched{Base: shapes(base, sms), Head: shapes(head, sms)}
}

func shapes(launches []kernels.LaunchShape, sms int) []result.LaunchShape {
	var out []result.LaunchShape
	for _, l := range launches {
		s := result.LaunchShape{
			Function: l.Kernel, Grid: l.Grid[:], Block: l.Block[:], Registers: l.Registers, SharedBytes: l.SharedBytes,
			DynamicSharedBytes: l.DynamicSharedBytes, BlocksPerSM: l.BlocksPerSM,
		}
		if fit := sms * l.BlocksPerSM; fit > 0 {
			s.Waves = float64(l.Grid[0]) * float64(l.Grid[1]) * float64(l.Grid[2]) / float64(fit)
		}
		out = append(out, s)
	}
	return out
}

// multiprocessors is how many the GPU has, 0 on a CPU.
func (d device) multiprocessors() int {
	if d.gpu == nil {
		return 0
	}
	return d.gpu.Facts.SMs
}
