package rule

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Race compares many settings of one kernel that were measured in the same rounds, case by case and over all cases, and drops those that are
// surely slower than another. With the chance Confidence, the fastest setting of every case and of all cases together is never dropped, over
// all looks: it could only be by a false claim that one of the others is faster, and each such claim has its share of the chance of error.
type Race struct {
	Confidence float64
	Gain       float64 // two settings that surely differ by less are as good as each other: 0.015 is 1.5 %
	Settings   int
	Cases      int
}

// raceLooks are the rounds after which a race is looked at.
var raceLooks = []int{2, 3, 4, 6, 8, 12, 16, 24, 32}

// LooksAt says whether a race is looked at after so many rounds.
func (r Race) LooksAt(rounds int) bool { return slices.Contains(raceLooks, rounds) }

// Last is the number of rounds after which nothing more is measured.
func (r Race) Last() int { return raceLooks[len(raceLooks)-1] }

// Lane is what was measured of one setting: its log values, two a round, and how they were timed.
type Lane struct {
	Setting int
	Values  [][2]float64
	Timing  Timing
}

// Placed is where a setting of a race stands.
type Placed struct {
	Setting int
	// Behind compares it with the leader, whose place is base's: a ratio of 1.2 is 20 % slower. nil of the leader.
	Behind  *result.Comparison
	Dropped bool // surely slower than the leader
	Level   bool // surely slower by less than Gain, if at all
}

// Look places lanes that have the same rounds, the leader first. Fewer than two rounds and lanes that differ in their number are errors.
func (r Race) Look(lanes []Lane) ([]Placed, error) {
	if len(lanes) == 0 {
		return nil, fmt.Errorf("race: there is no setting")
	}
	rounds := len(lanes[0].Values)
	look := 0
	for look < len(raceLooks) && raceLooks[look] <= rounds {
		look++
	}
	if look == 0 {
		return nil, fmt.Errorf("race: %d rounds, and the first look is after %d", rounds, raceLooks[0])
	}
	leader := slices.MinFunc(lanes, func(a, b Lane) int { return cmp.Compare(a.mean(), b.mean()) })
	out := []Placed{{Setting: leader.Setting}}
	for _, l := range lanes {
		if l.Setting == leader.Setting {
			continue
		}
		if len(l.Values) != rounds {
			return nil, fmt.Errorf("race: setting %d has %d rounds, the first has %d", l.Setting, len(l.Values), rounds)
		}
		p, err := r.place(l, leader, look)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out[1:], func(a, b Placed) int { return cmp.Compare(a.Behind.Theta, b.Behind.Theta) })
	return out, nil
}

func (r Race) place(l, leader Lane, look int) (Placed, error) {
	rounds := make([]stats.Round, len(l.Values))
	for i := range rounds {
		rounds[i] = stats.Round{Base: leader.Values[i], Head: l.Values[i]}
	}
	c, err := Compare(rounds, look, coarsest([]Timing{l.Timing, leader.Timing}), r.policy())
	if err != nil {
		return Placed{}, err
	}
	return Placed{Setting: l.Setting, Behind: &c, Dropped: c.Low > 0, Level: c.High < math.Log1p(r.Gain)}, nil
}

// policy shares the chance of error between the settings, the cases and all of them together, and the looks.
func (r Race) policy() result.Policy {
	p := Default()
	p.Confidence, p.Tolerance, p.PlannedLooks = r.Confidence, r.Gain, len(raceLooks)
	p.Cases = max(1, r.Settings-1) * (r.Cases + 1)
	return p
}

func (l Lane) mean() float64 {
	sum := 0.0
	for _, v := range l.Values {
		sum += v[0] + v[1]
	}
	return sum / float64(2*len(l.Values))
}

