package run

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/org/perfgate/gate/config"
	"github.com/org/perfgate/gate/plan"
	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/kernels/kernelstest"
)

// Kernels that are checked side by side come to what they come to alone: right ones pass, wrong ones and those that crash fail. One that only others
// keep from its check has another one, alone.
func TestKernelsAreCheckedSideBySide(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	for _, judgedByBase := range []bool{false, true} {
		t.Run(fmt.Sprintf("judged by base: %v", judgedByBase), func(t *testing.T) {
			t.Parallel()
			checkSideBySide(t, judgedByBase)
		})
	}
}

func checkSideBySide(t *testing.T, judgedByBase bool) {
	t.Helper()
	dir, err := filepath.Abs("../../testdata/beside")
	must(t, err)
	cfg := configIn(t, dir)
	opt := optionsFor(t, cfg, dir, "")
	opt.Head.Info.Flags = []string{"-DHEAD=1"}
	if !judgedByBase {
		opt.Base = Side{}
	}
	opt.Parity.Corpus = filepath.Join(t.TempDir(), "corpus.jsonl") // as every run has
	write(t, opt.Parity.Corpus, `{"kernel": "right", "case": "n=7", "values": "normal", "seed": "3"}`+"\n")
	var shown []Progress
	var one sync.Mutex
	opt.Progress = func(p Progress) {
		one.Lock()
		defer one.Unlock()
		shown = append(shown, p)
	}
	s, v := builtRun(t, opt)
	if judgedByBase {
		s.opt.Trusted.Trust = repo.TrustBase
	}
	if judged := v.Builds.On[0].hasJudge(s.opt.Trusted); judged != judgedByBase {
		t.Fatalf("base judges: %v", judged)
	}
	outcomes := func(most int) (passed []string, ended map[string]result.Code, checked Checked) {
		shown = nil
		c := s.checker(checkDrawn)
		c.most = most
		checked, err := c.check(t.Context(), v.Builds)
		must(t, err)
		ended = map[string]result.Code{}
		for _, k := range checked.On {
			passed = append(passed, k.Name())
			if k.Parity.Status != result.ParityPassed || k.Parity.Run < 4 {
				t.Errorf("%d at once: %s: %+v", most, k.Name(), k.Parity)
			}
			said := strings.Contains(strings.Join(k.Parity.Warnings, "\n"), "it failed alongside the checks of other kernels, and passed without them: crowded/")
			if want := most > 1 && k.Name() == "crowded"; said != want {
				t.Errorf("%d at once: %s: %q", most, k.Name(), k.Parity.Warnings)
			}
		}
		for _, k := range checked.Ended {
			if k.Parity.Failure == nil {
				t.Fatalf("%d at once: %s: %+v", most, k.Name, k)
			}
			ended[k.Name] = k.Parity.Failure.Code
		}
		return passed, ended, checked
	}
	for _, most := range []int{1, 2} {
		passed, ended, checked := outcomes(most)
		if want := []string{"right", "crowded", "another"}; !slices.Equal(passed, want) {
			t.Errorf("%d at once: %q passed, want %q", most, passed, want)
		}
		if len(ended) != 2 || ended["wrong"] != result.CodeWrongOutput || !ended["crashes"].EndsProcess() {
			t.Errorf("%d at once: %v ended", most, ended)
		}
		if checked.Phases[result.PhaseParity] <= 0 || checked.RunnersS <= 0 {
			t.Errorf("%d at once: %+v", most, checked.Account)
		}
		for _, name := range []string{"right", "wrong", "another", "crowded", "crashes"} { // each check that is made alone shows its progress
			alone := slices.ContainsFunc(shown, func(p Progress) bool { return p.Stage == StageParity && p.What == name })
			if want := most == 1 || strings.HasPrefix(name, "cr"); alone != want {
				t.Errorf("%d at once: %s was checked alone: %v", most, name, alone)
			}
		}
	}
	at := slices.IndexFunc(shown, func(p Progress) bool { return p.What == "5 kernels" })
	if at < 0 || shown[at].Done != 0 || shown[at].Total < 20 {
		t.Errorf("shown: %+v", shown)
	}
	if at >= 0 && !slices.ContainsFunc(shown, func(p Progress) bool { return p.What == "5 kernels" && p.Total == shown[at].Total+1 }) {
		t.Errorf("the case of the corpus is not counted: %+v", shown)
	}
	left, err := filepath.Glob(filepath.Join(opt.Scratch, "check-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// The time that --fuzz-time gives and the file of failed cases are each kernel's own.
func TestWhatIsCheckedForLongIsCheckedAlone(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*checker){
		"until": func(c *checker) { c.ask.Until = 1 },
		"save":  func(c *checker) { c.ask.Save = true },
		"one":   func(c *checker) { c.most = 1 },
	} {
		c := &checker{most: 4}
		change(c)
		if most := c.atOnce(2); most != 1 {
			t.Errorf("%s: %d at once", what, most)
		}
	}
	if _, leave := (&checker{purpose: checkKnown}).withoutCheck(Kernel{Plan: plan.KernelPlan{Kernel: config.Kernel{Name: "a"}}}); !leave {
		t.Error("what is recorded is checked")
	}
}
