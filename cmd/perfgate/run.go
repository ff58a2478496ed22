package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// runFlags are the flags of run.
type runFlags struct {
	config    string
	base      string
	head      string
	baseFlags string
	headFlags string
	kernels   []string
	tolerance string
	budget    time.Duration
	noSkip    bool
	seed      string
	out       string
	format    string
	timings   bool
	trust     string
	watch     []string
	gpu       string
	clocks    string // what to lock the clocks to; "" leaves them as they are
	sandbox   string // auto, on or off; "" means auto
	shard     string // i/n; "" is all of the plan
	profile   string // when to look for reasons: auto, always or never
	limit     time.Duration
	store     string // of records; "" is the configuration's
	inJob     bool   // a step of the GitHub action
}

func newRunCommand(s *streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run the gate: build, check parity, measure base and head, decide",
		Long: `run builds base and head, checks that head is still right, times both in interleaved rounds of fresh processes and
decides.

A side is a folder or a git revision; a name that is both is refused, and ./NAME is the folder. Without --head it is the working
tree with its uncommitted changes, without --base
the merge base with the default branch. The configuration and the adapters are head's, for both sides.

What an earlier run left in --out (result.json, report.md, profiles) is removed first.`,
		Example: `  perfgate run                                   # the working tree against its merge base
  perfgate run --base v1.2 --kernel attention
  perfgate run --base . --head . --head-flags=-DFAST=1   # two builds of one tree`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags().Changed("budget")); err != nil {
				return errors.Join(err, clearOut(f.out))
			}
			return runGate(cmd.Context(), s, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.config, "config", "", "configuration (default perfgate.yaml in the current folder, or in --head)")
	flags.StringVar(&f.base, "base", "", "folder or revision to compare with (default the merge base with the default branch)")
	flags.StringVar(&f.head, "head", "", "folder or revision under test (default the working tree)")
	flags.StringVar(&f.trust, "trust", repo.TrustWorktree, "whose configuration and adapters: worktree (head's) or base")
	flags.StringSliceVar(&f.watch, "watch", nil, "patterns of files that matter: a change that touches none passes at once (default the configuration's)")
	flags.StringVar(&f.baseFlags, "base-flags", "", "compiler flags added to base alone")
	flags.StringVar(&f.headFlags, "head-flags", "", "compiler flags added to head alone")
	flags.StringSliceVar(&f.kernels, "kernel", nil, "kernels to run (default all)")
	flags.StringVar(&f.tolerance, "tolerance", "", "slowdown that passes, such as 2% (default the configuration's)")
	flags.DurationVar(&f.budget, "budget", 0, "wall time of all rounds, such as 90s (default the configuration's)")
	flags.BoolVar(&f.noSkip, "no-skip", false, "time the sides even if they built to the same code")
	flags.StringVar(&f.gpu, "gpu", "", "GPU to measure CUDA kernels on: index in PCI order, or UUID (default the first that CUDA sees)")
	flags.StringVar(&f.clocks, "lock-clocks", "", "lock the GPU's SM clock while measuring, to its base clock or to a number of MHz, and unlock it afterwards (needs root)")
	flags.Lookup("lock-clocks").NoOptDefVal = "base"
	flags.StringVar(&f.profile, "profile", result.ProfileAuto, "look for the reasons of a change: auto (where the configuration's thresholds say), always, or never")
	flags.DurationVar(&f.limit, "profile-limit", 4*time.Minute, "wall time of all profiles together")
	sandboxFlag(flags, &f.sandbox)
	flags.StringVar(&f.shard, "shard", "", "measure one part of the cases, such as 2/3; all parts need the same --seed, and perfgate merge makes one verdict of them")
	flags.StringVar(&f.seed, "seed", "", "replay a run's random choices (default a fresh seed; in GitHub Actions a hash of head's commit and the run's id)")
	flags.StringVar(&f.out, "out", "perfgate-out", "folder for result.json and report.md")
	flags.StringVar(&f.format, "format", "text", "what to print: text, markdown or json")
	flags.BoolVar(&f.timings, "timings", false, "print where the time went")
	return cmd
}

