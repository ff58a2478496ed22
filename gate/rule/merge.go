package rule

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// MergeInput is a result and where it came from, for messages.
type MergeInput struct {
	Name   string
	Result *result.Result
}

// MergeOptions say what is expected.
type MergeOptions struct {
	// Machines is how many different machines measured the whole plan each; 0 means 1.
	Machines int
	// Policy is that of the trusted configuration; nil takes the word of the results, which all have to give the same.
	Policy *result.Policy
}

// MaxInputs is the most results that are merged.
const MaxInputs = 1024

// mergePart is an input, decided again.
type mergePart struct {
	MergeInput
	index, of int
	machine   string // a name of it that no other machine of the merge has
	replayed  *Replayed
}

// piece is the piece of the plan that a part is.
func (p mergePart) piece() string {
	if p.of == 1 {
		return "the whole plan"
	}
	return fmt.Sprintf("shard %d/%d", p.index, p.of)
}

// label names a part in a report.
func (p mergePart) label() string {
	if p.of == 1 {
		return "the run on " + p.machine
	}
	return p.piece()
}

func machineName(r *result.Result) string {
	return cmp.Or(r.Machine.Model, r.Machine.Key, "an unknown machine")
}

// nameMachines names the machines of parts by their models, and those of one model by their keys too: they may differ in their cores.
func nameMachines(parts []mergePart) {
	for i, p := range parts {
		parts[i].machine = machineName(p.Result)
		if slices.ContainsFunc(parts, func(q mergePart) bool {
			return machineName(q.Result) == machineName(p.Result) && q.Result.Machine.Key != p.Result.Machine.Key
		}) {
			parts[i].machine += " (" + p.Result.Machine.Key + ")"
		}
	}
}

// Merge makes one result with one conclusion of several: of the parts of a plan that several runners measured (`perfgate run
// --shard i/n`), of the same plan measured on several machines, or both.
//
// The results come from jobs that ran foreign code. Each is decided again from its samples first, and what does not fit
// together is refused, not repaired: the error names inputs that are of different measurements, contradict themselves or
// overlap, and then there is no verdict. A part that is missing is in the conclusion and is never green.
func Merge(inputs []MergeInput, opt MergeOptions) (*result.Result, error) {
	if len(inputs) == 0 {
		return nil, errors.New("there is no result to merge")
	}
	if len(inputs) > MaxInputs {
		return nil, fmt.Errorf("%d results, at most %d are merged", len(inputs), MaxInputs)
	}
	parts := make([]mergePart, len(inputs))
	for i, in := range inputs {
		if err := fits(inputs[0], in); err != nil {
			return nil, err
		}
		p, err := replayedPart(in, opt.Policy)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		parts[i] = p
	}
	slices.SortStableFunc(parts, func(a, b mergePart) int {
		return cmp.Or(strings.Compare(a.Result.Machine.Key, b.Result.Machine.Key), a.index-b.index, strings.Compare(a.Name, b.Name))
	})
	if err := noOverlap(parts); err != nil {
		return nil, err
	}
	nameMachines(parts)
	on := max(1, opt.Machines)
	missing, err := absent(parts, on)
	if err != nil {
		return nil, err
	}
	return together(parts, on, missing), nil
}

// replayedPart decides an input again, by the trusted policy if there is one.
func replayedPart(in MergeInput, trusted *result.Policy) (mergePart, error) {
	r := in.Result
	p := mergePart{MergeInput: in, index: 1, of: 1}
	switch {
	case r.Kind != result.KindGate:
		return p, fmt.Errorf("it is a result of perfgate %s: only runs of the gate are merged", r.Kind)
	case len(r.Merged) > 0:
		return p, errors.New("it is merged already")
	}
	if s := r.Shard; s != nil {
		if s.Of < 1 || s.Index < 1 || s.Index > s.Of || s.Of > MaxInputs {
			return p, fmt.Errorf("there is no shard %d/%d", s.Index, s.Of)
		}
		p.index, p.of = s.Index, s.Of
	}
	if trusted == nil {
		trusted = &r.Policy
	}
	p.replayed = Replay(r, *trusted)
	p.Result = p.replayed.Take(*r)
	return p, p.replayed.Err()
}

