package search

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/kernels"
)

// VersusOf is what a user calls A and B: adapters by their paths or the names of competitors; B also one that is built in, with other flags, or as it
// was in a commit, as in HEAD~3:bench/k.pg.cc.
func VersusOf(ctx context.Context, opt run.Options, kernel, a, b, bFlags string) (v run.Versus, err error) {
	k, _ := opt.Trusted.Config.Kernel(kernel)
	v = run.Versus{Kernel: k.Name, A: adapterCalled(k, a), B: config.Competitor{Name: b, Adapter: b}}
	if kernels.IsAgainst(b) {
		return v, nil
	}
	revision, path, ofCommit := strings.Cut(b, ":")
	if !ofCommit {
		path = b
	}
	v.B = adapterCalled(k, path)
	v.B.Name, v.B.Flags = b, append(slices.Clone(v.B.Flags), strings.Fields(bFlags)...)
	if bFlags != "" {
		v.B.Name += " " + bFlags
	}
	if !ofCommit {
		return v, nil
	}
	commit, err := repo.Git{Dir: "."}.Commit(ctx, revision)
	if err != nil {
		return v, result.Usage(err)
	}
	if commit == "" {
		return v, result.Usagef("%s: there is no revision %q here", b, revision)
	}
	v.BFrom, err = request.Sources{Dir: ".", Scratch: opt.Scratch, Trusted: opt.Trusted}.CheckOut(ctx, commit)
	return v, err
}

// adapterCalled is what a user calls by the name of a competitor or by the path of an adapter.
func adapterCalled(k config.Kernel, name string) config.Competitor {
	for _, r := range k.Competitors {
		if r.Name == name {
			return r
		}
	}
	path := filepath.ToSlash(filepath.Clean(name))
	if path == k.Adapter {
		return config.Competitor{Name: name, Adapter: path, Sources: k.Sources, Flags: k.Flags, Python: k.Python}
	}
	if config.IsPython(path) {
		return config.Competitor{Name: name, Adapter: path}
	}
	return config.Competitor{Name: name, Adapter: path, Flags: k.Flags}
}
