package drift

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestRead: a drift check that code under test has changed is read only where it still says of itself what follows from it.
func TestRead(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	w.record(20)
	w.change("k1/n=1", 1.1)
	r := w.judge()
	r.Exit = r.Conclude()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil || r.Exit != result.ExitFailed {
		t.Fatal(err, r.Exit)
	}
	good := b.String()
	if again, err := Document.Read(strings.NewReader(good)); err != nil || again.Findings[0].Case != "k1/n=1" {
		t.Fatalf("%+v, %v", again, err)
	}
	for name, c := range map[string]struct{ old, new, says string }{
		"the exit code alone":  {`"exit": 1`, `"exit": 0`, "its findings make it 1"},
		"the effect alone":     {`"effect": "fails"`, `"effect": "note"`, "its findings make it 0"},
		"another schema":       {Schema, "perfgate/drift/v9", "measure again"},
		"an unknown key":       {`"commit":`, `"verdict": "pass", "commit":`, "unknown field"},
		"a key twice":          {`"exit": 1`, `"exit": 1, "exit": 0`, "twice"},
		"something behind it":  {"\n}\n", "\n}\n{}\n", "behind its end"},
		"a number as a word":   {`"sessions": 1`, `"sessions": "one"`, "sessions"},
		"larger than anything": {"{", "{" + strings.Repeat(" ", 16<<20), "larger than"},
	} {
		if _, err := Document.Read(strings.NewReader(strings.Replace(good, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
	r.Cases, r.Findings, r.Exit = nil, nil, result.ExitPassed
	if err := r.Write(io.Discard); err == nil {
		t.Error("a drift check that measured nothing passes")
	}
}

// TestConfirm: what one of two sessions shows has passed, unless the other shows something else.
func TestConfirm(t *testing.T) {
	t.Parallel()
	slower := Finding{Kind: Slower, Effect: result.EffectFails, Case: "a"}
	clock := Finding{Kind: Clock, Effect: result.EffectUnmeasured}
	for name, c := range map[string]struct {
		first, second []Finding
		exit          result.ExitCode
		passing       int
	}{
		"both":            {[]Finding{slower}, []Finding{slower}, result.ExitFailed, 0},
		"the first alone": {[]Finding{clock}, nil, result.ExitPassed, 1},
		"both, and one":   {[]Finding{slower, clock}, []Finding{slower}, result.ExitFailed, 1},
		"another":         {[]Finding{clock}, []Finding{slower}, result.ExitFailed, 0},
	} {
		r := Confirm(Report{Findings: c.first}, Report{Findings: c.second})
		passing := 0
		for _, f := range r.Findings {
			if f.Passing {
				passing++
			}
		}
		if r.Conclude() != c.exit || passing != c.passing || r.Sessions != 2 {
			t.Errorf("%s: exit %d, %+v", name, r.Conclude(), r.Findings)
		}
	}
}
