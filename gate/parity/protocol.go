package parity

import "github.com/org/perfgate/kernels"

// command is a parity command with the members that only this package uses.
type command struct {
	kernels.ParityCommand
	Twice    bool   `json:"twice,omitempty"`    // launch twice and compare bit for bit
	Relation string `json:"relation,omitempty"` // with oracle "relation"
	Tensors  string `json:"tensors,omitempty"`  // that the relation changes
}

// reply is a parity reply with what is known only since this package asks for it.
type reply struct {
	kernels.ParityReply
	Same         *bool    `json:"same"` // nil: not asked, or the runner does not know
	ULP          []int64  `json:"ulp"`
	OracleDigest string   `json:"oracleDigest"`
	Worst        *worst   `json:"worst"`
	Pattern      *pattern `json:"pattern"`
}

type worst struct {
	kernels.WorstElement
	ULPs int64 `json:"ulps"` // -1: no such distance
}

// pattern is where the wrong elements of the worst tensor lie.
type pattern struct {
	Wrong   int64    `json:"wrong"`
	Looked  int64    `json:"looked"`
	Extents []extent `json:"extents"`
}

// extent is which coordinates wrong elements have in one dimension.
type extent struct {
	Size  int64 `json:"size"`
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	Count int64 `json:"count"` // of different ones
}

// same is false only where two launches on equal inputs gave different bits.
func (r reply) same() bool { return r.Same == nil || *r.Same }
