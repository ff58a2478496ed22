package text

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// logCommand is what a CI service obeys.
var logCommand = regexp.MustCompile(`^\s*::|##[a-z]*\[`)

// What is printed as JSON stays the same JSON.
func TestJSONForLogIsTheSameDocument(t *testing.T) {
	const text = `{"a": "##[set-env name=A]b ##[ ##vso[x]", "b": ["##error[", 1]}`
	got := JSONForLog(text)
	if logCommand.MatchString(got) {
		t.Errorf("%s would be obeyed", got)
	}
	var want, same any
	if err := errors.Join(json.Unmarshal([]byte(text), &want), json.Unmarshal([]byte(got), &same)); err != nil || !reflect.DeepEqual(want, same) {
		t.Errorf("%s is another document than %s (%v)", got, text, err)
	}
}

func TestForLog(t *testing.T) {
	for _, text := range []string{"::error::x\n", "fine\n  ::set-output name=a::b", "a ##[error]b\n```\n::stop-commands::x\n```\n"} {
		for line := range strings.Lines(ForLog(text)) {
			if logCommand.MatchString(line) {
				t.Errorf("%q would be obeyed", line)
			}
		}
	}
	const plain = "### PASS\n\n| a | b::c |\n## heading\n"
	if got := ForLog(plain); got != plain {
		t.Errorf("%q became %q", plain, got)
	}
}
