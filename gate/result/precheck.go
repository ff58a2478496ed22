package result

import (
	"io"
	"strings"

	"github.com/org/perfgate/gate/saved"
	"github.com/org/perfgate/gate/text"
)

// PrecheckSchema names the JSON form of Precheck.
const PrecheckSchema = "perfgate/precheck/v1"

// Precheck is what a change touches, found out by compiling both sides and running neither.
type Precheck struct {
	Schema     string           `json:"schema"`
	Tool       Tool             `json:"tool"`
	Config     Config           `json:"config"`
	Base       Version          `json:"base"`
	Head       Version          `json:"head"`
	Device     string           `json:"device"`
	Arch       string           `json:"arch,omitempty"`    // that GPU code was compiled for
	Nothing    *Reason          `json:"nothing,omitempty"` // why nothing was compiled
	Kernels    []PrecheckKernel `json:"kernels"`
	Notes      []string         `json:"notes,omitempty"`
	Measure    bool             `json:"measure"` // a machine that can run the kernels has something to find out
	Conclusion Conclusion       `json:"conclusion"`
}

// PrecheckKernel is a kernel of it, with its builds where it is compiled.
type PrecheckKernel struct {
	Kernel
	Touches  []Touch        `json:"touches,omitempty"`
	Same     bool           `json:"same"`               // timing the two sides could only show noise
	Identity *Reason        `json:"identity,omitempty"` // why they are the same, or why records do not say so
	Measure  bool           `json:"measure"`
	Code     StaticEvidence `json:"code"`
	Gap      *Gap           `json:"gap,omitempty"` // why instructions were not compared
}

// TouchKind is a part of a kernel that a change touches.
type TouchKind string

const (
	TouchDevice  TouchKind = "device"        // the GPU's code
	TouchHost    TouchKind = "host"          // the sources' code on the host
	TouchAdapter TouchKind = "adapter"       // the adapter's file, or its code with head's headers
	TouchConfig  TouchKind = "configuration" // Files are the keys
	TouchPython  TouchKind = "python"        // files that an adapter or a benchmark in Python may import
	TouchFiles   TouchKind = "files"         // of a benchmark
	TouchAsked   TouchKind = "asked"         // Files are what base asks for, as a record saw it, and differ
	TouchCode    TouchKind = "code"          // compiled code, of which cannot be told whose
	TouchNew     TouchKind = "new"           // base has no such kernel
)

// Touch is one such part.
type Touch struct {
	Kind  TouchKind `json:"kind"`
	Files []string  `json:"files,omitempty"`
}

var archShape = text.Pattern(`^sm_[0-9]{2,3}[af]?$`)

// IsArch says whether a word is the architecture of a GPU, such as sm_89.
func IsArch(word string) bool { return archShape().MatchString(word) }

// Arch is the architecture that kernels of a GPU are compiled for; "" where there is no GPU, or it does not say.
func (g *GPU) Arch() string {
	if g == nil {
		return ""
	}
	arch := "sm_" + strings.Replace(g.ComputeCapability, ".", "", 1)
	if !IsArch(arch) {
		return ""
	}
	return arch
}

// PrecheckDocument is how what a change touches is saved. What follows from it, such as its verdict, is to be concluded again.
var PrecheckDocument = saved.Kind[Precheck]{Schema: PrecheckSchema, Bytes: MaxArtifact, Texts: Texts, Most: most}

// Write writes it as it is saved.
func (t *Precheck) Write(w io.Writer) error { return PrecheckDocument.Encode(w, t) }
