package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

// A waiver that held is named with whose it is, until when and why, and a run that passes by one begins with it. One that is of no use is said, too.
func TestWaiversAreSaid(t *testing.T) {
	r := load(t, "regression")
	slow := slices.IndexFunc(r.Cases, func(c result.Case) bool { return c.Verdict == result.Regression })
	r.Policy.Day = "2027-01-30"
	r.Policy.Waivers = []result.Waiver{{Cases: r.Cases[slow].Name, Reason: "driver 580, #1234", Owner: "@kernels", Until: "2027-01-31"},
		{Cases: "gone", Reason: "x", Owner: "@others", Until: "2027-01-31"}, {Cases: "old", Reason: "x", Owner: "@others", Until: "2027-01-29"}}
	r.Conclusion = rule.Conclude(r.Cases, r.Kernels, r.Policy)
	d := New(r)
	said := PlainText(d.Headline)
	for _, b := range d.Blocks {
		for _, item := range b.List {
			said += "\n" + b.Key + ": " + PlainText(item.Text)
		}
	}
	for _, want := range []string{
		"waivers: waiver of @kernels until 2027-01-31 for " + r.Cases[slow].Name + " (1 case, however slow): driver 580, #1234",
		"the waiver of @others for gone matches no case", "the waiver of @others for old ended on 2027-01-29",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	r.Conclusion = rule.Accept(r.Conclusion, func(result.Finding) bool { return true }) // of what else is wrong
	if headline := PlainText(New(r).Headline); r.Conclusion.Exit != result.ExitPassed || !strings.Contains(headline, "1 regression waived by @kernels: ") {
		t.Error(headline)
	}
}
