package kernels

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// exchange is a command and what the harness said to it.
type exchange struct {
	adapter string
	command struct {
		ID int    `json:"id"`
		Op string `json:"op"`
	}
	reply envelope
	line  []byte
}

// recorded reads testdata/cuda/transcript.txt, made on a real GPU by docs/measurements/cuda-harness/transcript.py.
func recorded(t *testing.T) (hellos []Hello, exchanges []exchange) {
	t.Helper()
	b, err := os.ReadFile("../testdata/cuda/transcript.txt")
	must(t, err)
	adapter, open := "", exchange{}
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		kind, text, _ := strings.Cut(line, " ")
		switch {
		case kind == "#":
			adapter, open = text, exchange{}
		case kind == ">":
			open = exchange{adapter: adapter}
			err = json.Unmarshal([]byte(text), &open.command)
		case open.command.Op == "":
			var h Hello
			err = json.Unmarshal([]byte(text), &h)
			hellos = append(hellos, h)
		default:
			open.line = []byte(text)
			err = json.Unmarshal(open.line, &open.reply)
			exchanges = append(exchanges, open)
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	return hellos, exchanges
}

// into decodes a reply, every member of which must have its place, but for those that gate/parity alone reads.
func (e exchange) into(t *testing.T, answer any) {
	t.Helper()
	var members map[string]json.RawMessage
	must(t, json.Unmarshal(e.line, &members))
	delete(members, "id")
	delete(members, "ok")
	delete(members, "processNs") // of a probe, when this was recorded; othersNs took its place
	rest, err := json.Marshal(members)
	must(t, err)
	d := json.NewDecoder(bytes.NewReader(rest))
	if e.command.Op != "parity" {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(answer); err != nil {
		t.Errorf("%s %s: %v in %.200s", e.adapter, e.command.Op, err, e.line)
	}
}

// What a GPU's harness says is read by the same types as what a CPU's says. CI has no GPU: this is its view of one.
func TestReplayOfAGPU(t *testing.T) {
	hellos, exchanges := recorded(t)
	for _, h := range hellos {
		if h.Protocol != ProtocolVersion || h.Device != result.DeviceCUDA || h.GPU == nil || h.GPU.SMs == 0 || !archPattern().MatchString(h.GPU.Arch) || !strings.HasPrefix(h.GPU.UUID, "GPU-") {
			t.Errorf("hello = %+v", h)
		}
	}
	codes, seen := map[string]result.Code{}, map[string]int{}
	for _, e := range exchanges {
		if e.reply.ID != e.command.ID {
			t.Errorf("%s answers %d to %d", e.adapter, e.reply.ID, e.command.ID)
		}
		if !e.reply.OK {
			codes[e.adapter] = e.reply.Error.Code
			continue
		}
		seen[e.command.Op]++
		e.check(t)
	}
	for _, op := range []string{"spec", "warm", "probe", "parity", "time", "profile", "reset", "quit"} {
		if seen[op] == 0 {
			t.Errorf("nothing recorded of %s", op)
		}
	}
	for adapter, code := range map[string]result.Code{
		"side_stream": result.CodeOutsideWork, "cache_by_shape": result.CodeWrongOutput, "skip_after_n": result.CodeWrongOutput,
		"oob_write": result.CodeGuardBroken, "bad_launch": result.CodeLaunchFailed, "wild_write": result.CodeDeviceFault, "basics": "",
	} {
		if codes[adapter] != code {
			t.Errorf("%s: %q, want %q", adapter, codes[adapter], code)
		}
	}
}

func (e exchange) check(t *testing.T) {
	switch e.command.Op {
	case "spec":
		var r SpecReply
		if e.into(t, &r); len(r.Tensors) == 0 || r.WorkBytes == 0 {
			t.Errorf("spec = %+v", r)
		}
	case "warm":
		var r WarmReply
		if e.into(t, &r); !r.Held || r.Canary.ComputeFlops/r.Canary.ComputeNS < 1e3 || r.Canary.MemoryBytes/r.Canary.MemoryNS < 10 || r.Canary.ClockMHz < 100 {
			t.Errorf("warm = %+v", r)
		}
	case "probe":
		var r ProbeReply
		if e.into(t, &r); r.Clock != "event" || !r.Blockable || !r.Capturable || !(r.GraphNS > 0 && r.GraphNS < r.LaunchNS) || r.PoolLimit < 1 {
			t.Errorf("probe = %+v", r)
		}
	case "parity":
		var r ParityReply
		if e.into(t, &r); r.Passed != (e.adapter != "reads_outside" && e.adapter != "low_precision") {
			t.Errorf("parity of %s = %+v", e.adapter, r)
		}
	case "time":
		var r TimeReply
		if e.into(t, &r); len(r.Samples) != 12 || len(r.Checks) != 2 || r.Canary.ComputeNS == 0 {
			t.Errorf("time = %+v", r)
		}
	case "profile":
		var r ProfileReply
		if e.into(t, &r); r.WallNS <= 0 {
			t.Errorf("profile = %+v", r)
		}
	}
}
