package rule

import (
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/stats"
)

// Looks come after 12, 20, 28, … 140 processes of both sides, each after an even number of rounds: what disturbs one place of every
// round then hits the sides as the orders balance it.
const (
	firstProcesses = 12
	nextProcesses  = 8
	mostLooks      = 17
)

// A round of a run has so many processes of a side.
const (
	fewestOfSide = 2
	mostOfSide   = 4
)

// mostRounds is the most rounds that a run takes: those of an even schedule.
const mostRounds = 36

// openingRounds are the rounds that a run begins with: head, which a run is about, has twice as many processes as base in them. Twelve
// processes tell as much then as twelve of rounds of four do, of which eight are of the code under test.
const openingRounds = 2

// MinRounds is the fewest rounds of which a verdict is made.
const MinRounds = openingRounds

// MinProcesses is the fewest processes of both sides of which a verdict is made.
const MinProcesses = firstProcesses

// Schedule is how many processes of base and head stand in each round.
type Schedule struct {
	// Even has two of each side in every round. Searches have such rounds, and runs with competitors, each of which stands in a round
	// twice as well.
	Even bool
}

// ScheduleOf is the schedule of a run of the gate.
func ScheduleOf(p result.Policy) Schedule { return Schedule{Even: p.Competitors > 0} }

// Round is how many processes of each side a round has, from 0.
func (s Schedule) Round(round int) (base, head int) {
	if !s.Even && round < openingRounds {
		return 2, 4
	}
	return 2, 2
}

// Processes is how many processes of both sides so many rounds have.
func (s Schedule) Processes(rounds int) (n int) {
	for round := range rounds {
		base, head := s.Round(round)
		n += base + head
	}
	return n
}

// Size is how much so many rounds can tell.
func (s Schedule) Size(rounds int) (size stats.Size) {
	for round := range min(rounds, openingRounds) {
		size = size.Add(s.Round(round))
	}
	more := max(0, rounds-openingRounds)
	return stats.Size{Weight: size.Weight + float64(more), DF: size.DF + 3*float64(more)}
}

// Looks are the numbers of complete rounds after which the gate's bounds are looked at.
func (s Schedule) Looks() Looks {
	return looksOf(func(round int) (int, bool) {
		base, head := s.Round(round)
		return base + head, true
	})
}

// LastLook is the number of rounds after which a run of the gate measures no more.
func LastLook(p result.Policy) int { return ScheduleOf(p).Looks().Last() }

// LooksOf are the looks that rounds allow, whatever schedule they are of.
func LooksOf(rounds []stats.Round) Looks {
	return looksOf(func(round int) (int, bool) {
		if round >= len(rounds) {
			return 0, false
		}
		return rounds[round].Processes(), true
	})
}

func looksOf(processes func(round int) (n int, ok bool)) (looks Looks) {
	total := 0
	for round := 0; len(looks) < mostLooks; round++ {
		n, ok := processes(round)
		if !ok {
			break
		}
		total += n
		if round%2 == 1 && total >= firstProcesses+nextProcesses*len(looks) {
			looks = append(looks, round+1)
		}
	}
	return looks
}

// passShares are how the chance of error of the bound for a pass is spent, look by look: most of it early, where it decides how many
// processes a quiet case takes.
var passShares = [mostLooks]float64{
	0.36, 0.12, 0.08, 0.06, 0.05,
	0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12, 0.33 / 12,
}
