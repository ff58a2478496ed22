package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// Select returns the GPUs that want allows: the one with that index in PCI order, or with that UUID or start of one. Without want, and with Idle, they are
// those that the environment's CUDA_VISIBLE_DEVICES shows, else all of the machine, as far as they are of the model of the first: records are of a model, and
// so are verdicts. lookup is os.LookupEnv.
//
// A GPU that is not there is an error of usage; an environment that hides all of them a *GPUError.
func (a *GPUs) Select(want string, lookup func(string) (string, bool)) ([]*GPU, error) {
	if want != "" && want != Idle {
		if i := a.find(want); i >= 0 {
			return a.List[i : i+1], nil
		}
		return nil, result.Usagef("--gpu %s names no GPU of this machine, or more than one; it has %s", want, a.names())
	}
	shown := a.List
	if visible, set := lookup("CUDA_VISIBLE_DEVICES"); set {
		shown = nil
		for name := range strings.SplitSeq(visible, ",") {
			name = strings.TrimSpace(name)
			i := a.find(name)
			if strings.HasPrefix(name, "MIG-") && len(shown) == 0 {
				return nil, &GPUError{"CUDA_VISIBLE_DEVICES names a MIG instance, which is not measured on", "name a whole GPU with --gpu"}
			}
			if i < 0 { // CUDA ends the list there, too
				break
			}
			shown = append(shown, a.List[i])
		}
		if len(shown) == 0 {
			return nil, &GPUError{fmt.Sprintf("CUDA_VISIBLE_DEVICES=%s hides every GPU of this machine from CUDA", visible), "unset it, or choose one with --gpu: " + a.names()}
		}
	}
	first := shown[0]
	return slices.DeleteFunc(slices.Clone(shown), func(g *GPU) bool { return g.Name != first.Name || g.Target() != first.Target() }), nil
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
