package identity

import (
	"path/filepath"

	"github.com/org/perfgate/kernels/observe"
)

// dependence is what processes asked for, and what those asked for that made some of it.
type dependence struct {
	asked      []observe.Access
	incomplete []observe.Reason
	seen       map[string]observe.Kinds
	ran        []observe.Report // what was run beside
	makers     map[string][]int // of that, by path
	included   map[int]bool     // of that
}

func newDependence(asked observe.Report, ran []observe.Report) *dependence {
	d := &dependence{seen: map[string]observe.Kinds{}, ran: ran, makers: map[string][]int{}, included: map[int]bool{}}
	for i, r := range ran {
		for _, a := range r.Paths {
			if a.Asked&(observe.Made|observe.Changed|observe.Moved) != 0 {
				d.makers[a.Path] = append(d.makers[a.Path], i)
			}
		}
	}
	d.include(asked)
	return d
}

func (d *dependence) include(r observe.Report) {
	d.incomplete = append(d.incomplete, r.Incomplete...)
	for _, a := range r.Paths {
		if !d.seen[a.Path].Has(a.Asked) {
			d.asked = append(d.asked, a)
		}
		d.seen[a.Path] |= a.Asked
	}
}

// includeMakers includes what those asked for that made or changed what is at a path.
func (d *dependence) includeMakers(path string) {
	for at := path; len(at) > 1; at = filepath.Dir(at) {
		for _, i := range d.makers[at] {
			if !d.included[i] {
				d.included[i] = true
				d.include(d.ran[i])
			}
		}
	}
}

// WithMakers is what processes asked for with all that those asked for that made any of it.
func WithMakers(asked observe.Report, ran []observe.Report) observe.Report {
	d := newDependence(asked, ran)
	for i := 0; i < len(d.asked); i++ {
		d.includeMakers(d.asked[i].Path)
	}
	return observe.Report{Paths: d.asked, Incomplete: d.incomplete, Requests: asked.Requests}
}
