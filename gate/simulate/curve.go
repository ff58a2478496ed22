package simulate

import (
	"fmt"
	"math"

	"github.com/org/perfgate/gate/result"
)

// Curves are the chances of each verdict against the true shift.
type Curves struct {
	Tolerance float64
	Curves    []Curve
}

// Curve is that of one kind of noise.
type Curve struct {
	Noise  string
	Points []Point
}

// Point is one true shift, as a fraction: 0.03 is 3 % slower.
type Point struct {
	Shift     float64
	Share     map[result.Verdict]float64
	Processes float64
}

// Curve simulates the operating curves of the first three kinds of noise, at the first tolerance. A point needs fewer cases than a rate that is promised.
func (o Options) Curve() (Curves, error) {
	policies, err := o.policies()
	if err != nil {
		return Curves{}, err
	}
	o.Trials = max(50, o.Trials/3)
	out := Curves{Tolerance: policies[0].Tolerance}
	for _, n := range o.Noise[:min(3, len(o.Noise))] {
		c := Curve{Noise: n.Name()}
		for i := -12; i <= 20; i++ {
			s := float64(i) * 0.0025
			cases := o.cases(n, math.Log1p(s), policies[0])
			p := Point{Shift: s, Share: map[result.Verdict]float64{}, Processes: meanProcesses(cases)}
			for _, one := range cases {
				p.Share[one.verdict] += 1 / float64(len(cases))
			}
			c.Points = append(c.Points, p)
		}
		out.Curves = append(out.Curves, c)
	}
	o.observe("operating curve")
	return out, nil
}

// Render writes the curves as Markdown tables.
func (r Curves) Render() string {
	var t Tables
	for _, c := range r.Curves {
		for _, p := range c.Points {
			row := Row{name("true shift", fmt.Sprintf("%+.2f", 100*p.Shift))}
			for _, v := range stackOrder {
				row = append(row, number(string(v), 100*p.Share[v]))
			}
			t.add("Chance of each verdict, "+c.Noise, append(row, number("processes", p.Processes)))
		}
	}
	return t.Render()
}