// fits refuses results of different measurements: what they share is compared with the first.
func fits(first, other MergeInput) error {
	a, b := first.Result, other.Result
	for _, field := range []struct{ name, a, b string }{
		{"the configuration", a.Config.SHA256, b.Config.SHA256},
		{"whose configuration counts", a.Config.Trust, b.Config.Trust},
		{"base", versionName(a.Base), versionName(b.Base)},
		{"head", versionName(a.Head), versionName(b.Head)},
		{"the version of perfgate", a.Tool.Version, b.Tool.Version},
		{"the seed of the run", planSeed(a), planSeed(b)},
		{"the policy", policyText(a.Policy), policyText(b.Policy)},
		{"the number of shards", fmt.Sprint(shards(a)), fmt.Sprint(shards(b))},
	} {
		if field.a != field.b {
			return fmt.Errorf("%s and %s do not belong together: %s is %.80q in one and %.80q in the other", first.Name, other.Name, field.name, field.a, field.b)
		}
	}
	return nil
}

// policyText is a policy without the day, which may end while shards wait for a machine.
func policyText(p result.Policy) string {
	p.Day = ""
	return fmt.Sprintf("%+v", p)
}

// versionName is what a side is, wherever it was laid out. A folder without a revision is known by its label alone.
func versionName(v result.Version) string {
	what := cmp.Or(v.Revision, string(v.Kind)+" "+v.Label)
	if v.Dirty {
		what += " with uncommitted changes"
	}
	return strings.TrimSpace(what + " " + strings.Join(v.Flags, " "))
}

// planSeed is the seed of the whole plan; that of a part is derived from it.
func planSeed(r *result.Result) string {
	if r.Shard != nil {
		return r.Shard.Seed
	}
	return r.Seed
}

func shards(r *result.Result) int {
	if r.Shard != nil {
		return r.Shard.Of
	}
	return 1
}

// noOverlap refuses a part that is there twice, and a case that two parts have on one machine. Machines are told apart by their
// kind, so two of one model that measured the same part cannot be.
func noOverlap(parts []mergePart) error {
	type content struct {
		machine, name string
		index         int // of a part; 0: name is a case's
	}
	seen := map[content]string{} // who has it
	for _, p := range parts {
		machine := p.Result.Machine.Key
		whole := content{machine: machine, index: p.index}
		if other, twice := seen[whole]; twice {
			return fmt.Errorf("%s and %s overlap: both have %s, measured on one model of machine, %.80q (%.80q): machines of one model cannot be told apart. "+
				"Give each result once; machines that measure the whole plan each have to be of different models, and those of one model can share its cases (--shards)",
				other, p.Name, p.piece(), machineName(p.Result), machine)
		}
		seen[whole] = p.Name
		for _, c := range p.Result.Cases {
			one := content{machine: machine, name: c.Name}
			if other, twice := seen[one]; twice {
				return fmt.Errorf("%s and %s overlap: both have case %.80q, measured on %.80q (%.80q)", other, p.Name, c.Name, machineName(p.Result), machine)
			}
			seen[one] = p.Name
		}
	}
	return nil
}

// absent lists what should be there and is not: each shard once for every machine. More than that belongs to no plan.
func absent(parts []mergePart, machines int) ([]string, error) {
	of := parts[0].of
	count := map[int]int{}
	for _, p := range parts {
		count[p.index]++
		if count[p.index] > machines {
			return nil, fmt.Errorf("%s is there %d times, from different machines, and %d is expected (--machine-count says how many measured the whole plan)", p.label(), count[p.index], machines)
		}
	}
	var out []string
	for i := 1; i <= of; i++ {
		if lack := machines - count[i]; lack > 0 {
			out = append(out, missingPart(i, of, lack, machines))
		}
	}
	return out, nil
}

func missingPart(index, of, lack, machines int) string {
	what := fmt.Sprintf("shard %d/%d", index, of)
	if of == 1 {
		what = "a run"
	}
	if machines == 1 {
		return what + " is missing: its job left no result"
	}
	return fmt.Sprintf("%s is missing from %d of %d machines: a job left no result", what, lack, machines)
}
