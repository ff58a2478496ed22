package benchmark

import (
	"regexp"

	"github.com/org/perfgate/gate/text"
)

// Shortening is an option of a format's programs that lets a process measure for less time. Fresh processes are what a comparison counts, so many short
// ones say more than a few long ones.
type Shortening struct {
	Args string                // put behind a command
	set  func() *regexp.Regexp // commands that choose this themselves
}

// IsSetBy says whether a command chooses itself what the option is about.
func (s Shortening) IsSetBy(line string) bool { return s.set().MatchString(line) }

// What a format's programs take by default, for each case: pytest-benchmark 1 s and 5 rounds, Google Benchmark 0.5 s, Go 1 s, nvbench 0.5 s of kernels
// until the noise is small or 15 s are over, Criterion 3 s of warm-up and 5 s, hyperfine 3 s and 10 runs.
var (
	shorterPytest = []Shortening{
		{"--benchmark-max-time=0.1", text.Pattern(`--benchmark-max-time`)},
		{"--benchmark-min-rounds=2", text.Pattern(`--benchmark-min-rounds`)},
	}
	shorterGoogle  = []Shortening{{"--benchmark_min_time=0.05", text.Pattern(`--benchmark_min_time`)}} // seconds in all versions; 0.05s only since 1.8
	shorterGo      = []Shortening{{"-test.benchtime=100ms", text.Pattern(`-(test\.)?benchtime`)}}
	shorterNVBench = []Shortening{
		{"--min-time 0.05 --timeout 1", text.Pattern(`--(min-time|timeout)\b`)},
		{"--timeout 1", text.Pattern(`--timeout\b`)}, // other stopping criteria than the default know no --min-time
	}
	shorterCriterion = []Shortening{
		{"--warm-up-time 0.5 --measurement-time 1", criterionTimes},
		{"-- --warm-up-time 0.5 --measurement-time 1", criterionTimes}, // behind cargo's own options
		{"--sample-size 10", text.Pattern(`--sample-size`)},
	}
	criterionTimes   = text.Pattern(`--(warm-up-time|measurement-time|quick)\b`)
	shorterHyperfine = []Shortening{{"--runs 3", text.Pattern(`\s(-[rmM]|--(min-|max-)?runs)\b`)}}
)
