package repo

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
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
	onlineTime     = 5 * time.Minute
)

// Fetch brings commits and the files that they have, without their history, into a new bare repository in an empty folder. They may be anybody's:
// nothing is checked out, no hook or filter runs, and submodules stay where they are. The token is in the environment of this one git.
func (r Remote) Fetch(ctx context.Context, dir string, commits ...string) (Git, error) {
	g, err := Bare(ctx, dir)
	if err != nil {
		return g, err
	}
	return g, r.get(ctx, g, []string{fmt.Sprintf("--filter=blob:limit=%d", MaxFetchedFile+1)}, commits)
}

// Bare makes a bare repository in an empty folder.
func Bare(ctx context.Context, dir string) (Git, error) {
	g := Git{Dir: dir, Bare: true}.With("GIT_DIR=" + dir)
	_, err := g.Run(ctx, "init", "--quiet", "--bare", "--template=")
	return g, err
}

// At returns the commit that a branch is at on the server, "" if there is no such branch. g may be no repository: nothing is brought into it.
func (r Remote) At(ctx context.Context, g Git, branch string) (string, error) {
	out, err := r.online(ctx, g, "read the branches", "ls-remote", "--end-of-options", r.URL, "refs/heads/"+branch)
	for line := range strings.Lines(out) {
		if commit, ref, _ := strings.Cut(strings.TrimSpace(line), "\t"); ref == "refs/heads/"+branch {
			return commit, err
		}
	}
	return "", err
}

// Tip is At, and brings the commit with its files into a bare repository.
func (r Remote) Tip(ctx context.Context, g Git, branch string) (string, error) {
	commit, err := r.At(ctx, g, branch)
	if err != nil || commit == "" {
		return "", err
	}
	if _, err := g.Run(ctx, "cat-file", "-e", commit); err == nil {
		return commit, nil
	}
	return commit, r.get(ctx, g, nil, []string{commit})
}

// Push moves a branch on the server from a commit ("": it is made) to where that of a bare repository is. The error is Moved where it is elsewhere.
func (r Remote) Push(ctx context.Context, g Git, branch, from string) error {
	ref := "refs/heads/" + branch
	_, err := r.online(ctx, g, "write the branch "+branch+" (the token needs contents: write)",
		"push", "--quiet", "--no-verify", "--force-with-lease="+ref+":"+from, "--end-of-options", r.URL, ref+":"+ref)
	return err
}

func (r Remote) get(ctx context.Context, g Git, filter, commits []string) error {
	g.fileBytes = maxPack
	args := slices.Concat([]string{"fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc"},
		filter, []string{"--end-of-options", r.URL}, commits)
	_, err := r.online(ctx, g, fmt.Sprintf("fetch %.12s (at most %d MiB; the token needs contents: read)", commits, maxPack>>20), args...)
	return err
}

// online runs git with the token and the protocol of the server.
func (r Remote) online(ctx context.Context, g Git, what string, args ...string) (string, error) {
	address, err := url.Parse(r.URL)
	if err != nil || !slices.Contains([]string{"https", "http", "file"}, address.Scheme) {
		return "", fmt.Errorf("%s from %.200q: it is not the address of a repository", what, r.URL)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, onlineTime, fmt.Errorf("it takes longer than %v", onlineTime))
	defer cancel()
	out, err := g.With(append(r.configuration(), "GIT_ALLOW_PROTOCOL="+address.Scheme)...).Run(ctx, args...)
	if err != nil {
		return "", fmt.Errorf("%s at %s%s: %w", what, r.URL, g.tooOld(ctx), err)
	}
	return out, nil
}

// tooOld says that git here is older than 2.31, which takes no configuration from its environment and so no token; "" where it is not.
func (g Git) tooOld(ctx context.Context) string {
	text, err := g.Run(ctx, "version")
	var major, minor int
	if _, scanned := fmt.Sscanf(text, "git version %d.%d", &major, &minor); err != nil || scanned != nil || major > 2 || major == 2 && minor >= 31 {
		return ""
	}
	return " (" + text + " is too old to take the token: 2.31 or newer is needed)"
}

// configuration is that of what goes to the server only. A runner's own settings, such as its proxy, hold too; its credentials, and headers that
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
