package action

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/github"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// actionsRun is a run of GitHub Actions, as the address of its page names it.
type actionsRun struct {
	api         string // address
	owner, repo string
	id          int64
	token       [2]string // variables that hold one for this server, the first that is set counts
}

var runPath = text.Pattern(`^/([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+)/actions/runs/([0-9]{1,18})(/.*)?$`)

// parseRunURL reads the address of a run's page. A token goes to the server that the address names and no other.
func parseRunURL(address string) (actionsRun, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.User != nil {
		return actionsRun{}, result.Usagef("%.200q is not the address of a run", address)
	}
	found := runPath().FindStringSubmatch(u.Path)
	if found == nil || strings.Contains(u.Path+"/", "/../") {
		return actionsRun{}, result.Usagef("%.200q is not the address of a run of GitHub Actions, such as https://github.com/OWNER/REPO/actions/runs/NUMBER", address)
	}
	r := actionsRun{owner: found[1], repo: found[2], token: [2]string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}}
	if r.id, err = strconv.ParseInt(found[3], 10, 64); err != nil {
		return actionsRun{}, result.Usagef("%.200q: its number is none", address)
	}
	switch host := u.Host; {
	case host == "github.com", strings.HasSuffix(host, ".ghe.com"):
		r.api, r.token = "https://api."+host, [2]string{"GH_TOKEN", "GITHUB_TOKEN"}
	default:
		r.api = "https://" + host + "/api/v3"
	}
	return r, nil
}

// SavedRuns reads results out of the artifacts of runs.
type SavedRuns struct {
	Env       func(string) string // has the token
	Version   string
	Transport http.RoundTripper // nil: http.DefaultTransport
}

// Result reads the result in an artifact of the run whose page has this address, such as https://github.com/OWNER/REPO/actions/runs/NUMBER. What
// it holds is untrusted: nothing of it is written to a file. A usage error says what is wrong with the address, the name or the token.
func (s SavedRuns) Result(ctx context.Context, address, name string) (*result.Result, error) {
	run, err := parseRunURL(address)
	if err != nil {
		return nil, err
	}
	token := cmp.Or(s.Env(run.token[0]), s.Env(run.token[1]))
	if token == "" {
		return nil, result.Usagef("an artifact is given to nobody without a token: set %s to one that may read actions, such as $(gh auth token), or download it and name its folder", run.token[0])
	}
	client, err := github.New(github.Options{APIURL: run.api, Token: token, Owner: run.owner, Repo: run.repo, UserAgent: "perfgate/" + cmp.Or(s.Version, "devel"), Transport: s.Transport})
	if err != nil {
		return nil, result.Usage(err)
	}
	kept, err := client.Artifacts(ctx, run.id)
	if err != nil {
		return nil, err
	}
	p, ok, err := part{name: name}.fetch(ctx, client, kept)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, noArtifact(kept, name)
	case p.result == nil:
		return nil, fmt.Errorf("the artifact %s holds no result: %s", name, cmp.Or(p.why, "its job left none"))
	}
	return p.result, nil
}

// noArtifact says what a run has instead.
func noArtifact(kept []github.Artifact, name string) error {
	var names []string
	for _, a := range kept {
		if a.Name == name {
			return result.Usagef("the artifact %s of that run has expired", name)
		}
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		return result.Usagef("that run kept no artifact")
	}
	slices.Sort(names)
	return result.Usagef("that run has no artifact %s; name one with --artifact: %.500q", name, strings.Join(slices.Compact(names), ", "))
}
