package request

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/checkout"
)

// Sources are what a run finds before it builds: where it was asked for, the two sides, and the policy.
type Sources struct {
	Dir     string
	Scratch string // private to the run
	Pair    repo.Pair
	Trusted repo.Trusted
}

// Sources finds both sides and the configuration.
func (r Run) Sources(ctx context.Context, scratch string) (Sources, error) {
	src := Sources{Scratch: scratch}
	if err := oneOf("trust", r.Trust, repo.TrustWorktree, repo.TrustBase); err != nil {
		return src, err
	}
	var err error
	if src.Dir, err = os.Getwd(); err != nil {
		return src, fmt.Errorf("find the current folder: %w", err)
	}
	if err := r.CheckGit(src.Dir); err != nil {
		return src, err
	}
	// Before the sides: a missing configuration is the first thing that a newcomer should hear about.
	if r.Head == "" && r.Config == "" {
		if err := expectConfig(src.Dir); err != nil {
			return src, err
		}
	}
	if src.Pair, err = repo.Resolve(ctx, repo.Request{Dir: src.Dir, Base: r.Base, Head: r.Head, Scratch: scratch, HeadAlone: r.HeadAlone, Named: r.named(src.Dir)}); err != nil {
		return src, err
	}
	path, err := r.configPath(src.Dir, src.Pair.Head)
	if err != nil {
		return src, err
	}
	src.Trusted, err = repo.LoadTrusted(src.Pair, path, r.Trust)
	if errors.Is(err, fs.ErrNotExist) {
		return src, result.Usagef("no configuration at %s: `perfgate init` writes one, --config names another", filepath.Join(src.Pair.Head.Place(), path))
	}
	return src, err
}

// CheckGit is a *checkout.Lead where base's policy rules and git itself may be a change's: it runs before all else, and outside of the sandbox.
func (r Run) CheckGit(cwd string) error {
	if r.Trust != repo.TrustBase {
		return nil
	}
	if lead := checkout.In(checkout.Around(cwd)).Program("git", os.Getenv); lead != nil {
		return lead
	}
	return nil
}

// named reads what the configuration of a working tree names, itself included. One that cannot be read is an error when it is read to be used.
func (r Run) named(cwd string) func(root string) repo.Named {
	return func(root string) repo.Named {
		named := repo.Named{Builds: true}
		file, err := r.configPath(cwd, repo.Side{Root: root})
		if err != nil {
			return named
		}
		named.Paths = []string{file}
		cfg, err := config.LoadIn(root, file)
		if err != nil {
			return named
		}
		named.Builds = cfg.Builds()
		for _, path := range append(cfg.Named(kernels.Words(r.HeadFlags)), parity.CorpusFile) {
			named.Paths = append(named.Paths, filepath.Join(filepath.Dir(file), filepath.FromSlash(path)))
		}
		return named
	}
}
