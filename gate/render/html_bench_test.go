package render

import (
	"fmt"
	"io"
	"testing"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// BenchmarkHTML makes and writes the report of 2,000 cases: well under a second.
func BenchmarkHTML(b *testing.B) {
	r := load(b, "many")
	some := r.Cases
	for i := 0; len(r.Cases) < 2000; i++ {
		c := some[i%len(some)]
		c.Params = append(c.Params[:len(c.Params):len(c.Params)], result.Param{Name: "i", Value: fmt.Sprint(i)})
		c.Name = fmt.Sprintf("%s,i=%d", c.Name, i)
		r.Cases = append(r.Cases, c)
	}
	for b.Loop() {
		if err := HTML(io.Discard, documentFrom(r)); err != nil {
			b.Fatal(err)
		}
	}
}

func documentFrom(r *result.Result) report.Document { return report.New(r) }
