package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/action"
	"github.com/org/perfgate/gate/baseline"
	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/drift"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/search"
)

// nightly makes the event of the watch, on a main whose last commits have records of what the saved result measured, times a factor.
func (c *cell) nightly(factor float64) {
	c.push("newer")
	c.workflow, c.event, c.payload = "perfgate-drift", "schedule", map[string]any{"schedule": "43 2 * * *"}
	c.rehearse = saved(c.T, pass)
	res, err := result.ReadFile(c.rehearse)
	must(c, err)
	cfg, err := config.Load(filepath.Join(root, "testdata", "consumer", "perfgate.yaml"))
	must(c, err)
	store, err := baseline.Open("git:perfgate-baseline", c.origin)
	must(c, err)
	tree := c.said("rev-parse", c.head+"^{tree}")
	for i := range 6 {
		res.Head.Revision, res.Started = c.head, time.Unix(int64(i)*86400, 0)
		rec, err := baseline.FromResult(res, result.SideHead, cfg.CaseHash)
		must(c, err)
		for j := range rec.Cases {
			rec.Cases[j].Fingerprint = "older"
			for p := range rec.Cases[j].ValuesNS {
				rec.Cases[j].ValuesNS[p] *= factor * (1 + 0.001*float64(i%2))
			}
		}
		must(c, baseline.Save(c.Context(), store, rec))
		c.head = c.said("commit-tree", tree, "-p", c.head, "-m", fmt.Sprint("commit ", i))
	}
	must(c, c.site.git(c.origin, "update-ref", "refs/heads/main", c.head))
}

func (c *cell) said(args ...string) string {
	out, err := output(c.origin, c.site.env(), "git", args...)
	must(c, err)
	return strings.TrimSpace(out)
}

// TestWatch: the schedule holds a part of the cases against records, says what it finds, and keeps the session.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, want := range map[string]struct {
		factor float64
		exit   string
		says   string
	}{
		"as recorded": {1, "0", "1 of 1 case as records have it"},
		"slower":      {0.5, "1", "no gate let that pass"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, s)
			c.nightly(want.factor)
			c.start()
			out := c.outputs["drift"]
			if out["exit-code"] != want.exit || out["has-record"] != "true" || c.failed != (want.exit != "0") || !strings.Contains(c.summary, want.says) {
				t.Errorf("exit code %q, recorded %q, jobs %v, summary:\n%s", out["exit-code"], out["has-record"], c.jobs, c.summary)
			}
			if files := c.said("ls-tree", "-r", "--name-only", "perfgate-baseline"); c.jobs["store"] != "success" || !strings.Contains(files, c.head+".json.gz") {
				t.Errorf("store: %q, the branch has\n%s", c.jobs["store"], files)
			}
			f, err := os.Open(filepath.Join(c.dir, "artifacts", "perfgate-record", action.DriftFile))
			must(c, err)
			defer f.Close()
			if r, err := drift.Document.Read(f); err != nil || r.Commit != c.head || fmt.Sprint(int(r.Exit)) != want.exit || r.Part.Of != 7 {
				t.Errorf("what was kept: %+v, %v", r, err)
			}
			if n := len(c.calls()); n > mostCalls {
				t.Errorf("%d requests: %v", n, c.calls())
			}
		})
	}
}

// TestBisectByHand: the commits that somebody names are searched, and the answer is in the summary.
func TestBisectByHand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, want := range map[string]struct {
		inputs  map[string]any
		outcome string
		exit    string
		says    string
	}{
		"found":       {map[string]any{"good": s.commits["main"], "bad": "slow", "case": "horner"}, regression, "0", "is the first slower commit"},
		"no such end": {map[string]any{"good": "v9"}, pass, "2", "input good: there is no branch, tag or commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t, s)
			c.dispatch("slow", want.inputs)
			c.workflow, c.rehearse = "perfgate-bisect", saved(t, want.outcome)
			c.start()
			if out := c.outputs["bisect"]; out["exit-code"] != want.exit || c.failed != (want.exit != "0") || !strings.Contains(c.summary, want.says) {
				t.Errorf("exit code %q, jobs %v, summary:\n%s", out["exit-code"], c.jobs, c.summary)
			}
			if calls := c.calls(); len(calls) > 0 {
				t.Errorf("requests: %v", calls)
			}
			if want.exit == "2" {
				return
			}
			f, err := os.Open(filepath.Join(c.dir, "artifacts", "perfgate", action.SearchFile))
			must(c, err)
			defer f.Close()
			if r, err := search.BisectDocument.Read(f); err != nil || r.Good != s.commits["main"] || r.Bad != s.commits["slow"] || r.Commits[r.Bad].Author != "Mona" {
				t.Errorf("what was kept: %+v, %v", r, err)
			}
		})
	}
}
