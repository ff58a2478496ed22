package action

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/run"
)

// rules are what a result of foreign code has to be judged by, all of it from the repository and none from the result.
type rules struct {
	change
	in         Inputs
	baseConfig *config.Config // nil: base has none that is valid
	baseError  error          // what is wrong with it; nil: base has none
	headConfig *config.Config // nil: head has none that is valid
	road       road

	// Set when it is known which configuration the result is of.
	config *config.Config
	policy result.Policy
	plan   *plan.Plan
}

// readRules reads both configurations. One of base's that is not valid is repaired by a head whose own is approved. What keeps it from being read at
// all, such as git, says nothing of what it holds: then nothing can rule in its place.
func readRules(ctx context.Context, in Inputs, c change, w road) (r *rules, err error) {
	r = &rules{change: c, in: in, road: w}
	r.baseConfig, r.baseError = configAt(ctx, c, c.base, in)
	var invalid config.Errors
	if r.baseError != nil && (!errors.As(r.baseError, &invalid) || !w.ownRules()) {
		return nil, fmt.Errorf("base's configuration: %w", r.baseError)
	}
	src, ok, err := read(ctx, c, c.head, pathOf(in))
	if err != nil {
		return nil, err
	}
	if ok {
		if r.headConfig, err = parseConfig(in, src); err != nil && r.baseConfig == nil {
			return nil, err
		}
	}
	if r.baseConfig == nil && r.headConfig == nil {
		return nil, result.Usagef("there is no configuration %s in base or head: the input config names another place", in.Config)
	}
	return r, nil
}

// pathOf is where the configuration is within the repository.
func pathOf(in Inputs) string { return filepath.ToSlash(filepath.Clean(in.Config)) }

// configAt reads the configuration of a commit straight from its objects; nil if there is none.
func configAt(ctx context.Context, o objects, commit string, in Inputs) (*config.Config, error) {
	src, ok, err := read(ctx, o, commit, pathOf(in))
	if err != nil || !ok {
		return nil, err
	}
	return parseConfig(in, src)
}

// maxConfig is more than a configuration may have.
const maxConfig = 1 << 20

func parseConfig(in Inputs, src []byte) (*config.Config, error) {
	if len(src) > maxConfig {
		return nil, result.Usagef("the configuration %s has %d bytes, and at most %d are read", in.Config, len(src), maxConfig)
	}
	cfg, err := config.Parse(in.Config, src)
	if err != nil {
		return nil, err
	}
	if in.Tolerance != "" {
		err = cfg.SetTolerance(in.Tolerance)
	}
	return cfg, err
}

// choose finds out which configuration a result is of, and whether that one may rule.
func (r *rules) choose(parts []part) error {
	res := parts[0].result
	own := res.Config.Trust != repo.TrustBase // says the result
	switch {
	case r.baseConfig == nil:
		r.config = r.headConfig // the first pull request that has one
	case !own:
		r.config = r.baseConfig
	case !r.road.ownRules():
		return errors.New("it was made with head's configuration and adapters in the place of base's, and that is not approved")
	default:
		if r.config = r.headConfig; r.config == nil {
			return errors.New("head's configuration is not valid")
		}
	}
	if res.Config.SHA256 != r.config.SHA256 {
		return fmt.Errorf("it was made with another configuration than %s's", sideOf(r.config == r.baseConfig))
	}
	for _, p := range parts {
		if err := r.approves(p.result, own); err != nil {
			return err
		}
	}
	var err error
	if r.plan, err = plan.New(r.config, r.in.Kernels); err != nil {
		return result.Usagef("input kernel: %v", err)
	}
	if len(r.in.Cases) > 0 {
		if r.plan, err = r.plan.Cases(r.in.Cases, nil); err != nil {
			return result.Usagef("input case: %v", err)
		}
	}
	r.policy = run.Policy(r.config, r.plan, r.found(parts), false).On(time.Now()) // the day that a result states is head's word
	return nil
}

