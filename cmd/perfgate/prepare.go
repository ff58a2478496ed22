package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/machine"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
	"github.com/org/perfgate/kernels/child"
)

// sources are what a run finds before it builds: where the command was given, the two sides, and the rules.
type sources struct {
	cwd     string
	scratch string // private to the run
	pair    repo.Pair
	trusted repo.Trusted
}

// maxSamples bounds what a process is timed for; 0 leaves it to measuring. Only tests and rehearsals set it, whose effects are too large to need more.
var maxSamples int

// options turns flags into those of a run, whose private files are in scratch.
func (f runFlags) options(ctx context.Context, scratch string) (pipeline.Options, error) {
	none := pipeline.Options{}
	seed, err := parseSeed(f.Seed)
	if err != nil {
		return none, err
	}
	if f.Shard != "" {
		turn, of, err := plan.Turn(f.Shard, today())
		if err != nil {
			return none, result.Usagef("--shard: %w", err)
		}
		f.Shard = fmt.Sprintf("%d/%d", turn%of+1, of)
	}
	src, err := f.sources(ctx, scratch)
	if err != nil {
		return none, err
	}
	own := *src.trusted.Config // flags are no change of head's
	cfg, pair, dir := &own, src.pair, src.trusted.Dir
	src.trusted.Config = cfg
	if err := f.override(cfg); err != nil {
		return none, err
	}
	if drawn, ok := plan.SeedInActions(pair.Head.Info.Revision, os.Getenv); ok && f.Seed == "" {
		seed = drawn
	}
	cache, err := kernels.CacheDir()
	if err = cmp.Or(err, kernels.CheckRunnable(cache, "PERFGATE_CACHE"), kernels.CheckRunnable(scratch, "TMPDIR")); err != nil {
		return none, err
	}
	checkout := repo.Toplevel(src.cwd)
	opt := pipeline.Options{
		Trusted: src.trusted, Only: f.Kernels, Cases: f.Cases, NoSkip: f.TimeIdentical, MayDrop: f.InJob, Competitors: f.ManualCompetitors, GPU: f.GPU, Seed: seed,
		Scratch: scratch, Cache: cache, Version: versionText(), MaxSamples: maxSamples,
		Base: pipeline.NewSide(pair.Base, dir, kernels.Words(f.BaseFlags)), Head: pipeline.NewSide(pair.Head, dir, kernels.Words(f.HeadFlags)),
		Sandbox: cmp.Or(f.Sandbox, result.SandboxAuto), Repro: f.line("run", seed), ParityCmd: parityLine(f, pair),
		Checkout: checkout, Desk: filepath.Join(checkout, dir),
		// The corpus is the trusted side's, as the configuration is: a long one from a pull request could use up parity's time.
		Parity: parity.Wishes{Corpus: filepath.Join(cfg.Dir, parity.CorpusFile)},
	}
	if err := oneOf("sandbox", opt.Sandbox, result.SandboxModes...); err != nil {
		return none, err
	}
	if opt.Shard, err = f.part(pair.Head.Info.Revision, seed); err != nil {
		return none, err
	}
	if f.Clocks != "" {
		lock, err := machine.ParseClockLock(f.Clocks)
		if err != nil {
			return none, result.Usagef("--lock-gpu-clocks: %w", err)
		}
		opt.LockClocks = &lock
	}
	if opt.Stored, err = f.records(ctx, src); err != nil {
		return none, err
	}
	opt.ChangedFiles, opt.ChangesKnown, err = pair.Changed(ctx, src.cwd, dir)
	return opt, err
}

// sources finds both sides and the configuration.
func (f runFlags) sources(ctx context.Context, scratch string) (sources, error) {
	src := sources{scratch: scratch}
	if err := oneOf("trust", f.Trust, repo.TrustWorktree, repo.TrustBase); err != nil {
		return src, err
	}
	var err error
	if src.cwd, err = os.Getwd(); err != nil {
		return src, fmt.Errorf("find the current folder: %w", err)
	}
	if err := f.ownGit(src.cwd); err != nil {
		return src, err
	}
	// Before the sides: a missing configuration is the first thing that a newcomer should hear about.
	if f.Head == "" && f.Config == "" {
		if err := expectConfig(src.cwd); err != nil {
			return src, err
		}
	}
	if src.pair, err = repo.Resolve(ctx, repo.Request{Dir: src.cwd, Base: f.Base, Head: f.Head, Scratch: scratch, HeadAlone: f.HeadAlone, Named: f.named(src.cwd)}); err != nil {
		return src, err
	}
	path, err := f.configPath(src.cwd, src.pair.Head)
	if err != nil {
		return src, err
	}
	src.trusted, err = repo.LoadTrusted(src.pair, path, f.Trust)
	if errors.Is(err, fs.ErrNotExist) {
		return src, result.Usagef("no configuration at %s: `perfgate init` writes one, --config names another", filepath.Join(src.pair.Head.Place(), path))
	}
	return src, err
}

// ownGit is a *checkout.Lead where base's policy rules and git itself may be a change's: it runs before all else, and outside of the sandbox.
func (f runFlags) ownGit(cwd string) error {
	if f.Trust != repo.TrustBase {
		return nil
	}
	if lead := checkout.In(repo.Checkout(cwd)).Program("git", os.Getenv); lead != nil {
		return lead
	}
	return nil
}

