package action

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
)

// A head whose own configuration is approved may repair one of base's that is not valid, and no other.
func TestReportOfARepairedConfiguration(t *testing.T) {
	t.Parallel()
	invalid, large := strings.Replace(forkConfiguration, "tolerance", "tolerence", 1), forkConfiguration+strings.Repeat("#", maxConfig)
	for _, c := range []struct {
		base     string
		approved bool
		want     result.ExitCode
	}{{invalid, true, result.ExitPassed}, {invalid, false, result.ExitUsage}, {large, true, result.ExitUsage}} {
		r := newReporting(t)
		r.configuredAs(c.base, c.base, "k.cc")
		r.repo.git("checkout", "--quiet", "--detach", r.head)
		r.pushed(r.repo.files("repaired", map[string]string{"perfgate.yaml": forkConfiguration}))
		if c.approved {
			r.label("ada")
			r.pull()["labels"] = []any{map[string]any{"name": defaultLabel}}
		}
		res := r.measured(0)
		res.Config.Trust = repo.TrustWorktree
		r.leave(Outcome{}, res)
		if exit := r.report(); exit != c.want {
			t.Errorf("base's of %d bytes, approved %v: exit code %d\n%s", len(c.base), c.approved, exit, r.log.String())
		}
		if c.want != result.ExitPassed {
			continue
		}
		// The command that repeats the run must not ask for base's configuration, which cannot be read.
		kept, err := result.ReadFile(filepath.Join(r.work, outFolder, resultFile))
		if err != nil || !strings.HasPrefix(kept.Repro, "perfgate run ") || strings.Contains(kept.Repro, "--trust") {
			t.Errorf("the run is repeated with %+v, %v", kept, err)
		}
		if text := unescaped(r.summary()); !strings.Contains(text, "perfgate.yaml: base's is not valid, so head's policy") {
			t.Errorf("the summary does not say whose policy counts:\n%s", text)
		}
	}
}

// What a change edits of what rules over it is named in gate mode as in the others, whatever the result says of it.
func TestReportNamesEditedRules(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	r.repo.git("checkout", "--quiet", "--detach", r.head)
	r.pushed(r.repo.files("rules", map[string]string{".github/workflows/perfgate.yml": "on: x\n", "bench/perfgate.h": "#error owned\n", "k.pg.cc": "cheat\n", "other.cc": "x\n"}))
	r.leave(Outcome{}, r.measured(0))
	r.ends(Report, result.ExitPassed)
	for where, text := range map[string]string{"comment": r.github.Comments(1)[0].Body, "summary": r.summary()} {
		for _, want := range []string{"workflow .github/workflows/perfgate.yml: changed", "bench/perfgate.h: changed (perfgate builds with its own)", "adapter k.pg.cc: changed"} {
			if !strings.Contains(unescaped(text), want) {
				t.Errorf("the %s does not name %q:\n%s", where, want, text)
			}
		}
		if strings.Contains(text, "other.cc") {
			t.Errorf("the %s names a file that rules over nothing", where)
		}
	}
}
