package kernels

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

// ParityCommand asks for one comparison with an oracle. The tolerances of a tensor, where the adapter gives them, win over those of the command. Relations
// are scale and permute-batch: the kernel is launched again on inputs changed so, and its outputs must be the first ones, changed in the same way. Where
// two sets of buffers do not fit into memory, Twice has no answer.
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

// JudgeCommand asks what a runner's own library says of outputs that another process delivered, which has loaded another library. The file must be a plain
// one with one name and the size that this library's spec gives; all of it is read before the oracle is asked.
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

// ParityReply answers parity and judge. Failed, Unwritten and NaN count over the outputs that fail, MaxRatio is of all; Worst is the first element of the
// largest ratio. An infinity also passes where the reference has more than the output's dtype can hold. OracleDigest depends on every value of the oracle:
// equal ones for different inputs mean an oracle that does not look at them. The ULP histogram counts 0, 1, 2, up to 4, 16, 256 and more; its last number
// NaN or infinity on one side only.
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
