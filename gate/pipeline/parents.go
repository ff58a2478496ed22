package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/sandbox"
)

// parents are the processes that fork those of adapters in Python, one a library. A parent is a circumstance that its children share,
// so each pair of rounds has new ones: else a side would have one and the other another. nil forks nothing.
type parents struct {
	live  map[string]*kernels.Parent
	fresh map[string]bool // libraries whose processes are not forked
	cuda  bool
	note  func(format string, args ...any)
}

// childrenOfParent is enough for the processes of a side in a pair of rounds, and for some that broke.
const childrenOfParent = 6

func newParents(cuda bool, note func(string, ...any)) *parents {
	return &parents{live: map[string]*kernels.Parent{}, fresh: map[string]bool{}, cuda: cuda, note: note}
}

// noCUDA is why no child of a parent in the sandbox can use a GPU: CUDA does not start where it cannot name its threads in its own
// /proc/self, and Landlock allows that by its inode, which the parent cannot know of a child that does not exist yet.
const noCUDA = "CUDA does not start in a forked process of the sandbox"

// start forks a process, or starts a fresh one where none can be forked.
func (p *parents) start(ctx context.Context, spec kernels.RunnerSpec) (*kernels.Runner, error) {
	parent, err := p.of(ctx, spec)
	if err != nil {
		return nil, err
	}
	if parent == nil {
		return kernels.StartRunner(ctx, spec)
	}
	return parent.Runner(ctx)
}

// of is a parent that can fork for a library now; nil where there is none.
func (p *parents) of(ctx context.Context, spec kernels.RunnerSpec) (*kernels.Parent, error) {
	if p == nil || p.fresh[spec.Library] || !kernels.IsHosted(spec.Library) {
		return nil, nil
	}
	if parent := p.live[spec.Library]; parent != nil {
		if parent.Free() {
			return parent, nil
		}
		parent.Close()
		delete(p.live, spec.Library)
	}
	var err error
	var parent *kernels.Parent
	if p.cuda && spec.Sandbox != nil && sandbox.LandlockABI() > 0 {
		err = &kernels.ForkError{Why: noCUDA}
	} else {
		parent, err = kernels.StartParent(ctx, spec, childrenOfParent)
	}
	var obstacle *kernels.ForkError
	if errors.As(err, &obstacle) {
		p.fresh[spec.Library] = true
		p.note("%s, so each is an interpreter of its own, which takes longer", obstacle)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("start a process that forks others: %w", err)
	}
	p.live[spec.Library] = parent
	return parent, nil
}

// renew ends all parents.
func (p *parents) renew() {
	if p == nil {
		return
	}
	for library, parent := range p.live {
		parent.Close()
		delete(p.live, library)
	}
}
