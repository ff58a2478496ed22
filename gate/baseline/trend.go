package baseline

import (
	"math"
	"slices"

	"github.com/org/perfgate/stats"
)

// Point is the level of a case in one record: mean log value, canary taken out if it is known to help.
type Point struct {
	Commit   string
	Distance int // commits behind the one asked about
	Level    float64
	Values   int
}

// Segment is a run of records between two changes of level.
type Segment struct {
	Points []Point // oldest first
	Level  float64 // median of the points: one bad session moves none
}

// Trend are the comparable records of a case, oldest first. Now tells which are comparable; its fingerprint is not looked
// at, since a trend is about code that changes.
func (h History) Trend(now Now, by Steady) []Point {
	now.Fingerprint = ""
	var out []Point
	for _, f := range slices.Backward(h.Found) {
		c := f.Record.Case(now.Case)
		if c == nil || unfit(f, *c, now) != "" {
			continue
		}
		s := NewSession(*c)
		if _, ok := s.Canary(by); !ok {
			continue
		}
		level, _ := meanVariance(s.steadied(by))
		out = append(out, Point{Commit: f.Record.Commit, Distance: f.Distance, Level: level, Values: len(s.Values)})
	}
	return out
}

// leastScatter keeps levels apart that differ by less than anybody measures: 0.05 %.
const leastScatter = 0.0005

// Segments splits a trend where its level changes.
func Segments(points []Point) []Segment {
	if len(points) == 0 {
		return nil
	}
	levels := make([]float64, len(points))
	for i, p := range points {
		levels[i] = p.Level
	}
	var out []Segment
	from := 0
	for _, to := range append(stats.Shifts(levels, leastScatter), len(points)) {
		level, _ := stats.Median(levels[from:to]) // never empty
		out = append(out, Segment{Points: points[from:to], Level: level})
		from = to
	}
	return out
}

// Best is the best-known level of a case.
type Best struct {
	Level   float64 // log ns, canary taken out by By
	Commit  string  // newest commit at that level
	Records int
	By      Steady
}

// BestKnown is the lowest level that at least 3 records agree on; ok is false with fewer records.
func (h History) BestKnown(now Now, by Steady) (best Best, ok bool) {
	for _, s := range Segments(h.Trend(now, by)) {
		if len(s.Points) < stats.LeastLevel || ok && s.Level >= best.Level {
			continue
		}
		best = Best{Level: s.Level, Commit: s.Points[len(s.Points)-1].Commit, Records: len(s.Points), By: by}
		ok = true
	}
	return best, ok
}

// Creep is how much slower a session of head is than the best-known level, as a fraction; ok is false where the session
// lacks the canary.
func (b Best) Creep(head Session) (float64, bool) {
	if _, ok := head.Canary(b.By); !ok || len(head.Values) == 0 {
		return 0, false
	}
	level, _ := meanVariance(head.steadied(b.By))
	return math.Expm1(level - b.Level), true
}
