package github

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Lines are lines of a file as head has it.
type Lines struct {
	Path       string // within the repository
	Start, End int    // from 1, both included
}

// mostHunks bounds what is read of a change; annotations are for people.
const mostHunks = 100_000

// hunk matches the head of a hunk, as POSIX diff -u defines it: a count that is missing is 1.
var hunk = regexp.MustCompile(`^@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// ChangedLines reads what this prints, and returns the lines that head added or changed; where lines were only removed,
// the one before them:
//
//	git diff --unified=0 --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/ BASE HEAD
//
// The lines of the files themselves are skipped by their number, so that none of them can be taken for a head.
func ChangedLines(diff io.Reader) ([]Lines, error) {
	in := bufio.NewReaderSize(diff, 64<<10)
	var out []Lines
	path, skip := "", 0
	for {
		line, err := shortLine(in)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the change: %w", err)
		}
		if skip > 0 {
			if !strings.HasPrefix(line, `\`) { // "\ No newline at end of file" is not counted
				skip--
			}
			continue
		}
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			path = headPath(name)
			continue
		}
		m := hunk.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		removed, start, added := count(m[1]), count(m[2]), count(m[3])
		skip = removed + added
		if path != "" {
			start = max(1, start)
			out = append(out, Lines{path, start, max(start, start+added-1)})
		}
		if len(out) > mostHunks {
			return out, nil
		}
	}
}

// shortLine reads a line, of which only the first 64 KiB are kept, without its end.
func shortLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := string(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) && text != "" {
		err = nil
	}
	return strings.TrimSuffix(text, "\n"), err
}

func count(text string) int {
	if text == "" {
		return 1
	}
	n, _ := strconv.Atoi(text)
	return n
}

// headPath is the name behind "+++ "; "" for a file that is gone, or a name that git did not write.
func headPath(name string) string {
	name = strings.TrimSuffix(name, "\t") // git puts a tab behind names with blanks
	if strings.HasPrefix(name, `"`) {
		name = unquoteC(name)
	}
	path, ok := strings.CutPrefix(name, "b/")
	if !ok {
		return ""
	}
	return path
}

// unquoteC undoes the quoting of git: that of C strings, with bytes in octal. "" if it is not that.
func unquoteC(quoted string) string {
	if len(quoted) < 2 || !strings.HasSuffix(quoted, `"`) {
		return ""
	}
	var b strings.Builder
	for rest := quoted[1 : len(quoted)-1]; rest != ""; {
		value, multibyte, tail, err := strconv.UnquoteChar(rest, '"')
		if err != nil {
			return ""
		}
		if value < 0x100 && !multibyte {
			b.WriteByte(byte(value))
		} else {
			b.WriteRune(value)
		}
		rest = tail
	}
	return b.String()
}
