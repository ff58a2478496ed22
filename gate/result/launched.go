package result

// Launched is what one launch of a case consists of on both sides, as the GPU's driver recorded it: no profiler is needed.
type Launched struct {
	Base []LaunchShape `json:"base,omitempty"`
	Head []LaunchShape `json:"head,omitempty"`
}

// LaunchShape is one launch of a GPU function.
type LaunchShape struct {
	Function           string  `json:"function,omitempty"` // as the compiler mangled it
	Grid               []int   `json:"grid"`               // blocks in x, y and z
	Block              []int   `json:"block"`              // threads in x, y and z
	Registers          int     `json:"registers,omitempty"`
	SharedBytes        int     `json:"sharedBytes,omitempty"`        // a block's, that the code declares
	DynamicSharedBytes int     `json:"dynamicSharedBytes,omitempty"` // a block's, that the launch asks for beside them
	BlocksPerSM        int     `json:"blocksPerSm,omitempty"`        // that fit a multiprocessor at once
	Waves              float64 `json:"waves,omitempty"`              // blocks over what fits the GPU at once
}
