package report

import (
	"strings"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/text"
)

// plainCommand is one command of perfgate's, with words as kernels.ShellWord writes them: no shell makes anything else of it.
var plainCommand = text.Pattern(`^perfgate( ([A-Za-z0-9_=./,:+%@-]|'[^'\x00-\x1f]*'|\\')+)*$`)

// OwnCommand is a command line of a result as it is shown to be pasted; "" where it is no plain command of perfgate's, since anybody may have
// written the result.
func OwnCommand(line string) string {
	if !plainCommand().MatchString(line) {
		return ""
	}
	return line
}

var (
	commandWord = text.Pattern(`([A-Za-z0-9_=./,:+%@-]|'[^']*'|\\')+`)
	quotedPart  = text.Pattern(`'[^']*'|\\'`)
)

// CommandWords are the words of an OwnCommand, as a shell would pass them; none where it is not one.
func CommandWords(line string) []string {
	words := commandWord().FindAllString(OwnCommand(line), -1)
	for i, word := range words {
		words[i] = quotedPart().ReplaceAllStringFunc(word, func(part string) string {
			if part == `\'` {
				return "'"
			}
			return strings.Trim(part, "'")
		})
	}
	return words
}

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
