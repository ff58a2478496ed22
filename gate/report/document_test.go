package report

import (
	"reflect"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// TestNothingIsLost finds every case, command and note of every scenario in its document.
func TestNothingIsLost(t *testing.T) {
	for _, name := range samples {
		r := load(t, name)
		d := New(r)
		if n := len(caseTable(r).Rows); n != len(r.Cases) {
			t.Errorf("%s: %d rows for %d cases", name, n, len(r.Cases))
		}
		wanted := append([]string{r.Repro}, r.Notes...)
		for _, k := range r.Kernels {
			if f := k.Parity.Failure; f != nil {
				wanted = append(wanted, f.Repro)
			}
		}
		for _, want := range wanted {
			if !strings.Contains(flat(d), want) {
				t.Errorf("%s: %q is missing", name, want)
			}
		}
	}
}

// TestNewIsPure: the result is not touched, and equal results give equal documents.
func TestNewIsPure(t *testing.T) {
	for _, name := range samples {
		r, untouched := load(t, name), load(t, name)
		if !reflect.DeepEqual(New(r), New(r)) {
			t.Errorf("%s: two documents differ", name)
		}
		if !reflect.DeepEqual(r, untouched) {
			t.Errorf("%s: New changes the result", name)
		}
	}
}

// TestEmptyResult: a result that has nothing in it has a document.
func TestEmptyResult(t *testing.T) {
	if d := New(&result.Result{}); d.Verdict != "COULD NOT MEASURE" || flat(d) == "" {
		t.Errorf("verdict %q", d.Verdict)
	}
}
