package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/org/perfgate/gate/result"
)

// yearOptions describe a year of commits. Standard deviations and shifts are in log units: 0.005 is 0.5 %.
type yearOptions struct {
	Seed          uint64
	Commits       int
	Cases         int
	Changed       float64         // share of commits that touch the kernels
	Regressions   map[int]float64 // by commit
	SessionSD     float64         // of the level of a session
	CanaryShare   float64         // share of that variance that the canary sees: the clock
	ProcessSD     float64
	LaunchSD      float64
	Drift         float64 // of the machine over the whole year; no canary sees it
	DriverAt      int     // commit before which the driver is upgraded
	DriverShift   float64 // what that does to the kernels
	CorruptAt     int     // commit whose record gets cut in the middle
	StartSeconds  float64 // of a process: start and warm-up
	SampleSeconds float64 // of a case in a process
}

// documentedYear is the year of the documentation.
func documentedYear() yearOptions {
	return yearOptions{
		Seed: 1, Commits: 500, Cases: 3, Changed: 0.2, Regressions: map[int]float64{130: 0.04, 270: 0.10, 420: 0.02},
		SessionSD: 0.005, CanaryShare: 0.8, ProcessSD: 0.003, LaunchSD: 0.01, Drift: 0.01, DriverAt: 300, DriverShift: -0.015, CorruptAt: 200,
		StartSeconds: 1, SampleSeconds: 0.3,
	}
}

// commit is one commit on the default branch, each merged through its own pull request.
type commit struct {
	index   int
	hash    string
	code    string  // fingerprint of the build
	changed bool    // against its parent
	shift   float64 // of its own against its parent
	level   float64 // of the code
}

// history makes the commits of a year. As many as Changed says touch the kernels, at random places.
func (o yearOptions) history(random *rand.Rand) []commit {
	commits := make([]commit, o.Commits)
	touched := map[int]bool{0: true}
	for i := range o.Regressions {
		touched[i] = true
	}
	for _, i := range random.Perm(o.Commits) {
		if len(touched) < int(o.Changed*float64(o.Commits)) {
			touched[i] = true
		}
	}
	level, code := 0.0, 0
	for i := range commits {
		shift := math.Log1p(o.Regressions[i])
		if touched[i] {
			code++
		}
		level += shift
		commits[i] = commit{index: i, hash: fmt.Sprintf("%040x", i+1), code: fmt.Sprintf("%032x", code), changed: touched[i], shift: shift, level: level}
	}
	return commits
}

// session is one stay on the machine: its level is that of all its processes.
type session struct {
	o      yearOptions
	random *rand.Rand
	at     commit
	clock  float64   // seen by the canary
	own    []float64 // by case, not seen
}

func (o yearOptions) session(random *rand.Rand, at commit) *session {
	s := &session{o: o, random: random, at: at, clock: o.SessionSD * math.Sqrt(o.CanaryShare) * random.NormFloat64()}
	for range o.Cases {
		s.own = append(s.own, o.SessionSD*math.Sqrt(1-o.CanaryShare)*random.NormFloat64())
	}
	return s
}

// offset is what the machine adds to every kernel on that day.
func (s *session) offset(c int) float64 {
	y := s.clock + s.own[c] + s.o.Drift*float64(s.at.index)/float64(s.o.Commits)
	if s.at.index >= s.o.DriverAt {
		y += s.o.DriverShift
	}
	return y
}

const (
	launchNS = 100_000
	canaryNS = 300_000
)

// process is the log value of a fresh process of a code at level.
func (s *session) process(c int, level float64) float64 {
	return math.Log(launchNS) + level + s.offset(c) + s.o.ProcessSD*s.random.NormFloat64()
}

// canary is what a process sees of the clock.
func (s *session) canary() float64 { return canaryNS * math.Exp(s.clock+0.001*s.random.NormFloat64()) }

// launches are the samples of a single process, in ns.
func (s *session) launches(c int, level float64, n int) []float64 {
	y := s.process(c, level)
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(y + s.o.LaunchSD*s.random.NormFloat64())
	}
	return out
}

func (o yearOptions) machine(at commit) result.Machine {
	m := result.Machine{Key: "nvidia-l4-00c0ffee", Device: "cuda", Model: "NVIDIA L4", Cores: 8, OS: "Linux", Arch: "amd64",
		GPU: &result.GPU{Driver: "570.86", CUDA: "12.8", ComputeCapability: "8.9", MemoryBytes: 24 << 30, PowerLimitW: 72}}
	if at.index >= o.DriverAt {
		m.GPU.Driver, m.GPU.CUDA = "580.12", "13.0"
	}
	return m
}

func caseName(c int) string { return fmt.Sprintf("attention/S=%d", 128<<c) }

// day is when a commit lands.
func day(at commit, of int) time.Time {
	return time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(float64(at.index) / float64(of) * 365 * 24 * float64(time.Hour)))
}

// cost of a process that measures so many cases, in seconds.
func (o yearOptions) cost(cases int) float64 { return o.StartSeconds + float64(cases)*o.SampleSeconds }
