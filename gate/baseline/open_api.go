package baseline

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// OpenAPI opens the store git:BRANCH of a repository on GitHub through its Git data API: for a job that has a token and no
// clone. apiURL is GITHUB_API_URL, such as https://api.github.com; the token needs contents: read, and contents: write to
// store. Jobs that have a clone read the same branch with Open.
//
// The branch need not exist: the first Put makes it, with a history of its own. It is asked for once here, so that a wrong
// token or repository is an error before anything is measured.
func OpenAPI(ctx context.Context, apiURL, token, owner, repo, branch string) (Store, error) {
	u, err := url.Parse(apiURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("open store git:%s: %q is no address of an API", branch, apiURL)
	}
	if owner == "" || repo == "" || branch == "" || strings.Contains(owner+repo, "/") {
		return nil, fmt.Errorf("open store: owner %q, repository %q and branch %q must all be given", owner, repo, branch)
	}
	g := &GitHub{API: strings.TrimSuffix(apiURL, "/"), Repository: owner + "/" + repo, Branch: branch, Token: token}
	if _, err := g.Tip(ctx); err != nil {
		return nil, fmt.Errorf("open store git:%s of %s: %w", branch, g.Repository, err)
	}
	return NewBranch(g, "git:"+branch), nil
}
