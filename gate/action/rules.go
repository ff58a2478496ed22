package action

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/pipeline"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// rules are what a result of foreign code has to be judged by, all of it from the repository and none from the result.
type rules struct {
	head, base string           // commits
	baseConfig *config.Config   // nil: base has none
	headConfig *config.Config   // nil: head has none that is valid
	vouched    *github.Approval // nil: nobody vouches for head
	files      []string         // that head changes, within the repository
	allFiles   bool             // there are no others
	kernels    []string         // the input kernel; empty: all
	path       string           // of the configuration within the repository
	// inBase says whether base has a file; an error if that cannot be known.
	inBase func(file string) (bool, error)

	// Set when it is known which configuration the result is of.
	config *config.Config
	policy result.Policy
	plan   *plan.Plan
	proven []string // kernels that the repository shows to be new
}

// judged is a result as the rules see it.
type judged struct {
	result   *result.Result  // with our conclusion
	unproven []gate.Unproven // what only the measuring job can know
}

// parseRules reads both configurations. A nil source stands for a file that is not there.
func parseRules(in Inputs, base, head []byte) (*rules, error) {
	r := &rules{kernels: in.Kernels, path: pathOf(in)}
	var err error
	if base != nil {
		if r.baseConfig, err = parseConfig(in, base); err != nil {
			return nil, fmt.Errorf("base's configuration: %w", err)
		}
	}
	if head != nil {
		if r.headConfig, err = parseConfig(in, head); err != nil && base == nil {
			return nil, err
		}
	}
	if r.baseConfig == nil && r.headConfig == nil {
		return nil, usagef("there is no configuration %s in base or head: the input config names another place", in.Config)
	}
	return r, nil
}

// pathOf is where the configuration is within the repository.
func pathOf(in Inputs) string { return filepath.ToSlash(filepath.Clean(in.Config)) }

func parseConfig(in Inputs, src []byte) (*config.Config, error) {
	if len(src) > maxConfig {
		return nil, errors.New("the configuration is too large")
	}
	cfg, err := config.Parse(in.Config, src)
	if err != nil {
		return nil, err
	}
	if in.Tolerance != "" {
		cfg.Gate.Tolerance, err = config.ParseTolerance(in.Tolerance)
	}
	return cfg, err
}

// judge decides the results of one measurement again: under the configuration that may rule, over the cases that it plans.
// The error says what of them cannot be believed.
func (r *rules) judge(in []handed, shards, machines int) (judged, error) {
	for _, one := range in {
		if err := r.about(one.Result); err != nil {
			return judged{}, err
		}
	}
	if err := r.choose(in[0].Result); err != nil {
		return judged{}, err
	}
	out, err := r.again(in, shards, machines)
	if err != nil {
		return out, err
	}
	res := out.result
	if err := r.complete(res, in); err != nil {
		return out, err
	}
	if err := r.reallyNew(res); err != nil {
		return out, err
	}
	out.unproven = r.unsupported(out.unproven)
	res.Config.File, res.Config.Changed = filepath.Base(r.config.File), r.changed()
	res.Cost = result.NewCost(r.config.Cost.GPUHour, res.Timings)
	return out, nil
}

// about says whether a result is of the commits of the event, as they are.
func (r *rules) about(res *result.Result) error {
	switch {
	case res.Head.Revision != r.head:
		return fmt.Errorf("it is about head %.12q, the event about %.12s", res.Head.Revision, r.head)
	case res.Base.Revision != r.base:
		return fmt.Errorf("it is about base %.12q, the event about %.12s", res.Base.Revision, r.base)
	case res.Base.Dirty || res.Head.Dirty || res.Base.Kind == result.KindWorktree || res.Head.Kind == result.KindWorktree:
		return errors.New("it is about files that were changed after the checkout")
	case len(res.Base.Flags)+len(res.Head.Flags) > 0:
		return errors.New("a side was compiled with flags of its own")
	}
	return nil
}

