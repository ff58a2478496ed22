package baseline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// Put replaces what lies under key, all of it or nothing, also while others write.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	return s.advance(ctx, map[string][]byte{key: data}, "record "+key)
}

// Delete removes records. One that is not there is no error.
func (s *Store) Delete(ctx context.Context, keys ...string) error {
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
	return s.advance(ctx, changes, fmt.Sprintf("remove %d records", len(keys)))
}

// ErrNotForRecords says that a branch is no place for records: it is checked out, or it holds other files.
var ErrNotForRecords = result.Usagef("records need a separate branch, such as git:perfgate-baseline; nothing was written")

// CheckWritable refuses a store that Put would refuse whatever the record, before minutes go into measuring one. The error
// wraps ErrNotForRecords if it is for the caller to name another branch.
func CheckWritable(ctx context.Context, s *Store) error {
	tip, err := s.tip(ctx)
	if err != nil {
		return err
	}
	return s.checkTip(ctx, tip)
}

func (s *Store) checkTip(ctx context.Context, tip string) error {
	if s.folder == "" && s.remote == nil {
		if where, err := s.checkedOut(ctx); err != nil {
			return err
		} else if where != "" {
			return fmt.Errorf("store %s: the branch is checked out in %s: %w", s, where, ErrNotForRecords)
		}
	}
	if tip == "" {
		return nil
	}
	files, err := s.files(ctx, tip, "")
	if err != nil {
		return fmt.Errorf("list what %s holds: %w", s, err)
	}
	return s.checkRecordsOnly(files)
}

// checkedOut returns the work tree that has the branch checked out, "" if none has. A commit under such a branch would turn
// up in that work tree as changes that its user did not make. Work trees whose folder is gone do not count.
func (s *Store) checkedOut(ctx context.Context) (string, error) {
	out, err := s.git.Output(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return "", err
	}
	for block := range strings.SplitSeq(out, "\n\n") {
		lines := strings.Split(block, "\n")
		gone := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "prunable") })
		if slices.Contains(lines, "branch "+s.ref()) && !gone {
			return strings.TrimPrefix(lines[0], "worktree "), nil
		}
	}
	return "", nil
}

func (s *Store) checkRecordsOnly(files []string) error {
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
	return fmt.Errorf("store %s: the branch holds %s: %w", s, what, ErrNotForRecords)
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

// advance tries until the branch stands still for long enough. Pauses grow and are random, or the same two writers would meet every time.
func (s *Store) advance(ctx context.Context, changes map[string][]byte, message string) error {
	if s.origin {
		return fmt.Errorf("branch %s of origin cannot be written from a clone", s.branch)
	}
	if s.folder != "" {
		unlock, err := s.make()
		if err != nil {
			return fmt.Errorf("write record: %w", err)
		}
		defer unlock()
	}
	pause, unmoved, last := firstPause, 0, ""
	for attempt := 1; ; attempt++ {
		tip, err := s.tip(ctx)
		if err == nil && attempt == 1 { // other writers of records do not change what kind of branch it is
			if err := s.checkTip(ctx, tip); err != nil {
				return err
			}
		}
		if err == nil {
			err = s.commit(ctx, tip, changes, message)
		}
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

// commit moves the branch from tip to a new commit with changes applied; nil removes a file. The error wraps ErrMoved if the branch is no longer
// at tip: fast-import moves it to descendants only, and the server only from where it was.
func (s *Store) commit(ctx context.Context, tip string, changes map[string][]byte, message string) error {
	args := []string{"fast-import", "--quiet", "--date-format=now"}
	if s.remote != nil {
		args = append(args, "--force") // what lost a race here before
	}
	_, err := s.git.Input(s.stream(tip, changes, message)).Output(ctx, args...)
	if err == nil && s.remote != nil {
		err = s.remote.Push(ctx, s.git, s.branch, tip)
	}
	if err == nil {
		if s.folder != "" {
			_, _ = s.git.Output(ctx, "gc", "--auto", "--quiet") // tidying up is no part of the write, and the next one tries again
		}
		return nil
	}
	now, tipErr := s.tip(ctx)
	if kind := repo.KindOf(err); tipErr == nil && now != tip || kind == repo.Moved || kind == repo.Busy {
		return fmt.Errorf("%w: %w", ErrMoved, err)
	}
	return err
}

// stream is what fast-import reads. Keys have no character that it would take for another.
func (s *Store) stream(tip string, changes map[string][]byte, message string) []byte {
	var out strings.Builder
	// Runners often have no identity of their own.
	fmt.Fprintf(&out, "commit %s\ncommitter perfgate <perfgate@localhost> now\ndata %d\n%s\n", s.ref(), len(message), message)
	if tip != "" {
		fmt.Fprintf(&out, "from %s\n", tip)
	}
	for key, data := range changes {
		if data == nil {
			fmt.Fprintf(&out, "D %s\n", key)
		} else {
			fmt.Fprintf(&out, "M 100644 inline %s\ndata %d\n%s\n", key, len(data), data)
		}
	}
	return []byte(out.String())
}
