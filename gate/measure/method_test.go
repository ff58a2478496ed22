package measure

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

func TestFreeze(t *testing.T) {
	p := probe{hasReference: true}
	p.LaunchNS, p.FlushNS, p.PoolLimit, p.Batchable, p.ReferenceNS = 2000, 1e6, 1000, true, 1e6
	m, _ := freeze(ofBoth(p, p), p, "cold", nil)
	if m.Launches != 125 || m.Pool != 125 || m.Oracle != "reference" {
		t.Errorf("a short cold kernel: %+v", m)
	}
	inout := p
	inout.PoolLimit, inout.spec.Tensors = 10, []kernels.Tensor{{Role: "inout"}}
	if m, _ := freeze(ofBoth(inout, inout), inout, "hot", nil); m.Launches > m.Pool || m.Pool != 10 {
		t.Errorf("inout tensors are restored once a launch, so a batch needs as many sets: %+v", m)
	}
	if m, _ := freeze(ofBoth(p, p), p, "hot", nil); m.Pool != hotPool || m.Launches != 125 {
		t.Errorf("a short hot kernel: %+v", m)
	}
	host := Subject{Host: true, Cache: "cold"}
	onGPU := p
	onGPU.WallNS, onGPU.Clock = 30000, clockEvent
	if m, _ := host.freeze(ofBoth(onGPU, onGPU), onGPU); m.Clock != result.ClockHost || m.Launches != 1 || m.Pool != hotPool || m.Cache != "hot" || m.Samples != maxSamples {
		t.Errorf("what a launch costs the host: %+v", m)
	}
	slow := p
	slow.LaunchNS, slow.ReferenceNS = 1e9, 1e9
	if m, _ := freeze(ofBoth(slow, slow), slow, "cold", nil); m.Samples != minSamples || m.Launches != 1 || m.Oracle != "relaunch" {
		t.Errorf("a slow kernel: %+v", m)
	}
	blind := p
	blind.hasReference = false
	if m, _ := freeze(ofBoth(p, blind), blind, "cold", nil); m.Oracle != "relaunch" {
		t.Errorf("head has no reference: %+v", m)
	}
}

// A kernel that got slower, or a little faster, is timed as its records are: by another number of launches it could not be held against them.
func TestFreezeAsRecordsDo(t *testing.T) {
	cpu := probe{}
	cpu.Clock, cpu.PoolLimit, cpu.Batchable = clockThread, 1000, true
	gpu := cpu
	gpu.Clock, gpu.Blockable, gpu.Capturable = clockEvent, true, true
	for what, c := range map[string]struct {
		of   probe
		ns   float64
		like result.Method
		want int
	}{
		"slower by half":                {cpu, 3000, result.Method{Clock: clockThread, Launches: 125}, 125},
		"slower than a short launch":    {cpu, 24e3, result.Method{Clock: clockThread, Launches: 14}, 14},
		"a little faster":               {cpu, 1500, result.Method{Clock: clockThread, Launches: 125}, 125},
		"no longer a long launch":       {cpu, 16e3, result.Method{Clock: clockThread, Launches: 1}, 1},
		"much slower":                   {cpu, 19e3, result.Method{Clock: clockThread, Launches: 125}, 14},
		"much faster":                   {cpu, 900, result.Method{Clock: clockThread, Launches: 125}, 278},
		"with another clock":            {cpu, 3000, result.Method{Clock: clockWall, Launches: 125}, 84},
		"a record that is none":         {cpu, 3000, result.Method{Clock: clockThread, Launches: 1 << 40}, 84},
		"slower in a graph":             {gpu, 30e3, result.Method{Clock: clockEvent, How: kernels.HowGraph, Launches: 16}, 16},
		"much slower than in a graph":   {gpu, 90e3, result.Method{Clock: clockEvent, How: kernels.HowGraph, Launches: 16}, 1},
		"a graph that is a loop by now": {gpu, 3000, result.Method{Clock: clockEvent, How: kernels.HowLoop, Launches: 60}, 84},
	} {
		c.of.LaunchNS, c.of.GraphNS = c.ns, c.ns
		if m, _ := freeze(ofBoth(c.of, c.of), c.of, "cold", &c.like); m.Launches != c.want || m.Pool < m.Launches {
			t.Errorf("%s: %+v, want %d launches", what, m, c.want)
		}
	}
	gpu.LaunchNS, gpu.GraphNS = 30e3, 30e3
	plain := gpu
	plain.Capturable = false
	if m, _ := freeze(ofBoth(gpu, plain), plain, "cold", &result.Method{Clock: clockEvent, How: kernels.HowGraph, Launches: 16}); m.How != kernels.HowSingle {
		t.Errorf("a long launch that no graph takes any more: %+v", m)
	}
}

func TestFreezeOnAGPU(t *testing.T) {
	p := probe{hasReference: true}
	p.Clock, p.LaunchNS, p.GraphNS, p.FlushNS, p.FlushBytes, p.PoolLimit = "event", 4200, 1200, 33e3, 1<<27, 1024
	p.Batchable, p.Blockable, p.Capturable, p.ReferenceNS = true, true, true, 1e6
	m, notes := freeze(ofBoth(p, p), p, "cold", nil)
	if m.Clock != "event" || m.How != kernels.HowGraph || !m.Block || m.Launches != 209 || m.Pool != 209 || m.Samples != maxBatches || len(notes) != 0 {
		t.Errorf("a short kernel: %+v, %q", m, notes)
	}
	long := p
	long.LaunchNS = 65e3
	if m, notes := freeze(ofBoth(long, p), p, "cold", nil); m.How != kernels.HowSingle || m.Launches != 1 || m.Samples != maxSamples || m.Pool != smallPool || len(notes) != 0 {
		t.Errorf("a long kernel: %+v, %q", m, notes)
	}
	plain := p
	plain.Capturable, plain.CaptureError = false, "operation not permitted when stream is capturing"
	for _, sides := range [][2]probe{{p, plain}, {plain, p}} {
		m, notes := freeze(ofBoth(sides[0], sides[1]), sides[1], "cold", nil)
		if m.How != kernels.HowLoop || m.Launches != 60 || m.LaunchNS != 4200 || len(notes) != 1 || !strings.Contains(notes[0], plain.CaptureError) {
			t.Errorf("one side cannot be recorded: %+v, %q", m, notes)
		}
	}
	plain.CaptureError = ""
	if m, notes := freeze(ofBoth(p, plain), plain, "cold", nil); m.How != kernels.HowLoop || len(notes) != 1 || !strings.Contains(notes[0], "head was not captured") || strings.Contains(notes[0], "()") {
		t.Errorf("head was not tried: %q", notes)
	}
	waits := p
	waits.Blockable = false
	if m, notes := freeze(ofBoth(p, waits), waits, "cold", nil); m.Block || len(notes) != 1 || !strings.HasPrefix(notes[0], "head ") {
		t.Errorf("head waits for the device: %+v, %q", m, notes)
	}
	slow := p
	slow.LaunchNS = 12e9
	if m, _ := freeze(ofBoth(slow, slow), slow, "cold", nil); m.Samples != slowSamples || m.Launches != 1 {
		t.Errorf("a launch of 12 s: %+v", m)
	}
}

// ofBoth are the probes of both.
func ofBoth(base, head probe) []named { return []named{{"base", base}, {"head", head}} }
