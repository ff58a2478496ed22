package baseline

import (
	"math"
	"slices"
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
	Level  float64 // mean of the points
}

// minSegment is the fewest records that make a level: one lucky session is no level to hold anybody to.
const minSegment = 3

// splitT is how many standard errors two levels are apart before they are two: over hundreds of possible places, 4.5
// comes up by chance in about one trend of a thousand.
const splitT = 4.5

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
		if _, ok := s.canary(by); !ok {
			continue
		}
		level, _ := meanVariance(s.steadied(by))
		out = append(out, Point{Commit: f.Record.Commit, Distance: f.Distance, Level: level, Values: len(s.Values)})
	}
	return out
}

// Segments splits a trend where its level changes: binary segmentation (Scott and Knott 1974), each half of at least 3
// records. Scatter comes from the differences of neighbours, so that the changes themselves do not count as noise.
func Segments(points []Point) []Segment {
	if len(points) == 0 {
		return nil
	}
	at := split(points, scatter(points))
	if at == 0 {
		return []Segment{newSegment(points)}
	}
	return append(Segments(points[:at]), Segments(points[at:])...)
}

func newSegment(points []Point) Segment {
	s := Segment{Points: points}
	for _, p := range points {
		s.Level += p.Level / float64(len(points))
	}
	return s
}

// leastScatter keeps levels apart that differ by less than anybody measures: 0.05 %.
const leastScatter = 0.0005

// scatter is the standard deviation of a point, from the median absolute difference of neighbours.
func scatter(points []Point) float64 {
	var steps []float64
	for i := 1; i < len(points); i++ {
		steps = append(steps, math.Abs(points[i].Level-points[i-1].Level))
	}
	return max(leastScatter, medianPositive(steps)*1.4826/math.Sqrt2)
}

// split returns where the most certain change of level is, or 0.
func split(points []Point, sd float64) int {
	best, at := splitT, 0
	for i := minSegment; i <= len(points)-minSegment; i++ {
		a, b := newSegment(points[:i]), newSegment(points[i:])
		se := sd * math.Sqrt(1/float64(i)+1/float64(len(points)-i))
		if t := math.Abs(a.Level-b.Level) / se; t > best {
			best, at = t, i
		}
	}
	return at
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
		if len(s.Points) < minSegment || ok && s.Level >= best.Level {
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
	if _, ok := head.canary(b.By); !ok || len(head.Values) == 0 {
		return 0, false
	}
	level, _ := meanVariance(head.steadied(b.By))
	return math.Expm1(level - b.Level), true
}