// Together is the lane of a setting over all its cases: the mean of their log values, which is the geometric mean of their times.
func Together(setting int, cases []Lane) Lane {
	out := Lane{Setting: setting, Values: make([][2]float64, len(cases[0].Values))}
	var timings []Timing
	for _, c := range cases {
		for i, v := range c.Values {
			out.Values[i][0] += v[0] / float64(len(cases))
			out.Values[i][1] += v[1] / float64(len(cases))
		}
		timings = append(timings, c.Timing)
	}
	out.Timing = coarsest(timings)
	return out
}

// Running is a race on its way: what was dropped where, and where each setting was placed last. Tracks are the cases, and behind them all of
// them together.
type Running struct {
	Race
	Shipped int // the setting that is never dropped until it surely loses more than Gain, or surely less; -1: there is none
	tracks  []track
}

type track struct {
	dropped map[int]bool
	placed  map[int]Placed
	leader  int
	over    bool
}

// NewRunning begins a race.
func NewRunning(r Race, shipped int) *Running {
	out := &Running{Race: r, Shipped: shipped}
	for range r.Cases + 1 {
		out.tracks = append(out.tracks, track{dropped: map[int]bool{}, placed: map[int]Placed{}, leader: -1})
	}
	return out
}

// Look looks at the lanes of each case, by setting; one without values is not measured there. A setting that is dropped stays so.
func (r *Running) Look(cases [][]Lane) error {
	for i, lanes := range cases {
		if err := r.look(&r.tracks[i], lanes); err != nil {
			return err
		}
	}
	return r.look(&r.tracks[len(cases)], r.together(cases))
}

// together are the settings that are measured in all cases.
func (r *Running) together(cases [][]Lane) []Lane {
	var out []Lane
	for setting := range cases[0] {
		var of []Lane
		for _, lanes := range cases {
			if l := lanes[setting]; len(l.Values) > 0 {
				of = append(of, l)
			}
		}
		if len(of) == len(cases) {
			out = append(out, Together(setting, of))
		}
	}
	return out
}

func (r *Running) look(t *track, lanes []Lane) error {
	lanes = slices.DeleteFunc(slices.Clone(lanes), func(l Lane) bool { return len(l.Values) == 0 || t.dropped[l.Setting] })
	if len(lanes) == 0 {
		t.over = true
		return nil
	}
	placed, err := r.Race.Look(lanes)
	if err != nil {
		return err
	}
	t.leader, t.over = placed[0].Setting, true
	for _, p := range placed {
		t.placed[p.Setting] = p
		switch {
		case p.Behind == nil:
		case p.Setting == r.Shipped:
			t.dropped[p.Setting] = r.loses(p)
			t.over = t.over && (p.Level || r.loses(p))
		case p.Dropped:
			t.dropped[p.Setting] = true
		case !p.Level:
			t.over = false
		}
	}
	return nil
}

// loses says whether a setting is surely slower than the leader by more than Gain.
func (r *Running) loses(p Placed) bool { return p.Behind != nil && p.Behind.Low > math.Log1p(r.Gain) }

// Over says whether every track has its answer: what is left of it is as good as its leader.
func (r *Running) Over() bool {
	return !slices.ContainsFunc(r.tracks, func(t track) bool { return !t.over })
}

// Wants says whether a setting is still measured in a case: for that case, or for all together.
func (r *Running) Wants(track, setting int) bool {
	return !r.tracks[track].dropped[setting] || !r.tracks[len(r.tracks)-1].dropped[setting]
}

// Place is where a setting was placed last on a track, and whether it leads it; false where it was never.
func (r *Running) Place(track, setting int) (p Placed, leads, ok bool) {
	t := r.tracks[track]
	p, ok = t.placed[setting]
	return p, ok && t.leader == setting, ok
}

// Standing is where a setting stands on a track.
func (r *Running) Standing(track, setting int) result.TunedStanding {
	p, leads, ok := r.Place(track, setting)
	switch {
	case !ok:
		return result.TunedUnmeasured
	case leads:
		return result.TunedBest
	case p.Dropped && setting != r.Shipped || r.loses(p):
		return result.TunedSlower
	case p.Level:
		return result.TunedLevel
	}
	return result.TunedOpen
}
