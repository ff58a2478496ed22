package kernels

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/org/perfgate/gate/result"
)

// TimingCheck says where a TimeCommand has marks for an external timing check. At each the runner stands still, while a clock of this process's
// own, or of this machine's kernel, is read: what the code under test does to the clocks of its process is not in it.
type TimingCheck string

const (
	// CheckSamples has marks right before and right after the launches of each sample.
	CheckSamples TimingCheck = "samples"
	// CheckSeries has marks around all samples between two checks of outputs, with what is done between them. Who stands still comes back to other caches
	// than it left.
	CheckSeries TimingCheck = "series"
)

// externalClock reads a clock at the marks of one command.
type externalClock struct {
	runner *Runner
	ofCPU  bool // its CPU time is read, else the time
	from   time.Duration
	begun  bool
	seen   []float64 // ns between two marks
}

// externalClock is nil where a command has no marks.
func (r *Runner) externalClock(args any) *externalClock {
	timing, ok := args.(TimeCommand)
	if !ok || timing.TimingCheck == "" {
		return nil
	}
	return &externalClock{runner: r, ofCPU: timing.Method.Clock == "thread"}
}

// isMark says whether a line of command id says that its runner stands still.
func isMark(line []byte, id int) bool {
	var m struct {
		ID   int  `json:"id"`
		Mark bool `json:"mark"`
	}
	return json.Unmarshal(line, &m) == nil && m.Mark && m.ID == id
}

// mark reads the clock, and lets the runner go on.
func (c *externalClock) mark() error {
	now := time.Since(started)
	if c.ofCPU {
		var err error
		if now, err = c.runner.cpuTimeAtRest(); err != nil {
			return err
		}
	}
	if c.begun {
		c.seen = append(c.seen, float64(now-c.from))
	}
	c.begun = !c.begun
	c.from = now
	return c.runner.send([]byte("\n"), restLimit)
}

var started = time.Now()

// restLimit is how long a runner may take from saying that it stands still to standing still. A machine that is busy may keep it from that.
const restLimit = 10 * time.Second

// restTick is the time between two looks at a runner, which may be waiting for the very core that looks.
const restTick = 50 * time.Microsecond

// cpuTimeAtRest is the CPU time of a runner that waits for us. What a thread has used is only told of one that does not run.
func (r *Runner) cpuTimeAtRest() (time.Duration, error) {
	path := fmt.Sprintf("/proc/%d/stat", r.PID())
	for until := time.Now().Add(restLimit); ; {
		stat, err := os.ReadFile(path)
		if err != nil {
			return 0, r.ended("time") // it is gone
		}
		name := bytes.LastIndexByte(stat, ')') // which may hold anything
		if name >= 0 && bytes.HasPrefix(stat[name:], []byte(") S")) {
			return r.CPUTime()
		}
		if time.Now().After(until) {
			r.process.Kill()
			return 0, r.fail(result.CodeNonsense, "time", "it says that it stands still, and runs: code under test may have answered in the harness's place")
		}
		time.Sleep(restTick)
	}
}
