package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels/observe"
)

// Bounds of an observation. Beyond them it is incomplete, and an environment is not known.
const (
	MostAsked       = 4000
	MostEnvironment = 8000 // files: PyTorch with Triton asks for some 3,000
)

const maxPart = 1000 // bytes of the name of a part of an environment

// Observation is what the build of a kernel, and one process that launched its measured cases without being timed, asked the file system for.
type Observation struct {
	// Asked are the paths within the side's tree, from its root, by the ways in which they were asked for, such as "opened+looked-up".
	Asked map[string][]string `json:"asked,omitempty"`
	// Incomplete are the kinds of reasons why Asked may lack something: those of package observe and ours; none: it is all.
	Incomplete  []observe.ReasonKind `json:"incomplete,omitempty"`
	Environment *Environment         `json:"-"` // nil: not known; records keep equal ones once
	Reads       string               `json:"-"` // as of Case
	// EnvironmentDigest is that of Environment, "" for none.
	EnvironmentDigest string `json:"environment,omitempty"`
}

// Reasons why an observation may lack something, beyond those of package observe.
const (
	OfCheckout observe.ReasonKind = "checkout"      // it asked for files of the checkout that are not its tree's
	NotText    observe.ReasonKind = "name-not-text" // a path is not valid text
	OfOthers   observe.ReasonKind = "product"       // it asked for what neither its build nor itself has made in the tree
)

var ownKinds = []observe.ReasonKind{OfCheckout, NotText, OfOthers}

// Environment are the files outside of the trees that were asked for: the interpreter, packages, the toolchain, libraries, data.
type Environment struct {
	Parts []EnvironmentPart `json:"parts"` // by name
}

// EnvironmentPart are the files of one package, library or program.
type EnvironmentPart struct {
	Name   string   `json:"name"` // such as numpy, libcublas.so.12, nvcc
	Files  []string `json:"files"`
	Digest string   `json:"digest"` // of what lay at all of Files
}

// Digest is that of the whole environment.
func (e *Environment) Digest() string {
	text, _ := json.Marshal(e) // strings and lists of them always marshal
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// TakeObservations notes what kernels were observed to ask for, in the cases of each.
func (r *Record) TakeObservations(of map[string]Observation) {
	kept := map[string]string{} // names, by kernel: an environment of thousands of files is digested once
	for i := range r.Cases {
		c := &r.Cases[i]
		o, ok := of[c.Kernel]
		if !ok {
			continue
		}
		if kept[c.Kernel] == "" {
			kept[c.Kernel] = r.keepObservation(o)
		}
		c.Observed, c.Reads = kept[c.Kernel], o.Reads
	}
}

// keepObservation adds an observation, and returns the name that cases have for it.
func (r *Record) keepObservation(o Observation) string {
	if r.Observations == nil {
		r.Observations, r.Environments = map[string]Observation{}, map[string]*Environment{}
	}
	if o.EnvironmentDigest = ""; o.Environment != nil {
		o.EnvironmentDigest = o.Environment.Digest()
		r.Environments[o.EnvironmentDigest] = o.Environment
	}
	text, _ := json.Marshal(o)
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:16])
	r.Observations[name] = o
	return name
}

// Observation is what a case was observed to ask for; false where nothing is known of that.
func (r *Record) Observation(c *Case) (Observation, bool) {
	o, ok := r.Observations[c.Observed]
	o.Environment = r.Environments[o.EnvironmentDigest]
	return o, ok
}

// Complete says that Asked has all that was asked for.
func (o Observation) Complete() bool { return len(o.Incomplete) == 0 }

// HasPaths says that Asked lacks no path of the tree that was seen: there were not too many, and all are text.
func (o Observation) HasPaths() bool {
	return !slices.Contains(o.Incomplete, observe.TooMany) && !slices.Contains(o.Incomplete, NotText)
}

// Paths are those within the tree, in order, each with the ways in which it was asked for.
func (o Observation) Paths() []observe.Access {
	var out []observe.Access
	for _, ways := range slices.Sorted(maps.Keys(o.Asked)) {
		var kinds observe.Kinds
		if kinds.UnmarshalText([]byte(ways)) != nil {
			continue // check refuses it
		}
		for _, path := range o.Asked[ways] {
			out = append(out, observe.Access{Path: path, Asked: kinds})
		}
	}
	return out
}

