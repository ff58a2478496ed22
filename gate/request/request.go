// Package request turns what a person or a job asks for into the options of a run.
//
//	Run (flags, or the job request) -> both sides, whose policy counts, the configuration -> records, shard, seed -> run.Options
package request

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
)

// Run is what a run is asked for: by the flags of a verb, or by a job of the GitHub action, of which JSON has what its steps hand on. An option sets the
// field with its name.
type Run struct {
	Config            string             `json:"config"`
	Base              string             `json:"base"`
	Head              string             `json:"head"`
	HeadAlone         bool               `json:"-"` // base only where it is named or a repository knows it
	BaseFlags         string             `json:"-"`
	HeadFlags         string             `json:"-"`
	Kernels           []string           `json:"kernels,omitempty" option:"kernel"`
	Cases             []string           `json:"cases,omitempty" option:"case"`
	Tolerance         string             `json:"tolerance,omitempty"`
	Budget            time.Duration      `json:"budgetNS,omitempty"`
	TimeIdentical     bool               `json:"-"`
	ManualCompetitors bool               `json:"-"`
	Seed              string             `json:"seed"`
	Trust             string             `json:"trust"`
	Paths             []string           `json:"-"`
	GPU               string             `json:"gpu,omitempty"`
	GPUs              string             `json:"-"`                  // "all" spreads the cases over all that CUDA sees; "" is one
	LockGPUClocks     string             `json:"-"`                  // what to lock them to; "" leaves them as they are
	Sandbox           result.SandboxMode `json:"sandbox"`            // "" means auto
	Shard             string             `json:"shard,omitempty"`    // i/n; "" is all of the plan
	Store             string             `json:"store,omitempty"`    // of records; "" is the configuration's
	InJob             bool               `json:"-"`                  // a step of the GitHub action
	External          bool               `json:"external,omitempty"` // head is an external contributor's, and nobody with write access approved it
}

// Options are those of the run, whose private files are in scratch. What repeats it is left to the caller, who knows what was typed.
func (r Run) Options(ctx context.Context, scratch string) (run.Options, error) {
	none := run.Options{}
	seed, err := ParseSeed(r.Seed)
	if err != nil {
		return none, err
	}
	if r.Shard != "" {
		turn, of, err := plan.Turn(r.Shard, Today())
		if err != nil {
			return none, result.Usagef("--shard: %w", err)
		}
		r.Shard = fmt.Sprintf("%d/%d", turn%of+1, of)
	}
	src, err := r.Sources(ctx, scratch)
	if err != nil {
		return none, err
	}
	own := *src.Trusted.Config // flags are no change of head's
	cfg, pair, dir := &own, src.Pair, src.Trusted.Dir
	src.Trusted.Config = cfg
	if err := r.override(cfg); err != nil {
		return none, err
	}
	if drawn, ok := plan.SeedInActions(pair.Head.Info.Revision, os.Getenv); ok && r.Seed == "" {
		seed = drawn
	}
	cache, err := kernels.CacheDir()
	if err = cmp.Or(err, kernels.CheckRunnable(cache, "PERFGATE_CACHE"), kernels.CheckRunnable(scratch, "TMPDIR")); err != nil {
		return none, err
	}
	checkout := checkout.Top(src.Dir)
	opt := run.Options{
		Question: run.Question{
			Trusted: src.Trusted, Only: r.Kernels, Cases: r.Cases, NoSkip: r.TimeIdentical,
			MayDrop: r.InJob && src.Trusted.Trust == repo.TrustWorktree, External: r.External, Competitors: r.ManualCompetitors, Seed: seed,
			Base: run.NewSide(pair.Base, dir, kernels.Words(r.BaseFlags)), Head: run.NewSide(pair.Head, dir, kernels.Words(r.HeadFlags)),
			Scratch: scratch, Cache: cache, Checkout: checkout, Desk: filepath.Join(checkout, dir),
		},
		Device: run.DeviceOptions{GPU: r.GPU, Sandbox: cmp.Or(r.Sandbox, result.SandboxAuto)},
	}
	// The corpus is the trusted side's, as the configuration is: a long one from a pull request could use up parity's time.
	opt.Parity.Corpus = filepath.Join(cfg.Dir, parity.CorpusFile)
	if err := oneOf("sandbox", opt.Device.Sandbox, result.SandboxModes...); err != nil {
		return none, err
	}
	if opt.Shard, err = r.part(pair.Head.Info.Revision, seed); err != nil {
		return none, err
	}
	if r.LockGPUClocks != "" {
		lock, err := machine.ParseClockLock(r.LockGPUClocks)
		if err != nil {
			return none, result.Usagef("--lock-gpu-clocks: %w", err)
		}
		opt.Device.LockClocks = &lock
	}
	if opt.Stored, err = r.records(ctx, src); err != nil {
		return none, err
	}
	opt.ChangedFiles, opt.ChangesKnown, err = pair.Changed(ctx, src.Dir, dir)
	return opt, err
}

// override applies flags that stand for a key of the configuration, and checks those that name a part of it.
func (r Run) override(cfg *config.Config) error {
	if r.Tolerance != "" {
		if err := cfg.SetTolerance(r.Tolerance); err != nil {
			return result.Usagef("--tolerance: %w", err)
		}
	}
	for _, pattern := range r.Paths {
		if err := config.CheckWatch(pattern); err != nil {
			return result.Usagef("--paths: %w", err)
		}
	}
	if len(r.Paths) > 0 {
		cfg.Watch = r.Paths
	}
	if r.Budget > 0 {
		cfg.Gate.Budget = r.Budget
	}
	if r.Store != "" {
		cfg.Baseline.Store, cfg.Baseline.Named = r.Store, true
	}
	for _, name := range r.Kernels {
		if _, ok := cfg.Kernel(name); !ok {
			var names []string
			for _, k := range cfg.Kernels {
				names = append(names, k.Name)
			}
			return result.Usagef("there is no kernel %q in %s; it has %s", name, cfg.File, strings.Join(names, ", "))
		}
	}
	return nil
}

// oneOf refuses a value that is none of those allowed.
func oneOf[T ~string](flag string, value T, allowed ...T) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return result.Usagef("--%s %q is not one of %s", flag, value, strings.Join(result.Words(allowed), ", "))
}
