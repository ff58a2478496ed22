package search

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/saved"
)

// BisectSchema names the format of a saved search.
const BisectSchema = "perfgate/bisect/v4"

// Narrowing is how candidates were told from other commits.
type Narrowing string

const (
	ByReads Narrowing = "reads" // they change a file that the kernel is made of
	ByWatch Narrowing = "watch" // they change a file that the kernel may read: what it reads is not known
	ByNone  Narrowing = "all"   // all of them, as was asked for
)

// Commit is what a commit says of itself: untrusted text.
type Commit struct {
	ID      string    `json:"id"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"`
	Subject string    `json:"subject"`
}

// Bisection is a search as it is saved and shown.
type Bisection struct {
	Schema    string    `json:"schema"`
	Version   string    `json:"version"` // of perfgate
	Started   time.Time `json:"started"`
	Repro     string    `json:"repro"`   // command line that makes the same search
	Machine   string    `json:"machine"` // its key
	Config    string    `json:"config"`  // hash of the configuration, which is Bad's
	Good      string    `json:"good"`    // commits
	Bad       string    `json:"bad"`
	Line      int       `json:"line"`      // commits after Good up to Bad, a merge counted as one
	Tolerance float64   `json:"tolerance"` // slowdown that the ends have to differ by, as a fraction
	Narrowing Narrowing `json:"narrowing"`
	BisectOutcome
	Commits map[string]Commit `json:"commits,omitempty"` // those that are named, by commit
	Notes   []string          `json:"notes,omitempty"`
}

// Named are the commits that a report names, each once.
func (o BisectOutcome) Named() []string {
	all := append([]string{o.First, o.Parent}, o.Among...)
	for _, s := range append([]Step{o.Ends}, o.Steps...) {
		all = append(all, s.Base, s.Head)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(id string) bool { return id == "" })
}

// exits are the kinds of an outcome with the exit code of each.
var exits = map[BisectKind]result.ExitCode{
	Found: result.ExitPassed, Narrowed: result.ExitPassed, Gradual: result.ExitPassed, Unconfirmed: result.ExitPassed,
	NoChange: result.ExitFailed, InconclusiveEnds: result.ExitNotMeasurable,
}

// Exit is the exit code of a search: 0 where there is an answer, 1 where there is no regression to look for, 3 where the ends stay open.
func (o BisectOutcome) Exit() result.ExitCode { return exits[o.Kind] }

// BisectDocument is how searches are saved.
var BisectDocument = saved.Kind[Bisection]{
	Schema: BisectSchema, Bytes: 16 << 20, Texts: result.Texts,
	Most: map[string]int{"steps": 10_000, "among": 10_000, "commits": 10_000},
}

// Check says whether the outcome goes with the commits that it names.
func (r *Bisection) Check() error {
	switch _, known := exits[r.Kind]; {
	case !known:
		return fmt.Errorf("%.60q is no outcome of a search; there are %q", r.Kind, slices.Sorted(maps.Keys(exits)))
	case (r.First == "") == (r.Kind == Found || r.Kind == Gradual || r.Kind == Unconfirmed), (len(r.Among) == 0) == (r.Kind == Narrowed), (r.First == "") != (r.Confirm == nil):
		return errors.New("its outcome does not go with the commits that it names")
	}
	return nil
}

// Write writes a search as it is saved.
func (r *Bisection) Write(w io.Writer) error { return BisectDocument.Encode(w, r) }