// check refuses values that no run can have; budgeted says that there is a --budget.
func (f runFlags) check(budgeted bool) error {
	if budgeted && f.budget <= 0 {
		return usagef("--budget is %s; it must be more than 0", f.budget)
	}
	if !slices.Contains(result.ProfilePolicies, f.profile) {
		return usagef("--profile is %q; it is one of %s", f.profile, strings.Join(result.ProfilePolicies, ", "))
	}
	if f.limit <= 0 {
		return usagef("--profile-limit is %s; it must be more than 0", f.limit)
	}
	return nil
}

// runGate is the command behind run and demo. The results of the run before go first: whatever keeps this one from a verdict,
// nobody takes the old one for it.
func runGate(ctx context.Context, s *streams, f runFlags) error {
	if err := clearOut(f.out); err != nil {
		return err
	}
	if err := checkFormat(f.format); err != nil {
		return err
	}
	seed, err := parseSeed(f.seed)
	if err != nil {
		return err
	}
	scratch, err := newScratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	opt, err := prepare(ctx, f, seed, scratch, bothSides)
	if err != nil {
		return err
	}
	if err := checkOut(f.out); err != nil {
		return err
	}
	opt.BaseNamed = f.base != ""
	opt.Profile = pipeline.Profile{Policy: f.profile, Dir: filepath.Join(f.out, profilesName), Limit: f.limit}
	progress := newProgress(s.err)
	opt.Progress = progress.show
	res, err := pipeline.Run(ctx, opt)
	progress.done()
	if err != nil {
		return interrupted(ctx, err)
	}
	return publish(s, f, res)
}

// interrupted says what happened in the user's words when it was the user who ended the run.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted: nothing was decided")
	}
	return err
}

// needs says which sides a command cannot do without.
type needs bool

const (
	bothSides   needs = true
	parityNeeds needs = false // head; base only where it is named or a repository knows it
)

// prepare turns flags into the options of a run.
func prepare(ctx context.Context, f runFlags, seed uint64, scratch string, need needs) (pipeline.Options, error) {
	if f.trust != repo.TrustWorktree && f.trust != repo.TrustBase {
		return pipeline.Options{}, usagef("--trust %q is not one of %s, %s", f.trust, repo.TrustWorktree, repo.TrustBase)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return pipeline.Options{}, fmt.Errorf("find the current folder: %w", err)
	}
	// Before the sides: a missing configuration is the first thing that a newcomer should hear about.
	if f.head == "" && f.config == "" {
		if err := expectConfig(cwd); err != nil {
			return pipeline.Options{}, err
		}
	}
	pair, err := repo.Resolve(ctx, repo.Request{Dir: cwd, Base: f.base, Head: f.head, Scratch: scratch, HeadAlone: need == parityNeeds})
	if err != nil {
		return pipeline.Options{}, err
	}
	path, err := configPath(cwd, f, pair.Head)
	if err != nil {
		return pipeline.Options{}, err
	}
	trusted, err := repo.LoadTrusted(pair, path, f.trust)
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Options{}, usagef("no configuration at %s: `perfgate init` writes one, --config names another", filepath.Join(pair.Head.Root, path))
	}
	if err != nil {
		return pipeline.Options{}, err
	}
	return options(ctx, f, pair, trusted, cwd, seed, scratch)
}

