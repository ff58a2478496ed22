package kernels

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// notPrograms are the first words of a shell's line that no program stands for.
var notPrograms = strings.Fields(`! { } . : [ [[ alias bg break builtin case cd command continue declare do done echo elif else esac eval exec exit export false fc fg fi for
	function getopts hash if in jobs kill let local printf pwd read readonly return select set shift source test then time times trap true type typeset ulimit umask
	unalias unset until wait while`)

var assignment = text.Pattern(`^[A-Za-z_][A-Za-z_0-9]*=`)

// replacing is a line for sh that makes the shell become the program, where the line is one program with its arguments. The driver of a GPU
// opens /proc/self/task/*/comm to name its threads and does not start without, and in the sandbox that is open to the process that was
// started, and to none that it forks: what allowed theirs would allow reading what every process was started with.
func replacing(line string) string {
	variables, program := assigned(strings.TrimSpace(line))
	first, _, _ := strings.Cut(program, " ")
	if first == "" || slices.Contains(notPrograms, first) || strings.HasPrefix(first, "#") || !IsOneCommand(line) {
		return line
	}
	return variables + "exec " + program
}

// StartedFile is the program that a line starts where the line is one command and names a file of the folder that it runs in, such as
// "A=1 ./build/bench -x"; else "".
func StartedFile(line string) string {
	_, program := assigned(strings.TrimSpace(line))
	word := program[:wordEnd(program)]
	if !IsOneCommand(line) || !strings.Contains(word, "/") || strings.ContainsAny(word, "\"'\\$*?[~{#") || !filepath.IsLocal(word) {
		return ""
	}
	return filepath.Clean(word)
}

// installedProgram is the program of a line that names it by its whole path, such as "A=1 /opt/venv/bin/python3 -m pytest"; "" where none does.
func installedProgram(line string) string {
	_, program := assigned(strings.TrimSpace(line))
	word := program[:wordEnd(program)]
	if !filepath.IsAbs(word) || strings.ContainsAny(word, "\"'\\$*?[~{#") {
		return ""
	}
	return word
}

// assigned cuts a line behind the assignments that it begins with. They stay the shell's: as words of another command, what they expand to would be
// split.
func assigned(line string) (variables, program string) {
	for program = line; assignment().MatchString(program); {
		program = strings.TrimLeft(program[wordEnd(program):], " \t")
	}
	return line[:len(line)-len(program)], program
}

// wordEnd is where the first word of a line ends, for sh.
func wordEnd(line string) int {
	end, inside := len(line), 0
	eachBare(line, func(i int, before, r rune) bool {
		switch {
		case r == '{' && before == '$':
			inside++
		case r == '}' && inside > 0:
			inside--
		case (r == ' ' || r == '\t') && inside == 0:
			end = i
			return false
		}
		return true
	})
	return end
}

// IsOneCommand says whether a line is a single program with its arguments, and so neither a pipeline nor a list: it has nothing that makes several
// commands of it, outside of quotes.
func IsOneCommand(line string) bool {
	one := true
	closed := eachBare(line, func(_ int, before, r rune) bool {
		one = !strings.ContainsRune("|;()`\n", r) && (r != '&' || before == '>' || before == '<')
		return one
	})
	return one && closed
}

// eachBare calls f with the characters of a line that stand outside of quotes and are not escaped, and what stands before each, until f says no. closed
// is false where a quote is left open.
func eachBare(line string, f func(i int, before, r rune) bool) (closed bool) {
	quote, before := rune(0), ' '
	for i, r := range line {
		switch {
		case before == '\\' && quote != '\'':
			r = 'x' // escaped, whatever it is
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case !f(i, before, r):
			return true
		}
		before = r
	}
	return quote == 0
}
