package repo

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// Remote is a repository on a server.
type Remote struct {
	URL   string // without credentials
	Token string // sent to this address only; "" where everybody may read
}

// Bounds of a fetch. A file over MaxFetchedFile stays on the server where that can filter, and cannot be read here.
const (
	MaxFetchedFile = 1 << 20
	maxPack        = 1 << 30
	fetchTime      = 5 * time.Minute
)

// Fetch brings commits and the files that they have, without their history, into a new bare repository in an empty folder. They may be anybody's:
// nothing is checked out, no hook or filter runs, and submodules stay where they are. The token is in the environment of this one git.
func (r Remote) Fetch(ctx context.Context, dir string, commits ...string) (Git, error) {
	g := Git{Dir: dir, Bare: true}.With("GIT_DIR=" + dir)
	if _, err := g.Run(ctx, "init", "--quiet", "--bare", "--template="); err != nil {
		return g, err
	}
	address, err := url.Parse(r.URL)
	if err != nil || !slices.Contains([]string{"https", "http", "file"}, address.Scheme) {
		return g, fmt.Errorf("fetch from %.200q: it is not the address of a repository", r.URL)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTime, fmt.Errorf("it takes longer than %v", fetchTime))
	defer cancel()
	online := g.With(append(r.configuration(), "GIT_ALLOW_PROTOCOL="+address.Scheme)...)
	online.fileBytes = maxPack
	args := []string{
		"fetch", "--quiet", "--depth=1", fmt.Sprintf("--filter=blob:limit=%d", MaxFetchedFile+1), "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc",
		"--end-of-options", r.URL,
	}
	if _, err := online.Run(ctx, append(args, commits...)...); err != nil {
		return g, fmt.Errorf("fetch %.12s from %s (at most %d MiB in %v; the token needs contents: read): %w", commits, r.URL, maxPack>>20, fetchTime, err)
	}
	return g, nil
}

// configuration is that of the fetch only. A runner's own settings, such as its proxy, hold too; its credentials, and headers that
// actions/checkout has kept, do not. Headers would follow a redirect to another host.
func (r Remote) configuration() []string {
	header := "http." + r.URL + ".extraHeader"
	settings := [][2]string{{"credential.helper", ""}, {"core.askPass", ""}, {"http.followRedirects", "false"}, {"fetch.unpackLimit", "1"}, {header, ""}}
	if r.Token != "" {
		settings = append(settings, [2]string{header, "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+r.Token))})
	}
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return env
}
