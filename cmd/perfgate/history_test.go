package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
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
	p.copyOf("remembered", func(from *project) {
		must(t, os.CopyFS(from.dir, os.DirFS(p.dir)))
		from.remember()
	})
	return p
}

// remember makes the records of remembered.
func (p *project) remember() {
	p.t.Helper()
	p.write("perfgate.yaml", quickConfig)
	p.commit("base")
	store, err := baseline.Open("dir:.perfgate", p.dir)
	must(p.t, err)
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
		must(p.t, baseline.Save(context.Background(), store, r))
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	p := remembered(t)
	const says = "2 cases in 24 records of gpu-l4 | driver was 570.86, is 580.12 | shifted 2 of 2 cases by +2.0 % | gemm: +5. | sums in a fixed order | ▁ | █"
	p.expect(0, says, "perfgate", "history", "--machine", "gpu-l4")
	p.expect(2, "an example is", "perfgate", "history", "--machine", "gpu-l4", "--case", "gem")
	csv := p.mustRun("perfgate", "history", "--machine", "gpu-l4", "--format", "csv", "--case", "gemm")
	if lines := strings.Count(csv, "\n"); lines != 25 || strings.Contains(csv, "softmax") {
		t.Errorf("%d lines of CSV for 24 records of one case:\n%s", lines, csv)
	}
	var h history.History
	if err := json.Unmarshal([]byte(p.mustRun("perfgate", "history", "--machine", "gpu-l4", "--format", "json", "--since", "HEAD~5")), &h); err != nil || h.Records != 5 || len(h.Moves) > 0 {
		t.Errorf("since HEAD~5: %v, %d records, %d moves", err, h.Records, len(h.Moves))
	}
}

// TestAccept: an acceptance that a commit asks for is listed, counts once somebody agrees, and can be taken back.
func TestAccept(t *testing.T) {
	t.Parallel()
	p := remembered(t)
	overBest := func() float64 {
		var h history.History
		must(t, json.Unmarshal([]byte(p.mustRun("perfgate", "history", "--machine", "gpu-l4", "--format", "json")), &h))
		return h.Case("gemm/n=64,dtype=f32").OverBest
	}
	accept := func(code int, says string, args ...string) {
		t.Helper()
		p.expect(code, says, "perfgate", append([]string{"baseline", "accept", "--machine", "gpu-l4"}, args...)...)
	}
	const asking = "HEAD~7"
	accept(0, "asked for")
	if over := overBest(); over < 0.04 {
		t.Errorf("nobody has agreed: %.3f over the best-known level", over)
	}
	accept(0, "accepted 1 request", asking, "--by", "ada")
	accept(0, "counts ada")
	if over := overBest(); over > 0.01 {
		t.Errorf("accepted, and %.3f over the best-known level", over)
	}
	p.expect(0, "accepted by ada", "perfgate", "history", "--machine", "gpu-l4")
	accept(0, "took back 1 acceptance", asking, "--revoke", "--by", "bob")
	accept(0, "taken back by bob")
	accept(2, "nothing of", asking, "--revoke")
	if over := overBest(); over < 0.04 {
		t.Errorf("taken back, and %.3f over the best-known level", over)
	}
	accept(2, "asks for nothing", "HEAD")
	accept(2, "needs a --reason", "HEAD", "--case", "gemm")
	accept(2, "no case of the record", "HEAD", "--case", "gem", "--reason", "r")
	accept(2, "no revision", "v9")
}

// TestWaiversAndAcceptedChanges: both are listed with who answers for them, their age, and what they cost, which an acceptance does not make disappear.
func TestWaiversAndAcceptedChanges(t *testing.T) {
	t.Parallel()
	p := remembered(t)
	lists := func(says string) string {
		t.Helper()
		return p.expect(0, says, "perfgate", "baseline", "waivers", "--machine", "gpu-l4")
	}
	lists("no waivers, and no change was accepted in 24 records")
	ends, ended := result.Day(time.Now().AddDate(0, 0, 30)), result.Day(time.Now().AddDate(0, 0, -3))
	p.write("perfgate.yaml", quickConfig+fmt.Sprintf(`
waivers:
  - {cases: "gemm/**", reason: "driver 580", owner: "@kernels", until: %s, tolerance: 8%%}
  - {cases: "conv/**", reason: "gone", owner: "@ada", until: %s}
`, ends, ended))
	p.mustRun("git", "-c", "core.hooksPath=/dev/null", "add", "perfgate.yaml")
	p.mustRun("env", "GIT_COMMITTER_DATE="+time.Now().Add(-50*time.Hour).Format(time.RFC3339), "git", "commit", "-q", "-m", "waive")
	lists("waiver @kernels 2 days up to 8 %, until " + ends + " +5. | driver 580 | waiver @ada 2 days ended on " + ended + " no record gone")
	p.mustRun("perfgate", "baseline", "accept", "--machine", "gpu-l4", "HEAD~8", "--by", "ada")
	lists("until " + ends + " +0. | ada 0 days for good +5. | sums in a fixed order")
	p.mustRun("perfgate", "baseline", "accept", "--machine", "gpu-l4", "HEAD~8", "--revoke")
	if text := lists(""); strings.Contains(text, "sums in a fixed order") {
		t.Errorf("what was taken back counts no more: %s", text)
	}
}

// TestExchange: records go out as JSON lines and come back as they were.
func TestExchange(t *testing.T) {
	t.Parallel()
	p := remembered(t)
	p.write("records.jsonl", p.mustRun("perfgate", "baseline", "export", "--machine", "gpu-l4", "--limit", "100", "--format", "jsonl"))
	other := []string{"baseline", "import", "--store", "dir:other"}
	p.expect(0, "imported 24 records", "perfgate", append(other, "records.jsonl")...)
	p.expect(0, "24 records already there", "perfgate", append(other, "records.jsonl")...)
	p.expect(0, "imported 24 records", "perfgate", append(other, "records.jsonl", "--replace")...)
	p.expect(2, "line 1", "perfgate", append(other, "perfgate.yaml")...)
	p.expect(2, "nowhere.csv", "perfgate", append(other, "nowhere.csv")...)
	read := func(args ...string) string {
		return p.mustRun("perfgate", append([]string{"history", "--format", "csv"}, args...)...)
	}
	if a, b := read("--machine", "gpu-l4"), read("--machine", "gpu-l4", "--store", "dir:other"); a != b {
		t.Errorf("the history of what was imported is another:\n%s\n%s", a, b)
	}
}
