package report

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// A kernel that begins a new epoch has the level of before in the report, the newest and the best-known one, and what head takes: compared with base or not.
func TestNewEpochShowsTheLevelBefore(t *testing.T) {
	t.Parallel()
	for _, isNew := range []bool{false, true} {
		r := load(t, "pass")
		why := result.Reason{Kind: result.ReasonEpoch, Name: "1 to 2"}
		r.Kernels[0].Uncompared = []result.Uncompared{{Reason: why, Approved: true}}
		c := &r.Cases[0]
		c.Past = &result.Past{OverBest: 0.25, BestCommit: "b", Levels: []result.PastLevel{{Count: 3, NS: c.Head.MedianNS / 2}}}
		if isNew {
			r.Kernels[0].Base = nil
			for i := range r.Cases {
				r.Cases[i].Verdict, r.Cases[i].Reason, r.Cases[i].Base, r.Cases[i].Comparisons = result.New, &why, nil, nil
			}
		}
		r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
		row := rowOf(t, epochTable(r), c.Name)
		if over := *row.Cells["change"].Value; over < 1.499 || over > 1.501 || row.Cells["best"].Text == row.Cells["newest"].Text {
			t.Errorf("new %v: %+v", isNew, row.Cells)
		}
		if len(r.Cases) > 1 && rowOf(t, epochTable(r), r.Cases[1].Name).Cells["best"].Text != "no record" {
			t.Errorf("new %v: a case without records", isNew)
		}
		d := New(r)
		headline := PlainText(d.Headline)
		if verdict := rowOf(t, caseTable(r), c.Name).Cells["verdict"].Text; isNew && (verdict != "meaning changed" || !strings.Contains(headline, "mean something else")) {
			t.Errorf("%q: %s", verdict, headline)
		}
	}
	if rows := epochTable(load(t, "pass")).Rows; len(rows) > 0 {
		t.Errorf("without a new epoch: %+v", rows)
	}
}
