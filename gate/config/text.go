package config

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels"
)

func formatVersion(s scalar) (int, string, string) {
	if s.quoted || s.text != strconv.Itoa(Version) {
		return 0, "is " + s.asWritten() + ", which this perfgate does not read", strconv.Itoa(Version)
	}
	return Version, "", ""
}

// script is a command, which may have several lines.
func script(s scalar) (string, string, string) {
	switch {
	case !s.plain:
		return "", fmt.Sprintf("is %s; quote it where text is meant", s.text), ""
	case strings.TrimSpace(s.text) == "":
		return "", "is empty", ""
	case strings.ContainsRune(s.text, 0):
		return "", "has a zero byte", ""
	}
	return s.text, "", ""
}

// line is text of one line.
func line(s scalar) (string, string, string) {
	if text, problem, allowed := script(s); problem != "" || !strings.ContainsFunc(text, unicode.IsControl) {
		return text, problem, allowed
	}
	return "", "has a line break or a control character", "text of one line"
}

// checked is text of one line that check has nothing against.
func checked(check func(string) (problem, allowed string)) parserOf[string] {
	return func(s scalar) (string, string, string) {
		text, problem, allowed := line(s)
		if problem == "" {
			problem, allowed = check(text)
		}
		return text, problem, allowed
	}
}

// written is a single value of any kind, as it is written, that check has nothing against.
func written(check func(string) (problem, allowed string)) parserOf[string] {
	return func(s scalar) (string, string, string) {
		problem, allowed := check(s.text)
		return s.text, problem, allowed
	}
}

// file is a path inside the folder of the configuration, cleaned.
func file(s scalar) (string, string, string) {
	text, problem, allowed := checked(checkPath)(s)
	return path.Clean(text), problem, allowed
}

