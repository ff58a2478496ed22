// The zoo holds the explanations to account: pairs of profiles whose difference was planted, recorded on a GPU once and
// explained again by every test run.
package explain_test

import (
	"bytes"
	"encoding/json"
	"errors"
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
	Dir    string   `yaml:"dir" json:"dir"`
	Kernel string   `yaml:"kernel" json:"kernel"`
	Case   string   `yaml:"case" json:"case"` // B=1,H=8
	Flag   string   `yaml:"flag" json:"flag,omitempty"`
	Cause  string   `yaml:"cause" json:"cause,omitempty"`
	Also   []string `yaml:"also" json:"also,omitempty"`

	Source  string `yaml:"source" json:"-"`  // that explains it, by its own words
	Reason  string `yaml:"why" json:"-"`     // in ours
	Kernels []int  `yaml:"kernels" json:"-"` // that a launch of base and of head has, where it is not one each
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
	Log     float64 `json:"log"` // ln(head/base) of processes' medians
	Low     float64 `json:"low"` // and the range of all pairs of them
	High    float64 `json:"high"`
	BaseMHz float64 `json:"baseMHz"`
	HeadMHz float64 `json:"headMHz"`
	Base    string  `json:"base"` // files, without .raw.csv and .details.csv
	Head    string  `json:"head"`
}

// pairsFile has the recorded pairs of a folder, one a line.
const pairsFile = "pairs.jsonl"

// Write writes recorded pairs.
func Write(w io.Writer, pairs []Pair) error {
	for _, p := range pairs {
		if err := json.NewEncoder(w).Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// Read reads what Write wrote into a folder.
func Read(folder string) ([]Pair, error) {
	text, err := os.ReadFile(filepath.Join(folder, pairsFile))
	if err != nil {
		return nil, err
	}
	var out []Pair
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p Pair
		d.DisallowUnknownFields()
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("read the pairs of %s: %w", folder, err)
		}
		out = append(out, p)
	}
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
