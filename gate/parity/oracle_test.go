package parity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Where the adapter names no dimensions, an index is said to be one.
func TestPatternInWords(t *testing.T) {
	last := kernels.Extent{Size: 193, First: 192, Last: 192, Count: 1}
	two := kernels.Extent{Size: 2, First: 0, Last: 1, Count: 2}
	eight := kernels.Extent{Size: 8, First: 0, Last: 7, Count: 8}
	for _, c := range []struct {
		want, dims string
		pattern    kernels.Pattern
	}{
		{"all of the last d (63)", "b,d", kernels.Pattern{Wrong: 8, Looked: 512, Extents: []kernels.Extent{eight, {Size: 64, First: 63, Last: 63, Count: 1}}}},
		{"all of b=1", "b,d", kernels.Pattern{Wrong: 64, Looked: 128, Extents: []kernels.Extent{{Size: 3, First: 1, Last: 1, Count: 1}, {Size: 64, First: 0, Last: 63, Count: 64}}}},
		{"only d >= 60", "b,d", kernels.Pattern{Wrong: 9, Looked: 512, Extents: []kernels.Extent{eight, {Size: 64, First: 60, Last: 63, Count: 4}}}},
		{"all of b=0, d from 2 to 3", "b,d", kernels.Pattern{Wrong: 2, Looked: 128, Extents: []kernels.Extent{{Size: 2, First: 0, Last: 0, Count: 1}, {Size: 64, First: 2, Last: 3, Count: 2}}}},
		{"every element", "b,d", kernels.Pattern{Wrong: 128, Looked: 128, Extents: []kernels.Extent{two, {Size: 64, First: 0, Last: 63, Count: 64}}}},
		{"", "b,d", kernels.Pattern{Wrong: 9, Looked: 128, Extents: []kernels.Extent{two, {Size: 64, First: 1, Last: 60, Count: 7}}}},
		{"only the last element (192)", "", kernels.Pattern{Wrong: 1, Looked: 193, Extents: []kernels.Extent{last}}},
		{"all of elements >= 64", "", kernels.Pattern{Wrong: 129, Looked: 193, Extents: []kernels.Extent{{Size: 193, First: 64, Last: 192, Count: 129}}}},
		{"all of the last index of dimension 1 (192)", "", kernels.Pattern{Wrong: 2, Looked: 386, Extents: []kernels.Extent{two, last}}},
		{"all of indices from 2 to 3 of dimension 1", "", kernels.Pattern{Wrong: 4, Looked: 386, Extents: []kernels.Extent{two, {Size: 193, First: 2, Last: 3, Count: 2}}}},
		{"only index 0 of dimension 0", "", kernels.Pattern{Wrong: 7, Looked: 386, Extents: []kernels.Extent{{Size: 2, First: 0, Last: 0, Count: 1}, {Size: 193, First: 1, Last: 60, Count: 7}}}},
	} {
		if got := PatternWords(&c.pattern, c.dims); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestTolerancesAreByDtype(t *testing.T) {
	atol := 0.5
	all := TolerancesOf(&atol, nil, 0.9, "").For("large")
	for dtype, of := range all {
		share := of.Matched != nil
		if of.Atol != 8 || of.Rtol != defaultTolerances[dtype].Rtol || share != strings.HasPrefix(dtype, "f8") || share && *of.Matched != 0.9 {
			t.Errorf("%s: %+v", dtype, of)
		}
	}
	if _, ok := all["i32"]; ok || len(all) != 6 {
		t.Errorf("a configured tolerance is for floats: %v", all)
	}
	if of := TolerancesOf(nil, nil, 0, "").ByDtype["f8e5m2"]; of.Atol != 0.25 || *of.Matched != 0.99 {
		t.Errorf("defaults: %+v", of)
	}
}

// Any number of the configuration takes the place of the bound.
func TestNumbersRuleInPlaceOfTheBound(t *testing.T) {
	number := 0.5
	for _, c := range []struct {
		atol, rtol *float64
		bound      bool
	}{{nil, nil, true}, {&number, nil, false}, {nil, &number, false}, {&number, &number, false}} {
		if got := TolerancesOf(c.atol, c.rtol, 0, "f32").Bound; (got != nil) != c.bound || got != nil && got.Accumulate != "f32" {
			t.Errorf("atol %v, rtol %v: bound %+v", c.atol, c.rtol, got)
		}
	}
}

// bench is a judge without a process: it answers by the oracle that it is asked for.
type bench struct {
	started, live int
	answers       map[string]error
	asked         []string
}

func (b *bench) start(context.Context, string) (kernels.Process, error) {
	b.started++
	b.live++
	return b, nil
}

func (b *bench) Has(string) bool { return true }

func (b *bench) Close() { b.live-- }

func (b *bench) Printed() string { return "" }

func (b *bench) Call(_ context.Context, _, _ string, args, _ any, _ time.Duration) error {
	name := args.(kernels.JudgeCommand).Oracle
	b.asked = append(b.asked, name)
	return b.answers[name]
}

// The judge's own launch is asked where there is no reference, and a judge that a question ended is started again for the next.
func TestJudgeIsAskedAgain(t *testing.T) {
	crashed := &kernels.RunnerError{Code: result.CodeCrashed}
	b := &bench{answers: map[string]error{OracleReference: &kernels.RunnerError{Code: result.CodeNoReference}, OracleLaunch: crashed}}
	j := &Judge{Library: "base", Start: b.start}
	for range 2 {
		_, asked, err := j.Compare(t.Context(), "k", kernels.JudgeCommand{}, time.Second, OracleReference, OracleLaunch)
		if !errors.Is(err, crashed) || asked != OracleLaunch || b.live != 0 {
			t.Errorf("%v of %s, %d live", err, asked, b.live)
		}
	}
	b.answers[OracleReference] = nil
	if _, asked, err := j.Compare(t.Context(), "k", kernels.JudgeCommand{}, time.Second, OracleReference, OracleLaunch); err != nil || asked != OracleReference || b.live != 1 {
		t.Errorf("%v of %s, %d live", err, asked, b.live)
	}
	if j.Close(); b.live != 0 || b.started != 3 || len(b.asked) != 5 {
		t.Errorf("%+v", b)
	}
}

func TestOutputsBeyondTheDiskAreNotDeliverable(t *testing.T) {
	dir := t.TempDir()
	if err := Deliverable(1<<10, dir); err != nil {
		t.Error(err)
	}
	if err := Deliverable(mostDelivered+1, dir); err == nil {
		t.Error("more than may be was let through")
	}
}
