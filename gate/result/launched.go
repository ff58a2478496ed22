package result

// Launched is what one launch of a case consists of on both sides, as the GPU's driver recorded it: no profiler is needed.
type Launched struct {
	Base []LaunchShape `json:"base,omitempty"` // base's launches, in their order
	Head []LaunchShape `json:"head,omitempty"` // head's
}

// LaunchShape is one launch of a GPU function.
type LaunchShape struct {
	Function           string  `json:"function,omitempty"`           // as the compiler mangled it
	Grid               []int   `json:"grid"`                         // in x, y and z
	Block              []int   `json:"block"`                        // in x, y and z
	Registers          int     `json:"registers,omitempty"`          // of a thread
	SharedBytes        int     `json:"sharedBytes,omitempty"`        // of a block, that the code declares
	DynamicSharedBytes int     `json:"dynamicSharedBytes,omitempty"` // of a block, that the launch asks for in addition
	BlocksPerSM        int     `json:"blocksPerSm,omitempty"`        // that fit a multiprocessor at once
	Waves              float64 `json:"waves,omitempty"`              // blocks over what fits the GPU at once (waves)
}
