package baseline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/org/perfgate/gate/repo"
)

// Store keeps records under their keys. It is small enough for object stores: no locks, no rename, no folders.
// Methods may be called at once from many goroutines and processes.
type Store interface {
	// List returns the keys that start with prefix, in no order.
	List(ctx context.Context, prefix string) ([]string, error)
	// Get returns what lies under key; the error wraps ErrNotFound if nothing does.
	Get(ctx context.Context, key string) ([]byte, error)
	// Put replaces what lies under key, all of it or nothing, also while others write.
	Put(ctx context.Context, key string, data []byte) error
	// Delete removes keys. One that is not there is no error.
	Delete(ctx context.Context, keys ...string) error
	// String is the store as the configuration writes it.
	String() string
}

// ErrNotFound says that a store has nothing under a key.
var ErrNotFound = errors.New("no such record")

// Open opens the store of a configuration, dir:PATH or git:BRANCH; folder is what the path counts from, and lies in the
// repository of the branch. Nothing is made before the first Put.
func Open(spec, folder string) (Store, error) {
	kind, place, _ := strings.Cut(spec, ":")
	switch {
	case kind == "dir" && place != "":
		if !filepath.IsAbs(place) {
			place = filepath.Join(folder, place)
		}
		return &Dir{Path: place, spec: spec}, nil
	case kind == "git" && place != "":
		return NewBranch(&Git{Repo: repo.Git{Dir: folder, Bare: true}, Branch: place}, spec), nil
	}
	return nil, fmt.Errorf("baseline store %q is neither dir:PATH nor git:BRANCH", spec)
}

// Save writes a record, merged with what the store has of the same commit and machine.
func Save(ctx context.Context, s Store, r *Record) error {
	old, err := Load(ctx, s, r.Key())
	switch {
	case err == nil:
		r.Merge(old)
	case !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrForeign):
		return fmt.Errorf("save record %s: %w", r.Key(), err) // what is there, or what a later version knows of it, must not be lost
	}
	data, err := Encode(r)
	if err != nil {
		return err
	}
	return s.Put(ctx, r.Key(), data)
}

// Load reads the record under key.
func Load(ctx context.Context, s Store, key string) (*Record, error) {
	data, err := s.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return decodeAs(key, data)
}
