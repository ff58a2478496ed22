package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// A pass says in the open what weakens it, a few sentences of each kind.
func TestAPassSaysWhatWeakensIt(t *testing.T) {
	t.Parallel()
	said := func(change func(*result.Result)) string {
		r := load(t, "pass")
		change(r)
		d := New(r)
		var lines []string
		for _, b := range d.Blocks {
			if b.Layer == Always {
				for _, item := range b.List {
					lines = append(lines, PlainText(item.Text))
				}
			}
		}
		return strings.Join(lines, "\n")
	}
	plain := said(func(*result.Result) {})
	for name, c := range map[string]struct {
		change func(*result.Result)
		want   string
	}{
		"fewer cases":   {func(r *result.Result) { r.Kernels[0].Parity.Run, r.Kernels[0].Parity.Planned = 3, 64 }, "parity: 3 of 64 cases were checked"},
		"a weak oracle": {func(r *result.Result) { r.Kernels[0].Parity.Oracle = "relations" }, "declared relations only"},
		"a warning": {func(r *result.Result) {
			r.Kernels[0].Parity.Warnings = []string{"two cases are too large for this GPU"}
		}, "too large for this GPU"},
		"slow sometimes": {func(r *result.Result) {
			r.Cases[0].Compared().Suspect = &result.Suspect{Side: result.SideHead, Processes: 1, Of: 8, Shift: 0.6}
		}, "slow only sometimes"},
		"many kernels": {func(r *result.Result) {
			for range 5 {
				k := r.Kernels[0]
				k.Parity.Warnings = []string{"not all of it"}
				r.Kernels = append(r.Kernels, k)
			}
		}, "2 more like these"},
	} {
		if got := said(c.change); !strings.Contains(got, c.want) || strings.Contains(plain, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
