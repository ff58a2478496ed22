package baseline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Repository is what a store on a branch needs of git: plain git here, the Git data API of GitHub elsewhere.
type Repository interface {
	// Tip returns the commit that the branch is at, "" if there is no such branch.
	Tip(ctx context.Context) (string, error)
	// Files lists the paths below a folder of a commit, or all of them if it is ""; the error wraps ErrTooMany if they are more.
	Files(ctx context.Context, commit, folder string) ([]string, error)
	// Read returns a file of a commit; the error wraps ErrNotFound if it has none.
	Read(ctx context.Context, commit, path string) ([]byte, error)
	// Advance moves the branch from tip ("" for a branch to be made) to a new commit with changes applied; nil contents
	// remove a file. The error wraps ErrMoved if the branch is no longer at tip.
	Advance(ctx context.Context, tip string, changes map[string][]byte, message string) error
}

// Errors of a Repository.
var (
	ErrMoved   = errors.New("the branch has moved")             // another writer was faster
	ErrTooMany = errors.New("too many records for one listing") // comes with the part of the listing that there is
)

// Branch is a store on a branch of its own, which shares no history with the code.
type Branch struct {
	repo Repository
	spec string
}

// NewBranch returns the store that a repository's branch is.
func NewBranch(repo Repository, spec string) *Branch { return &Branch{repo: repo, spec: spec} }

// String returns the store as the configuration writes it.
func (b *Branch) String() string { return b.spec }

// List lists the records at the tip.
func (b *Branch) List(ctx context.Context, prefix string) ([]string, error) {
	tip, err := b.repo.Tip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	folder := ""
	if machine, _, ok := strings.Cut(prefix, "/"); ok {
		folder = machine
	}
	files, err := b.repo.Files(ctx, tip, folder)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	var keys []string
	for _, file := range files {
		if strings.HasPrefix(file, prefix) && strings.HasSuffix(file, keySuffix) {
			keys = append(keys, file)
		}
	}
	return keys, nil
}

// Get reads a record at the tip.
func (b *Branch) Get(ctx context.Context, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	tip, err := b.repo.Tip(ctx)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return nil, fmt.Errorf("%s: %w", key, ErrNotFound)
	}
	return b.repo.Read(ctx, tip, key)
}

// Put commits a record.
func (b *Branch) Put(ctx context.Context, key string, data []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return b.advance(ctx, map[string][]byte{key: data}, "record "+key)
}

// Delete commits the removal of records.
func (b *Branch) Delete(ctx context.Context, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	changes := map[string][]byte{}
	for _, key := range keys {
		if err := checkKey(key); err != nil {
			return err
		}
		changes[key] = nil
	}
	return b.advance(ctx, changes, fmt.Sprintf("remove %d records", len(keys)))
}

// ErrNotForRecords says that a branch is no place for records: it is checked out, or it holds other files.
var ErrNotForRecords = errors.New("records need a branch of their own, such as git:perfgate-baseline; nothing was written")

// CheckWritable refuses a store that Put would refuse whatever the record, before minutes go into measuring one. The error
// wraps ErrNotForRecords if it is for the caller to name another branch.
func CheckWritable(ctx context.Context, s Store) error {
	if b, ok := s.(*Branch); ok {
		return b.checkWritable(ctx)
	}
	return nil
}

func (b *Branch) checkWritable(ctx context.Context) error {
	tip, err := b.repo.Tip(ctx)
	if err != nil {
		return err
	}
	return b.checkTip(ctx, tip)
}

func (b *Branch) checkTip(ctx context.Context, tip string) error {
	if err := b.checkNotCheckedOut(ctx); err != nil || tip == "" {
		return err
	}
	files, err := b.repo.Files(ctx, tip, "")
	if err != nil && !errors.Is(err, ErrTooMany) { // what is seen of too many is enough to tell
		return fmt.Errorf("look at what %s holds: %w", b, err)
	}
	return b.checkRecordsOnly(files)
}

// checkNotCheckedOut refuses a branch that a work tree has checked out. There are none where there is no clone.
func (b *Branch) checkNotCheckedOut(ctx context.Context) error {
	local, ok := b.repo.(interface {
		CheckedOut(context.Context) (string, error)
	})
	if !ok {
		return nil
	}
	where, err := local.CheckedOut(ctx)
	if err != nil || where == "" {
		return err
	}
	return fmt.Errorf("store %s: the branch is checked out in %s: %w", b, where, ErrNotForRecords)
}

func (b *Branch) checkRecordsOnly(files []string) error {
	foreign := slices.DeleteFunc(files, func(path string) bool {
		_, _, ok := SplitKey(path)
		return ok || isNotice(path)
	})
	if len(foreign) == 0 {
		return nil
	}
	what := fmt.Sprintf("%q, which is no record", slices.Min(foreign))
	if n := len(foreign); n > 1 {
		what = fmt.Sprintf("%d files that are no records, such as %q", n, slices.Min(foreign))
	}
	return fmt.Errorf("store %s: the branch holds %s: %w", b, what, ErrNotForRecords)
}

// isNotice says whether a file says something about the branch, at its top: a README, a licence, what git is to make of records.
func isNotice(path string) bool {
	return !strings.Contains(path, "/") && (strings.HasPrefix(path, "README") || strings.HasPrefix(path, "LICENSE") || strings.HasPrefix(path, ".git"))
}

// Retries of a lost race: one of 32 writers wins every time, so none needs many more than 32.
const (
	maxAttempts = 100
	maxUnmoved  = 10 // a refusal of a branch that no other writer moves is no lost race for long
	firstPause  = 20 * time.Millisecond
	longestWait = 2 * time.Second
)

// advance tries until the branch stands still for long enough. Pauses grow and are drawn by lot, or the same two writers
// would meet every time.
func (b *Branch) advance(ctx context.Context, changes map[string][]byte, message string) error {
	pause, unmoved, last := firstPause, 0, ""
	for attempt := 1; ; attempt++ {
		tip, err := b.tryAdvance(ctx, changes, message, attempt == 1)
		if unmoved++; tip != last {
			unmoved, last = 0, tip
		}
		if !errors.Is(err, ErrMoved) || attempt == maxAttempts || unmoved == maxUnmoved {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(time.Duration(rand.Int64N(int64(pause)))):
		}
		pause = min(longestWait, pause*3/2)
	}
}

// tryAdvance tries once and returns the tip that it saw. What kind of branch it is, is looked at the first time only: others who
// write records do not change it.
func (b *Branch) tryAdvance(ctx context.Context, changes map[string][]byte, message string, first bool) (string, error) {
	tip, err := b.repo.Tip(ctx)
	if err != nil {
		return "", err
	}
	if first {
		if err := b.checkTip(ctx, tip); err != nil {
			return tip, err
		}
	}
	return tip, b.repo.Advance(ctx, tip, changes, message)
}
