package result

// Code says what was wrong with code under test, or with the adapter that describes it: in an answer of the runner protocol
// (docs/protocol.md), and in a ParityFailure.
type Code string

// Codes that a runner answers.
const (
	CodeNoDevice          Code = "no-device"          // CUDA does not start, before any code under test was loaded
	CodeAdapterLoad       Code = "adapter-load"       // the library cannot be loaded
	CodeSourcesLoad       Code = "sources-load"       // a module that an adapter in Python imports of the side raises
	CodeAdapterIncomplete Code = "adapter-incomplete" // it lacks pg_spec or pg_launch
	CodeAdapterABI        Code = "adapter-abi"        // it was built for another version of perfgate.h
	CodeBadCommand        Code = "bad-command"
	CodeUnsupported       Code = "unsupported"       // the adapter refuses the case
	CodeBadSpec           Code = "bad-spec"          // it describes something impossible
	CodeMissingParameter  Code = "missing-parameter" // it asks for a parameter that the case does not have
	CodeSetupFailed       Code = "setup-failed"
	CodeLaunchFailed      Code = "launch-failed"
	CodeReferenceFailed   Code = "reference-failed"
	CodeNoReference       Code = "no-reference"   // it has no reference, or none for this case
	CodeAdapterFailed     Code = "adapter-failed" // its pg_fill or pg_written
	CodeOutOfMemory       Code = "out-of-memory"
	CodeWrongOutput       Code = "wrong-output"  // outputs differ by more than the tolerance
	CodeInputChanged      Code = "input-changed" // the kernel wrote into an input
	CodeGuardBroken       Code = "guard-broken"  // the kernel wrote outside of a buffer
	CodeOutsideWork       Code = "outside-work"  // the kernel worked where the clock does not see it
	CodeDeviceFault       Code = "device-fault"  // the process has lost its device, and ends after saying so
	CodeBadDelivery       Code = "bad-delivery"  // what another process delivered to the output checker is not an output
	CodeInternal          Code = "internal"      // the harness itself failed
)

// Codes of a runner that did not answer, or not as it should.
const (
	CodeCrashed Code = "crashed" // ended by a signal
	CodeExited  Code = "exited"  // ended by itself in the middle of a command
	// CodeNotStarted is for a command of a benchmark whose program is not there.
	CodeNotStarted Code = "not-started"
	// CodeCoarseClock is for a case whose times are 0, or all alike: its clock cannot show it, on whichever side that was seen.
	CodeCoarseClock Code = "coarse-clock"
	CodeHung        Code = "hung"     // no answer within the time limit
	CodeFlooded     Code = "flooded"  // printed without end
	CodeFilled      Code = "filled"   // wrote more to the disk, or held more memory, than it may
	CodeNonsense    Code = "nonsense" // its response cannot be read
	CodeSanitizer   Code = "sanitizer"
	CodeClock       Code = "clock"    // its clock and the external timing check disagree
	CodeVanished    Code = "vanished" // a benchmark no longer has a case that it had
	// CodeEmpty is for a case without elements. Such a case is right or wrong like any other, and parity runs it, but what it takes is
	// the cost of a call: noise, whatever the kernel does.
	CodeEmpty Code = "empty"
)

// Codes of parity.
const (
	CodeNotDeterministic Code = "not-deterministic" // equal inputs gave other bits
	CodeYardstick        Code = "yardstick"         // errors are within the tolerance, but larger than base's
	CodeRelation         Code = "relation-broken"   // a declared relation does not hold
	CodeOtherCase        Code = "other-case"        // built with head's files, base's adapter describes another case than built with base's
	CodeTooMuchOutput    Code = "too-much-output"   // more outputs than one process hands to another: not compared
	CodeSlowReference    Code = "reference-slow"    // the case takes too long, and without the reference it does not
)

// EndsProcess says whether a failure took the process with it.
func (c Code) EndsProcess() bool {
	switch c {
	case CodeCrashed, CodeExited, CodeHung, CodeFlooded, CodeFilled, CodeNonsense, CodeDeviceFault:
		return true
	}
	return false
}

// CannotLoad says whether no case of the library can be run.
func (c Code) CannotLoad() bool {
	switch c {
	case CodeAdapterLoad, CodeAdapterIncomplete, CodeAdapterABI:
		return true
	}
	return false
}

// IsAdapters says whether the fault is the adapter's, the reference's or perfgate's own, on whichever side it shows.
func (c Code) IsAdapters() bool {
	switch c {
	case CodeReferenceFailed, CodeAdapterFailed, CodeBadSpec, CodeMissingParameter, CodeInternal, CodeBadCommand:
		return true
	}
	return false
}

// IsRefusal says whether there is no such case, or nothing to compare it with, or no room for it.
func (c Code) IsRefusal() bool {
	switch c {
	case CodeUnsupported, CodeNoReference, CodeOutOfMemory, CodeTooMuchOutput:
		return true
	}
	return false
}

// SparesKernel says whether the fault cannot be the kernel's.
func (c Code) SparesKernel() bool { return c.IsRefusal() || c.IsAdapters() }