func options(ctx context.Context, f runFlags, pair repo.Pair, trusted repo.Trusted, cwd string, seed uint64, scratch string) (pipeline.Options, error) {
	cfg := trusted.Config
	if err := override(cfg, f); err != nil {
		return pipeline.Options{}, err
	}
	if drawn, ok := plan.SeedInActions(pair.Head.Info.Revision, os.Getenv); ok && f.seed == "" {
		seed = drawn
	}
	for _, name := range f.kernels {
		if _, ok := cfg.Kernel(name); !ok {
			return pipeline.Options{}, usagef("there is no kernel %q in %s; it has %s", name, cfg.File, kernelNames(cfg))
		}
	}
	cache, err := kernels.CacheDir()
	if err != nil {
		return pipeline.Options{}, err
	}
	opt := pipeline.Options{
		Trusted: trusted, Only: f.kernels, NoSkip: f.noSkip, GPU: f.gpu, Seed: seed, Scratch: scratch, Cache: cache, Version: versionText(),
		Base: pipeline.NewSide(pair.Base, trusted.Dir, kernels.Words(f.baseFlags)), Head: pipeline.NewSide(pair.Head, trusted.Dir, kernels.Words(f.headFlags)),
		Repro: reproLine("run", f, strconv.FormatUint(seed, 10)), ParityCmd: parityLine(f, pair),
		// The corpus is the trusted side's, as the configuration is: a long one from a pull request could use up parity's time.
		Parity: parity.Wishes{Corpus: filepath.Join(cfg.Dir, parity.CorpusFile)},
	}
	if opt.Sandbox, err = sandboxMode(f.sandbox); err != nil {
		return opt, err
	}
	if opt.Shard, err = parseShard(f, pair.Head.Info.Revision, seed); err != nil {
		return opt, err
	}
	if f.clocks != "" {
		lock, err := machine.ParseClockLock(f.clocks)
		if err != nil {
			return pipeline.Options{}, usagef("--lock-clocks: %w", err)
		}
		opt.LockClocks = &lock
	}
	if opt.Stored, err = storeOf(ctx, f, cfg, cwd, pair, trusted.Dir, scratch); err != nil {
		return opt, err
	}
	opt.ChangedFiles, opt.ChangesKnown, err = pair.Changed(ctx, cwd, trusted.Dir)
	return opt, err
}

func expectConfig(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, config.DefaultFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	above, inRepository := configAbove(dir)
	switch {
	case above == "":
		return usagef("no %s in %s: `perfgate init` writes one, --config names another", config.DefaultFile, dir)
	case !inRepository: // the current folder is then the side, and --config has to lie within
		return usagef("no %s in %s: there is one in %s: run there", config.DefaultFile, dir, above)
	}
	return usagef("no %s in %s: there is one in %s: run there, or name it with --config %s", config.DefaultFile, dir, above, filepath.Join(above, config.DefaultFile))
}

// configPath is the configuration's path within head's root: --config counts from the current folder for a working
// tree, from head's root for a folder or a revision.
func configPath(cwd string, f runFlags, head repo.Side) (string, error) {
	path := f.config
	if path == "" {
		path = config.DefaultFile
	}
	from := head.Root
	if f.head == "" {
		from = cwd
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	root, err := filepath.EvalSymlinks(head.Root)
	if err != nil {
		return "", fmt.Errorf("find head's folder: %w", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", usagef("no configuration at %s: its folder is not there", path)
	}
	rel, err := filepath.Rel(root, filepath.Join(dir, filepath.Base(path)))
	if err != nil || !filepath.IsLocal(rel) {
		return "", usagef("the configuration %s is outside head's folder %s: both sides are built by its relative paths, so it must lie within", path, head.Root)
	}
	return rel, nil
}

// override applies flags that stand for a key of the configuration.
func override(cfg *config.Config, f runFlags) error {
	if f.tolerance != "" {
		t, err := config.ParseTolerance(f.tolerance)
		if err != nil {
			return usagef("--tolerance: %w", err)
		}
		cfg.Gate.Tolerance = t
	}
	for _, pattern := range f.watch {
		if err := config.CheckWatch(pattern); err != nil {
			return usagef("--watch: %w", err)
		}
	}
	if len(f.watch) > 0 {
		cfg.Watch = f.watch
	}
	if f.budget > 0 {
		cfg.Gate.Budget = f.budget
	}
	if f.store != "" {
		cfg.Baseline.Store, cfg.Baseline.Named = f.store, true
	}
	return nil
}

func parseSeed(text string) (uint64, error) {
	if text == "" {
		return randomSeed(), nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, usagef("--seed %q is not a whole number from 0 to %d", text, uint64(1<<64-1))
	}
	return seed, nil
}

// newScratch is the private folder of a run: the supervisor's, or one of our own.
func newScratch() (string, error) {
	if dir := child.Scratch(); dir != "" {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "perfgate-")
	if err != nil {
		return "", fmt.Errorf("make a temporary folder (TMPDIR names another place): %w", err)
	}
	return dir, nil
}
