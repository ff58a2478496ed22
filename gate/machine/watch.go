package machine

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/org/perfgate/gate/result"
)

// watchEvery is how often a GPU is looked at while a runner uses it: often enough for a process of 150 ms, seldom
// enough not to disturb it.
const watchEvery = 50 * time.Millisecond

// Watch looks at a GPU while runners use it.
type Watch struct {
	gpu  *GPU
	mu   sync.Mutex
	log  ledger
	at   time.Time // when it began
	stop chan struct{}
	done chan struct{}
}

// Watch begins to look. What computes on the GPU now was there before our runners, and does not void a round.
func (g *GPU) Watch() *Watch { return g.watch(watchEvery) }

func (g *GPU) watch(every time.Duration) *Watch {
	w := &Watch{gpu: g, log: newLedger(), at: time.Now().UTC(), stop: make(chan struct{}), done: make(chan struct{})}
	if pids, err := g.Processes(); err == nil {
		w.log.begin(pids)
	}
	go w.run(every)
	return w
}

func (w *Watch) run(every time.Duration) {
	defer close(w.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-w.stop:
			return
		case <-tick.C:
			w.look()
		}
	}
}

// look takes one sample, unless no runner lives: an idle GPU has nothing to say.
func (w *Watch) look() {
	w.mu.Lock()
	idle := len(w.log.runners) == 0
	w.mu.Unlock()
	if idle {
		return
	}
	w.gpu.mu.Lock()
	s, sampleErr := w.gpu.dev.sample()
	pids, pidsErr := w.gpu.dev.processes()
	w.gpu.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if sampleErr == nil {
		w.log.sample(s)
		w.log.trace.add(time.Since(w.at).Seconds(), s)
	}
	if pidsErr == nil {
		w.log.processes(pids)
	}
}

// Began tells that a runner with this process id uses the GPU from now on.
func (w *Watch) Began(pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log.runners[pid], w.log.ours[pid] = true, true
}

// Ended tells that it is gone.
func (w *Watch) Ended(pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.log.runners, pid)
	if len(w.log.runners) == 0 {
		w.log.last, w.log.extra = 0, false
	}
}

// Health says what happened since the last call that voids a measurement, or "".
func (w *Watch) Health() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	why := w.log.trouble
	w.log.trouble = ""
	return why
}

// Stop ends the watch and returns what it saw.
func (w *Watch) Stop() *result.GPUWatch {
	close(w.stop)
	<-w.done
	seen := w.log.seen()
	if len(seen.Trace) > 0 {
		seen.Began = &w.at
	}
	return seen
}

// ledger is what a watch knows.
type ledger struct {
	before  map[int]bool // processes that computed on the GPU before our first runner
	runners map[int]bool // that live, by our own process ids
	ours    map[int]bool // all runners there ever were: the driver may show one for a moment after its end
	last    uint64       // clock reasons of the sample before
	extra   bool         // the sample before had a process too many
	trouble string
	counts  map[uint64]int
	total   result.GPUWatch
	sawOwn  bool
	trace   trace
}

func newLedger() ledger {
	return ledger{before: map[int]bool{}, runners: map[int]bool{}, ours: map[int]bool{}, counts: map[uint64]int{}}
}

func (l *ledger) begin(pids []int) {
	for _, pid := range pids {
		l.before[pid] = true
	}
}

func (l *ledger) sample(s sample) {
	l.total.Samples++
	l.total.TemperatureC = max(l.total.TemperatureC, s.temperatureC)
	l.total.PowerW = max(l.total.PowerW, s.powerW)
	if s.smClockMHz > 0 && s.reasons&reasonIdle == 0 {
		l.total.MaxSMClockMHz = max(l.total.MaxSMClockMHz, s.smClockMHz)
		if l.total.MinSMClockMHz == 0 || s.smClockMHz < l.total.MinSMClockMHz {
			l.total.MinSMClockMHz = s.smClockMHz
		}
	}
	for _, r := range clockReasons {
		if s.reasons&r.bit != 0 {
			l.counts[r.bit]++
		}
	}
	if r, bad := voiding(s.reasons, l.last); bad && l.trouble == "" {
		l.trouble = fmt.Sprintf("%s of the GPU at %d °C and %d MHz", r.limit, s.temperatureC, s.smClockMHz)
	}
	l.last = s.reasons
}

// processes looks for ones that are neither ours nor were there before. In a container the driver shows the host's ids,
// among which we cannot tell our own: then as many strangers as we have runners are ours. One that is seen only once
// may be a runner of ours on its way out.
func (l *ledger) processes(pids []int) {
	var strangers []int
	known := false
	for _, pid := range pids {
		switch {
		case l.ours[pid]:
			known = true
		case !l.before[pid]:
			strangers = append(strangers, pid)
		}
	}
	l.sawOwn = l.sawOwn || known || len(strangers) > 0
	extra := len(strangers) > len(l.runners) || known && len(strangers) > 0
	repeated := extra && l.extra
	l.extra = extra
	if !repeated || l.trouble != "" {
		return
	}
	who := "another process" // ours may be any of them
	if known {
		who = fmt.Sprintf("process %d", slices.Min(strangers))
	}
	l.trouble = who + " computes on the GPU too"
}

func (l *ledger) seen() *result.GPUWatch {
	w := l.total
	w.Blind = w.Samples > 0 && !l.sawOwn
	w.Trace = l.trace.kept
	for _, r := range clockReasons {
		if n := l.counts[r.bit]; n > 0 {
			w.Clocks = append(w.Clocks, result.ClockReason{Limit: r.limit, Share: float64(n) / float64(w.Samples)})
		}
	}
	return &w
}