// choose finds out which configuration a result is of, and whether that one may rule.
func (r *rules) choose(res *result.Result) error {
	own := res.Config.Trust != repo.TrustBase // says the result
	switch {
	case r.baseConfig == nil:
		r.config = r.headConfig // the first pull request that has one
	case !own:
		r.config = r.baseConfig
	case r.vouched == nil:
		return errors.New("it was made with head's configuration and adapters in the place of base's, and nobody has approved that")
	default:
		if r.config = r.headConfig; r.config == nil {
			return errors.New("head's configuration is not valid")
		}
	}
	if res.Config.SHA256 != r.config.SHA256 {
		return fmt.Errorf("it was made with another configuration than %s's", whoseOf(r.config == r.baseConfig))
	}
	var err error
	if r.plan, err = plan.New(r.config, r.kernels); err != nil {
		return usagef("input kernel: %v", err)
	}
	r.policy = pipeline.Policy(r.config, r.plan.K)
	return nil
}

func whoseOf(base bool) string {
	if base {
		return "base"
	}
	return "head"
}

// again decides from the samples.
func (r *rules) again(in []handed, shards, machines int) (judged, error) {
	for _, one := range in {
		if of := partsOf(one.Result); of != max(shards, 1) || (one.Result.Shard != nil) != (shards > 0) {
			return judged{}, fmt.Errorf("%s is one of %d parts of its plan, and %d are expected", one.Name, of, max(shards, 1))
		}
	}
	if shards == 0 && machines == 0 {
		res := in[0].Result
		if len(res.Merged) > 0 {
			return judged{}, errors.New("it is merged of several, and one is expected")
		}
		j := gate.Redecide(res, r.policy)
		res.Conclusion = j.Conclusion
		return judged{res, j.Unproven}, j.Err()
	}
	var parts []gate.MergeInput
	var unproven []gate.Unproven
	for _, one := range in {
		parts = append(parts, one.MergeInput)
		for _, u := range gate.Redecide(one.Result, r.policy).Unproven {
			if !slices.Contains(unproven, u) {
				unproven = append(unproven, u)
			}
		}
	}
	merged, err := gate.Merge(parts, gate.MergeOptions{Policy: &r.policy, Machines: max(machines, 1)})
	return judged{merged, unproven}, err
}

func partsOf(res *result.Result) int {
	if res.Shard == nil {
		return 1
	}
	return res.Shard.Of
}

// complete holds results against what there was to do, on each machine. Who leaves out a case that regressed has left out a case.
func (r *rules) complete(res *result.Result, in []handed) error {
	if len(res.Kernels)+len(res.Cases) == 0 {
		return r.idle()
	}
	var missing, seen []string
	for _, one := range in {
		if slices.Contains(seen, one.machine) {
			continue
		}
		seen = append(seen, one.machine)
		lacks, err := r.lacking(in, one.machine)
		if err != nil {
			return err
		}
		missing = append(missing, lacks...)
	}
	if len(missing) == 0 {
		return nil
	}
	res.Conclusion = gate.Add(res.Conclusion, result.Finding{
		Kind: result.FindingMissing, Detail: fmt.Sprintf("what was planned is not in the result: %s", listed(missing)),
	})
	return nil
}

// lacking lists what of the plan no result of a machine has.
func (r *rules) lacking(in []handed, machine string) ([]string, error) {
	timed, built := map[string]bool{}, map[string]bool{}
	for _, one := range in {
		if one.machine != machine {
			continue
		}
		for _, c := range one.Result.Cases {
			timed[c.Name] = true
		}
		for _, k := range one.Result.Kernels {
			built[k.Name] = true
			if err := r.parity(k); err != nil {
				return nil, err
			}
		}
	}
	on := ""
	if machine != "" {
		on = " on " + machine
	}
	var missing []string
	for _, k := range r.plan.Kernels {
		if !built[k.Kernel.Name] {
			missing = append(missing, "kernel "+k.Kernel.Name+on)
			continue
		}
		for _, c := range k.Measured {
			if !timed[c.Name()] {
				missing = append(missing, c.Name()+on)
			}
		}
	}
	return missing, nil
}

