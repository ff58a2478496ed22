package result

// RuleKind says how a change touches the policy.
type RuleKind string

const (
	RuleKey            RuleKind = "key"             // a key of the configuration; Detail says which, and from what to what
	RuleConfigAdded    RuleKind = "config-added"    // base has no configuration, so head's rules
	RuleConfigRemoved  RuleKind = "config-removed"  // head has none
	RuleConfigInvalid  RuleKind = "config-invalid"  // head's cannot be read
	RuleConfigUnusable RuleKind = "config-unusable" // one of both
	RuleConfigRepaired RuleKind = "config-repaired" // base's is not valid, so head's own counts
	RuleAdapter        RuleKind = "adapter"
	RuleBenchmark      RuleKind = "benchmark" // one of its files
	RuleWorkflow       RuleKind = "workflow"
	RuleHeader         RuleKind = "header" // a perfgate.h of the repository's own
)

// RuleChange is one thing that head changes in the policy: configuration, adapters, workflows.
type RuleChange struct {
	Kind   RuleKind `json:"kind"`             // what was changed
	File   string   `json:"file,omitempty"`   // its path; missing of a key
	Detail string   `json:"detail,omitempty"` // of a key: which, from what to what
}

// OverLimit is a resource limit of the configuration that head's build exceeds.
type OverLimit struct {
	Key      string `json:"key,omitempty"`      // of the configuration: registers, spill-bytes or shared-bytes
	Function string `json:"function,omitempty"` // that exceeds it most, as the compiler mangled it
	Needs    int64  `json:"needs"`              // a thread, or of shared-bytes a block (registers or bytes)
	Limit    int64  `json:"limit"`              // that the configuration sets (registers or bytes)
	Over     int    `json:"over"`               // functions that exceed it
}
