package measure

import (
	"context"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels"
)

// Benchmark is a program of the user's that times cases itself, on both sides. One of its processes measures all of the cases that it is
// asked for, by the rows of their subjects.
type Benchmark interface {
	// Start starts a process of a side that is asked once, by a RowsCommand, and answers a Reading for each row. Asked to probe, it says how rows are timed,
	// first as seen on base, then on head, which is told what base's answer was: the last word is frozen for both. Asked to time, it measures them, those
	// of competitors too. One that waits is asked later.
	Start(ctx context.Context, side result.Side, waits bool) (kernels.Process, error)
}

// RowsCommand asks a process of a benchmark for rows. Methods are those that are known, by row.
type RowsCommand struct {
	Rows    []string
	Methods map[string]result.Method
}

// Reading is what a process of a benchmark says of a case: of a calibration, how it is timed; its samples otherwise.
type Reading struct {
	kernels.TimeReply                // Planned 0 means its samples
	Method            *result.Method // for both sides
	Flops, Bytes      float64        // of a launch; 0 if not known
	Fault             *kernels.RunnerError
	SpanNS            float64             // of a calibration: what a process measures of the case, by what a first run said; 0 if that is not known
	TimingCheck       *result.TimingCheck // of its process, where the program has the clock
}

// benchmarkCases are the cases of a benchmark that one of its processes measures.
type benchmarkCases []turn

func (g benchmarkCases) rows() []string {
	var rows []string
	for _, c := range g {
		rows = append(rows, c.Subject.Row)
	}
	return rows
}

// beside are the rows that a process measures besides its cases, each once, with the methods of all: a competitor is timed as the case is that it
// stands beside.
func (g benchmarkCases) beside(methods map[string]result.Method) (rows []string) {
	for _, c := range g {
		for _, v := range c.rows() {
			method, taken := methods[v.Row]
			if taken && !alike(method, *c.Method) {
				turn{c.Case, v}.leaveOut(&kernels.RunnerError{Code: result.CodeNonsense, Message: "it is timed as another case of its place is, and this one is timed in another way"})
				continue
			}
			if !taken {
				methods[v.Row], rows = *c.Method, append(rows, v.Row)
			}
		}
	}
	return rows
}

// alike says whether times of two methods may meet in a comparison.
func alike(a, b result.Method) bool {
	return a.Clock == b.Clock && a.How == b.How && a.Cache == b.Cache
}

// methods are those that are known, by row.
func (g benchmarkCases) methods() map[string]result.Method {
	methods := map[string]result.Method{}
	for _, c := range g {
		if c.Method != nil {
			methods[c.Subject.Row] = *c.Method
		}
	}
	return methods
}

func (g benchmarkCases) calibrate(ctx context.Context, r *running) error {
	var found map[string]Reading
	if err := r.Call(ctx, "probe", "", RowsCommand{g.rows(), g.methods()}, &found, 0); err != nil {
		return err
	}
	for _, c := range g {
		f := found[c.Subject.Row]
		if f.Fault != nil {
			c.failed(f.Fault)
			continue
		}
		m := *f.Method
		if c.Method != nil { // base has said what it takes, and head has no say in that
			m.LaunchNS, m.QuantumNS = c.Method.LaunchNS, c.Method.QuantumNS
		}
		c.Method, c.Flops, c.Bytes = &m, f.Flops, f.Bytes
		c.spanNS = max(f.SpanNS, m.LaunchNS*float64(m.Launches*m.Samples)) // its limit is by a first run, which may have compiled
	}
	return nil
}

// time adds a process to every case; at says whose and when, and competitors whether it is one of theirs too.
func (g benchmarkCases) time(ctx context.Context, r *running, at position, competitors bool) error {
	methods := g.methods()
	rows := g.beside(methods)
	var found map[string]Reading
	if err := r.Call(ctx, "time", "", RowsCommand{append(g.rows(), rows...), methods}, &found, 0); err != nil {
		return err
	}
	for _, c := range g {
		p, fault := found[c.Subject.Row].process(c.Subject.Name)
		if fault != nil {
			c.failed(fault)
		} else {
			if c.Method.IsForeign() {
				p.ElapsedNS = 0 // its samples are what it calls so: launches that warm up may be among them
			}
			c.add(p, at)
		}
		if competitors {
			c.Case.timeRows(found, at)
		}
	}
	return nil
}

// timeRows adds a process to the competitors of a case. In rounds both sides measure them, to be alike, and those of base count: head has no say in
// how fast a library is.
func (c *Case) timeRows(found map[string]Reading, at position) {
	for _, v := range c.rows() {
		p, fault := found[v.Row].process(v.Row)
		if fault != nil {
			turn{c, v}.leaveOut(fault)
			continue
		}
		turn{c, v}.add(p, at)
	}
}

// process is a reading as the process that it is of.
func (r Reading) process(name string) (result.Process, *kernels.RunnerError) {
	if r.Fault != nil {
		return result.Process{}, r.Fault
	}
	r.Planned = max(r.Planned, len(r.Samples))
	p, err := summarise(r.TimeReply)
	if err != nil {
		return p, sampleFault(err, name)
	}
	p.TimingCheck = r.TimingCheck
	return p, nil
}
