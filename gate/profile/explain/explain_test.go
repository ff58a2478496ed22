package explain

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

func recording(t *testing.T, name string) profile.Profile {
	t.Helper()
	stem := filepath.Join("../../../testdata/ncu/recorded", name)
	p, err := profile.ReadFiles(stem+".raw.csv", stem+".details.csv")
	Must(t, err)
	return p
}

func sureOf(ratio float64) Measured {
	l := math.Log(ratio)
	return Measured{Log: l, Low: l - 0.001, High: l + 0.001}
}

// TestTheSeedFault: the same arithmetic in 2 blocks, under another name. The explanation says so unprompted, with its
// figures, and quotes Nsight's own rule.
func TestTheSeedFault(t *testing.T) {
	good, serial := recording(t, "attn_good"), recording(t, "attn_serial")
	e := Explain(Input{Base: good, Head: serial, Measured: sureOf(5.48)})
	if len(e.Causes) != 1 || e.Causes[0].ID != GridTooSmall {
		t.Fatalf("causes %+v", e.Causes)
	}
	c := e.Causes[0]
	facts := strings.Join(c.Facts, "; ")
	for _, want := range []string{"2 blocks on 132 SMs", "1.5 % of the SMs have work", "0.0 full waves", "memory is used at 0.3 %", "compute at 0.5 %"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in %q", want, facts)
		}
	}
	if c.Changes[0].Name != "blocks" || *c.Changes[0].Base != 16384 || *c.Changes[0].Head != 2 || c.Remedy == "" {
		t.Errorf("%+v", c.Changes)
	}
	if math.Abs(e.Profiled-math.Log(16.577856/3.02608)) > 0.01 {
		t.Errorf("the profiles differ by %v", e.Profiled)
	}
	found := false
	for _, r := range e.Rules {
		found = found || r.Name == "LaunchConfiguration" && strings.Contains(r.Text, "only 2 blocks")
		if r.Name == "MemoryL2Compression" || r.Name == "FPInstructions" {
			t.Errorf("%s is said of base as well", r.Name)
		}
	}
	if !found {
		t.Errorf("rules %+v", e.Rules)
	}
	// In both units, and in both directions.
	back := Explain(Input{Base: serial, Head: good, Measured: sureOf(1 / 5.48)})
	if len(back.Causes) != 1 || back.Causes[0].ID != GridTooSmall || back.Causes[0].Log > 0 || *back.Causes[0].Changes[0].Head != 16384 {
		t.Errorf("mirrored: %+v", back.Causes)
	}
}

// TestNothingToExplain: nothing sure, nothing large, or one and the same profile names nothing.
func TestNothingToExplain(t *testing.T) {
	good := recording(t, "attn_good")
	for name, in := range map[string]Input{
		"not sure":      {Base: good, Head: recording(t, "attn_serial"), Measured: Measured{Log: 0.5, Low: -0.1, High: 1}},
		"small":         {Base: good, Head: recording(t, "attn_serial"), Measured: sureOf(1.01)},
		"A/A":           {Base: good, Head: good, Measured: sureOf(1.5)},
		"empty":         {Measured: sureOf(2)},
		"empty base":    {Head: good, Measured: sureOf(2)},
		"empty kernels": {Base: profile.Profile{Kernels: make([]profile.Kernel, 1)}, Head: profile.Profile{Kernels: make([]profile.Kernel, 2)}, Measured: sureOf(2)},
	} {
		if e := Explain(in); len(e.Causes) > 0 {
			t.Errorf("%s: %+v", name, e.Causes)
		}
	}
}

