package kernels

import (
	"slices"
	"testing"
)

// What a process imports ahead is installed, and what PyTorch imports when a problem's reference asks for something is imported with it.
func TestImportsAhead(t *testing.T) {
	t.Parallel()
	packages := map[string]string{"torch": "2.11.0", "numpy": "2.3.0", "helper": "1.0"}
	for name, c := range map[string]struct {
		configures bool
		text       string
		want       []string
	}{
		"packages":              {false, "import torch", []string{"numpy", "torch"}},
		"deterministic":         {false, "torch.use_deterministic_algorithms(True)", []string{"numpy", "torch", "torch._inductor.config"}},
		"variables are changed": {true, "torch.use_deterministic_algorithms(True)", nil},
	} {
		i := &Imports{Packages: packages, Configures: c.configures}
		if got := i.first([]byte(c.text)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