// approves refuses a result that takes for approved what is not, or that is silent on an epoch that head changes: whoever measured profits from either.
func (r *rules) approves(res *result.Result, own bool) error {
	isApproved := func(u result.Uncompared) bool { return u.Approved }
	if !own && slices.ContainsFunc(res.Uncompared, isApproved) {
		return errors.New("it says that what was not compared is approved, and it is not")
	}
	for _, k := range res.Kernels {
		if !own && slices.ContainsFunc(k.Uncompared, isApproved) {
			return fmt.Errorf("it says of kernel %.80q that what was not compared is approved, and it is not", k.Name)
		}
		if k.Status == result.KernelFailed || k.Status == result.KernelError || r.baseConfig == nil || r.headConfig == nil {
			continue
		}
		before, has := r.baseConfig.Kernel(k.Name)
		after, still := r.headConfig.Kernel(k.Name)
		said := slices.ContainsFunc(k.Uncompared, func(u result.Uncompared) bool { return u.Reason.Kind == result.ReasonEpoch })
		if has && still && before.Epoch != after.Epoch && !said {
			return fmt.Errorf("head changes the epoch of kernel %.80q, and it does not say so", k.Name)
		}
	}
	return nil
}

// found is how many cases of benchmarks were to be timed: as many as the results say, since only the programs know, at least those
// that they have and at most as many as could be. More cases than there are make bounds wider and no verdict greener.
func (r *rules) found(parts []part) int {
	benchmarks, timed := false, map[string]bool{}
	for _, k := range r.plan.Kernels {
		if !k.Kernel.IsSelfTimed() {
			continue
		}
		benchmarks = true
		for _, p := range parts {
			for _, c := range p.result.Cases {
				if c.Kernel == k.Kernel.Name && len(c.For(result.PurposeRounds)) > 0 {
					timed[c.Name] = true
				}
			}
		}
	}
	if !benchmarks {
		return 0
	}
	said := parts[0].result.Policy.Cases - r.plan.K
	return max(len(timed), min(said, config.MaxCases-r.plan.K))
}

func sideOf(base bool) string {
	if base {
		return "base"
	}
	return "head"
}

// relativeTo are files as the patterns of paths count them: from the folder of the configuration.
func relativeTo(folder string, files []string) []string {
	var out []string
	for _, file := range files {
		if rel, err := filepath.Rel(filepath.FromSlash(folder), filepath.FromSlash(file)); err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// matches says whether patterns of a configuration in a folder have a file of the repository.
func matches(folder string, patterns []string, file string) bool {
	return slices.ContainsFunc(relativeTo(folder, []string{file}), func(own string) bool { return config.MatchesAny(patterns, own) })
}

// changed lists what head changes of the policy: the configuration, adapters, the harness's header, workflows.
func (r *rules) changed() []result.RuleChange {
	var out []result.RuleChange
	file := path.Base(r.in.Config)
	switch {
	case r.baseError != nil:
		out = append(out, result.RuleChange{Kind: result.RuleConfigRepaired, File: file})
	case r.headConfig == nil:
		out = append(out, result.RuleChange{Kind: result.RuleConfigUnusable, File: file})
	case r.baseConfig == nil:
		out = append(out, result.RuleChange{Kind: result.RuleConfigAdded, File: file})
	default:
		out = repo.KeyChanges(r.baseConfig, r.headConfig)
	}
	var adapters, benchmarks []string
	for _, cfg := range []*config.Config{r.baseConfig, r.headConfig} {
		if cfg == nil {
			continue
		}
		for _, k := range cfg.Kernels {
			for _, adapter := range k.Adapters() {
				adapters = append(adapters, path.Join(path.Dir(pathOf(r.in)), adapter))
			}
			benchmarks = append(benchmarks, k.Files...)
		}
	}
	for _, file := range r.files {
		switch {
		case matches(path.Dir(pathOf(r.in)), benchmarks, file):
			out = append(out, result.RuleChange{Kind: result.RuleBenchmark, File: file})
		case slices.Contains(adapters, file):
			out = append(out, result.RuleChange{Kind: result.RuleAdapter, File: file})
		case strings.HasPrefix(file, ".github/"):
			out = append(out, result.RuleChange{Kind: result.RuleWorkflow, File: file})
		case path.Base(file) == "perfgate.h":
			out = append(out, result.RuleChange{Kind: result.RuleHeader, File: file})
		}
	}
	return out
}
