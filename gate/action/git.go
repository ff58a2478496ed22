package action

import (
	"context"

	"github.com/org/perfgate/gate/repo"
)

// git asks the checkout, which code of a pull request may have written to.
type git struct{ repo.Git }

func gitIn(dir string) git { return git{repo.Git{Dir: dir}} }

// checkoutError says of an error of git that the workflow is to be mended, and how.
func checkoutError(dir string, err error) error {
	switch repo.KindOf(err) {
	case repo.NoGit:
		return usagef("git is needed on the runner, and is not on the PATH")
	case repo.DubiousOwnership:
		return usagef("git refuses the checkout in %s because another user owns it (usual in containers); before this step run:\n  git config --global --add safe.directory %s", dir, dir)
	case repo.NotARepository:
		return usagef("%s is no git repository: run actions/checkout with fetch-depth: 0 before this step", dir)
	}
	return err
}

// file returns a file of a commit, through links; ok is false if it has none of that name.
func (g git) file(ctx context.Context, commit, path string) (content []byte, ok bool, err error) {
	return read(ctx, g, commit, path)
}
