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
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels"
)

// VersusOf is what a user calls A and B: adapters by their paths or the names of competitors; B also one that is built in, with other flags, or as it
// was in a commit, as in HEAD~3:bench/k.pg.cc.
func VersusOf(ctx context.Context, opt run.Options, kernel, a, b, bFlags string) (v run.Versus, err error) {
	k, _ := opt.Trusted.Config.Kernel(kernel)
	v = run.Versus{Kernel: k.Name, A: adapterCalled(k, a), B: config.Competitor{Name: b, Adapter: b}}
	if kernels.IsAgainst(v.A.Adapter) {
		return v, result.Usagef("%s is built in: it can only be B", a)
	}
	if err := hasAdapter(opt.Trusted.Config.Dir, v.A); err != nil || kernels.IsAgainst(b) {
		return v, err
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
		return v, hasAdapter(opt.Trusted.Config.Dir, v.B)
	}
	commit, err := repo.Git{Dir: "."}.Commit(ctx, revision)
	if err != nil {
		return v, result.Usage(err)
	}
	if commit == "" {
		return v, result.Usagef("%s: there is no revision %q here", b, revision)
	}
	v.BFrom, err = request.Sources{Dir: ".", Scratch: opt.Scratch, Trusted: opt.Trusted}.CheckOut(ctx, commit)
	if err != nil {
		return v, err
	}
	return v, hasAdapter(v.BFrom.Tree, v.B)
}

// hasAdapter says of a name that leads to no adapter in a folder that it is one which the user has misspelt.
func hasAdapter(dir string, c config.Competitor) error {
	if kernels.IsAgainst(c.Adapter) {
		return nil
	}
	f, err := untrusted.OpenIn(dir, filepath.FromSlash(c.Adapter), untrusted.NoLimit)
	if err != nil {
		return result.Usagef("%s is no competitor in the configuration, and no adapter there: %w", c.Name, err)
	}
	return f.Close()
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
