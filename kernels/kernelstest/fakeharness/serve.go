package fakeharness

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/org/perfgate/kernels"
)

// Main is called first by TestMain: where the test binary was started as a harness it is one, and does not return.
func Main() {
	if len(os.Args) < 2 || os.Args[1] != "--in" {
		return
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fake harness:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Path is the program that is to be started in the harness's place.
func Path() (string, error) { return os.Executable() }

func run(args []string) error {
	flags := flag.NewFlagSet("harness", flag.ContinueOnError)
	in, out := flags.Uint("in", 0, ""), flags.Uint("out", 0, "")
	adapter := flags.String("adapter", "", "")
	flags.Int64("memory-bytes", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	h := harness{lines: bufio.NewReader(os.NewFile(uintptr(*in), "commands")), replies: os.NewFile(uintptr(*out), "replies"), loaded: map[string]library{}}
	if *adapter == "" {
		return h.serve()
	}
	if err := h.load(*adapter); err != nil {
		return h.reply(0, nil, err)
	}
	return h.serve()
}

type harness struct {
	lines   *bufio.Reader
	replies io.Writer
	loaded  map[string]library // by path
	library                    // at hand
}

// command has the fields of all commands that the fake harness looks at.
type command struct {
	ID      int    `json:"id"`
	Op      string `json:"op"`
	Adapter string `json:"adapter"`
	kernels.TimeCommand
	Values   string `json:"values"`
	Twice    bool   `json:"twice"`
	Relation string `json:"relation"`
	Outputs  string `json:"outputs"` // that another process delivered
}

func (c command) n() int64 {
	for _, p := range c.Case.Params {
		if p.Name == "n" {
			return p.Value
		}
	}
	return 0
}

func (h *harness) serve() error {
	if err := h.reply(0, h.hello(), nil); err != nil {
		return err
	}
	for {
		line, err := h.lines.ReadBytes('\n')
		if err != nil {
			return nil // nobody asks any more
		}
		var c command
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		answer, err := h.answer(c)
		if err := h.reply(c.ID, answer, err); err != nil || c.Op == "quit" {
			return err
		}
	}
}

// reply sends the fields of an answer, or what went wrong.
func (h *harness) reply(id int, answer any, failed error) error {
	fields := map[string]any{"id": id, "ok": failed == nil}
	if failed != nil {
		fields["error"] = map[string]string{"code": "unsupported", "message": failed.Error()}
	} else if answer != nil {
		data, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		more := map[string]any{}
		if err := json.Unmarshal(data, &more); err != nil {
			return err
		}
		maps.Copy(fields, more)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	_, err = h.replies.Write(append(data, '\n'))
	return err
}

func (h *harness) hello() kernels.Hello {
	return kernels.Hello{Protocol: kernels.ProtocolVersion, ABI: kernels.ABIVersion, Device: "cpu", Has: []string{"reference"}}
}

func (h *harness) load(path string) (err error) {
	l, known := h.loaded[path]
	if !known {
		if l, err = load(path); err != nil {
			return err
		}
		h.loaded[path] = l
	}
	h.library = l
	return nil
}

func (h *harness) answer(c command) (any, error) {
	if n := c.n(); n != 0 && n == h.Lacks {
		return nil, fmt.Errorf("the adapter does not support %s/n=%d", c.Case.Kernel, n)
	}
	switch c.Op {
	case "load":
		return h.hello(), h.load(c.Adapter)
	case "warm":
		return kernels.WarmReply{NS: 1e8, Held: true, Canary: canary}, nil
	case "spec":
		return h.spec(c), nil
	case "probe":
		return kernels.ProbeReply{
			Clock: "thread", LaunchNS: h.LaunchNS, WallNS: h.LaunchNS, Batchable: true, FlushNS: 1e6, FlushBytes: 1 << 20, ReferenceNS: 1e6, SetBytes: 8 * c.n(),
			QuantumNS: 1, PoolLimit: 64,
		}, nil
	case "time":
		return h.time(c)
	case "parity":
		return h.parity(c)
	case "judge":
		return h.judge(c)
	case "imports", "reset", "profile", "quit":
		return nil, nil
	}
	return nil, fmt.Errorf("the fake harness knows no %s", c.Op)
}

var canary = kernels.Canary{ComputeNS: 1e6, MemoryNS: 1e6, ComputeFlops: 1e6, MemoryBytes: 1e6}

func (h *harness) spec(c command) kernels.SpecReply {
	of := func(name, dtype, role string) kernels.Tensor {
		return kernels.Tensor{Name: name, Dtype: dtype, Role: role, Shape: []int64{c.n()}, Dims: "n", Bytes: 4 * c.n()}
	}
	dtype := h.Dtype
	if dtype == "" {
		dtype = "f32"
	}
	return kernels.SpecReply{Tensors: []kernels.Tensor{of("x", "f32", "in"), of("y", dtype, "out")}, Bytes: 8 * c.n()}
}

// outputs are what a launch computes, as a file.
func (h *harness) outputs() []byte {
	if h.Wrong {
		return []byte("wrong")
	}
	return []byte("right")
}

// parity delivers outputs, or compares them with what is right.
func (h *harness) parity(c command) (kernels.ParityReply, error) {
	if c.Deliver == "" {
		return c.compared(!h.Wrong), nil
	}
	r := c.compared(true)
	if r.Launches = 1; c.Twice || c.Relation != "" {
		r.Launches = 2
	}
	return r, os.WriteFile(c.Deliver, h.outputs(), 0o600)
}

// judge compares what was delivered with what this library computes.
func (h *harness) judge(c command) (kernels.ParityReply, error) {
	if c.Outputs == "" {
		return c.compared(true), nil
	}
	made, err := os.ReadFile(c.Outputs)
	return c.compared(string(made) == string(h.outputs())), err
}

// compared is what is said of outputs: all elements are right, or the last one is not.
func (c command) compared(right bool) kernels.ParityReply {
	of, same, last := fmt.Sprint(c.n(), c.Values, c.Seed), true, c.n()-1
	r := kernels.ParityReply{Passed: right, Oracle: c.Oracle, Elements: c.n(), OracleDigest: of, InputDigest: of, Same: &same}
	if !right {
		r.Failed, r.MaxRatio = 1, 10
		r.Worst = &kernels.WorstElement{Tensor: "y", Index: last, Coords: []int64{last}, Dims: "n", Got: 2, Want: 1, AbsError: 1, Tolerance: 0.1, Ratio: 10, ULPs: -1}
	}
	return r
}

// leastSamples are taken whatever the limit is.
const leastSamples = 5

// time takes no time, but for what an external timing check sees: there the process computes as long as it says.
func (h *harness) time(c command) (kernels.TimeReply, error) {
	for _, err := os.Lstat(h.Holds); h.Holds != "" && err == nil; _, err = os.Lstat(h.Holds) {
		time.Sleep(time.Millisecond)
	}
	r := kernels.TimeReply{Planned: c.Method.Samples, Canary: canary}
	for _, ns := range h.samples(c.Seed, c.Method.Samples) {
		r.Samples = append(r.Samples, ns)
		if r.SpentNS += ns * float64(c.Method.Launches); r.SpentNS > c.LimitNS && len(r.Samples) >= leastSamples && len(r.Samples) < r.Planned {
			r.Stopped = "limit"
			break
		}
	}
	for i := range min(c.Checks, len(r.Samples)) {
		r.Checks = append(r.Checks, kernels.OutputCheck{Sample: i, Oracle: c.Oracle})
		if c.Deliver != "" {
			if err := os.WriteFile(fmt.Sprint(c.Deliver, i), h.outputs(), 0o600); err != nil {
				return r, err
			}
		}
	}
	return r, h.computeMarked(c, r)
}

// computeMarked computes between marks, as long as the samples of a reply say: each by itself, or all at once.
func (h *harness) computeMarked(c command, r kernels.TimeReply) error {
	var stretches []float64
	switch c.TimingCheck {
	case kernels.CheckSamples:
		for _, ns := range r.Samples {
			stretches = append(stretches, ns*float64(c.Method.Launches))
		}
	case kernels.CheckSeries:
		stretches = []float64{r.SpentNS}
	}
	for _, ns := range stretches {
		err := h.standStill(c.ID)
		for until := cpuTime() + time.Duration(ns); err == nil && cpuTime() < until; {
		}
		if err = cmp.Or(err, h.standStill(c.ID)); err != nil {
			return err
		}
	}
	return nil
}

// standStill marks a command's reply, and waits to be let go on.
func (h *harness) standStill(id int) error {
	if _, err := fmt.Fprintf(h.replies, `{"id": %d, "mark": true}`+"\n", id); err != nil {
		return err
	}
	_, err := h.lines.ReadBytes('\n')
	return err
}

// cpuTime is what this process has computed so far.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
