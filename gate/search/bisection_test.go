package search

import (
	"bytes"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestReadBisection: an answer names commits as its kind says, and has no key that a search does not write.
func TestReadBisection(t *testing.T) {
	t.Parallel()
	task, measure := numbered([]float64{0, 0, 0.1, 0.1}, nil, new(int))
	out, err := findFirstSlower(t.Context(), task, measure)
	must(t, err)
	r := Bisection{Schema: BisectSchema, Good: "0", Bad: "3", Line: 3, Narrowing: ByNone, BisectOutcome: out}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil || out.Exit() != result.ExitPassed {
		t.Fatal(err, out.Exit())
	}
	good := b.String()
	if again, err := BisectDocument.Read(strings.NewReader(good)); err != nil || again.First != "2" || again.Confirm == nil {
		t.Fatalf("%+v, %v", again, err)
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"another schema":      {BisectSchema, "perfgate/bisect/v9", "measure again"},
		"no such outcome":     {`"kind": "found"`, `"kind": "passed"`, "no outcome of a search"},
		"found nothing":       {`"first": "2"`, `"first": ""`, "does not go with"},
		"no regression, one":  {`"kind": "found"`, `"kind": "no-change"`, "does not go with"},
		"narrowed to nothing": {`"kind": "found"`, `"kind": "narrowed"`, "does not go with"},
		"an unknown key":      {`"line":`, `"exit": 0, "line":`, "unknown field"},
	} {
		if _, err := BisectDocument.Read(strings.NewReader(strings.Replace(good, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
