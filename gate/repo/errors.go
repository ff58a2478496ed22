package repo

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/checkout"
)

// ErrorKind is why git did not do what it was asked.
type ErrorKind string

// Kinds of an Error.
const (
	NoGit            ErrorKind = "no git"            // on the PATH
	NotARepository   ErrorKind = "not a repository"  // and none around the folder
	DubiousOwnership ErrorKind = "dubious ownership" // the repository is another user's
	NotFetched       ErrorKind = "not fetched"       // a partial clone lacks an object, and nothing is fetched
	Missing          ErrorKind = "missing"           // no such path in a commit
	Moved            ErrorKind = "moved"             // a ref is held by another writer, or not where it was expected
	Busy             ErrorKind = "busy"              // the server asks to try again later
	TooMuch          ErrorKind = "too much"          // git printed more than 64 MiB
	No               ErrorKind = "no"                // git answered a question with no: exit status 1 and not a word
	Refused          ErrorKind = "refused"           // anything else that git says
	NotRun           ErrorKind = "not run"           // git could not be started, or was killed
)

// Error is a refusal of git. DubiousOwnership is for the user to cure.
type Error struct {
	Kind ErrorKind
	Verb string // of git
	Dir  string // in which it ran
	Text string // what it said
	Err  error  // how it ended; nil for TooMuch
}

func (e *Error) Error() string {
	switch e.Kind {
	case NoGit:
		return fmt.Sprintf("git is needed, and is not on the PATH: %v", e.Err)
	case NotARepository:
		return e.Dir + ": not a git repository"
	case DubiousOwnership:
		return fmt.Sprintf("git refuses the repository in %s because another user owns it (usual in containers); allow it with:\n  git config --global --add safe.directory %s", e.Dir, checkout.Top(e.Dir))
	case NotFetched:
		return fmt.Sprintf("git %s in %s: this partial clone lacks what is asked for, and nothing is fetched here: get it first (git fetch --refetch --no-filter): %s", e.Verb, e.Dir, e.Text)
	case TooMuch:
		return fmt.Sprintf("git %s in %s printed more than %d MiB", e.Verb, e.Dir, maxOutput>>20)
	}
	return fmt.Sprintf("git %s in %s: %v: %s", e.Verb, e.Dir, e.Err, e.Text)
}

// Unwrap returns how git ended.
func (e *Error) Unwrap() error { return e.Err }

// ExitCode says whose fault it is.
func (e *Error) ExitCode() result.ExitCode {
	if e.Kind == DubiousOwnership {
		return result.ExitUsage
	}
	return result.ExitNotMeasurable
}

// KindOf is the kind of the Error in err's chain, "" if there is none.
func KindOf(err error) ErrorKind {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Kind
}

// SaidNo says whether git ran and refused, which to a question such as "is there a commit X" is the answer.
func SaidNo(err error) bool {
	switch KindOf(err) {
	case No, Missing, NotFetched, Refused:
		return true
	}
	return false
}

// phrases tell the kinds of git's refusals, the first that fits.
var phrases = []struct {
	kind ErrorKind
	text string
}{
	{DubiousOwnership, "dubious ownership"},
	{NotARepository, "not a git repository"},
	{NotARepository, "cannot use bare repository"},
	{Moved, ".lock': File exists"},
	{Moved, "reference already exists"},
	{Moved, "but expected"},
	{Moved, "stale info"}, // of a push with a lease
	{Moved, "fetch first"},
	{Moved, "failed to update ref"},
	{Moved, "cannot lock ref"},
	{Moved, "Not updating refs/"}, // of fast-import
	{Busy, "returned error: 5"},   // a gateway's, for a while
	{Busy, "returned error: 429"},
	{NotFetched, "lazy fetching disabled"},
	{NotFetched, "not allowed"}, // transport 'https' not allowed
	{Missing, "does not exist in"},
	{Missing, "exists on disk, but not in"},
}

func classify(text string, err error) ErrorKind {
	for _, p := range phrases {
		if strings.Contains(text, p.text) {
			return p.kind
		}
	}
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit) || exit.ExitCode() < 0:
		return NotRun
	case text == "" && exit.ExitCode() == 1:
		return No
	}
	return Refused
}
