package action

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/internal/ruletest"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/render"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/gate/run"
)

// measured is the result of the run: head is slower by shift in the case k/n=2.
func (r *rig) measured(shift float64) *result.Result { return r.measuredPart(shift, 0, 0) }

// measuredPart is that of a part of the plan, or of all where of is 0.
func (r *rig) measuredPart(shift float64, index, of int) *result.Result {
	r.Helper()
	return r.measuredUnder(r.parsed(forkConfiguration), shift, index, of)
}

func (r *rig) parsed(configuration string) *config.Config {
	r.Helper()
	cfg, err := config.Parse("perfgate.yaml", []byte(configuration))
	r.must(err)
	return cfg
}

func (r *rig) measuredUnder(cfg *config.Config, shift float64, index, of int) *result.Result {
	r.Helper()
	p := run.Policy(cfg, &plan.Plan{K: forkCases}, 0, false).On(time.Now())
	res := &result.Result{
		Schema: result.Schema, Tool: result.Tool{Name: "perfgate", Version: "v1.0.0"}, Started: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC), Seed: "42", Policy: p,
		Config:  result.Config{File: "perfgate.yaml", SHA256: cfg.SHA256, Trust: "base"},
		Base:    result.Version{Kind: result.KindRevision, Label: "base", Revision: r.base},
		Head:    result.Version{Kind: result.KindRevision, Label: "head", Revision: r.head},
		Machine: result.Machine{Key: "key", Model: "NVIDIA L4"},
		Kernels: []result.Kernel{{
			Name: "k", Status: result.KernelCompared, Base: &result.Build{Fingerprint: "1"}, Head: &result.Build{Fingerprint: "2"},
			Parity: result.Parity{Status: result.ParityPassed, Run: 10, Planned: 10},
		}},
		Timings: result.Timings{TotalS: 10},
	}
	if of > 0 {
		res.Shard = &result.Shard{Index: index, Of: of, Seed: "42"}
		res.Seed = fmt.Sprint("of part ", index)
	}
	for i := range forkCases {
		if of > 0 && i%of != index-1 {
			continue
		}
		slower := 0.0
		if i == 1 {
			slower = shift
		}
		c := r.timed(i, slower, p)
		res.Cases = append(res.Cases, c)
	}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, p)
	return res
}

// timedCases are those that were decided before, as JSON: each test gets its own.
var timedCases sync.Map

// timed is a case as rounds leave it, with a scatter of 0.1 %.
func (r *rig) timed(i int, shift float64, p result.Policy) (c result.Case) {
	r.Helper()
	key := fmt.Sprintf("%d %g %+v", i, shift, p)
	text, ok := timedCases.Load(key)
	if !ok {
		made, err := json.Marshal(r.decided(i, shift, p))
		r.must(err)
		text, _ = timedCases.LoadOrStore(key, made)
	}
	r.must(json.Unmarshal(text.([]byte), &c))
	return c
}

func (r *rig) decided(i int, shift float64, p result.Policy) result.Case {
	r.Helper()
	c, err := ruletest.Measured(fmt.Sprint(i+1), rand.New(rand.NewPCG(uint64(i), 11)), 0.001, shift, p)
	r.must(err)
	return c
}

// keep stores a result as the run's artifact.
func (r *rig) keep(name string, res *result.Result) {
	r.Helper()
	text, err := json.Marshal(res) // not result.Write, which refuses what a stranger would write
	r.must(err)
	files := []file{{resultFile, text}, {outcomeFile, []byte(`{"schema":"perfgate/outcome/v1","exit":0}`)}}
	for rendering, mark := range render.Marks {
		files = append(files, file{rendering, []byte(mark)})
	}
	r.keepFiles(name, files...)
}

type file struct {
	name string
	text []byte
}

func (r *rig) keepFiles(name string, files ...file) {
	r.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.Create(f.name)
		r.must(err)
		_, err = out.Write(f.text)
		r.must(err)
	}
	r.must(w.Close())
	r.github.AddArtifact(r.run, name, b.Bytes())
}

// allNew makes a result of a kernel that base does not have: nothing of it was timed.
func allNew(res *result.Result) {
	k := &res.Kernels[0]
	k.Status, k.Base, k.Reason = result.KernelNew, nil, result.Message("base has none of k.cc")
	for i, c := range res.Cases {
		res.Cases[i] = result.Case{Name: c.Name, Kernel: c.Kernel, Params: c.Params, Verdict: result.New, Reason: k.Reason}
	}
	res.Conclusion = rule.Conclude(res.Cases, res.Kernels, res.Policy)
}
