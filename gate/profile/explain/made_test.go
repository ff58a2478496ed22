package explain

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/result"
)

// counters are what a test changes about a made-up kernel, by the names of testdata/causes/kernel.
type counters = map[string]float64

// kernelFile is testdata/causes/kernel: metrics by the names that cases call them, and their values.
var kernelFile = sync.OnceValues(func() (metrics map[string]string, values counters) {
	text, err := os.ReadFile("testdata/causes/kernel")
	if err != nil {
		panic(err)
	}
	metrics, values = map[string]string{}, counters{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] == "#" {
			continue
		}
		metrics[words[0]] = words[1]
		if len(words) > 2 {
			values[words[0]] = number(words[2])
		}
	}
	return metrics, values
})

// number is a value of a file of cases, such as 1e6 or 1/1.8.
func number(text string) float64 {
	above, below, _ := strings.Cut(text, "/")
	v, err := strconv.ParseFloat(above, 64)
	if below != "" && err == nil {
		v /= number(below)
	}
	if err != nil {
		panic(err)
	}
	return v
}

// metricOf is what a name means: one of the file, stalled-barrier, or a metric's own.
func metricOf(name string) string {
	metrics, _ := kernelFile()
	if reason, ok := strings.CutPrefix(name, "stalled-"); ok {
		return stallMetric(strings.ReplaceAll(reason, "-", "_"))
	}
	if metric, ok := metrics[name]; ok {
		return metric
	}
	if !strings.Contains(name, "__") {
		panic("testdata/causes/kernel has no " + name)
	}
	return name
}

// ada has no counter of Hopper's tensor cores alone.
var ada = profile.Version{Major: 8, Minor: 9}

// kernel is the one of testdata/causes, of which a test changes what it is about. NaN is a counter that it does not have.
func kernel(changes counters) profile.Kernel {
	k := profile.Kernel{Name: "k", Metrics: map[string]profile.Metric{}}
	for _, name := range Asked(ada) { // a profile has them all, 0 where there is nothing
		k.Metrics[name] = profile.Metric{}
	}
	_, values := kernelFile()
	for _, all := range []counters{values, changes} {
		for name, v := range all {
			k.Metrics[metricOf(name)] = profile.Metric{Value: v}
		}
	}
	if _, given := changes["l2-of-l1"]; !given { // all that L2 is asked for comes from L1
		k.Metrics[metricOf("l2-of-l1")] = k.Metrics[metricOf("l2-sectors")]
	}
	maps.DeleteFunc(k.Metrics, func(_ string, m profile.Metric) bool { return math.IsNaN(m.Value) })
	return k
}

// made is a profile of made-up kernels.
func made(all ...counters) (p profile.Profile) {
	for _, c := range all {
		p.Kernels = append(p.Kernels, kernel(c))
	}
	return p
}

// madeCase is a case of testdata/causes: kernels of both sides, where one of base is as it is in the file unless another is given, and what is
// expected: causes with their shares of the change, and what they say or do not.
type madeCase struct {
	in           Input
	expect       string
	says, silent []string
	all          string // its lines
}

// kernels reads the rest of a line base or head: how many, their name, and what is changed about them.
func (c *madeCase) kernels(words []string) []profile.Kernel {
	count, name, changes := 1, "k", counters{}
	for _, word := range words {
		if metric, value, ok := strings.Cut(word, "="); ok {
			changes[metric] = number(value)
		} else if n, err := strconv.Atoi(word); err == nil {
			count = n
		} else {
			name = word
		}
	}
	k := kernel(changes)
	k.Name = name
	var out []profile.Kernel
	for range count {
		out = append(out, k)
	}
	return out
}

// readMade reads the cases of a file, which blank lines part.
func readMade(t *testing.T, file string) (all []*madeCase) {
	t.Helper()
	text, err := os.ReadFile(file)
	Must(t, err)
	for block := range strings.SplitSeq(string(text), "\n\n") {
		c := &madeCase{in: Input{Measured: sureOf(2)}, all: strings.TrimSpace(block)}
		for line := range strings.SplitSeq(c.all, "\n") {
			key, rest, _ := strings.Cut(line, " ")
			words := strings.Fields(rest)
			switch key {
			case "#", "case":
			case "base":
				c.in.Base.Kernels = append(c.in.Base.Kernels, c.kernels(words)...)
			case "head":
				c.in.Head.Kernels = append(c.in.Head.Kernels, c.kernels(words)...)
			case "ratio":
				c.in.Measured = sureOf(number(rest))
			case "param":
				name, value, _ := strings.Cut(rest, "=")
				c.in.Params = append(c.in.Params, Param{name, int64(number(value))})
			case "MHz":
				c.in.BaseMHz, c.in.HeadMHz = number(words[0]), number(words[1])
			case "expect":
				c.expect = rest
			case "says":
				c.says = append(c.says, rest)
			case "silent":
				c.silent = append(c.silent, rest)
			default:
				t.Fatalf("%s: %q is no line of a case", file, line)
			}
		}
		if c.in.Base.Kernels == nil {
			c.in.Base = made(nil)
		}
		if c.expect != "" {
			all = append(all, c)
		}
	}
	return all
}

// namedShares are causes and their shares of the change, where that is not all of it.
func namedShares(causes []result.Cause) string {
	var out []string
	for _, c := range causes {
		text := string(c.ID)
		if math.Abs(c.Share-1) > 0.011 {
			text += fmt.Sprintf(" %.0f %%", 100*c.Share)
		}
		out = append(out, text)
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// TestMadeProfiles: of profiles that are made up, each file of testdata/causes says what is to be named.
func TestMadeProfiles(t *testing.T) {
	files, err := filepath.Glob("testdata/causes/*.txt")
	Must(t, err)
	expected := ""
	for _, file := range files {
		for _, c := range readMade(t, file) {
			expected += c.expect + ", "
			e := Explain(c.in)
			if got := namedShares(e.Causes); got != c.expect {
				t.Errorf("%s: named is %s\n%s\n%+v", file, got, c.all, e.Rest)
			}
			c.checkWords(t, e.Causes)
		}
	}
	for _, id := range All() {
		if id != Unexplained && id != MoreTransfers && !strings.Contains(expected, string(id)) { // which a profile does not show
			t.Errorf("no case expects %s", id)
		}
	}
}

// checkWords: a cause has a title and a remedy and shows figures, each once.
func (c *madeCase) checkWords(t *testing.T, causes []result.Cause) {
	t.Helper()
	var said []string
	for _, cause := range causes {
		shown := map[string]bool{}
		for _, change := range cause.Changes {
			if shown[change.Name] {
				t.Errorf("%s shows %q twice:\n%s", cause.ID, change.Name, c.all)
			}
			shown[change.Name] = true
			said = append(said, change.Name)
		}
		if cause.Title == "" || cause.Remedy == "" || len(shown) == 0 {
			t.Errorf("%+v lacks words or figures:\n%s", cause, c.all)
		}
		said = append(append(said, cause.Title), cause.Facts...)
	}
	text := strings.Join(said, "; ")
	for _, want := range c.says {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q:\n%s", want, text, c.all)
		}
	}
	for _, not := range c.silent {
		if strings.Contains(text, not) {
			t.Errorf("%q in %q:\n%s", not, text, c.all)
		}
	}
}