// TestMissingMetrics takes one metric after the other away from a clear case: there may be no cause then, but never another
// one, and nothing that is no number.
func TestMissingMetrics(t *testing.T) {
	good, serial := recording(t, "attn_good"), recording(t, "attn_serial")
	for _, name := range Reads() {
		saved := []profile.Metric{good.Kernels[0].Metrics[name], serial.Kernels[0].Metrics[name]}
		_, had := good.Kernels[0].Metrics[name]
		if !had {
			continue
		}
		delete(good.Kernels[0].Metrics, name)
		for _, where := range []string{"base", "either"} {
			if where == "either" {
				delete(serial.Kernels[0].Metrics, name)
			}
			e := Explain(Input{Base: good, Head: serial, Measured: sureOf(5.48)})
			for _, c := range e.Causes {
				if c.ID != GridTooSmall || math.IsNaN(c.Log) || strings.Contains(strings.Join(c.Facts, ""), "NaN") {
					t.Errorf("without %s in %s: %+v", name, where, c)
				}
			}
		}
		good.Kernels[0].Metrics[name], serial.Kernels[0].Metrics[name] = saved[0], saved[1]
	}
}

// TestSumIsExact: without a saturated unit all causes together are the change of cycles, and the change.
func TestSumIsExact(t *testing.T) {
	for _, c := range []struct {
		base, head counters
		ratio      float64
	}{
		{nil, counters{"cycles": 1e6 * 1.3 * 2 * 1.5, "inst": 1.3e8, "warps": 30, "most-warps": 32, "latency": 45, "stalled-barrier": 15}, 3.9},
		{counters{"latency": 50, "stalled-long-scoreboard": 45, "stalled-barrier": 2, "stalled-wait": 2},
			counters{"latency": 55, "stalled-long-scoreboard": 36, "stalled-barrier": 16, "stalled-wait": 2, "inst": 1.25e8, "cycles": 1.375e6}, 1.375},
	} {
		e := Explain(Input{Base: made(c.base), Head: made(c.head), Measured: sureOf(c.ratio)})
		sum := 0.0
		for _, cause := range append(e.Causes, e.Rest...) {
			sum += cause.Log
		}
		if math.Abs(sum-math.Log(c.ratio)) > 1e-6 || math.Abs(e.Profiled-math.Log(c.ratio)) > 1e-6 {
			t.Errorf("%v of %v: %+v %+v", sum, math.Log(c.ratio), e.Causes, e.Rest)
		}
	}
}

func counted(instructions float64) profile.Counted {
	return profile.Counted{Instructions: instructions}
}

func TestInstructions(t *testing.T) {
	if e := Instructions(sureOf(2), counted(1e6), counted(2.05e6)); len(e.Causes) != 1 || e.Causes[0].ID != MoreInstructions || e.Causes[0].Share < 1 {
		t.Errorf("%+v", e)
	}
	if e := Instructions(sureOf(0.5), counted(2e6), counted(1e6)); len(e.Causes) != 1 || math.Abs(e.Causes[0].Share-1) > 1e-9 {
		t.Errorf("%+v", e)
	}
	for _, head := range []float64{1e6, 1.1e6, 5e5, 0} {
		if e := Instructions(sureOf(2), counted(1e6), counted(head)); len(e.Causes) > 0 {
			t.Errorf("%v instructions of 1e6: %+v", head, e.Causes)
		}
	}
	if e := Instructions(Measured{0.5, -0.1, 1}, counted(1), counted(2)); len(e.Causes) > 0 || e.Nothing == "" {
		t.Errorf("%+v", e)
	}
}

// TestEveryCauseIsWorded: what can be named has a title and a remedy.
func TestEveryCauseIsWorded(t *testing.T) {
	source, err := os.ReadFile("causes.go")
	Must(t, err)
	declared := regexp.MustCompile(`(?m)^\t[A-Z]\w+ +result\.CauseID = "(.*)"`).FindAllStringSubmatch(string(source), -1)
	for _, id := range declared {
		if w := wordings[result.CauseID(id[1])]; w.title == "" || w.remedy == "" {
			t.Errorf("%s: %+v", id[1], w)
		}
	}
	if len(declared) != len(wordings) || len(declared) < 20 {
		t.Errorf("%d causes are declared, and %d have words", len(declared), len(wordings))
	}
}

// TestDocumented: the page for users has every cause.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/evidence.md")
	Must(t, err)
	for id := range wordings {
		if !strings.Contains(string(text), "`"+string(id)+"`") {
			t.Errorf("docs/evidence.md does not have %s", id)
		}
	}
}
