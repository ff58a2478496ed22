package report

import "regexp"

// plainCommand is one command of perfgate's, with words as kernels.ShellWord writes them: no shell makes anything else of it.
var plainCommand = regexp.MustCompile(`^perfgate( ([A-Za-z0-9_=./,:+%@-]|'[^'\x00-\x1f]*'|\\')+)*$`)

// OwnCommand is a command line of a result as it is shown to be pasted; "" where it is no plain command of perfgate's, since anybody may have
// written the result.
func OwnCommand(line string) string {
	if !plainCommand.MatchString(line) {
		return ""
	}
	return line
}
