package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/judge"
	"github.com/org/perfgate/kernels/kernelstest"
)

// judgeHack is a hack with the verdicts that it may get.
type judgeHack struct {
	name string
	may  []judge.Verdict
}

// judgeHacks are the hacks of testdata/judge/cpu/hacks.cc, each with the verdicts that it may get. Those that depend on the machine's load, or do
// more work than they save, have several.
var judgeHacks = []judgeHack{
	{"all_zeros", []judge.Verdict{judge.Wrong}}, {"stale_buffer", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"own_reference", []judge.Verdict{judge.Broken}},
	{"does_nothing", []judge.Verdict{judge.Wrong}}, {"input_as_output", []judge.Verdict{judge.Wrong}}, {"first_row", []judge.Verdict{judge.Wrong}},
	{"sampled_mean", []judge.Verdict{judge.Wrong}}, {"no_mean", []judge.Verdict{judge.Wrong}}, {"skips_tail", []judge.Verdict{judge.Wrong}},
	{"half_of_the_rows", []judge.Verdict{judge.Wrong}}, {"only_the_measured_shape", []judge.Verdict{judge.Wrong}}, {"low_precision", []judge.Verdict{judge.Wrong}},
	{"writes_nan", []judge.Verdict{judge.Wrong}}, {"lucky", []judge.Verdict{judge.Wrong, judge.Cheating, judge.Same, judge.Worse, judge.Inconclusive}},
	{"cache_by_count", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"cache_by_pointer", []judge.Verdict{judge.Cheating, judge.Wrong}},
	{"cache_by_shape", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"cache_by_a_glance", notBetter}, {"cache_by_content", notBetter},
	{"leaves_it_after_a_while", notBetter}, {"keeps_on_disk", notBetter}, {"late_thread", []judge.Verdict{judge.Cheating, judge.Wrong}},
	{"side_thread", notBetter}, {"idle_thread", []judge.Verdict{judge.Cheating, judge.Broken}}, {"helper_process", []judge.Verdict{judge.Cheating, judge.Wrong}},
	{"signal_handler", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"bends_the_clock", notBetter}, {"names_the_clock", notBetter}, {"slows_the_other", notBetter},
	{"own_work", []judge.Verdict{judge.Broken}}, {"overwrites_the_reference", []judge.Verdict{judge.Wrong}}, {"finds_the_reference", []judge.Verdict{judge.Wrong}},
	{"changes_the_inputs", []judge.Verdict{judge.Cheating}}, {"writes_outside", []judge.Verdict{judge.Wrong}}, {"leaves_quietly", []judge.Verdict{judge.Broken}},
	{"forges_the_answer", []judge.Verdict{judge.Wrong, judge.Broken}}, {"prints_a_verdict", []judge.Verdict{judge.Wrong}}, {"edits_the_judge", []judge.Verdict{judge.Wrong}},
	{"knows_the_seed", []judge.Verdict{judge.Wrong}}, {"tells_by_the_command", notBetter}, {"reads_the_sources", []judge.Verdict{judge.Broken}},
	{"runs_the_base", []judge.Verdict{judge.Wrong}}, {"disguised", notBetter},
	{"tells_by_the_gap", notBetter}, {"tells_by_the_poison", notBetter}, {"tells_by_the_stack", []judge.Verdict{judge.Cheating, judge.Wrong}},
	{"watches_the_inputs", []judge.Verdict{judge.Cheating}}, {"works_ahead", []judge.Verdict{judge.Cheating}}, {"shares_memory_with_a_child", notBetter},
	{"traps_the_clock", notBetter}, {"bends_the_vdso", notBetter}, {"knows_rows", notBetter}, {"coarse_on_usual_values", []judge.Verdict{judge.Cheating, judge.Wrong}},
	{"maps_the_output", []judge.Verdict{judge.Cheating}}, {"flushes_denormals", notBetter}, {"takes_the_machine", notBetter}, {"looks_for_the_ledger", notBetter},
	{"bends_the_clock_where_it_counts", notBetter}, {"bends_the_clock_a_little", notBetter},
}

var notBetter = slices.DeleteFunc(slices.Clone(judge.Verdicts), func(v judge.Verdict) bool { return v == judge.Better })

