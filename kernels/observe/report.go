package observe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kinds are the ways in which a path was asked for, as bits.
type Kinds uint8

const (
	Opened   Kinds = 1 << iota // its content could be read
	LookedUp                   // whether it is there, and what it is
	Listed                     // the names in it
	Executed                   // started, or taken by Linux to start something: an interpreter of a script, a loader
	Linked                     // a link on the way to another path
	Changed                    // content, mode or times, or it was taken away
	Moved                      // given another name: of a folder, all that is in it was asked for under that
	Made                       // it was not there, and the tree made it, or tried to; paths below it are not recorded
)

var kindNames = []string{"opened", "looked-up", "listed", "executed", "linked", "changed", "moved", "made"}

// Has says whether all of some kinds are among k.
func (k Kinds) Has(all Kinds) bool { return k&all == all }

func (k Kinds) String() string {
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

func (k Kinds) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k *Kinds) UnmarshalText(text []byte) error {
	*k = 0
	for name := range strings.SplitSeq(string(text), "+") {
		i := slices.Index(kindNames, name)
		if i < 0 {
			return fmt.Errorf("%q is not a way to ask for a file", name)
		}
		*k |= 1 << i
	}
	return nil
}

// Access is a path that was asked for: absolute, clean, and as it is called once links are followed.
type Access struct {
	Path  string `json:"path"`
	Asked Kinds  `json:"asked"`
}

// ReasonKind says why a report may lack something.
type ReasonKind string

const (
	Unread       ReasonKind = "unread"         // a path could not be read, or not be told
	TooMany      ReasonKind = "too-many"       // different paths
	NotObserved  ReasonKind = "not-observed"   // the observer could not be installed
	Connections  ReasonKind = "connection"     // out of the tree: the network, a daemon
	Descriptors  ReasonKind = "descriptors"    // of others, whose opens nobody saw
	SharedCache  ReasonKind = "shared-cache"   // files that other runs leave and take
	SharedMemory ReasonKind = "shared-memory"  // of others
	Namespaces   ReasonKind = "namespace"      // files that others do not see, under names that they do
	Formats      ReasonKind = "program-format" // that Linux starts with a program that the file does not name
	Survived     ReasonKind = "survived"       // a process lives on, and asks for more
)

// ReasonKinds are all reasons.
var ReasonKinds = []ReasonKind{
	Unread, TooMany, NotObserved, Connections, Descriptors, SharedCache, SharedMemory, Namespaces, Formats, Survived,
}

// Reason is why a report may lack something.
type Reason struct {
	Kind   ReasonKind `json:"kind"`
	Detail string     `json:"detail,omitempty"` // of the first time; what the program controls may be in it
	Times  int        `json:"times"`
}

func (r Reason) String() string {
	if r.Detail == "" {
		return string(r.Kind)
	}
	return string(r.Kind) + ": " + r.Detail
}

// Report is what a process tree asked for.
type Report struct {
	Paths      []Access `json:"paths"`                // by name
	Incomplete []Reason `json:"incomplete,omitempty"` // one a kind; none: this is all of it
	Requests   int      `json:"requests"`             // system calls that were reported
	// Loaded says of a process that could not be observed that Paths has the code that it had loaded when it had done its work, as Linux and its
	// interpreter tell.
	Loaded bool `json:"-"`
}

// Unobserved is the report on a process that could not be observed.
func Unobserved(why string) Report {
	return Report{Incomplete: []Reason{{Kind: NotObserved, Detail: why, Times: 1}}}
}

// Union is what several process trees asked for.
func Union(reports ...Report) Report {
	var all Report
	paths, reasons := map[string]Kinds{}, map[ReasonKind]*Reason{}
	for _, r := range reports {
		all.Requests += r.Requests
		for _, a := range r.Paths {
			paths[a.Path] |= a.Asked
		}
		for _, reason := range r.Incomplete {
			if known := reasons[reason.Kind]; known != nil {
				known.Times += reason.Times
			} else {
				reasons[reason.Kind] = &reason
			}
		}
	}
	all.Paths, all.Incomplete = listed(paths, reasons)
	return all
}

// ByPath is what was asked of each path.
func (r Report) ByPath() map[string]Kinds {
	asked := map[string]Kinds{}
	for _, a := range r.Paths {
		asked[a.Path] |= a.Asked
	}
	return asked
}

// HasAllReads says that a file which the report does not have was not read: a process that takes something from a shared cache is seen, and what a daemon
// reads for it is not.
func (r Report) HasAllReads() bool {
	return len(r.Paths) > 0 && !slices.ContainsFunc(r.Incomplete, func(why Reason) bool { return why.Kind != SharedCache })
}

// listed are paths by name, and reasons in the order of their kinds.
func listed(paths map[string]Kinds, reasons map[ReasonKind]*Reason) (asked []Access, incomplete []Reason) {
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		asked = append(asked, Access{path, paths[path]})
	}
	for _, kind := range ReasonKinds {
		if reason := reasons[kind]; reason != nil {
			incomplete = append(incomplete, *reason)
		}
	}
	return asked, incomplete
}
