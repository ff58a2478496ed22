package action

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/org/perfgate/gate/repo"
)

// objects are those of a repository, which a checkout has, or what was fetched.
type objects interface {
	// Entry looks up a path; a link in the place of one of its folders is not followed, and nothing is found behind it.
	Entry(ctx context.Context, commit, file string) (repo.Entry, error)
	// Blob returns the content of a file, or where a link leads.
	Blob(ctx context.Context, object string) ([]byte, error)
	// Changed lists the files, links and submodules that two commits have and have not in common.
	Changed(ctx context.Context, commits ...string) ([]string, error)
}

// remembering looks nothing up twice: adapters share folders, and a checkout starts a program for each.
type remembering struct {
	objects
	known map[[2]string]repo.Entry
}

func (r remembering) Entry(ctx context.Context, commit, file string) (repo.Entry, error) {
	key := [2]string{commit, file}
	if e, ok := r.known[key]; ok {
		return e, nil
	}
	e, err := r.objects.Entry(ctx, commit, file)
	if err == nil {
		r.known[key] = e
	}
	return e, err
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
	file = path.Clean(file)
	for range maxLinks {
		if file == ".." || strings.HasPrefix(file, "../") || path.IsAbs(file) {
			return found{}, fmt.Errorf("%.200q %w", file, errOutside)
		}
		e, next, err := enter(ctx, o, commit, file)
		if err != nil || next == "" {
			return found{e, file}, err
		}
		file = next
	}
	return found{}, fmt.Errorf("%.200q leads through more than %d links", file, maxLinks)
}

// enter goes down a path to its end, to a submodule or to a link: next is the path with that link's text in its place.
func enter(ctx context.Context, o objects, commit, file string) (e repo.Entry, next string, err error) {
	parts := strings.Split(file, "/")
	for i := range parts {
		here := path.Join(parts[:i+1]...)
		if e, err = o.Entry(ctx, commit, here); err != nil {
			return repo.Entry{}, "", err
		}
		switch {
		case e.Mode == repo.ModeLink:
			next, err = through(ctx, o, e, path.Dir(here), parts[i+1:])
			return e, next, err
		case e.Mode == repo.ModeModule:
			return e, "", nil
		case e.Mode != repo.ModeFolder && i < len(parts)-1:
			return repo.Entry{}, "", nil
		}
	}
	return e, "", nil
}

// through is where a link in a folder leads; rest is what the path goes on with.
func through(ctx context.Context, o objects, link repo.Entry, folder string, rest []string) (string, error) {
	text, err := o.Blob(ctx, link.SHA)
	if err != nil {
		return "", err
	}
	outside := fmt.Errorf("the link to %.200q %w", text, errOutside)
	if len(text) == 0 || path.IsAbs(string(text)) {
		return "", outside
	}
	var down []string
	for _, part := range strings.Split(string(text), "/") {
		switch {
		case part == "" || part == ".":
		case part != "..":
			down = append(down, part)
		case len(down) > 0: // up from a folder that may be a link itself
			return "", fmt.Errorf("the link to %.200q is not followed", text)
		case folder == ".":
			return "", outside
		default:
			folder = path.Dir(folder)
		}
	}
	return path.Join(folder, path.Join(down...), path.Join(rest...)), nil
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

// differs says whether a path leads to something else in another commit.
func differs(ctx context.Context, o objects, a, b, file string) (bool, error) {
	was, err := follow(ctx, o, a, file)
	if err != nil {
		return false, err
	}
	is, err := follow(ctx, o, b, file)
	if err != nil {
		return false, err
	}
	return was.SHA != is.SHA || was.Mode == repo.ModeModule && was.place != is.place, nil
}

// has says whether a commit has something at a path. What is in a submodule cannot be known.
func has(ctx context.Context, o objects, commit, file string) (bool, error) {
	at, err := follow(ctx, o, commit, file)
	if err == nil && at.Mode == repo.ModeModule {
		err = fmt.Errorf("%s is in a submodule: it %w", at.place, errOutside)
	}
	return at.Mode != "", err
}