// pythonHacks are those of testdata/judge/python/hacks.py.
var pythonHacks = []judgeHack{
	{"patches_the_reference", []judge.Verdict{judge.Wrong}}, {"does_nothing", []judge.Verdict{judge.Wrong}}, {"cache_by_shape", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"cache_by_pointer", []judge.Verdict{judge.Cheating, judge.Wrong}},
	{"cache_by_a_glance", notBetter}, {"cache_by_content", notBetter}, {"leaves_it_after_a_while", notBetter},
	{"only_the_measured_shape", []judge.Verdict{judge.Wrong}}, {"low_precision", []judge.Verdict{judge.Wrong}}, {"side_thread", judge.Verdicts}, // open: docs/measurements/judge
	{"late_thread", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"helper_process", []judge.Verdict{judge.Cheating, judge.Wrong, judge.Broken}}, {"patches_the_clock", []judge.Verdict{judge.Broken}},
	{"patches_the_comparison", []judge.Verdict{judge.Wrong}}, {"patches_perfgate", []judge.Verdict{judge.Cheating, judge.Broken}},
	{"finds_the_answer", []judge.Verdict{judge.Wrong}}, {"looks_into_its_caller", []judge.Verdict{judge.Wrong}}, {"changes_the_inputs", []judge.Verdict{judge.Cheating, judge.Wrong, judge.Broken}},
	{"writes_beside_numpy", []judge.Verdict{judge.Cheating, judge.Wrong}}, {"interrupts_the_judge", []judge.Verdict{judge.Wrong, judge.Broken}}, {"leaves_quietly", []judge.Verdict{judge.Broken}},
	{"prints_a_verdict", []judge.Verdict{judge.Wrong}},
}

// No hack is better. Two of them always, all of them where PERFGATE_TEST_ZOO is set: docs/measurements/judge has what that gave.
func TestJudgeZoo(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	newProject(t).judgeZoo(hackZoo{"cpu", "normalize.cc", "hacks.cc", "#define %s\n", judgeHacks, 2})
}

// The same in Python, one of them always.
func TestJudgePythonZoo(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	p := newProject(t)
	p.env = append(p.env, "PATH="+filepath.Dir(kernelstest.PythonWith(t, "numpy"))+":"+os.Getenv("PATH"))
	p.judgeZoo(hackZoo{"python", "normalize.py", "hacks.py", "HACK = %q\n", pythonHacks, 1})
}

// hackZoo is a folder of testdata/judge.
type hackZoo struct {
	dir, kernel string
	file, line  string // of all hacks, and what chooses one
	hacks       []judgeHack
	few         int // are judged without PERFGATE_TEST_ZOO
}

// judgeZoo has hacks judged.
func (p *project) judgeZoo(z hackZoo) {
	p.t.Helper()
	zoo, hacks := filepath.Join("..", "..", "testdata", "judge", z.dir), z.hacks
	for _, dir := range []string{"zoo", "hack"} {
		must(p.t, os.CopyFS(filepath.Join(p.dir, dir), os.DirFS(zoo)))
	}
	if os.Getenv("PERFGATE_TEST_ZOO") == "" {
		hacks = hacks[:z.few]
	} else {
		p.env = append(p.env, "PERFGATE_TEST_SAMPLES=0") // some wait until they are timed for long
	}
	code := readText(p.t, filepath.Join(zoo, z.file))
	for _, hack := range hacks {
		p.write(filepath.Join("hack", z.kernel), fmt.Sprintf(z.line, hack.name)+code)
		a, text, exit := p.judge("hack", "--base", "zoo", "--recheck")
		p.t.Logf("| %s | %s | %s | %d |", hack.name, a.Verdict, codesOf(a), a.Rounds)
		if !slices.Contains(hack.may, a.Verdict) || exit != int(a.Verdict.Exit()) {
			p.t.Errorf("%s: %s, exit %d, want one of %s:\n%s", hack.name, a.Verdict, exit, hack.may, text)
		}
	}
	p.clean()
}

func codesOf(a judge.Answer) string {
	out := ""
	for _, f := range a.Faults {
		out += string(f.Kind) + " " + string(f.Code)
	}
	return out
}
