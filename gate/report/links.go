package report

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

var (
	isCommit = text.Pattern(`^[0-9a-f]{7,64}$`)
	// isRepository matches addresses that are written as they are.
	isRepository = text.Pattern(`^https://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~-]+)+$`)
)

// LinkCommits adds links to the commits of both sides, where repository is an address on the web and the trees are commits.
func (d *Document) LinkCommits(r *result.Result, repository string) {
	b := Block{Key: "commits", Layer: Verbose}
	for _, side := range []struct {
		name string
		of   result.Version
	}{{"base", r.Base}, {"head", r.Head}} {
		if !side.of.Dirty && isCommit().MatchString(side.of.Revision) && isRepository().MatchString(repository) {
			b.Links = append(b.Links, Link{Text: side.name + " " + result.ShortID(side.of.Revision), URL: repository + "/commit/" + side.of.Revision})
		}
	}
	if len(b.Links) > 0 {
		d.Blocks = append([]Block{b}, d.Blocks...)
	}
}

// Repository is the address of the repository that a job of GitHub Actions works for, by the environment; "" elsewhere.
func Repository(env func(string) string) string {
	server, name := env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY")
	if server == "" || name == "" {
		return ""
	}
	return server + "/" + name
}
