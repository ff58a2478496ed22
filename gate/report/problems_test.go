package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A header that no longer compiles breaks every kernel on both sides: one log, which names them. Another log stays its own.
func TestOneLogForManyKernels(t *testing.T) {
	t.Parallel()
	fails := func(output string) *result.Build { return &result.Build{Failed: true, Output: output} }
	var r result.Result
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		log := name + ": bench/all.cc does not compile\ncommon.h:3: error: expected ';'"
		r.Kernels = append(r.Kernels, result.Kernel{Name: name, Base: fails(log), Head: fails(log)})
	}
	r.Kernels = append(r.Kernels, result.Kernel{Name: "f", Head: fails("f: g.cc does not compile")}, result.Kernel{Name: "g", Base: fails("x"), Head: fails("y")})
	var titles []string
	for _, p := range problems(&r) {
		titles = append(titles, PlainText(p.Title))
	}
	want := "a, b, c and 2 more: base and head do not build|f: head does not build|g: base does not build|g: head does not build"
	if got := strings.Join(titles, "|"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What a process printed before it failed is shown once: of a kernel whose cases are not known, or of all the cases that have it.
func TestOneLogForManyCases(t *testing.T) {
	t.Parallel()
	fails := func(side result.Side) *result.Reason {
		return &result.Reason{Kind: result.ReasonBenchmarkFails, Side: side, Message: "it ended with exit status 3\nit printed: no such device"}
	}
	row := func(name string) result.Case {
		return result.Case{Kernel: "h", Name: name, Verdict: result.Error, ErrorSide: result.SideHead, Reason: fails(result.SideHead)}
	}
	r := result.Result{
		Kernels: []result.Kernel{{Name: "b", Reason: fails(result.SideBase)}, {Name: "h", Reason: fails(result.SideHead)}, {Name: "fine"}},
		Cases:   []result.Case{row("h/1"), row("h/2"), row("h/3")},
	}
	r.Cases[2].Reason = &result.Reason{Kind: result.ReasonBenchmarkFails, Side: result.SideHead, Message: "of one line"}
	var got []string
	for _, p := range problems(&r) {
		got = append(got, PlainText(p.Title)+": "+strings.Join(p.Output, "/"))
	}
	want := "b, base: base's benchmark: it ended with exit status 3/it printed: no such device|h/1 and 1 more case, head: head's benchmark: it ended with exit status 3/it printed: no such device"
	if strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
}

// A reason stands once, beside the first of the rows that share it.
func TestReasonsAreSaidOnce(t *testing.T) {
	t.Parallel()
	row := func(kernel, why string, rank int) Row {
		return Row{Name: Name{Kernel: kernel}, Instead: Cell{Text: why}, Cells: Cells{"verdict": countCell(rank, Plain)}}
	}
	rows := []Row{row("a", "wrong", 1), row("a", "wrong", 1), row("a", "wrong", 1), row("a", "", 2), row("b", "", 2), row("b", "wrong", 1), row("b", "slow", 1), row("b", "slow", 3)}
	sayOnce(rows)
	var got []string
	for _, r := range rows {
		got = append(got, r.Instead.Text)
	}
	if want := "wrong,as above,as above,,,wrong,slow,slow"; strings.Join(got, ",") != want {
		t.Errorf("%s, want %s", strings.Join(got, ","), want)
	}
}

func TestACompetitorThatDoesNotBuildShowsItsLog(t *testing.T) {
	r := result.Result{Kernels: []result.Kernel{{Name: "k", Competitors: []result.Competitor{
		{Name: "old", Status: result.CompetitorFailed, Build: &result.Build{Failed: true, Command: []string{"c++", "old.cc"}, Output: "k: old.cc does not compile\nold.cc:3: error: no such type"}},
		{Name: "new", Status: result.CompetitorMeasured, Build: &result.Build{}},
	}}}}
	got := problems(&r)
	if len(got) != 1 || spoken(got[0].Title) != "k: competitor old does not build" || got[0].Command != "c++ old.cc" || len(got[0].Output) != 2 {
		t.Errorf("problems are %+v", got)
	}
}
