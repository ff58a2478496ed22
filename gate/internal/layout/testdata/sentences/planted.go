// Package planted decides from text in every way that TestPlantedTextDecisionsAreFound knows, one a function, and does in harmless
// functions what is allowed.
package planted

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

type finding struct {
	Kind   string
	Reason string
	Notes  []string
}

func byPrefix(f finding) bool { return strings.HasPrefix(f.Reason, "adapter") }

func byError(err error) bool { return strings.Contains(err.Error(), "x") }

func byEquality(f finding) bool { return f.Reason == "x" }

func bySwitch(f finding) int {
	switch f.Reason {
	case "x":
		return 1
	}
	return 0
}

func byList(f finding, known []string) bool { return slices.Contains(known, f.Reason) }

func byLocal(f finding) bool {
	line := strings.TrimSpace(f.Reason)
	return line == "x"
}

func byRange(f finding) bool {
	for _, one := range f.Notes {
		if strings.EqualFold(one, "x") {
			return true
		}
	}
	return false
}

func byParameter(message string) bool { return strings.HasSuffix(message, "x") }

func byExpression(f finding) bool { return regexp.MustCompile("x").MatchString(f.Reason) }

func byWords(line string) bool { return strings.HasPrefix(line, "the adapter has changed") }

func byCase(line string) bool {
	switch line {
	case "the adapter has changed":
		return true
	}
	return false
}

var errX = errors.New("x")

func harmless(f finding, err error) string {
	if f.Reason == "" || len(f.Notes) == 0 {
		return "nothing"
	}
	first, _, _ := strings.Cut(f.Reason, "\n")
	if f.Kind == "x" || errors.Is(err, errX) {
		return fmt.Sprintf("%s: %s", first, strings.ToUpper(f.Reason))
	}
	return strings.Join(f.Notes, "; ")
}
