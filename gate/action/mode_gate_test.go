package action

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// A record in the checkout, or on a machine that is thrown away, is not called recorded.
func TestWhatIsKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome     Outcome
		environment string
		want        string
	}{
		"for another job":            {Outcome{Recorded: true}, "github-hosted", "RECORDED"},
		"in a folder of the machine": {Outcome{Stored: true}, "self-hosted", "RECORDED"},
		"in the checkout":            {Outcome{Stored: true, Wiped: true}, "self-hosted", "NOT KEPT"},
		"on a machine of GitHub's":   {Outcome{Stored: true}, "github-hosted", "NOT KEPT"},
	} {
		r := &step{Job: Job{Env: func(string) string { return c.environment }}}
		var d report.Document
		if r.recorded(&d, c.outcome, "m"); d.Verdict != c.want {
			t.Errorf("%s: %s, want %s", name, d.Verdict, c.want)
		}
	}
}

// A kernel of the job's own result is new unless base is seen to have it. What only a checkout can know is said.
func TestGateOfNewKernels(t *testing.T) {
	t.Parallel()
	for sources, want := range map[string]result.ExitCode{
		"csrc/k.cc": result.ExitPassed, "real/k.cc": result.ExitNotMeasurable, "csrc/k.cc, real/k.cc": result.ExitNotMeasurable,
	} {
		text := strings.Replace(forkConfiguration, "[k.cc]", "["+sources+"]", 1)
		cfg, err := config.Parse("perfgate.yaml", []byte(text))
		r := newReporting(t)
		folder := filepath.Join(r.repo.dir, "real")
		must(t, errors.Join(err, os.Symlink("/elsewhere", filepath.Join(r.repo.dir, "csrc")), os.Mkdir(folder, 0o755), os.WriteFile(filepath.Join(folder, "k.cc"), nil, 0o644)))
		r.configuredAs(text, text, "k.cc")
		res := r.measuredUnder(cfg, 0, 0, 0)
		allNew(res)
		r.leave(Outcome{Exit: int(res.Conclusion.Exit)}, res)
		exit := r.report()
		if says := strings.Contains(r.summary(), "that base does not have it"); exit != want || says != (want == result.ExitPassed) {
			t.Errorf("%s: exit code %d\n%s", sources, exit, r.summary())
		}
	}
}

// A benchmark of base's configuration is new as long as base has none of its files, in the job that measured.
func TestGateOfNewBenchmarks(t *testing.T) {
	t.Parallel()
	r := newGated(t)
	for _, tt := range []struct {
		files    string
		measured bool
		want     string
	}{
		{"[bench/b.py]", true, ""}, {"[bench/b.py]", false, "base's configuration has it"}, {"[bench/b.py, perfgate.yaml]", true, "base has perfgate.yaml"},
		{"['bench/*.py']", true, ""}, {"['bench/**', '*.yaml']", true, "base has perfgate.yaml"}, {"['bench/*.py']", false, "base's configuration has it"},
	} {
		cfg, err := config.Parse("p", []byte("version: 1\nkernels:\n  - {name: b, bench: {command: ./b, format: csv}, files: "+tt.files+"}\n"))
		must(t, err)
		on := rules{change: change{objects: r.job().git(), git: r.job().git(), base: r.base}, in: Inputs{Run: request.Run{Config: "perfgate.yaml"}}, baseConfig: cfg, road: road{measured: tt.measured}}
		if why, err := on.inBase(t.Context(), cfg.Kernels[0]); err != nil || why != tt.want {
			t.Errorf("%+v: %q, %v", tt, why, err)
		}
	}
}