// parity refuses one that has checked nothing where the configuration asks for it.
func (r *rules) parity(k result.Kernel) error {
	i := slices.IndexFunc(r.plan.Kernels, func(p plan.KernelPlan) bool { return p.Kernel.Name == k.Name })
	switch {
	case i < 0 || r.plan.Kernels[i].Kernel.Parity.Off:
		return nil
	case k.Parity.Status == result.ParityOff:
		return fmt.Errorf("it says that parity is off for kernel %s, and the configuration does not", k.Name)
	case k.Parity.Status == result.ParityPassed && k.Parity.Run == 0:
		return fmt.Errorf("it says that kernel %s passed parity, and not one case of it was checked", k.Name)
	}
	return nil
}

// listed names the first few.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// idle holds a result that says that there was nothing to do against the files that the change touches.
func (r *rules) idle() error {
	if touched := plan.Watched(r.config, beside(r.path, r.files)); len(touched) > 0 {
		return fmt.Errorf("it says that there was nothing to do, and head changes %s", listed(touched))
	}
	if !r.allFiles {
		return errors.New("it says that there was nothing to do, and head changes more files than GitHub lists")
	}
	return nil
}

// beside are files as the patterns of watch count them: from the folder of the configuration.
func beside(configuration string, files []string) []string {
	var out []string
	for _, file := range files {
		if rel, err := filepath.Rel(filepath.FromSlash(path.Dir(configuration)), filepath.FromSlash(file)); err == nil {
			out = append(out, filepath.ToSlash(rel))
		}
	}
	return out
}

// changed lists what head changes in what rules over it: the configuration, adapters, the harness's header, workflows.
func (r *rules) changed() []result.RuleChange {
	var out []result.RuleChange
	file := path.Base(r.path)
	switch {
	case r.baseConfig == nil:
		out = append(out, result.RuleChange{Kind: result.RuleConfigAdded, File: file})
	case r.headConfig == nil:
		out = append(out, result.RuleChange{Kind: result.RuleConfigUnusable, File: file})
	default:
		out = repo.KeyChanges(r.baseConfig, r.headConfig)
	}
	var adapters []string
	for _, cfg := range []*config.Config{r.baseConfig, r.headConfig} {
		if cfg == nil {
			continue
		}
		for _, k := range cfg.Kernels {
			adapters = append(adapters, path.Join(path.Dir(r.path), k.Adapter))
		}
	}
	for _, file := range r.files {
		switch {
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

// rulesAt reads the rules of a base and of head; configuration returns a commit's, false if it has none.
func (r *reporter) rulesAt(base string, configuration func(commit string) ([]byte, bool, error)) (*rules, error) {
	var sources [2][]byte
	for i, commit := range []string{base, r.target.Head} {
		src, ok, err := configuration(commit)
		if err != nil {
			return nil, err
		}
		if ok {
			sources[i] = src
		}
	}
	return parseRules(r.in, sources[0], sources[1])
}

// rulesHere are the rules of a job that has a checkout, whoever vouches for head.
func (r *reporter) rulesHere(ctx context.Context) (*rules, error) {
	g := gitIn(r.Dir)
	rules, err := r.rulesAt(r.target.Base, func(commit string) ([]byte, bool, error) { return g.file(ctx, commit, pathOf(r.in)) })
	if err != nil {
		return nil, err
	}
	if rules.files, err = g.Changed(ctx, r.target.Base, r.target.Head); err != nil {
		return nil, err
	}
	rules.head, rules.base, rules.allFiles = r.target.Head, r.target.Base, true
	rules.inBase = func(file string) (bool, error) { return has(ctx, g, r.target.Base, file) }
	return rules, nil
}
