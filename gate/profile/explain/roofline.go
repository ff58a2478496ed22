package explain

import (
	"math"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Roofline places one side of a case under the roofs that the canaries of the same processes reached. Flops are those that
// the adapter counts, else what the profile saw of arithmetic in float32, float64 and float16 outside of tensor cores; bytes
// are the profile's of DRAM, else those that the adapter counts; the time is the gate's. There is no share of the roof where
// the roof of the arithmetic is not known: of a case whose input types are not, and of tensor cores on inputs of 32 bits,
// which no canary measures.
func Roofline(side result.Side, c result.Case, p profile.Profile) result.RooflineAt {
	at := result.RooflineAt{Side: side, Flops: c.Flops, DRAMBytes: dramBytes(p)}
	if at.Flops == 0 {
		at.Flops = flops(p)
	}
	bytes := at.DRAMBytes
	if bytes == 0 {
		at.CountedBytes, bytes = c.Bytes, c.Bytes
	}
	summary := c.Base
	if side == result.SideHead {
		summary = c.Head
	}
	if summary == nil || summary.MedianNS <= 0 || at.Flops <= 0 || bytes <= 0 {
		return at
	}
	at.Intensity = at.Flops / bytes
	at.FlopRate, at.ByteRate = at.Flops/summary.MedianNS*1e9, bytes/summary.MedianNS*1e9
	at.FlopRoof, at.ByteRoof = summary.FlopRoof, summary.ByteRoof
	if at.FlopRoof <= 0 || at.ByteRoof <= 0 || UsesTensorCores(p) && !tensorRoof(side, c.Sides(), at.FlopRoof) {
		return at
	}
	at.ShareOfRoof = at.FlopRate / math.Min(at.FlopRoof, at.Intensity*at.ByteRoof)
	return at
}

// tensorRoof says whether a roof of a side, in flops a second, is that of tensor cores: it is above what the multiply-adds of
// any of its processes reached.
func tensorRoof(side result.Side, processes []result.Process, roof float64) bool {
	most := 0.0
	for _, p := range processes {
		if p.Variant == side.Variant() && p.ComputeNS > 0 {
			most = max(most, p.ComputeFlops/p.ComputeNS*1e9)
		}
	}
	return roof > most
}

func dramBytes(p profile.Profile) float64 {
	sum := 0.0
	for i := range p.Kernels {
		sum += view{&p.Kernels[i]}.memory().dram
	}
	return sum
}

// operations of one thread instruction, by Nsight's name of it.
var operations = map[string]float64{
	"ffma": 2, "fadd": 1, "fmul": 1, "dfma": 2, "dadd": 1, "dmul": 1, "hfma": 2, "hadd": 1, "hmul": 1,
}

func operationMetric(op string) string {
	return "smsp__sass_thread_inst_executed_op_" + op + "_pred_on.sum.per_cycle_elapsed"
}

func flops(p profile.Profile) float64 {
	sum := 0.0
	for i := range p.Kernels {
		k := &p.Kernels[i]
		cycles, _, ok := k.First("smsp__cycles_elapsed.max", "sm__cycles_elapsed.max", "gpc__cycles_elapsed.max", "sm__cycles_elapsed.avg")
		if !ok {
			continue
		}
		for op, n := range operations {
			if v, ok := k.Value(operationMetric(op)); ok {
				sum += n * v * cycles
			}
		}
	}
	return sum
}

// Clock is the median SM clock of a side's processes in MHz, 0 if it was not counted.
func Clock(side result.Side, c result.Case) float64 {
	var mhz []float64
	for _, p := range c.Of(side.Variant()) {
		if p.ClockMHz > 0 {
			mhz = append(mhz, p.ClockMHz)
		}
	}
	clock, _ := stats.Median(mhz) // 0 where no process has any
	return clock
}
