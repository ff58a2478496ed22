package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/history"
	"github.com/org/perfgate/gate/result"
)

// remembered is a repository whose commits have records: 24 of them, the driver new at the 9th, gemm slower at the 17th, which asks for
// that to be accepted.
func remembered(t *testing.T) *project {
	t.Helper()
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("base")
	store, err := baseline.Open("dir:.perfgate", p.dir)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	level, driver := map[string]float64{}, "570.86"
	for i := range 24 {
		message := fmt.Sprintf("commit %d", i)
		switch i {
		case 8:
			driver = "580.12"
			level["gemm"], level["softmax"] = level["gemm"]+0.02, level["softmax"]+0.02
		case 16:
			level["gemm"] += 0.05
			message += "\n\nPerfgate-Accept: gemm/** sums in a fixed order"
		}
		p.mustRun("git", "commit", "-q", "--allow-empty", "-m", message)
		r := &baseline.Record{
			Schema: baseline.Schema, Commit: p.sha(), Time: time.Date(2026, 3, 1+i, 12, 0, 0, 0, time.UTC),
			Machine: result.Machine{Key: "gpu-l4", Device: "cuda", Model: "NVIDIA L4", GPU: &result.GPU{Driver: driver}},
		}
		for _, kernel := range []string{"gemm", "softmax"} {
			c := baseline.Case{
				Name: kernel + "/n=64,dtype=f32", Kernel: kernel, ConfigHash: "c", Fingerprint: fmt.Sprint(kernel, kernel == "gemm" && i >= 16),
				Method: result.Method{Clock: "event", How: "single", Launches: 1},
			}
			for n := range 8 {
				c.Rounds = append(c.Rounds, n/4)
				c.ValuesNS = append(c.ValuesNS, 1e5*math.Exp(level[kernel]+0.002*random.NormFloat64()))
			}
			r.Cases = append(r.Cases, c)
		}
		if err := baseline.Save(context.Background(), store, r); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestHistory(t *testing.T) {
	t.Parallel()
	p := remembered(t)
	text, code := p.run(perfgatePath(), "history", "--machine", "gpu-l4")
	t.Log("\n" + text)
	for _, want := range []string{
		"2 cases in 24 records of gpu-l4", "driver was 570.86, is 580.12", "moved 2 of 2 cases by +2.0 %", "gemm: +5.", "sums in a fixed order", "▁", "█",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	if text, code := p.run(perfgatePath(), "history", "--machine", "gpu-l4", "--case", "gem"); code != 2 || !strings.Contains(text, "an example is") {
		t.Errorf("a pattern that names no case: exit %d\n%s", code, text)
	}
	csv := p.mustRun(perfgatePath(), "history", "--machine", "gpu-l4", "--format", "csv", "--case", "gemm")
	if lines := strings.Count(csv, "\n"); lines != 25 || strings.Contains(csv, "softmax") {
		t.Errorf("%d lines of CSV for 24 records of one case:\n%s", lines, csv)
	}
	var h history.History
	if err := json.Unmarshal([]byte(p.mustRun(perfgatePath(), "history", "--machine", "gpu-l4", "--format", "json", "--since", "HEAD~5")), &h); err != nil || h.Records != 5 || len(h.Moves) > 0 {
		t.Errorf("since HEAD~5: %v, %d records, %d moves", err, h.Records, len(h.Moves))
	}
}

func TestHistoryRefuses(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("perfgate.yaml", quickConfig)
	p.commit("base")
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"--format", "html5"}, "text, json", 2},
		{[]string{"--case", "[gemm"}, "no pattern", 2},
		{[]string{"--since", "v9"}, "no revision", 2},
		{[]string{"nowhere"}, "nowhere", 2},
		{nil, "has no record of", 0},
	} {
		text, code := p.run(perfgatePath(), append([]string{"history", "--store", "dir:" + filepath.Join(p.dir, "empty")}, c.args...)...)
		if code != c.code || !strings.Contains(text, c.want) {
			t.Errorf("%q: exit %d, want %d with %q:\n%s", c.args, code, c.code, c.want, text)
		}
	}
}
