package main

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/org/perfgate/gate/run"
	"github.com/org/perfgate/gate/text"
	"github.com/org/perfgate/kernels"
)

// progress shows where a run stands: on a terminal one line that is written over, elsewhere a plain line for each new
// stage, since a log is read afterwards. With -v it is plain lines everywhere, each with the time since the start, and every command is one.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	verbose  bool
	began    time.Time
	last     string
	shown    time.Time
}

func (s *streams) progress() *progress {
	w := s.progressTo()
	return &progress{w: w, terminal: isTerminal(w) && !s.verbose, verbose: s.verbose, began: s.began}
}

// follow has a run show how it gets on.
func (p *progress) follow(opt *run.Options) {
	opt.Progress, opt.Log = p.show, p.command
}

// command shows a command that starts, with -v.
func (p *progress) command(words []string) {
	if !p.verbose {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line("$ " + kernels.ShellLine(words))
}

// line prints a line of a log.
func (p *progress) line(text string) {
	if p.verbose {
		text = fmt.Sprintf("%8.2f s  %s", time.Since(p.began).Seconds(), text)
	}
	fmt.Fprintln(p.w, visible(text))
}

const redraw = 100 * time.Millisecond

func (p *progress) show(e run.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.terminal || e.Stage == run.StageFailed { // which stays in sight
		p.plain(e)
		return
	}
	stage := e.Stage + e.What
	if stage == p.last && time.Since(p.shown) < redraw {
		return
	}
	p.last, p.shown = stage, time.Now()
	p.overwrite(describe(e))
}

// say shows one sentence on where a command stands that is no run of the gate.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if text == p.last {
		return
	}
	p.last = text
	if p.terminal {
		p.overwrite(text)
		return
	}
	p.line(text)
}

// overwrite replaces the line on the terminal.
func (p *progress) overwrite(said string) {
	fmt.Fprint(p.w, "\r\x1b[K"+text.Brief(text.Visible(said), terminalWidth(p.w)-1))
}

// plain prints a line when a stage or a round begins.
func (p *progress) plain(e run.Progress) {
	key := e.Stage + " " + e.What
	said := describe(e)
	if e.Measure != nil {
		key = fmt.Sprint(e.Stage, e.Measure.Round)
		said = fmt.Sprintf("measuring: round %d, %s open, %s of the budget left", e.Measure.Round, text.Count(e.Measure.Open, "case"), e.Measure.Remaining.Round(time.Second))
	}
	if key != p.last {
		p.last = key
		if p.terminal {
			p.overwrite("")
		}
		p.line(said)
	}
}

// done leaves a clean line, or says how long it took.
func (p *progress) done() {
	if p.verbose {
		p.line("done")
	} else if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func describe(e run.Progress) string {
	switch {
	case e.Measure != nil:
		m := e.Measure
		line := fmt.Sprintf("measuring: round %d.%d, %s", m.Round, m.Process+1, m.Case)
		if m.Last != nil {
			line += fmt.Sprintf(", so far %s … %s", text.Change(math.Expm1(m.Last.Low), 1), text.Change(math.Expm1(m.Last.High), 1))
		}
		return line + fmt.Sprintf(", %s open, %s left", text.Count(m.Open, "case"), m.Remaining.Round(time.Second))
	case e.Stage == run.StageFailed:
		return "failed: " + e.What
	case e.Stage == run.StageWait:
		return "waiting: " + e.What
	case e.Stage == run.StageProfile:
		return "looking for reasons: " + e.What + progressOf(e)
	case e.Stage == run.StageParity:
		return "parity: " + e.What + progressOf(e)
	}
	return "building: " + e.What
}

func progressOf(e run.Progress) string {
	switch {
	case e.Total == 0:
		return ""
	case e.Done == 0:
		return ", " + text.Count(e.Total, "case")
	}
	return fmt.Sprintf(", case %d of %d", e.Done, e.Total)
}
