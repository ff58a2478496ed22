package kernels

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/result"
)

// ProtocolVersion is the version of the runner protocol that this package speaks: docs/protocol.md is its overview, and the types of commands and
// replies have the rest.
const ProtocolVersion = 1

// ABIVersion is the version of perfgate.h.
const ABIVersion = 1

// Process is a live process that answers commands.
type Process interface {
	// Call sends the command op and waits at most limit for the answer. What the code under test does wrong is a *RunnerError.
	Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error
	Has(function string) bool
	Close()
	Printed() string // the end of what it wrote to standard error, complete once it is closed
}

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

// Hello is what a runner says first, after it has loaded its adapter, or opened the device where there is none yet (then without Has).
type Hello struct {
	Protocol int      `json:"protocol"`
	ABI      int      `json:"abi"`
	Device   string   `json:"device"`
	GPU      *GPU     `json:"gpu"`      // nil on a CPU
	Features []string `json:"features"` // of the processor, as the process sees them; nil on a GPU, and where it is no x86
	Has      []string `json:"has"`
}

// ImportsReply answers imports, which has no case and takes tenths of a second with torch.
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

// SpecReply answers spec. Bytes are one set of buffers without guard zones; Flops and WorkBytes are 0 without pg_work.
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

// RunnerError is a failure of the code that a runner runs. Its texts come from there: untrusted data, not yet escaped.
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
