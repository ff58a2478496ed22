package shard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/gate/result"
)

// Input is a result and where it came from, for messages.
type Input struct {
	Name   string
	Result *result.Result
}

// Options say what is expected.
type Options struct {
	// Machines is how many different machines measured the whole plan each; 0 means 1.
	Machines int
	// Policy is that of the trusted configuration; nil takes the word of the results, which all have to give the same.
	Policy *result.Policy
}

// MaxInputs is the most results that are merged.
const MaxInputs = 1024

// part is an input on its way.
type part struct {
	Input
	index, of int
	judged    judge.Judgement
}

// label names a part for people.
func (p part) label() string {
	if p.of == 1 {
		return "the run on " + machineName(p.Result)
	}
	return fmt.Sprintf("shard %d/%d", p.index, p.of)
}

func machineName(r *result.Result) string {
	return cmp.Or(r.Machine.Model, r.Machine.Key, "an unknown machine")
}

// Merge checks that the inputs are parts of one measurement and makes one result with one conclusion of them. Missing parts
// are in the conclusion. The error names inputs that do not belong together, contradict themselves or overlap: then there is
// no verdict.
func Merge(inputs []Input, opt Options) (*result.Result, error) {
	if len(inputs) == 0 {
		return nil, fmt.Errorf("there is no result to merge")
	}
	if len(inputs) > MaxInputs {
		return nil, fmt.Errorf("%d results, at most %d are merged", len(inputs), MaxInputs)
	}
	parts := make([]part, len(inputs))
	for i, in := range inputs {
		if err := fits(inputs[0], in); err != nil {
			return nil, err
		}
		p, err := open(in, opt.Policy)
		if err != nil {
			return nil, err
		}
		parts[i] = p
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.Result.Machine.Key, b.Result.Machine.Key), a.index-b.index, strings.Compare(a.Name, b.Name))
	})
	if err := noOverlap(parts); err != nil {
		return nil, err
	}
	missing, err := absent(parts, max(1, opt.Machines))
	if err != nil {
		return nil, err
	}
	return together(parts, missing), nil
}

// open decides an input again.
func open(in Input, trusted *result.Policy) (part, error) {
	r := in.Result
	p := part{Input: in, index: 1, of: 1}
	if len(r.Merged) > 0 {
		return p, fmt.Errorf("%s: it is merged already", in.Name)
	}
	if s := r.Shard; s != nil {
		if s.Of < 1 || s.Index < 1 || s.Index > s.Of || s.Of > MaxInputs {
			return p, fmt.Errorf("%s: there is no shard %d/%d", in.Name, s.Index, s.Of)
		}
		p.index, p.of = s.Index, s.Of
	}
	policy := r.Policy
	if trusted != nil {
		policy = *trusted
	}
	p.judged = judge.Again(r, policy)
	if err := p.judged.Err(); err != nil {
		return p, fmt.Errorf("%s: %w", in.Name, err)
	}
	return p, nil
}

// fits refuses results of different measurements: what they share is compared with the first.
func fits(first, other Input) error {
	a, b := first.Result, other.Result
	for _, field := range []struct{ name, a, b string }{
		{"the configuration", a.Config.SHA256, b.Config.SHA256},
		{"whose configuration counts", a.Config.Trust, b.Config.Trust},
		{"base", sideName(a.Base), sideName(b.Base)},
		{"head", sideName(a.Head), sideName(b.Head)},
		{"the version of perfgate", a.Tool.Version, b.Tool.Version},
		{"the seed of the run", seedOf(a), seedOf(b)},
		{"the policy", fmt.Sprintf("%+v", a.Policy), fmt.Sprintf("%+v", b.Policy)},
		{"the number of shards", fmt.Sprint(shards(a)), fmt.Sprint(shards(b))},
	} {
		if field.a != field.b {
			return fmt.Errorf("%s and %s do not belong together: %s is %.80q in one and %.80q in the other", first.Name, other.Name, field.name, field.a, field.b)
		}
	}
	return nil
}

// sideName is what a side is, wherever it was laid out. A folder without a revision is known by its label alone.
func sideName(s result.Version) string {
	what := s.Revision
	if what == "" {
		what = s.Kind + " " + s.Label
	}
	if s.Dirty {
		what += " with uncommitted changes"
	}
	return strings.TrimSpace(what + " " + strings.Join(s.Flags, " "))
}

func seedOf(r *result.Result) string {
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
func noOverlap(parts []part) error {
	type at struct {
		machine, name string
		index         int // of a part; 0: name is a case's
	}
	seen := map[at]string{}
	note := func(p part, what at) (other string, twice bool) {
		what.machine = p.Result.Machine.Key
		other, twice = seen[what]
		seen[what] = p.Name
		return other, twice
	}
	for _, p := range parts {
		if other, twice := note(p, at{index: p.index}); twice {
			return fmt.Errorf("%s and %s overlap: both have %s, measured on one model of machine, %.80q (%.80q): machines of one model cannot be told apart. "+
				"Give each result once; machines that measure the whole plan each have to be of different models, and those of one model can share its cases (--shards)",
				other, p.Name, p.what(), machineName(p.Result), p.Result.Machine.Key)
		}
		for _, c := range p.Result.Cases {
			if other, twice := note(p, at{name: c.Name}); twice {
				return fmt.Errorf("%s and %s overlap: both have case %.80q, measured on %.80q (%.80q)", other, p.Name, c.Name, machineName(p.Result), p.Result.Machine.Key)
			}
		}
	}
	return nil
}

// what is the part of the plan that a part is.
func (p part) what() string {
	if p.of == 1 {
		return "the whole plan"
	}
	return fmt.Sprintf("shard %d/%d", p.index, p.of)
}

// absent lists what should be there and is not: each shard once for every machine. More than that belongs to no plan.
func absent(parts []part, machines int) ([]string, error) {
	of := parts[0].of
	count := map[int]int{}
	for _, p := range parts {
		count[p.index]++
		if count[p.index] > machines {
			return nil, fmt.Errorf("%s is there %d times, from different machines, and %d is expected (--machines says how many measured the whole plan)", p.label(), count[p.index], machines)
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
