package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// siblings are runs of this process that measure shards of one plan, each on a GPU of its own.
type siblings struct {
	build sync.Mutex     // build commands work in the trees of the sides, and of commits that are laid out once, where there is room for one
	built sync.WaitGroup // nothing runs in a tree that another one still builds in
}

// OnAllGPUs is Run with the cases spread over the GPUs that the run may use. Each GPU measures a shard of the plan, so that a case is always on one, and
// the shards make one verdict as those of several runners do.
func OnAllGPUs(ctx context.Context, opt Options) (*result.Result, error) {
	all, err := opt.Device.open()
	if err != nil {
		return nil, fmt.Errorf("--gpus all: %w: %w", ErrNeedsGPU, err)
	}
	defer all.Close()
	allowed, err := all.Select("", os.LookupEnv)
	if err != nil {
		return nil, err
	}
	whole, _, err := plansOf(opt.Question)
	if err != nil {
		return nil, err
	}
	if !whole.HasUnknown() {
		allowed = allowed[:max(1, min(len(allowed), whole.K))]
	}
	if len(allowed) == 1 {
		return Run(ctx, opt)
	}
	var fewer *plan.ShardError
	res, err := onEach(ctx, opt, allowed)
	if errors.As(err, &fewer) && fewer.Cases > 0 { // how many cases a benchmark has is known when it has run
		res, err = onEach(ctx, opt, allowed[:fewer.Cases])
	}
	return res, err
}

// onEach measures a shard of the plan on each GPU.
func onEach(ctx context.Context, opt Options, gpus []*machine.GPU) (*result.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shared, shares := new(siblings), machine.Shares(gpus)
	opt.siblings, opt.Stored = shared, opt.Stored.shared(shared)
	shared.built.Add(len(gpus))
	inputs, errs := make([]rule.MergeInput, len(gpus)), make([]error, len(gpus))
	show := &firstShown{progress: opt.Progress, ended: map[int]bool{}}
	var runs sync.WaitGroup
	for i, g := range gpus {
		one := opt
		one.Shard = &plan.Shard{Index: i + 1, Of: len(gpus), Seed: opt.Seed}
		one.Device.GPU, one.Device.CPUs = g.Facts.UUID, shares[i]
		one.Scratch = filepath.Join(opt.Scratch, fmt.Sprintf("gpu-%d", i+1))
		one.Profile.First = (i + 1) * profilesEach
		one.arrive = sync.OnceFunc(shared.built.Done)
		if err := os.MkdirAll(one.Scratch, 0o700); err != nil {
			return nil, fmt.Errorf("make a folder for a shard: %w", err)
		}
		one.Progress = show.from(i)
		runs.Go(func() {
			defer show.over(i)
			defer one.arrive()
			inputs[i].Name = fmt.Sprintf("the shard on GPU %d", g.Facts.Index)
			if inputs[i].Result, errs[i] = Run(ctx, one); errs[i] != nil {
				cancel() // there is no verdict without it
			}
		})
	}
	runs.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	res, err := rule.Merge(inputs, rule.MergeOptions{})
	if err != nil {
		return nil, fmt.Errorf("make one verdict of all GPUs: %w", err)
	}
	res.Repro = opt.Repro
	return res, nil
}

// profilesEach is more reports than a shard makes.
const profilesEach = 10_000

// alone does a stage that works in the trees of the sides, and lets no sibling go on before all are through.
func (o Options) alone(do stage) stage {
	if o.siblings == nil {
		return do
	}
	return func(ctx context.Context, v *Values) error {
		leave := o.siblings.hold()
		err := do(ctx, v)
		leave()
		o.arrive()
		o.siblings.built.Wait()
		return err
	}
}

// hold keeps siblings from building until leave. Nobody who has it may wait for a sibling.
func (s *siblings) hold() (leave func()) {
	if s == nil {
		return func() {}
	}
	s.build.Lock()
	return s.build.Unlock
}

// shared is how siblings have the records: a commit is laid out once, for all of them.
func (s *Stored) shared(among *siblings) *Stored {
	if s == nil || s.LayOut == nil {
		return s
	}
	own, layOut := *s, s.LayOut
	own.siblings = among
	var mu sync.Mutex
	known := map[string]Side{}
	own.LayOut = func(ctx context.Context, commit string) (Side, error) {
		mu.Lock()
		defer mu.Unlock()
		if side, ok := known[commit]; ok {
			return side, nil
		}
		side, err := layOut(ctx, commit)
		if err == nil {
			known[commit] = side
		}
		return side, err
	}
	return &own
}

// firstShown shows how one of several runs gets on: the first that is not over.
type firstShown struct {
	mu       sync.Mutex
	progress func(Progress)
	ended    map[int]bool
}

func (o *firstShown) from(i int) func(Progress) {
	return func(p Progress) {
		o.mu.Lock()
		defer o.mu.Unlock()
		for before := range i {
			if !o.ended[before] {
				return
			}
		}
		if o.progress != nil {
			o.progress(p)
		}
	}
}

func (o *firstShown) over(i int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended[i] = true
}
