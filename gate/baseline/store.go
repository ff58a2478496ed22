package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/repo"
)

// Store is a branch of git with records under their keys, which shares no history with the code. It is one of the repository around the
// configuration, one of a bare repository that perfgate makes in a folder, or one on a server. Methods may be called at once from many goroutines
// and processes. No work tree, no index and no branch of the user's other than this one is touched.
type Store struct {
	spec   string // as the configuration writes it
	git    repo.Git
	branch string
	folder string       // of dir:PATH
	origin bool         // the branch is origin's, as it was fetched, and is only read
	remote *repo.Remote // has the branch: git holds what was fetched of it
}

// Errors of a store.
var (
	ErrNotFound = errors.New("no such record")
	ErrMoved    = errors.New("the branch has moved") // another writer was faster
)

// Open opens the store of a configuration, dir:PATH or git:BRANCH; folder is what the path counts from, and lies in the
// repository of the branch. Nothing is made before the first Put.
func Open(spec, folder string) (*Store, error) {
	kind, place, _ := strings.Cut(spec, ":")
	switch {
	case kind == "dir" && place != "":
		if !filepath.IsAbs(place) {
			place = filepath.Join(folder, place)
		}
		s := OpenFolder(place)
		s.spec = spec
		return s, nil
	case kind == "git" && place != "":
		return &Store{spec: spec, git: repo.Git{Dir: folder, Bare: true}, branch: place}, nil
	}
	return nil, fmt.Errorf("baseline store %q is neither dir:PATH nor git:BRANCH", spec)
}

// OpenRemote opens a branch of a repository on a server. What is read of it is fetched into scratch, an empty folder.
func OpenRemote(ctx context.Context, r repo.Remote, branch, scratch string) (*Store, error) {
	git, err := repo.Bare(ctx, scratch)
	return &Store{spec: "git:" + branch, git: git, branch: branch, remote: &r}, err
}

// String is the store as the configuration writes it.
func (s *Store) String() string { return s.spec }

// Folder is where the records of dir:PATH are; "" for a branch.
func (s *Store) Folder() string { return s.folder }

func (s *Store) ref() string {
	if s.origin {
		return "refs/remotes/origin/" + s.branch
	}
	return "refs/heads/" + s.branch
}

// tip returns the commit that the branch is at, "" if there is no such branch.
func (s *Store) tip(ctx context.Context) (string, error) {
	if s.remote != nil {
		return s.remote.Tip(ctx, s.git, s.branch)
	}
	if made, err := s.isMade(); err != nil || !made {
		return "", err
	}
	// for-each-ref says nothing of a branch that is not there, and fails where there is no repository.
	out, err := s.git.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname)", s.ref())
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if hash, name, _ := strings.Cut(strings.TrimSpace(line), " "); name == s.ref() {
			return hash, nil
		}
	}
	return "", nil
}

// List returns the keys that start with prefix, in no order.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	tip, err := s.tip(ctx)
	if err != nil || tip == "" {
		return nil, err
	}
	folder, _, _ := strings.Cut(prefix, "/")
	if !strings.Contains(prefix, "/") {
		folder = ""
	}
	files, err := s.files(ctx, tip, folder)
	if err != nil {
		return nil, fmt.Errorf("list records: %w", err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return !strings.HasPrefix(file, prefix) || !strings.HasSuffix(file, keySuffix)
	}), nil
}

