package measure

import (
	"math"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// A machine of 10 flops, 100 tensor flops and 2 bytes a nanosecond.
func onPlainMachine(flops, bytes float64, half bool) Case {
	p := result.Process{Variant: result.VariantBase, ComputeNS: 10, ComputeFlops: 100, MemoryNS: 10, MemoryBytes: 20, TensorNS: 10, TensorFlops: 1000, Quantiles: result.Quantiles{P50: 1000}}
	return Case{Case: result.Case{Flops: flops, Bytes: bytes, Processes: []result.Process{p, p}}, HalfInputs: half}
}

func TestRooflineShareIsTheLargerOfTheTwo(t *testing.T) {
	for name, test := range map[string]struct {
		flops, bytes float64
		half         bool
		want         float64
	}{
		"bound by memory":     {100, 1000, false, 0.5},   // 1 byte a ns of 2, 0.1 flop of 10
		"bound by arithmetic": {8000, 200, false, 0.8},   // 8 flops a ns of 10, 0.2 bytes of 2
		"on tensor cores":     {50_000, 200, true, 0.5},  // 50 flops a ns of 100
		"past the FMA roof":   {50_000, 200, false, 5.0}, // float32 cannot do it, and nothing hides that
		"only bytes":          {0, 500, false, 0.25},
		"nothing counted":     {0, 0, false, 0},
	} {
		c := onPlainMachine(test.flops, test.bytes, test.half)
		if got := c.summary(result.VariantBase).RooflineShare; math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		for _, v := range []result.Variant{result.VariantHead, result.CompetitorNamed("lib")} {
			if got := c.summary(v); got != nil {
				t.Errorf("%s: %s was not measured and has %v", name, v, got)
			}
		}
	}
}

func TestRooflineShareNeedsTheCanaries(t *testing.T) {
	c := onPlainMachine(100, 1000, false)
	c.Processes[1].MemoryBytes = 0 // a CPU does not say what its memory canary moved
	if got := c.summary(result.VariantBase).RooflineShare; got != 0 {
		t.Errorf("%v without a rate of the memory", got)
	}
	c = onPlainMachine(50_000, 200, true)
	c.Processes[0].TensorFlops, c.Processes[1].TensorFlops = 0, 0 // a GPU without tensor cores: its multiply-adds are the roof
	if got := c.summary(result.VariantBase).RooflineShare; math.Abs(got-5) > 1e-12 {
		t.Errorf("%v without tensor cores, want 5", got)
	}
}

// TestSummaryHasTheRoofs: whoever places a case under a roof later takes the one that the share is of.
func TestSummaryHasTheRoofs(t *testing.T) {
	for half, want := range map[bool]float64{false: 10e9, true: 100e9} {
		c := onPlainMachine(100, 1000, half)
		c.Method, c.calibrated = &result.Method{}, true
		s := c.summary(result.VariantBase)
		if s.FlopRoof != want || s.ByteRoof != 2e9 || s.RooflineShare == 0 {
			t.Errorf("half %v: %+v", half, s)
		}
		// Head alone has the same roof where it was calibrated, and none where a record told how to time it.
		alone := Case{Case: result.Case{Method: c.Method, Flops: c.Flops, Bytes: c.Bytes}, HalfInputs: half, calibrated: true}
		for _, p := range c.Processes {
			p.Variant = result.VariantHead
			alone.Processes = append(alone.Processes, p)
		}
		if a := alone.summary(result.VariantHead); a.FlopRoof != want || a.RooflineShare != s.RooflineShare {
			t.Errorf("half %v, head alone: %+v", half, a)
		}
		alone.calibrated = false
		if a := alone.summary(result.VariantHead); a.FlopRoof != 0 || a.ByteRoof != 0 {
			t.Errorf("half %v, head alone by a record: %+v", half, a)
		}
	}
}

func TestHalfInputs(t *testing.T) {
	in := func(dtype string) kernels.Tensor { return kernels.Tensor{Dtype: dtype, Role: "in"} }
	for want, sets := range map[bool][][]kernels.Tensor{
		true:  {{in("f16")}, {in("bf16"), in("i32")}, {in("f8e4m3"), {Dtype: "f32", Role: "out"}}},
		false: {{}, {in("i8")}, {in("f16"), in("f32")}, {{Dtype: "f16", Role: "out"}, in("f64")}},
	} {
		for _, tensors := range sets {
			if got := halfInputs(tensors); got != want {
				t.Errorf("%+v: %v", tensors, got)
			}
		}
	}
}
