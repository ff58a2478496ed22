package result

// Phase is a part of what processes that run kernels do.
type Phase string

// The phases: parity, and those of processes that time cases. Those from PhaseBuffers to PhaseChosen are the harness's own of timing a case, by the names that it gives them
// (kernels/native/harness/command_time.cc).
const (
	PhaseParity   Phase = "parity"   // all processes of it
	PhaseStart    Phase = "start"    // until the process is there: none, where it waits ahead
	PhaseLoad     Phase = "load"     // the code under test
	PhaseProbe    Phase = "probe"    // first looks, and pilots
	PhaseWarm     Phase = "warm"     // until the clock holds
	PhaseBuffers  Phase = "buffers"  // the case before goes, and this one's memory comes
	PhaseInputs   Phase = "inputs"   // are filled
	PhaseSetup    Phase = "setup"    // the adapter's
	PhaseFirst    Phase = "first"    // launches
	PhaseOutside  Phase = "outside"  // looks for work where the clock does not look
	PhaseHost     Phase = "host"     // what a launch costs it
	PhaseRecord   Phase = "record"   // of a graph
	PhaseCanaries Phase = "canaries" // before and after the samples
	PhaseSamples  Phase = "samples"
	PhaseChecks   Phase = "checks"   // of timed outputs
	PhaseGuards   Phase = "guards"   // zones and inputs, at the end
	PhaseChosen   Phase = "chosen"   // autotuners are asked
	PhaseExternal Phase = "external" // timing checks of samples that are taken for that
	PhaseEnd      Phase = "end"      // until its code is gone
)

// Phases lists them in the order in which they come.
var Phases = []Phase{
	PhaseParity, PhaseStart, PhaseLoad, PhaseProbe, PhaseWarm, PhaseBuffers, PhaseInputs, PhaseSetup, PhaseFirst, PhaseOutside, PhaseHost, PhaseRecord, PhaseCanaries,
	PhaseSamples, PhaseChecks, PhaseGuards, PhaseChosen, PhaseExternal, PhaseEnd,
}

// PhaseSeconds is the wall time of phases, over all processes.
type PhaseSeconds map[Phase]float64

// Plus is the time of both.
func (p PhaseSeconds) Plus(other PhaseSeconds) PhaseSeconds {
	if len(p)+len(other) == 0 {
		return nil
	}
	sum := PhaseSeconds{}
	for _, part := range []PhaseSeconds{p, other} {
		for phase, seconds := range part {
			sum[phase] += seconds
		}
	}
	return sum
}
