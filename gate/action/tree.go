package action

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/repo"
)

// objects are those of a repository, which a checkout has, or what was fetched.
type objects interface {
	// Entries lists all that a commit has, by path.
	Entries(ctx context.Context, commit string) (map[string]repo.Entry, error)
	// Blob returns the content of a file, or where a link leads.
	Blob(ctx context.Context, object string) ([]byte, error)
	// Changed lists the files, links and submodules that two commits have and have not in common.
	Changed(ctx context.Context, commits ...string) ([]string, error)
}

// remembering lists no commit twice.
type remembering struct {
	objects
	known map[string]map[string]repo.Entry
}

func (r remembering) Entries(ctx context.Context, commit string) (entries map[string]repo.Entry, err error) {
	if r.known[commit] == nil {
		if r.known[commit], err = r.objects.Entries(ctx, commit); err != nil {
			delete(r.known, commit)
		}
	}
	return r.known[commit], err
}

// found is where a path leads to.
type found struct {
	repo.Entry        // of a file, a folder, nothing, or the submodule that the path leads into
	place      string // path without the links
}

// maxLinks is how many links a path may lead through.
const maxLinks = 40

// errOutside is of a path whose end is not among the objects of the repository. Only a checkout can have what is there.
var errOutside = errors.New("leads out of the repository")

// follow finds what a commit has at a path, as a checkout would: through links, and as far as a submodule. A path that leads out of
// the repository is an error.
func follow(ctx context.Context, o objects, commit, file string) (found, error) {
	entries, err := o.Entries(ctx, commit)
	if err != nil {
		return found{}, err
	}
	at, links := found{repo.Entry{Mode: repo.ModeFolder}, "."}, 0
	for rest := strings.Split(path.Clean(file), "/"); len(rest) > 0; {
		here := path.Join(at.place, rest[0])
		if here == ".." || path.IsAbs(file) {
			return found{}, fmt.Errorf("%.200q %w", file, errOutside)
		}
		e, ok := entries[here]
		switch rest = rest[1:]; {
		case here == ".":
			e, ok = repo.Entry{Mode: repo.ModeFolder}, true
		case e.Mode == repo.ModeLink:
			text, err := o.Blob(ctx, e.SHA)
			if err != nil {
				return found{}, err
			}
			if links++; links > maxLinks {
				return found{}, fmt.Errorf("%.200q leads through more than %d links", file, maxLinks)
			}
			if len(text) == 0 || path.IsAbs(string(text)) {
				return found{}, fmt.Errorf("the link to %.200q %w", text, errOutside)
			}
			rest = append(strings.Split(string(text), "/"), rest...)
			continue
		case e.Mode == repo.ModeModule && slices.Contains(rest, ".."):
			return found{}, fmt.Errorf("the path to %.200q through the submodule %s %w", strings.Join(rest, "/"), here, errOutside)
		case e.Mode == repo.ModeModule:
			return found{e, path.Join(append([]string{here}, rest...)...)}, nil
		}
		if !ok || e.Mode != repo.ModeFolder && len(rest) > 0 {
			return found{}, nil
		}
		at = found{e, here}
	}
	return at, nil
}

// read returns a file of a commit, through links; ok is false if the commit has none of that name.
func read(ctx context.Context, o objects, commit, file string) (content []byte, ok bool, err error) {
	at, err := follow(ctx, o, commit, file)
	switch {
	case err != nil:
		return nil, false, err
	case at.Mode == "":
		return nil, false, nil
	case at.Mode == repo.ModeModule || at.Mode == repo.ModeFolder:
		return nil, false, fmt.Errorf("%.200q of %.12s is a folder or in a submodule, where it cannot be read", file, commit)
	}
	content, err = o.Blob(ctx, at.SHA)
	return content, err == nil, err
}

// has says whether a commit has something at a path. What is in a submodule cannot be known.
func has(ctx context.Context, o objects, commit, file string) (bool, error) {
	at, err := follow(ctx, o, commit, file)
	if err == nil && at.Mode == repo.ModeModule {
		err = fmt.Errorf("%s is in a submodule: it %w", at.place, errOutside)
	}
	return at.Mode != "", err
}
