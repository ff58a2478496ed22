package baseline

import (
	"context"
	"errors"
	"fmt"

	"github.com/org/perfgate/gate/result"
)

// Found is a record and how many commits it lies behind the one that was asked about.
type Found struct {
	Record   *Record
	Distance int
}

// Problem is a record that was passed over, and why.
type Problem struct {
	Key string
	Err error
}

// String names the record and its fault.
func (p Problem) String() string { return p.Key + ": " + p.Err.Error() }

// History is what a machine remembers of the ancestors of a commit, nearest first.
type History struct {
	Found    []Found
	Problems []Problem
	Keys     int // records that the store has for this machine
}

// Most that a lookup goes through: it costs the same after ten years as after one.
const (
	MaxAncestors = 5000
	MaxRecords   = 96
)

// Lookup reads the records of a machine that belong to ancestors (nearest first, the commit itself included). At most
// MaxRecords are read. A record that cannot be used is a Problem; the error is the store's.
func Lookup(ctx context.Context, s Store, machine string, ancestors []string) (History, error) {
	var h History
	keys, err := s.List(ctx, machine+"/")
	if err != nil {
		return h, err
	}
	h.Keys = len(keys)
	if h.Keys == 0 {
		return h, nil
	}
	stored := make(map[string]bool, len(keys))
	for _, key := range keys {
		stored[key] = true
	}
	for distance, commit := range ancestors {
		key := Key(machine, commit)
		if !stored[key] {
			continue
		}
		if len(h.Found)+len(h.Problems) == MaxRecords {
			break
		}
		r, err := Load(ctx, s, key)
		switch {
		case err == nil:
			h.Found = append(h.Found, Found{Record: r, Distance: distance})
		case errors.Is(err, ErrCorrupt), errors.Is(err, ErrForeign), errors.Is(err, ErrNewer), errors.Is(err, ErrNotFound):
			h.Problems = append(h.Problems, Problem{key, err})
		default:
			return h, err
		}
	}
	return h, nil
}

// Built is the nearest case of a record that was built of the same inputs and may still be compared with; nil if there is
// none. The fingerprint of now is not looked at: it is what the caller wants to know.
func (h History) Built(now Now, inputs string) *Case {
	now.Fingerprint = ""
	for _, f := range h.Found {
		if c := f.Record.Case(now.Case); c != nil && inputs != "" && c.Inputs == inputs && unfit(f, *c, now) == "" {
			return c
		}
	}
	return nil
}

// Changes says in words what is no longer as it was when a record was taken; nothing if the two can be compared.
func Changes(then, now *Record) []string {
	var out []string
	say := func(what, a, b string) {
		if a != b {
			out = append(out, fmt.Sprintf("%s was %s, is %s", what, orUnknown(a), orUnknown(b)))
		}
	}
	a, b := then.Machine, now.Machine
	say("device", a.Device, b.Device)
	say("model", a.Model, b.Model)
	say("number of cores", fmt.Sprint(a.Cores), fmt.Sprint(b.Cores))
	say("frequency governor", a.Governor, b.Governor)
	if a.GPU != nil && b.GPU != nil {
		gpuChanges(*a.GPU, *b.GPU, say)
	} else {
		say("operating system", a.OS, b.OS)
		say("kernel of the system", a.Kernel, b.Kernel)
	}
	say("harness", short(then.Toolchain.Harness), short(now.Toolchain.Harness))
	return out
}

func gpuChanges(a, b result.GPU, say func(what, a, b string)) {
	say("driver", a.Driver, b.Driver)
	say("CUDA", a.CUDA, b.CUDA)
	say("compute capability", a.ComputeCapability, b.ComputeCapability)
	say("GPU memory", fmt.Sprint(a.MemoryBytes>>20, " MiB"), fmt.Sprint(b.MemoryBytes>>20, " MiB"))
	say("power limit", fmt.Sprint(a.PowerLimitW, " W"), fmt.Sprint(b.PowerLimitW, " W"))
	say("locked clock", a.LockedClock, b.LockedClock)
	say("ECC", onOff(a.ECC), onOff(b.ECC))
	say("MIG", onOff(a.MIG), onOff(b.MIG))
	say("MPS", onOff(a.MPS), onOff(b.MPS))
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func orUnknown(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}

func short(hash string) string { return hash[:min(12, len(hash))] }

// SameMethod says whether two ways of timing a launch may meet in one comparison. How many launches a sample has is
// chosen by their time, so it differs a little from session to session; that is no other method.
func SameMethod(a, b result.Method) bool {
	batched := func(m result.Method) bool { return m.Launches > 1 }
	low, high := min(a.Launches, b.Launches), max(a.Launches, b.Launches)
	return a.Clock == b.Clock && a.How == b.How && a.Block == b.Block && a.Cache == b.Cache && a.Pin == b.Pin && batched(a) == batched(b) && 4*high <= 5*low
}
