package action

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/text"
)

// placeholder stands for the commit of the action where this program knows none.
const placeholder = "PERFGATE_COMMIT"

var (
	hash       = text.Pattern(`^[0-9a-f]{40}$`)
	releaseTag = text.Pattern(`^v[0-9]+\.[0-9]+\.[0-9]+$`)
)

// Pin names what of the action the workflows use, unless the user does, in a program of a version. One that was released names its release: a commit cannot be known to
// the binaries that it states the hashes of. Any other names the commit that it was built from, which jobs then build as well.
func (opt *WorkflowOptions) Pin(version string) {
	released := releaseTag().MatchString(version)
	if opt.ActionRef != "" {
		opt.FromSource = !released && hash().MatchString(opt.ActionRef)
		return
	}
	opt.FromSource, opt.ActionRef = !released, version
	if !released {
		opt.ActionRef = cmp.Or(builtFrom(), placeholder)
	}
}

// builtFrom is the commit that this program was built from; "" where the build does not tell or had changes of its own.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && hash().MatchString(s.Value):
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		}
	}
	return commit
}

// NextSteps adds what to know once the workflows are in the repository, and what to do.
func (opt WorkflowOptions) NextSteps(done *report.Setup, root string) {
	note := func(format string, args ...any) { done.Notes = append(done.Notes, fmt.Sprintf(format, args...)) }
	if _, err := os.Stat(filepath.Join(root, config.DefaultFile)); err != nil {
		note("there is no %s at the root of the repository yet: perfgate init writes one, the input config names another place", config.DefaultFile)
	}
	switch {
	case opt.ActionRef == placeholder:
		note("this perfgate was not released and does not know the commit that it was built from: replace %s by a commit of github.com/%s, which jobs then build", placeholder, Repository)
		done.Steps = append(done.Steps, report.Step{What: "For the newest commit",
			Command: fmt.Sprintf(`sed -i "s/%s/$(git ls-remote https://github.com/%s HEAD | cut -f 1)/" .github/workflows/perfgate*.yml`, placeholder, Repository)})
	case opt.FromSource:
		note("this perfgate was not released: the workflows build it at commit %s, which has to be on github.com/%s. With a release, "+
			"delete them and write them with the released perfgate: jobs then download its binary, checked against the SHA-256 in the action, and need no Go",
			opt.ActionRef, Repository)
	case releaseTag().MatchString(opt.ActionRef):
		note("the workflows name the release %s, whose tag cannot be moved. Where commits are required: "+
			"git ls-remote https://github.com/%s %[1]s names its commit, for --action-ref", opt.ActionRef, Repository)
	}
	others := opt.otherForm(root)
	if len(others) > 0 {
		note("delete %s: with both, every pull request would be measured twice", strings.Join(others, " and "))
	}
	required := `check "perfgate"`
	if opt.Forks {
		required = `status "perfgate/verdict"`
	}
	done.Steps = append(done.Steps, report.Step{
		What: fmt.Sprintf("Commit and push the workflows, make the label perfgate-accept, and require the %s on %s (docs/github.md)", required, opt.DefaultBranch),
	})
}

// otherForm are the workflows in the repository that the form with or without --forks has and the one asked for has not.
func (opt WorkflowOptions) otherForm(root string) []string {
	mine := opt.templatesOf()
	opt.Forks = !opt.Forks
	var existing []string
	for _, name := range slices.Sorted(maps.Keys(opt.templatesOf())) {
		path := filepath.ToSlash(filepath.Join(".github", "workflows", name))
		if _, err := os.Lstat(filepath.Join(root, path)); err == nil && mine[name] == "" {
			existing = append(existing, path)
		}
	}
	return existing
}
