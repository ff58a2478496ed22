// The zoo holds the explanations to account: pairs of profiles whose difference was planted, recorded on a GPU once and
// explained again by every test run.
package explain_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
)

// Fault is a slowdown planted in an example, as kernels/examples/faults_cuda.yaml lists it. A pair of two profiles of base
// (A/A) has no flag and no cause.
type Fault struct {
	Dir    string   `yaml:"dir"`
	Kernel string   `yaml:"kernel"`
	Case   string   `yaml:"case"` // B=1,H=8
	Flag   string   `yaml:"flag"`
	Cause  string   `yaml:"cause"`
	Also   []string `yaml:"also"`

	Source  string `yaml:"source"`  // that explains it, by its own words
	Reason  string `yaml:"why"`     // in ours
	Kernels []int  `yaml:"kernels"` // that a launch of base and of head has, where it is not one each
}

// kernels is how many a launch of one side has.
func (f Fault) kernels(base bool) int {
	switch {
	case len(f.Kernels) < 2:
		return 1
	case base:
		return f.Kernels[0]
	}
	return f.Kernels[1]
}

// Pair is a recorded fault: two profiles and what was measured.
type Pair struct {
	Fault
	Log, Low, High   float64 // ln(head/base) of processes' medians, and the range of all pairs of them
	BaseMHz, HeadMHz float64
	Base, Head       string // files, without .raw.csv and .details.csv
}

var columns = []string{"dir", "kernel", "case", "flag", "cause", "also", "log", "low", "high", "base_mhz", "head_mhz", "base", "head"}

// Write writes recorded pairs.
func Write(w io.Writer, pairs []Pair) error {
	c := csv.NewWriter(w)
	rows := [][]string{columns}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }
	for _, p := range pairs {
		rows = append(rows, []string{
			p.Dir, p.Kernel, p.Case, p.Flag, p.Cause, strings.Join(p.Also, " "), number(p.Log), number(p.Low), number(p.High), number(p.BaseMHz), number(p.HeadMHz), p.Base, p.Head,
		})
	}
	return c.WriteAll(rows)
}

// Read reads what Write wrote.
func Read(path string) ([]Pair, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], columns) {
		return nil, fmt.Errorf("read %s: the columns are not %s", path, strings.Join(columns, ","))
	}
	var out []Pair
	for _, r := range rows[1:] {
		p := Pair{Fault: Fault{Dir: r[0], Kernel: r[1], Case: r[2], Flag: r[3], Cause: r[4], Also: strings.Fields(r[5])}, Base: r[11], Head: r[12]}
		for i, to := range []*float64{&p.Log, &p.Low, &p.High, &p.BaseMHz, &p.HeadMHz} {
			if *to, err = strconv.ParseFloat(r[6+i], 64); err != nil {
				return nil, fmt.Errorf("read %s: %w", path, err)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// Explain explains a pair whose files lie in dir.
func (p Pair) Explain(dir string) (explain.Explanation, error) {
	in, err := p.input(dir)
	if err != nil {
		return explain.Explanation{}, err
	}
	return explain.Explain(in), nil
}

// input is what is known of a pair whose files lie in dir.
func (p Pair) input(dir string) (explain.Input, error) {
	in := explain.Input{Measured: explain.Measured{Log: p.Log, Low: p.Low, High: p.High}, BaseMHz: p.BaseMHz, HeadMHz: p.HeadMHz, Params: params(p.Case)}
	for name, to := range map[string]*profile.Profile{p.Base: &in.Base, p.Head: &in.Head} {
		stem := filepath.Join(dir, name)
		read, err := profile.ReadFiles(stem+".raw.csv", stem+".details.csv")
		if err != nil {
			return in, err
		}
		*to = read
	}
	return in, nil
}

func params(text string) []explain.Param {
	var out []explain.Param
	for _, assignment := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(assignment, "=")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			out = append(out, explain.Param{Name: name, Value: n})
		}
	}
	return out
}

// Outcomes of an explanation.
const (
	Right       = "right"
	Wrong       = "wrong"
	Unexplained = "unexplained"
	NotSlower   = "not slower" // the fault does nothing on this GPU or compiler
)

// Judge says whether the explanation is right: the largest cause is the planted one or one of those that it has beside it,
// and so are all others that are named. Of an A/A pair only naming nothing is right.
func (p Pair) Judge(e explain.Explanation) string {
	if p.Cause == "" {
		if len(e.Causes) == 0 {
			return Right
		}
		return Wrong
	}
	switch {
	case p.Log < explain.Smallest: // and if it is faster, what is named is why
		return NotSlower
	case len(e.Causes) == 0:
		return Unexplained
	}
	for _, c := range e.Causes {
		if string(c.ID) != p.Cause && !slices.Contains(p.Also, string(c.ID)) {
			return Wrong
		}
	}
	return Right
}

// Strict judges by the planted cause alone, without those that the list has beside it.
func (p Pair) Strict(e explain.Explanation) string {
	p.Also = nil
	return p.Judge(e)
}

// Summary is the log ratio of medians of processes and the range over all pairs of one of each side.
func Summary(base, head []float64) (log, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, b := range base {
		for _, h := range head {
			x := math.Log(h / b)
			low, high = min(low, x), max(high, x)
			log += x / float64(len(base)*len(head))
		}
	}
	return log, low, high
}
