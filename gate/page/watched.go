package page

import (
	"io"

	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// WriteWatch writes the page of a watch: every watched case against what records have of it.
func WriteWatch(w io.Writer, r *drift.Report, o Options) error {
	d := report.WatchDocument(r)
	v := newView(&result.Result{}, d, o)
	var stripes []stripe
	for _, c := range r.Cases {
		if c.Ratio > 0 && c.Low > 0 && c.High > 0 {
			stripes = append(stripes, stripe{name: c.Name, Shift: result.Shift{Ratio: c.Ratio, Low: c.Low, High: c.High}, look: watchLook(c)})
		}
	}
	caption := "Each case's time over what is usual for it, with the bounds that sessions leave. Red is surely slower, green surely faster."
	if f := stripesFigure(stripes, ratioWord, "time over the usual one", caption, tableOf(d.Cases)); f != nil {
		v.Figures = append(v.Figures, *f)
	}
	return write(w, v)
}

func watchLook(c drift.Case) look {
	switch {
	case c.Low > 1:
		return looks[result.Regression]
	case c.High < 1:
		return looks[result.Improvement]
	}
	return looks[result.Same]
}
