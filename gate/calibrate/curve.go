package calibrate

import (
	"math"

	"github.com/org/perfgate/gate/result"
)

// Curve is the chance of each verdict against the true shift, in one world.
type Curve struct {
	World  string
	Points []Point
}

// Point is one true shift, as a fraction: 0.03 is 3 % slower.
type Point struct {
	Shift  float64
	Share  map[result.Verdict]float64
	Rounds float64
}

// curveShifts are the true shifts of a curve.
func curveShifts() []float64 {
	var shifts []float64
	for i := -12; i <= 20; i++ {
		shifts = append(shifts, float64(i)*0.0025)
	}
	return shifts
}

// curves draws the operating curves of the first three worlds.
func (o Options) curves() []Curve {
	var curves []Curve
	for _, w := range o.Worlds[:min(3, len(o.Worlds))] {
		c := Curve{World: w.Name()}
		for _, s := range curveShifts() {
			cases := o.cases(w, math.Log1p(s), max(50, o.Cases/3))
			p := Point{Shift: s, Share: map[result.Verdict]float64{}, Rounds: meanRounds(cases)}
			for _, one := range cases {
				p.Share[one.verdict] += 1 / float64(len(cases))
			}
			c.Points = append(c.Points, p)
		}
		curves = append(curves, c)
	}
	return curves
}
