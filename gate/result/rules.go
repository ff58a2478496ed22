package result

import "encoding/json"

// RuleKind says how a change touches what rules over it.
type RuleKind string

const (
	RuleOther          RuleKind = ""                // of a result that an earlier perfgate saved: Detail has its words
	RuleKey            RuleKind = "key"             // a key of the configuration; Detail says which, and from what to what
	RuleConfigAdded    RuleKind = "config-added"    // base has no configuration, so head's rules
	RuleConfigRemoved  RuleKind = "config-removed"  // head has none
	RuleConfigInvalid  RuleKind = "config-invalid"  // head's cannot be read
	RuleConfigUnusable RuleKind = "config-unusable" // one of both
	RuleAdapter        RuleKind = "adapter"
	RuleBenchmark      RuleKind = "benchmark" // one of its files
	RuleWorkflow       RuleKind = "workflow"
	RuleHeader         RuleKind = "header" // a perfgate.h of the repository's own
)

// RuleKinds lists them.
var RuleKinds = []RuleKind{
	RuleOther, RuleKey, RuleConfigAdded, RuleConfigRemoved, RuleConfigInvalid, RuleConfigUnusable, RuleAdapter, RuleBenchmark, RuleWorkflow, RuleHeader,
}

// RuleChange is one thing that head changes in what rules over it: configuration, adapters, workflows.
type RuleChange struct {
	Kind   RuleKind `json:"kind"`
	File   string   `json:"file,omitempty"`
	Detail string   `json:"detail,omitempty"`
}

// UnmarshalJSON also reads the sentence that stood in a rule change's place in earlier results.
func (c *RuleChange) UnmarshalJSON(b []byte) error {
	type plain RuleChange
	return unmarshalOrText(b, (*plain)(c), &c.Detail)
}

// OverLimit is a resource limit of the configuration that head's build exceeds.
type OverLimit struct {
	Key      string `json:"key,omitempty"`      // of the configuration: registers, spill-bytes or shared-bytes
	Function string `json:"function,omitempty"` // that exceeds it most, as the compiler mangled it
	Needs    int64  `json:"needs"`              // a thread, or of shared-bytes a block
	Limit    int64  `json:"limit"`
	Over     int    `json:"over"`             // functions that exceed it
	Detail   string `json:"detail,omitempty"` // what an earlier perfgate said in place of the rest
}

// UnmarshalJSON also reads the phrase that stood in its place in earlier results.
func (o *OverLimit) UnmarshalJSON(b []byte) error {
	type plain OverLimit
	return unmarshalOrText(b, (*plain)(o), &o.Detail)
}

// unmarshalOrText reads an object into to, or a string into text.
func unmarshalOrText(b []byte, to any, text *string) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, text)
	}
	return json.Unmarshal(b, to)
}
