package baseline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/kernels/checkout"
)

// Trusted is a store in a run where base's rules count. Its records decide, so none of them may be head's own.
type Trusted struct {
	Spec   string   // dir:PATH or git:BRANCH; "": no store is named
	Repo   string   // root of the repository that git:BRANCH is a branch of
	Base   string   // commit
	Roots  []string // folders whose content head chooses: the checkout, and head where that is another folder
	Origin bool     // git:BRANCH is origin's, as in the checkout of a workflow, and is only read
}

// ErrInCheckout says that the store that was asked for lies where head can put records of its own.
var ErrInCheckout = errors.New("a pull request could bring records there; name a branch, such as git:perfgate-baseline, or " +
	"a folder outside of the checkout by its absolute path, such as dir:/var/lib/perfgate " +
	"(baseline.store in the configuration, or the action's input store)")

// noStore is why records have no part in a run that names no store.
const noStore = "no store of records is named, and the default one is not used, since it lies in the checkout, " +
	"where a pull request could bring records: name a branch, such as git:perfgate-baseline, or a folder outside of the checkout by its absolute path " +
	"(baseline.store in the configuration, or the action's input store)"

// Open opens the store. Where none can be relied on, why says so in a sentence and the store is nil. The error wraps
// ErrInCheckout if what was asked for must be named differently.
func (t Trusted) Open(ctx context.Context) (s *Store, why string, err error) {
	kind, place, _ := strings.Cut(t.Spec, ":")
	switch {
	case t.Spec == "":
		return nil, noStore, nil
	case kind == "dir" && place != "":
		if err := t.outside(place); err != nil {
			return nil, "", fmt.Errorf("baseline store %q: %w", t.Spec, err)
		}
	case kind == "git" && place != "":
		s, why = t.branch(ctx, place)
		return s, why, nil
	}
	s, err = Open(t.Spec, t.Repo)
	return s, "", err
}

// outside refuses a folder that head chooses the content of, whichever links lead there.
func (t Trusted) outside(place string) error {
	if !filepath.IsAbs(place) {
		return fmt.Errorf("a relative folder counts from the checkout: %w", ErrInCheckout)
	}
	if lead := checkout.In(t.Roots...).Folder("it", place); lead != nil {
		return ErrInCheckout
	}
	return nil
}

// branch opens a branch. It is read at the root of the repository: a folder below may look like a repository itself. A checkout of
// a pull request can leave a local branch of any name, so one that is checked out, or that has the code's history, is not
// taken for records. A repository that cannot be read leaves a run without records, and is no error.
func (t Trusted) branch(ctx context.Context, name string) (s *Store, why string) {
	s = &Store{spec: t.Spec, git: repo.Git{Dir: t.Repo}, branch: name, origin: t.Origin}
	why, err := s.suspect(ctx, t.Base)
	switch {
	case err != nil:
		return nil, fmt.Sprintf("the records of %s cannot be read: %v", t.Spec, err)
	case why != "":
		return nil, fmt.Sprintf("the records of %s are not used: %s", t.Spec, why)
	}
	return s, ""
}

// suspect says why a branch may be a pull request's, "" if nothing speaks for it.
func (s *Store) suspect(ctx context.Context, base string) (why string, err error) {
	tip, err := s.tip(ctx)
	if err != nil || tip == "" {
		return "", err
	}
	if !s.origin {
		if where, err := s.checkedOut(ctx); err != nil || where != "" {
			return fmt.Sprintf("the branch is checked out in %s, so it may be a pull request's", where), err
		}
	}
	if shared, err := s.git.MergeBase(ctx, tip, base); err != nil || shared != "" {
		return "the branch has the history of the code, so it may be a pull request's; records need a separate branch", err
	}
	return "", nil
}
