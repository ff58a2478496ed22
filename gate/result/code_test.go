package result_test

import (
	"testing"

	"github.com/org/perfgate/gate/result"
)

// What a code says of blame is one thing: no kernel is spared for what it did, and no crash is taken for a refusal.
func TestCodesSayWhoIsToBlame(t *testing.T) {
	for code, want := range map[result.Code][4]bool{ // ends the process, cannot load, adapter's, refusal
		result.CodeCrashed:         {true},
		result.CodeHung:            {true},
		result.CodeDeviceFault:     {true},
		result.CodeAdapterLoad:     {false, true},
		result.CodeInternal:        {false, false, true},
		result.CodeReferenceFailed: {false, false, true},
		result.CodeUnsupported:     {false, false, false, true},
		result.CodeTooMuchOutput:   {false, false, false, true},
		result.CodeWrongOutput:     {},
		result.CodeSlowReference:   {},
		"of a later version":       {},
	} {
		if got := [4]bool{code.EndsProcess(), code.CannotLoad(), code.IsAdapters(), code.IsRefusal()}; got != want || code.SparesKernel() != (want[2] || want[3]) {
			t.Errorf("%s: %v, spares the kernel: %v; want %v", code, got, code.SparesKernel(), want)
		}
	}
}
