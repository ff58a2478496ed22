package report

import (
	"strings"

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
