package measure

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// court is a bench whose processes deliver an output, and a judge that looks at what is delivered.
type court struct {
	*bench
	t      *testing.T
	checks int    // that a process says it has made
	wrong  string // what is wrong is in the folder of that name
	judged map[string]bool
}

func (c *court) start(ctx context.Context, library string) (kernels.Process, error) {
	r, err := c.bench.start(ctx, library)
	return deliverer{Process: r, court: c, library: library}, err
}

type deliverer struct {
	kernels.Process
	court   *court
	library string
}

func (d deliverer) Call(ctx context.Context, op, what string, args, answer any, limit time.Duration) error {
	c := d.court
	if question, ok := args.(kernels.JudgeCommand); ok {
		return c.decide(d.library, question, answer.(*kernels.ParityReply))
	}
	if err := d.Process.Call(ctx, op, what, args, answer, limit); err != nil {
		return err
	}
	cmd, ok := args.(kernels.TimeCommand)
	if !ok || cmd.TimingCheck != "" {
		return nil
	}
	if cmd.Oracle != "deliver" || filepath.Base(filepath.Dir(cmd.Deliver)) != d.library {
		c.t.Errorf("%s was told oracle %s, and to deliver to %s", d.library, cmd.Oracle, cmd.Deliver)
	}
	answer.(*kernels.TimeReply).Checks = make([]kernels.OutputCheck, c.checks)
	return os.WriteFile(cmd.Deliver+"0", make([]byte, 8), 0o600)
}

func (c *court) decide(library string, q kernels.JudgeCommand, reply *kernels.ParityReply) error {
	if library != "base" || c.live != 1 {
		c.t.Errorf("%s judges while %d processes live", library, c.live)
	}
	if q.Oracle == "reference" {
		return &kernels.RunnerError{Code: "no-reference"}
	}
	if _, err := os.Stat(q.Outputs); err != nil || c.judged[q.Outputs] {
		c.t.Errorf("%s is judged (%v), for the first time: %v", q.Outputs, err, !c.judged[q.Outputs])
	}
	c.judged[q.Outputs] = true
	reply.Elements, reply.Passed = 1, c.wrong != "both" && filepath.Base(filepath.Dir(q.Outputs)) != c.wrong
	return nil
}

func (c *court) run() *Case { return c.measure(Paired, nil, nil) }

func (c *court) measure(d *Design, stop rule.StopRule, by *result.Method) *Case {
	c.t.Helper()
	dir := c.t.TempDir()
	given, made := filepath.Join(dir, "base"), filepath.Join(dir, "head")
	for _, folder := range []string{given, made} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			c.t.Fatal(err)
		}
	}
	all := subjects(1)
	all[0].Method = by
	edit(all[:1], func(v *Variant) { v.Judge = "base" })
	out, err := Rounds(context.Background(), all, Options{
		Policy: policy(0.015, 1), Budget: time.Minute, Seed: 7, Start: c.start, BaseOutputs: given, HeadOutputs: made, Design: d, Stop: stop,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) > 0 && c.checks == 1 {
		c.t.Errorf("left: %v", left)
	}
	return out.Cases[0]
}

// What head alone computed while it was timed is judged as well: records may have the only word on a case.
func TestTimedOutputsOfHeadAloneAreJudged(t *testing.T) {
	for _, wrong := range []string{"", "head"} {
		court := &court{bench: newBench(3), t: t, checks: 1, wrong: wrong, judged: map[string]bool{}}
		got := court.measure(Single, rule.Count(5), &recorded)
		if wrong == "" && (got.Verdict != result.Undecided || len(court.judged) != 5) || wrong != "" && (got.Verdict != result.Error || len(got.Processes) > 0) || got.outputBytes != 8 {
			t.Errorf("wrong: %q: %s, %q, %d outputs of %d bytes judged", wrong, got.Verdict, result.MessageOf(got.Reason), len(court.judged), got.outputBytes)
		}
	}
}

// A case that is decided was judged: every output of every process of both sides, with no other process beside the judge.
func TestTimedOutputsAreJudgedBeforeALook(t *testing.T) {
	for name, c := range map[string]struct {
		wrong   string
		checks  int
		verdict result.Verdict
		side    result.Side
		words   string
	}{
		"all right":     {"", 1, result.Same, "", ""},
		"head is wrong": {"head", 1, result.Error, result.SideHead, "a timed launch computed something else"},
		"base is wrong": {"base", 1, result.Error, result.SideBase, "a timed launch computed something else"},
		"both are":      {"both", 1, result.Error, result.SideBoth, "a timed launch computed something else"},
		"no checks":     {"", 0, result.Error, "", "checked 0 launches"},
	} {
		t.Run(name, func(t *testing.T) {
			court := &court{bench: newBench(3), t: t, checks: c.checks, wrong: c.wrong, judged: map[string]bool{}}
			got := court.run()
			if got.Verdict != c.verdict || c.side != "" && got.ErrorSide != c.side || !strings.Contains(result.MessageOf(got.Reason), c.words) {
				t.Errorf("%s on side %q: %s", got.Verdict, got.ErrorSide, result.MessageOf(got.Reason))
			}
			if c.verdict == result.Same && len(court.judged) != len(got.Processes) {
				t.Errorf("%d outputs of %d processes were judged", len(court.judged), len(got.Processes))
			}
		})
	}
}
