package kernels

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/org/perfgate/gate/result"
)

// ProtocolVersion is the version of the runner protocol that this package speaks; docs/protocol.md describes it.
const ProtocolVersion = 1

// ABIVersion is the version of perfgate.h.
const ABIVersion = 1

// Number is a float64 that survives JSON when it is not finite.
type Number float64

// UnmarshalJSON reads a number or one of the strings "nan", "inf" and "-inf".
func (n *Number) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '"' {
		return json.Unmarshal(b, (*float64)(n))
	}
	var word string
	if err := json.Unmarshal(b, &word); err != nil {
		return err
	}
	switch word {
	case "nan":
		*n = Number(math.NaN())
	case "inf":
		*n = Number(math.Inf(1))
	case "-inf":
		*n = Number(math.Inf(-1))
	default:
		return fmt.Errorf("%q is not a number", word)
	}
	return nil
}

// String prints the shortest form that reads back.
func (n Number) String() string { return strconv.FormatFloat(float64(n), 'g', 9, 64) }

// CaseSpec is a case as a runner sees it.
type CaseSpec struct {
	Kernel string      `json:"kernel"`
	Params []CaseParam `json:"params"`
}

// CaseParam is one assignment; Value is the integer, or the pg_dtype of a dtype word.
type CaseParam struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Value int64  `json:"value"`
}

// Hello is what a runner says first.
type Hello struct {
	Protocol int      `json:"protocol"`
	ABI      int      `json:"abi"`
	Device   string   `json:"device"`
	GPU      *GPU     `json:"gpu"`      // nil on a CPU
	Features []string `json:"features"` // of the processor, as the process sees them; nil on a GPU, and where it is no x86
	Has      []string `json:"has"`
}

// ImportsReply answers imports.
type ImportsReply struct {
	Python *Imports `json:"python"` // nil where the adapter is a library
}

// Imports is what an adapter in Python has made its interpreter load so far.
type Imports struct {
	Files     []string          `json:"files"`     // of the side's tree, relative to it: modules, and what Python code opened
	Elsewhere []string          `json:"elsewhere"` // modules that are neither the side's nor installed with the interpreter
	Packages  map[string]string `json:"packages"`  // versions by name
	Version   string            `json:"version"`   // the interpreter's
	Modules   []string          `json:"modules"`   // files of modules that are neither the side's nor come with Python
	// MoreModules says that Modules lacks some, since they are too many for an answer.
	MoreModules bool `json:"moreModules"`
	// Configures says that code of the side sets variables of the environment when it is imported: packages may be configured by them.
	Configures bool `json:"configures"`
}

// GPU is the device that a runner works on, as CUDA's runtime describes it.
type GPU struct {
	Name        string `json:"name"`
	UUID        string `json:"uuid"`
	Arch        string `json:"arch"`
	SMs         int    `json:"sms"`
	L2Bytes     int64  `json:"l2Bytes"`
	MemoryBytes int64  `json:"memoryBytes"`
	Driver      int    `json:"driver"`  // the CUDA version that it supports, such as 13000
	Runtime     int    `json:"runtime"` // the CUDA version that the harness was built with
}