var digestWord = text.Pattern(`^[0-9a-f]{32}$`)

// checkObservations holds what a record says was asked for to what is compared of it.
func (r *Record) checkObservations() error {
	used := map[string]bool{}
	for _, c := range r.Cases {
		if _, ok := r.Observations[c.Observed]; !ok && c.Observed != "" {
			return fmt.Errorf("case %.80q names an observation that is missing", c.Name)
		}
		used[c.Observed] = true
	}
	for name, o := range r.Observations {
		if !used[name] {
			return errors.New("an observation of no case")
		}
		if err := o.check(); err != nil {
			return fmt.Errorf("observation %.40q: %w", name, err)
		}
		if _, ok := r.Environments[o.EnvironmentDigest]; !ok && o.EnvironmentDigest != "" {
			return fmt.Errorf("observation %.40q names an environment that is missing", name)
		}
	}
	for digest, e := range r.Environments {
		if e == nil || e.Digest() != digest {
			return fmt.Errorf("environment %.40q is not what its digest says", digest)
		}
		if err := e.check(); err != nil {
			return err
		}
	}
	return nil
}

func (o Observation) check() error {
	asked := 0
	for ways, paths := range o.Asked {
		var kinds observe.Kinds
		if err := kinds.UnmarshalText([]byte(ways)); err != nil {
			return err
		}
		asked += len(paths)
		for _, path := range paths {
			if !filepath.IsLocal(path) || filepath.Clean(path) != path {
				return fmt.Errorf("%.80q is not a path within a tree", path)
			}
		}
	}
	if most := len(observe.ReasonKinds) + len(ownKinds); asked > MostAsked || len(o.Incomplete) > most {
		return fmt.Errorf("%d paths, %d reasons", asked, len(o.Incomplete))
	}
	for _, kind := range o.Incomplete {
		if !slices.Contains(ownKinds, kind) && !slices.Contains(observe.ReasonKinds, kind) {
			return fmt.Errorf("%.40q is not a kind of reason", kind)
		}
	}
	return nil
}

func (e *Environment) check() error {
	files := 0
	for i, p := range e.Parts {
		files += len(p.Files)
		if p.Name == "" || len(p.Name) > maxPart || !digestWord().MatchString(p.Digest) || i > 0 && p.Name <= e.Parts[i-1].Name {
			return fmt.Errorf("part %.40q of an environment", p.Name)
		}
		for _, file := range p.Files {
			if !filepath.IsAbs(file) || filepath.Clean(file) != file {
				return fmt.Errorf("%.80q is not the path of a file", file)
			}
		}
	}
	if files > MostEnvironment {
		return fmt.Errorf("an environment of %d files", files)
	}
	return nil
}

// otherEnvironment says why times of a case are not comparable with those of now: what it was measured with is another, or is not known. nil where
// nothing is the matter, or nobody asks.
func otherEnvironment(f Found, c Case, now Now) *result.Reason {
	if now.Environment == nil {
		return nil
	}
	o, _ := f.Record.Observation(&c)
	names, known := now.Environment(o)
	switch {
	case !known:
		return &result.Reason{Kind: result.ReasonEnvironmentUnknown, Name: f.Record.Commit}
	case len(names) > 0:
		return &result.Reason{Kind: result.ReasonEnvironmentChanged, Name: f.Record.Commit, Names: names[:min(len(names), mostNamed)], Count: len(names)}
	}
	return nil
}

// PartsChanged are the parts that are not the same in the environments of a case in two records, or are in one alone: at most mostNamed, and none where
// either is not known.
func PartsChanged(then *Record, was *Case, now *Record, is *Case) []string {
	before, _ := then.Observation(was)
	after, _ := now.Observation(is)
	if before.Environment == nil || after.Environment == nil || before.EnvironmentDigest == after.EnvironmentDigest {
		return nil
	}
	digests := map[string]string{}
	for _, p := range before.Environment.Parts {
		digests[p.Name] = p.Digest
	}
	for _, p := range after.Environment.Parts {
		if digests[p.Name] == p.Digest {
			delete(digests, p.Name)
		} else {
			digests[p.Name] = p.Digest
		}
	}
	names := slices.Sorted(maps.Keys(digests))
	return names[:min(len(names), mostNamed)]
}

// mostNamed are as many parts of an environment as a reason names.
const mostNamed = 8