// named reads what the configuration of a working tree names, itself included. One that cannot be read is an error when it is read to be used.
func (f runFlags) named(cwd string) func(root string) repo.Named {
	return func(root string) repo.Named {
		named := repo.Named{Builds: true}
		file, err := f.configPath(cwd, repo.Side{Root: root})
		if err != nil {
			return named
		}
		named.Paths = []string{file}
		cfg, err := config.LoadIn(root, file)
		if err != nil {
			return named
		}
		named.Builds = cfg.Builds()
		for _, path := range append(cfg.Named(kernels.Words(f.HeadFlags)), parity.CorpusFile) {
			named.Paths = append(named.Paths, filepath.Join(filepath.Dir(file), filepath.FromSlash(path)))
		}
		return named
	}
}

func expectConfig(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, config.DefaultFile)); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if name := misnamed(dir); name != "" {
		return result.Usagef("no %s in %s: there is %s: rename it to %s, or name it with --config %s", config.DefaultFile, dir, name, config.DefaultFile, name)
	}
	above, inRepository := configAbove(dir)
	switch {
	case above == "":
		return result.Usagef("no %s in %s: `perfgate init` writes one, --config names another", config.DefaultFile, dir)
	case !inRepository: // the current folder is then the side, and --config has to lie within
		return result.Usagef("no %s in %s: there is one in %s: run there", config.DefaultFile, dir, above)
	}
	return result.Usagef("no %s in %s: there is one in %s: run there, or name it with --config %s", config.DefaultFile, dir, above, filepath.Join(above, config.DefaultFile))
}

// misnamed is a file of the folder whose name is nearly that of a configuration; "" where there is none.
func misnamed(dir string) string {
	for _, name := range []string{"perfgate.yml", ".perfgate.yaml", ".perfgate.yml"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// configPath is the configuration's path within head's root: --config counts from the current folder for a working
// tree, from head's root for a folder or a revision. Without it, it is that of the folder that the user stands in, also of a revision.
func (f runFlags) configPath(cwd string, head repo.Side) (string, error) {
	path := cmp.Or(f.Config, config.DefaultFile)
	from := head.Place()
	switch {
	case f.Head == "":
		from = cwd
	case f.Config == "" && head.Info.Kind == result.KindRevision:
		from = standsIn(cwd, head.Root)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(from, path)
	}
	root, err := filepath.EvalSymlinks(head.Place())
	if err != nil {
		return "", fmt.Errorf("find head's folder: %w", err)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", result.Usagef("no configuration at %s: its folder is not there", path)
	}
	rel, err := filepath.Rel(root, filepath.Join(dir, filepath.Base(path)))
	if err != nil || !filepath.IsLocal(rel) {
		return "", result.Usagef("the configuration %s is outside head's folder %s: both sides are built by its relative paths, so it must lie within", path, head.Place())
	}
	return rel, nil
}

// standsIn is the folder of a revision that the user stands in, where that has a configuration now or had one then; else its root.
func standsIn(cwd, root string) string {
	cwd, err := checkout.RealPath(cwd)
	if err != nil {
		return root
	}
	below, err := filepath.Rel(repo.Toplevel(cwd), cwd)
	if err != nil {
		return root
	}
	then := filepath.Join(root, below)
	for _, dir := range []string{then, cwd} {
		if _, err := os.Stat(filepath.Join(dir, config.DefaultFile)); err == nil {
			return then
		}
	}
	return root
}

// override applies flags that stand for a key of the configuration, and checks those that name a part of it.
func (f runFlags) override(cfg *config.Config) error {
	if f.Tolerance != "" {
		t, err := config.ParseTolerance(f.Tolerance)
		if err != nil {
			return result.Usagef("--tolerance: %w", err)
		}
		cfg.Gate.Tolerance = t
	}
	for _, pattern := range f.Paths {
		if err := config.CheckWatch(pattern); err != nil {
			return result.Usagef("--paths: %w", err)
		}
	}
	if len(f.Paths) > 0 {
		cfg.Watch = f.Paths
	}
	if f.Budget > 0 {
		cfg.Gate.Budget = f.Budget
	}
	if f.Store != "" {
		cfg.Baseline.Store, cfg.Baseline.Named = f.Store, true
	}
	for _, name := range f.Kernels {
		if _, ok := cfg.Kernel(name); !ok {
			return result.Usagef("there is no kernel %q in %s; it has %s", name, cfg.File, kernelNames(cfg))
		}
	}
	return nil
}

// part reads --shard i/n. Parts that did not have one seed cannot be told from parts of different runs.
func (f runFlags) part(head string, seed uint64) (*plan.Shard, error) {
	if f.Shard == "" {
		return nil, nil
	}
	s, err := plan.ParseShard(f.Shard)
	if err != nil {
		return nil, result.Usagef("--shard: %w", err)
	}
	if _, drawn := plan.SeedInActions(head, os.Getenv); f.Seed == "" && !drawn {
		return nil, result.Usagef("--shard %s needs --seed, the same number for all %d shards: by it perfgate merge knows that they belong together", f.Shard, s.Of)
	}
	s.Seed = seed
	return &s, nil
}

func parseSeed(text string) (uint64, error) {
	if text == "" {
		return randomSeed(), nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, result.Usagef("--seed %q is not a whole number from 0 to %d", text, uint64(1<<64-1))
	}
	return seed, nil
}

// today counts days.
func today() int { return int(time.Now().Unix() / (24 * 60 * 60)) }

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
