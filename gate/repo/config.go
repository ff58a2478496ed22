package repo

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/untrusted"
	"github.com/org/perfgate/kernels/task"
)

// Whose configuration and adapters a run uses.
const (
	TrustWorktree = "worktree" // head's, but for what base is built from: a desk
	TrustBase     = "base"     // base's: head may not set its own thresholds
)

// Trusted is the configuration that a run uses.
type Trusted struct {
	Config  *config.Config
	Dir     string              // path of the configuration's folder within a side
	Base    *config.Config      // base's own, nil where it has no valid one
	Head    *config.Config      // head's own, likewise
	Trust   string              // whose it is in the end
	Changed []result.RuleChange // what head changes in configuration and adapters
	// NoBaseConfig says that base was to be trusted and has no configuration, so that head's is used.
	NoBaseConfig bool
}

// AsksBase says whether base's policy was asked for: what its configuration does not say, since there is none yet, holds all the same.
func (t Trusted) AsksBase() bool { return t.Trust == TrustBase || t.NoBaseConfig }

// ChangesAdapter says whether head changes an adapter, by its path in the configuration.
func (t Trusted) ChangesAdapter(path string) bool {
	return slices.Contains(t.Changed, result.RuleChange{Kind: result.RuleAdapter, File: path})
}

// LoadTrusted reads the configuration at path, relative to the sides' roots, from the side that trust names, and lists
// what head changes in it and in the adapters.
func LoadTrusted(p Pair, path, trust string) (Trusted, error) {
	t := Trusted{Dir: filepath.Dir(path), Trust: trust}
	var headErr, baseErr error
	t.Head, headErr = config.LoadIn(p.Head.Root, path)
	if baseErr = fs.ErrNotExist; p.Base.Root != "" {
		t.Base, baseErr = config.LoadIn(p.Base.Root, path)
	}
	if err := checkPatterns(p, t.Dir, t.Head, t.Base); err != nil {
		return t, err
	}
	switch {
	case trust == TrustBase && baseErr == nil:
		t.Config = t.Base
	case trust == TrustBase && !errors.Is(baseErr, fs.ErrNotExist):
		return t, baseErr
	case headErr != nil:
		return t, headErr
	default:
		t.Config = t.Head
		if trust == TrustBase {
			t.Trust, t.NoBaseConfig = TrustWorktree, true
		}
	}
	if baseErr == nil {
		t.Changed = changes(p, t.Dir, t.Base, t.Head, headErr)
	}
	return t, t.Config.CheckFiles(t.Config.Dir)
}

// checkPatterns reports patterns that match nothing on either side, as head has them: one that base's configuration has and head's drops is fixed.
// Where both sides are one revision, nothing that is compared hangs on it.
func checkPatterns(p Pair, dir string, head, base *config.Config) error {
	one := p.Base.Info.Revision != "" && p.Base.Info.Revision == p.Head.Info.Revision && p.Head.Info.Kind == result.KindRevision
	c := cmp.Or(head, base)
	if c == nil || p.Base.Root == "" || one {
		return nil
	}
	return c.CheckPatterns(filepath.Join(p.Base.Root, dir), filepath.Join(p.Head.Root, dir))
}

// changes lists what head changes in the policy.
func changes(p Pair, dir string, base, head *config.Config, headErr error) []result.RuleChange {
	var list []result.RuleChange
	file := filepath.Base(base.File)
	switch {
	case errors.Is(headErr, fs.ErrNotExist):
		list = append(list, result.RuleChange{Kind: result.RuleConfigRemoved, File: file})
	case headErr != nil:
		list = append(list, result.RuleChange{Kind: result.RuleConfigInvalid, File: file})
	default:
		list = KeyChanges(base, head)
	}
	kernels := base.Kernels
	if head != nil {
		kernels = slices.Concat(kernels, head.Kernels)
	}
	list = append(list, changedAdapters(p, dir, kernels)...)
	return append(list, changedBenchmarks(p, dir, kernels)...)
}

// KeyChanges are the keys of the configuration that head changes.
func KeyChanges(base, head *config.Config) []result.RuleChange {
	var list []result.RuleChange
	for _, change := range config.Diff(base, head) {
		list = append(list, result.RuleChange{Kind: result.RuleKey, Detail: change})
	}
	return list
}

func changedAdapters(p Pair, dir string, kernels []config.Kernel) (list []result.RuleChange) {
	seen := map[string]bool{}
	for _, k := range kernels {
		for _, adapter := range k.Adapters() {
			if !seen[adapter] && !slices.Equal(adapterText(p.Base.Root, dir, adapter), adapterText(p.Head.Root, dir, adapter)) {
				list = append(list, result.RuleChange{Kind: result.RuleAdapter, File: adapter})
			}
			seen[adapter] = true
		}
	}
	return list
}

// mostAdapter bounds what is read of an adapter: head's may be a link to something endless.
const mostAdapter = 16 << 20

// adapterText is what an adapter is made of: its file; of a problem of a task format all files of the problem; nothing where it is not there.
func adapterText(root, dir, adapter string) []string {
	text, err := untrusted.ReadIn(root, filepath.Join(dir, adapter), mostAdapter)
	if err != nil {
		return nil
	}
	texts := []string{string(text)}
	if !config.IsTask(adapter) {
		return texts
	}
	t, err := task.Read(task.Within(root, dir), adapter)
	if err != nil {
		return append(texts, "cannot be read") // which its build says
	}
	for _, m := range t.Modules {
		texts = append(texts, m.Path, m.Text)
	}
	return texts
}

// changedBenchmarks are the files of benchmarks that head changes. A folder that cannot be read is not the same.
func changedBenchmarks(p Pair, dir string, kernels []config.Kernel) (list []result.RuleChange) {
	var patterns []string
	for _, k := range kernels {
		patterns = append(patterns, k.Files...)
	}
	files, _, err := Differing(filepath.Join(p.Base.Root, dir), filepath.Join(p.Head.Root, dir), patterns)
	if err != nil {
		return []result.RuleChange{{Kind: result.RuleBenchmark, File: "*"}}
	}
	for _, file := range files {
		list = append(list, result.RuleChange{Kind: result.RuleBenchmark, File: file})
	}
	return list
}