// files lists a folder of a commit, or all of it.
func (s *Store) files(ctx context.Context, commit, folder string) ([]string, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", "--name-only", commit}
	if folder != "" {
		args = append(args, "--", folder+"/")
	}
	out, err := s.git.Output(ctx, args...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// Get returns what lies under key; the error wraps ErrNotFound if nothing does.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	var data []byte
	var problem error
	err := s.each(ctx, []string{key}, func(_ string, found []byte, why error) { data, problem = found, why })
	return data, cmp.Or(err, problem)
}

// perRead is how many records one process of git reads.
const perRead = 32

// each reads what lies under keys, in their order. A record that is not there, or is too large to be one, is a problem of its own.
func (s *Store) each(ctx context.Context, keys []string, visit func(key string, data []byte, problem error)) error {
	tip, err := s.tip(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(keys, perRead) {
		if err := s.eachOf(ctx, tip, some, visit); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) eachOf(ctx context.Context, tip string, keys []string, visit func(key string, data []byte, problem error)) error {
	if tip == "" {
		for _, key := range keys {
			visit(key, nil, fmt.Errorf("%s: %w", key, ErrNotFound))
		}
		return nil
	}
	var names strings.Builder
	for _, key := range keys {
		names.WriteString(tip + ":" + key + "\n")
	}
	out, err := s.git.Input([]byte(names.String())).Output(ctx, "cat-file", "--batch")
	switch {
	case repo.KindOf(err) == repo.TooMuch && len(keys) == 1:
		visit(keys[0], nil, fmt.Errorf("%s: %w: %w", keys[0], ErrForeign, err))
		return nil
	case repo.KindOf(err) == repo.TooMuch:
		half := len(keys) / 2
		if err := s.eachOf(ctx, tip, keys[:half], visit); err != nil {
			return err
		}
		return s.eachOf(ctx, tip, keys[half:], visit)
	case err != nil:
		return err
	}
	for _, key := range keys {
		var header string
		header, out, _ = strings.Cut(out, "\n")
		words := strings.Fields(header)
		if len(words) == 3 && words[1] == "blob" {
			if size, err := strconv.Atoi(words[2]); err == nil && size < len(out) {
				visit(key, []byte(out[:size]), nil)
				out = out[size+1:]
				continue
			}
		}
		problem, err := s.unread(ctx, tip, key)
		if err != nil {
			return err
		}
		visit(key, nil, problem)
	}
	return nil
}

// unread says why a record was not read. That a partial clone lacks what the commit has is an error.
func (s *Store) unread(ctx context.Context, tip, key string) (problem, err error) {
	_, err = s.git.Output(ctx, "cat-file", "blob", tip+":"+key)
	if kind := repo.KindOf(err); kind == repo.Missing {
		return fmt.Errorf("%s: %w", key, ErrNotFound), nil
	}
	if err == nil {
		err = fmt.Errorf("read record %s: git does not say what it is", key)
	}
	return nil, err
}

// Save writes records in one step, each merged with what the store has of the same commit and machine.
func Save(ctx context.Context, s *Store, records ...*Record) error {
	if len(records) == 0 {
		return nil
	}
	of, keys := map[string]*Record{}, []string{}
	for _, r := range records {
		of[r.Key()], keys = r, append(keys, r.Key())
	}
	var lost error
	err := readRecords(ctx, s, keys, func(key string, old *Record, problem error) {
		switch {
		case problem == nil:
			of[key].Merge(old)
		case !errors.Is(problem, ErrNotFound) && !errors.Is(problem, ErrCorrupt) && !errors.Is(problem, ErrForeign):
			lost = fmt.Errorf("save record %s: %w", key, problem) // what a later version knows of it must not be lost
		}
	})
	if err := cmp.Or(err, lost); err != nil {
		return err
	}
	changes, message := map[string][]byte{}, "record "+keys[0]
	if more := len(keys) - 1; more > 0 {
		message += fmt.Sprintf(" and %d more", more)
	}
	for key, r := range of {
		if changes[key], err = Encode(r); err != nil {
			return err
		}
	}
	return s.advance(ctx, changes, message)
}

// Load reads the record under key.
func Load(ctx context.Context, s *Store, key string) (*Record, error) {
	data, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return decodeAs(key, data)
}

// readRecords reads the records under keys, in their order. One that cannot be used is visited with what is wrong; the error is the store's.
func readRecords(ctx context.Context, s *Store, keys []string, visit func(key string, r *Record, problem error)) error {
	return s.each(ctx, keys, func(key string, data []byte, problem error) {
		var r *Record
		if problem == nil {
			r, problem = decodeAs(key, data)
		}
		visit(key, r, problem)
	})
}