// Tensor is one tensor of a case as the adapter described it.
type Tensor struct {
	Name  string  `json:"name"`
	Dtype string  `json:"dtype"`
	Role  string  `json:"role"`
	Shape []int64 `json:"shape"`
	Dims  string  `json:"dims"`
	Bytes int64   `json:"bytes"`
	// What it is filled with (pg_fill_kind and its parameters), its flags, and the tolerance that the adapter gives it.
	Fill  int     `json:"fill"`
	Flags uint32  `json:"flags"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
	ATol  float64 `json:"atol"`
	RTol  float64 `json:"rtol"`
}

// FillCustom is the Fill of a tensor that the adapter's pg_fill makes.
const FillCustom = 5

// IsInput says whether a launch reads the tensor as it was filled.
func (t Tensor) IsInput() bool { return t.Role == "in" || t.Role == "inout" }

// IsOutput says whether a launch writes what is compared.
func (t Tensor) IsOutput() bool { return t.Role == "out" || t.Role == "inout" }

// SpecReply answers spec.
type SpecReply struct {
	Tensors   []Tensor `json:"tensors"`
	Bytes     int64    `json:"bytes"`
	Flops     float64  `json:"flops"`
	WorkBytes float64  `json:"workBytes"`
}

// OutputBytes are those of all outputs.
func (s SpecReply) OutputBytes() int64 {
	bytes := int64(0)
	for _, t := range s.Tensors {
		if t.IsOutput() {
			bytes += t.Bytes
		}
	}
	return bytes
}

// IsEmpty says whether a case has outputs, and none of them an element.
func (s SpecReply) IsEmpty() bool {
	return s.OutputBytes() == 0 && slices.ContainsFunc(s.Tensors, Tensor.IsOutput)
}

// Canary is how long the machine took for fixed pieces of work. What the work was is 0 where no rate follows from it.
type Canary struct {
	ComputeNS    float64 `json:"computeNs"`
	MemoryNS     float64 `json:"memoryNs"`
	ComputeFlops float64 `json:"computeFlops"`
	MemoryBytes  float64 `json:"memoryBytes"`
	TensorNS     float64 `json:"tensorNs"` // on tensor cores, where there are any
	TensorFlops  float64 `json:"tensorFlops"`
	ClockMHz     float64 `json:"clockMhz"` // counted inside a kernel
}

// WarmReply answers warm.
type WarmReply struct {
	NS     float64 `json:"ns"`
	Held   bool    `json:"held"`
	Canary Canary  `json:"canary"`
}

// ProbeReply answers probe.
type ProbeReply struct {
	Clock       string  `json:"clock"` // of the device: thread or event
	LaunchNS    float64 `json:"launchNs"`
	WallNS      float64 `json:"wallNs"`
	OthersNS    float64 `json:"othersNs"`
	Threaded    bool    `json:"threaded"` // on a CPU: other threads of the process work for a launch
	Waits       bool    `json:"waits"`    // on a CPU: the launching thread sleeps, or waits for a lock, another thread, a file
	Batchable   bool    `json:"batchable"`
	FlushNS     float64 `json:"flushNs"`
	FlushBytes  int64   `json:"flushBytes"`
	SetupNS     float64 `json:"setupNs"`
	ReferenceNS float64 `json:"referenceNs"`
	SetBytes    int64   `json:"setBytes"`
	QuantumNS   float64 `json:"quantumNs"`
	PoolLimit   int     `json:"poolLimit"`
	// Of clock event:
	Blockable    bool    `json:"blockable"`    // the stream can be held back until a launch is enqueued
	Capturable   bool    `json:"capturable"`   // launches can be recorded in a graph; asked of short ones only
	CaptureError string  `json:"captureError"` // why not
	GraphNS      float64 `json:"graphNs"`      // per launch of a graph, caches warm
	// What one pg_launch launches, as the driver records it; empty where it could not be recorded.
	Launches []LaunchShape `json:"launches"`
}

// LaunchShape is one launch of a GPU function.
type LaunchShape struct {
	Kernel             string `json:"kernel"` // as the compiler mangled it; "" where the driver does not say
	Grid               [3]int `json:"grid"`   // blocks
	Block              [3]int `json:"block"`  // threads
	Registers          int    `json:"registers"`
	SharedBytes        int    `json:"sharedBytes"`        // that the code declares
	DynamicSharedBytes int    `json:"dynamicSharedBytes"` // that the launch asks for beside them
	BlocksPerSM        int    `json:"blocksPerSm"`        // that fit a multiprocessor at once, by the driver's own count; 0 where unknown
}

// Ways of a Method to launch.
const (
	HowSingle = "single" // one launch a sample
	HowLoop   = "loop"   // one after the other
	HowGraph  = "graph"  // recorded in a CUDA graph, which is launched once
)

// Method is how samples are taken.
type Method struct {
	Clock    string `json:"clock"`
	How      string `json:"how,omitempty"`   // "" means HowLoop
	Block    bool   `json:"block,omitempty"` // clock event: the device begins when all is enqueued
	Launches int    `json:"launches"`
	Pool     int    `json:"pool"`
	Samples  int    `json:"samples"`
	Cache    string `json:"cache"`
	Pin      bool   `json:"pin"`
}

// MarksSeries says whether marks are around all samples between two checks, and not around each: where the caches of a CPU are to be warm.
func (m Method) MarksSeries() bool {
	return m.Cache == "hot" && (m.Clock == "thread" || m.Clock == "wall")
}

// Tolerance is what an element of an output may be off: atol + rtol·|want|.
type Tolerance struct {
	Atol float64 `json:"atol"`
	Rtol float64 `json:"rtol"`
	// Matched is the share of elements that must be within it, from 0 to 1; others may be off by four times as much. nil: all.
	Matched *float64 `json:"matched,omitempty"`
}

// Bound asks for the error bound in place of tolerances, where the oracle is the reference and the adapter gives the tensor none.
type Bound struct {
	Accumulate string `json:"accumulate,omitempty"` // f32, f16, bf16 or tf32; "": f32, and f64 for outputs of f64
	Stage      int    `json:"stage"`                // how often to ask the reference at least: ParityReply.Stage of another launch
}

// TimeCommand asks for samples of a case.
type TimeCommand struct {
	Case    CaseSpec `json:"case"`
	Seed    string   `json:"seed"`
	Method  Method   `json:"method"`
	Checks  int      `json:"checks"`
	Oracle  string   `json:"oracle"`
	Atol    float64  `json:"atol"` // of floating outputs whose dtype is not in Tolerances; integers must be exact
	Rtol    float64  `json:"rtol"`
	LimitNS float64  `json:"limitNs"`
	// NoCanaries leaves out the canaries before and after the samples, where the clock of the machine is of no interest.
	NoCanaries bool `json:"noCanaries,omitempty"`
	// Deliver, with oracle "deliver", begins the names of the files that checked outputs are written to, for a JudgeCommand; what
	// follows is the number of the check, from 0.
	Deliver string `json:"deliver,omitempty"`
	// Witness has the runner stand still before and after the launches of each sample, so that TimeReply.Seen can be filled.
	Witness bool `json:"witness,omitempty"`
	// RenewMade has pg_fill make other inputs before each sample as well, within the limit: what it takes counts as spent.
	RenewMade bool `json:"renewMade,omitempty"`

	Tolerances map[string]Tolerance `json:"tolerances,omitempty"` // by dtype
	Bound      *Bound               `json:"bound,omitempty"`
}

// CheckSeed is the seed of the inputs of a checked launch: those of parity's values "spec".
func CheckSeed(seed uint64, sample int) uint64 {
	const step = 0x9E3779B97F4A7C15
	return splitmix(splitmix(seed+step) + (1<<42+uint64(sample)+1)*step)
}

// splitmix is the output function of splitmix64, as native/harness/fill.h has it.
func splitmix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// OutputCheck is one timed launch whose output was compared.
type OutputCheck struct {
	Sample int    `json:"sample"`
	Launch int    `json:"launch"`
	Oracle string `json:"oracle"`
}

// TimeReply answers time: ns per launch, one number a sample.
type TimeReply struct {
	Samples []float64 `json:"samples"`
	Planned int       `json:"planned"`
	Stopped string    `json:"stopped"`
	SpentNS float64   `json:"spentNs"`
	HostNS  float64   `json:"hostNs"` // of enqueuing one launch; 0 where the clock is that of the host
	// WaitedNS is what a launch waited beside its samples, which the CPU clock of its thread does not see: the mean over all launches. 0 with other clocks.
	WaitedNS float64       `json:"waitedNs"`
	Checks   []OutputCheck `json:"checks"`
	Canary   Canary        `json:"canary"`
	Chosen   string        `json:"chosen"` // by autotuners of an adapter in Python
	// Phases are the ns of each phase.
	Phases map[result.Phase]float64 `json:"phases"`
	// Seen is what passed between two marks as seen from outside of the runner, in ns, with what it takes to look: all launches of each sample, or
	// all samples between two checks (Method.MarksSeries).
	Seen []float64 `json:"-"`
}

// ProfileCommand asks for one launch between the start and the stop of a profiler that was told to wait for them.
type ProfileCommand struct {
	Case  CaseSpec `json:"case"`
	Seed  string   `json:"seed"`
	Cache string   `json:"cache"`
	Warm  int      `json:"warm"`  // launches before it
	Times int      `json:"times"` // launches that are shown to the profiler, one after the other
}

// ProfileReply answers profile. Under a profiler its time is no measurement.
type ProfileReply struct {
	WallNS float64 `json:"wallNs"` // of all launches
}

// ParityCommand asks for one comparison with an oracle.
type ParityCommand struct {
	Case   CaseSpec `json:"case"`
	Seed   string   `json:"seed"`
	Values string   `json:"values"`
	Atol   float64  `json:"atol"` // of floating outputs whose dtype is not in Tolerances; integers must be exact
	Rtol   float64  `json:"rtol"`
	Oracle string   `json:"oracle"` // reference, file or none
	Dump   string   `json:"dump,omitempty"`
	Expect string   `json:"expect,omitempty"`

	Deliver string `json:"deliver,omitempty"` // with oracle "none": where the outputs of each launch go, for a JudgeCommand

	Twice    bool   `json:"twice,omitempty"`    // launch twice and compare bit for bit
	Relation string `json:"relation,omitempty"` // with oracle "relation", or with Deliver
	Tensors  string `json:"tensors,omitempty"`  // that the relation changes

	Tolerances map[string]Tolerance `json:"tolerances,omitempty"` // by dtype
	Bound      *Bound               `json:"bound,omitempty"`
}

// JudgeCommand asks what a runner's own library says of outputs that another process delivered, which has loaded another library.
type JudgeCommand struct {
	Case     CaseSpec `json:"case"`
	Seed     string   `json:"seed"`
	Values   string   `json:"values"`
	Atol     float64  `json:"atol"`
	Rtol     float64  `json:"rtol"`
	Oracle   string   `json:"oracle"`             // reference, launch (this library's own), file or relation
	Outputs  string   `json:"outputs,omitempty"`  // as ParityCommand.Deliver wrote them; "" only asks the reference
	Launches int      `json:"launches"`           // that Outputs holds: 0, 1 or 2
	Expect   string   `json:"expect,omitempty"`   // with oracle "file"
	Relation string   `json:"relation,omitempty"` // with oracle "relation": the second launch was on inputs changed so
	Tensors  string   `json:"tensors,omitempty"`

	Tolerances map[string]Tolerance `json:"tolerances,omitempty"` // by dtype
	Bound      *Bound               `json:"bound,omitempty"`
}

// WorstElement is the element with the largest error over its tolerance.
type WorstElement struct {
	Tensor    string  `json:"tensor"`
	Index     int64   `json:"index"`
	Coords    []int64 `json:"coords"`
	Dims      string  `json:"dims"`
	Got       Number  `json:"got"`
	Want      Number  `json:"want"`
	AbsError  Number  `json:"absError"`
	Tolerance Number  `json:"tolerance"`
	Ratio     Number  `json:"ratio"`
	ULPs      int64   `json:"ulps"` // -1: no such distance
}

// Pattern is where the wrong elements of the worst tensor lie.
type Pattern struct {
	Wrong   int64    `json:"wrong"`
	Looked  int64    `json:"looked"`
	Extents []Extent `json:"extents"`
	Map     *Map     `json:"map"`
}

// Map is a coarse picture of where two dimensions of the tensor are wrong: a line of digits for each part of the rows, from 0 (all of that
// part is right) to 9 (none is).
type Map struct {
	Rows    int      `json:"rows"`    // a dimension; -1: there is but one
	Columns int      `json:"columns"` // a dimension; -1 of a single element
	Levels  []string `json:"levels"`
}

// Extent is which coordinates wrong elements have in one dimension.
type Extent struct {
	Size  int64 `json:"size"`
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	Count int64 `json:"count"` // of different ones
}

// Trespass is what a launch wrote although pg_written says that it leaves it alone: the first element, and how many there are of an output.
type Trespass struct {
	Tensor string  `json:"tensor"`
	Count  int64   `json:"count"`
	Index  int64   `json:"index"`
	Coords []int64 `json:"coords"`
	Dims   string  `json:"dims"`
	Got    Number  `json:"got"`
}

// MeanError is the mean error of one output, relative and with its sign: the sum of error times what is right, over the sum of squares of
// what is right.
type MeanError struct {
	Tensor string `json:"tensor"`
	Dtype  string `json:"dtype"`
	Value  Number `json:"value"`
}

// ParityReply answers parity and judge.
type ParityReply struct {
	Passed       bool          `json:"passed"`
	Oracle       string        `json:"oracle"`
	Elements     int64         `json:"elements"`
	Failed       int64         `json:"failed"`
	Worst        *WorstElement `json:"worst"`
	MaxRatio     Number        `json:"maxRatio"`
	Unwritten    int64         `json:"unwritten"`
	NaN          int64         `json:"nan"`
	Same         *bool         `json:"same"` // bits of two launches; nil: not asked, or the runner does not know
	ULP          []int64       `json:"ulp"`  // histogram of errors
	OracleDigest string        `json:"oracleDigest"`
	InputDigest  string        `json:"inputDigest"` // of all inputs, as the kernel was given them
	Launches     int           `json:"launches"`    // that were delivered
	Pattern      *Pattern      `json:"pattern"`
	Trespass     *Trespass     `json:"trespass"`   // nil: none
	MeanErrors   []MeanError   `json:"meanErrors"` // of floating outputs
	// Of a comparison by the bound:
	Stage      int    `json:"stage"`      // how often the reference was asked about other inputs, in stages
	Length     Number `json:"length"`     // of a failure: the effective length of reduction around the worst element; 0 unknown
	PassesWith string `json:"passesWith"` // of a failure: the accumulator that would excuse it; "" none

	NarrowReference bool `json:"narrowReference"` // of a failure: the adapter has a reference that computes in f32
}

// RunnerError is a failure of the code that a runner runs. Its texts come from there: hostile data, not yet escaped.
type RunnerError struct {
	Code    result.Code
	Message string
	Doing   string // "time attention/B=1,…"
	Printed string // the end of what it printed
}

func (e *RunnerError) Error() string {
	if e.Doing == "" {
		return e.Brief()
	}
	return e.Doing + ": " + e.Brief()
}

// Brief is the message where what was being done is said elsewhere.
func (e *RunnerError) Brief() string {
	if e.Printed == "" {
		return e.Message
	}
	return e.Message + "\nit printed: " + e.Printed
}