// checkPath is about the text alone, so that it holds wherever the tree is checked out.
func checkPath(p string) (problem, allowed string) {
	const inside = "a path relative to the folder of this file, with forward slashes"
	clean := path.Clean(p)
	switch {
	case path.IsAbs(p):
		return fmt.Sprintf("%s is absolute", quoted(p)), inside
	case strings.ContainsAny(p, `\`), len(p) > 1 && p[1] == ':':
		return fmt.Sprintf("%s has a backslash or a drive", quoted(p)), inside
	case clean == "..", strings.HasPrefix(clean, "../"):
		return fmt.Sprintf("%s leaves the folder of this file", quoted(p)), inside
	case clean == ".", strings.HasSuffix(p, "/"):
		return fmt.Sprintf("%s is a folder", quoted(p)), inside
	case strings.HasPrefix(clean, "-"):
		return fmt.Sprintf("%s would read as an option of the compiler", quoted(p)), "names that do not start with -"
	case strings.ContainsAny(p, "*?["):
		return fmt.Sprintf("%s is a pattern", quoted(p)), "one path an entry"
	}
	return "", ""
}

// checkWords keeps what a report repeats short.
func checkWords(s string) (problem, allowed string) {
	const most = 300
	if len(s) > most {
		return "is too long", fmt.Sprintf("%d bytes", most)
	}
	return "", ""
}

func checkDay(s string) (problem, allowed string) {
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return "is " + quoted(s), "a day, like 2027-01-31"
	}
	return "", ""
}

// competitorAdapter is a path, or the name of a competitor that comes with perfgate.
func competitorAdapter(s scalar) (string, string, string) {
	library, _, named := strings.Cut(s.text, ":")
	if !named || strings.Contains(library, "/") {
		return file(s)
	}
	if !kernels.IsAgainst(s.text) {
		return "", "is " + quoted(s.text), "a path, or one of " + strings.Join(kernels.Against, ", ")
	}
	return s.text, "", ""
}

// checkName keeps names fit for files, globs and command lines.
var checkName = like(`[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}`, "up to 64 of A-Z a-z 0-9 _ . - and neither . nor - in front")

// like checks a whole text by a pattern.
func like(pattern, allowed string) func(string) (string, string) {
	whole := text.Pattern("^(" + pattern + ")$")
	return func(value string) (string, string) {
		if !whole().MatchString(value) {
			return "is " + quoted(value), allowed
		}
		return "", ""
	}
}

// checkStore looks at the form alone. A folder of records may be absolute, unlike every other path: a runner's
// workspace is wiped between jobs, so records that stay on the machine must live outside of it.
func checkStore(s string) (problem, allowed string) {
	const forms = "dir:PATH, git:BRANCH"
	kind, rest, _ := strings.Cut(s, ":")
	switch clean := path.Clean(rest); {
	case kind != "dir" && kind != "git" || kind == s:
		return "is " + quoted(s), forms
	case rest == "":
		return fmt.Sprintf("%s has nothing behind its colon", quoted(s)), forms
	case kind == "git" && !isBranch(rest):
		return fmt.Sprintf("%s does not name a branch", quoted(s)), forms
	case kind == "dir" && (clean == ".." || strings.HasPrefix(clean, "../")):
		return fmt.Sprintf("%s leaves the folder of this file", quoted(s)), "a path inside the folder, or an absolute one"
	}
	return "", ""
}

// isBranch follows git check-ref-format, and is a little stricter.
func isBranch(s string) bool {
	for _, part := range strings.Split(s, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return s != "@" && s != "HEAD" && !strings.ContainsAny(s, " ~^:?*[\\") && !strings.Contains(s, "..") && !strings.Contains(s, "@{")
}

// checkInterpreter is about the text alone. An interpreter may lie anywhere on the machine.
func checkInterpreter(p string) (problem, allowed string) {
	if p != strings.TrimSpace(p) || strings.HasPrefix(p, "-") || strings.HasPrefix(p, "~") && !strings.HasPrefix(p, "~/") {
		return "is " + quoted(p), "a program on the PATH, or a path that is absolute, begins with ~/ or is relative to the folder of this file, without arguments"
	}
	return "", ""
}

func checkPattern(p string) (problem, allowed string) {
	const forms = "a pattern relative to the folder of this file, like csrc/** or *.cu"
	switch {
	case slices.Contains(strings.Split(p, "/"), ".."):
		return fmt.Sprintf("%s leaves the folder of this file", quoted(p)), forms
	case !doublestar.ValidatePattern(p):
		return unclosed(p), forms
	case path.IsAbs(p), strings.HasPrefix(p, "!"), strings.Contains(p, `\`):
		return fmt.Sprintf("%s is absolute, negated or has a backslash", quoted(p)), forms
	}
	return "", ""
}

// checkWatched is about a pattern of paths: with ! in front, nothing reads what it names.
func checkWatched(p string) (problem, allowed string) {
	return checkPattern(cmp.Or(strings.TrimPrefix(p, "!"), p))
}

func unclosed(p string) string {
	return quoted(p) + " has a bracket or a brace that is not closed"
}

// checkRows is about a pattern over the rows of a benchmark.
func checkRows(p string) (problem, allowed string) {
	const forms = `the name of a row, or a pattern like "sum/*", in which * stands for any text and {a,b} for either; with ! before it, those are left out`
	switch {
	case strings.TrimPrefix(p, "!") == "":
		return "is empty", forms
	case !doublestar.ValidatePattern(p):
		return unclosed(p), forms
	}
	return "", ""
}

// checkCasePattern is about a pattern over the names of cases.
func checkCasePattern(p string) (problem, allowed string) {
	const forms, most = `the name of a case, of a kernel for all of its cases, or a pattern like "decode/**"`, 256
	switch {
	case len(p) > most:
		return "is too long", fmt.Sprintf("%d characters", most)
	case !doublestar.ValidatePattern(p):
		return unclosed(p), forms
	}
	return "", ""
}
