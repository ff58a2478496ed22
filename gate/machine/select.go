package machine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Select returns the GPU that want names: an index in PCI order, or a UUID or the start of one. Without want it is what
// the environment's CUDA_VISIBLE_DEVICES puts first, else the first of the machine. lookup is os.LookupEnv.
//
// A GPU that is not there is an error of usage; an environment that hides all of them a *GPUError.
func (a *GPUs) Select(want string, lookup func(string) (string, bool)) (*GPU, error) {
	if want != "" {
		if i := a.find(want); i >= 0 {
			return a.List[i], nil
		}
		return nil, result.Usagef("--gpu %s names no GPU of this machine, or more than one; it has %s", want, a.names())
	}
	visible, set := lookup("CUDA_VISIBLE_DEVICES")
	if !set {
		return a.List[0], nil
	}
	first, _, _ := strings.Cut(visible, ",")
	first = strings.TrimSpace(first)
	if strings.HasPrefix(first, "MIG-") {
		return nil, &GPUError{"CUDA_VISIBLE_DEVICES names a MIG instance, which is not measured on", "name a whole GPU with --gpu"}
	}
	if i := a.find(first); i >= 0 {
		return a.List[i], nil
	}
	return nil, &GPUError{fmt.Sprintf("CUDA_VISIBLE_DEVICES=%s hides every GPU of this machine from CUDA", visible), "unset it, or choose one with --gpu: " + a.names()}
}

// find returns the place of the one GPU that name fits, or -1.
func (a *GPUs) find(name string) int {
	if i, err := strconv.Atoi(name); err == nil {
		if i < 0 || i >= len(a.List) {
			return -1
		}
		return i
	}
	found := -1
	for i, g := range a.List {
		// As CUDA does, the start of a UUID is enough where it is unique.
		if !strings.HasPrefix(name, "GPU-") || !strings.HasPrefix(g.Facts.UUID, name) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

func (a *GPUs) names() string {
	var all []string
	for i, g := range a.List {
		all = append(all, fmt.Sprintf("%d (%s, %s)", i, g.Name, g.Facts.UUID))
	}
	return strings.Join(all, ", ")
}
