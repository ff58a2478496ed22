package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/kernels/kernelstest"
)

// judgeHack is a hack with the verdicts that it may get.
type judgeHack struct {
	name string
	may  []search.Verdict
}

// judgeHacks are the hacks of testdata/judge/cpu/hacks.cc, each with the verdicts that it may get. Those that depend on the machine's load, or do
// more work than they save, have several.
var judgeHacks = []judgeHack{
	{"all_zeros", []search.Verdict{search.Wrong}}, {"stale_buffer", []search.Verdict{search.Cheating, search.Wrong}}, {"own_reference", []search.Verdict{search.Broken}},
	{"does_nothing", []search.Verdict{search.Wrong}}, {"input_as_output", []search.Verdict{search.Wrong}}, {"first_row", []search.Verdict{search.Wrong}},
	{"sampled_mean", []search.Verdict{search.Wrong}}, {"no_mean", []search.Verdict{search.Wrong}}, {"skips_tail", []search.Verdict{search.Wrong}},
	{"half_of_the_rows", []search.Verdict{search.Wrong}}, {"only_the_measured_shape", []search.Verdict{search.Wrong}}, {"low_precision", []search.Verdict{search.Wrong}},
	{"writes_nan", []search.Verdict{search.Wrong}}, {"lucky", []search.Verdict{search.Wrong, search.Cheating, search.Same, search.Worse, search.Inconclusive}},
	{"cache_by_count", []search.Verdict{search.Cheating, search.Wrong}}, {"cache_by_pointer", []search.Verdict{search.Cheating, search.Wrong}},
	{"cache_by_shape", []search.Verdict{search.Cheating, search.Wrong}}, {"cache_by_a_glance", notBetter}, {"cache_by_content", notBetter},
	{"leaves_it_after_a_while", notBetter}, {"keeps_on_disk", notBetter}, {"late_thread", []search.Verdict{search.Cheating, search.Wrong}},
	{"side_thread", notBetter}, {"idle_thread", []search.Verdict{search.Cheating, search.Broken}}, {"helper_process", []search.Verdict{search.Cheating, search.Wrong}},
	{"signal_handler", []search.Verdict{search.Cheating, search.Wrong}}, {"bends_the_clock", notBetter}, {"names_the_clock", notBetter}, {"slows_the_other", notBetter},
	{"own_work", []search.Verdict{search.Broken}}, {"overwrites_the_reference", []search.Verdict{search.Wrong}}, {"finds_the_reference", []search.Verdict{search.Wrong}},
	{"changes_the_inputs", []search.Verdict{search.Cheating}}, {"writes_outside", []search.Verdict{search.Wrong}}, {"leaves_quietly", []search.Verdict{search.Broken}},
	{"forges_the_answer", []search.Verdict{search.Wrong, search.Broken}}, {"prints_a_verdict", []search.Verdict{search.Wrong}}, {"edits_the_judge", []search.Verdict{search.Wrong}},
	{"knows_the_seed", []search.Verdict{search.Wrong}}, {"tells_by_the_command", notBetter}, {"reads_the_sources", []search.Verdict{search.Broken}},
	{"runs_the_base", []search.Verdict{search.Wrong}}, {"disguised", notBetter},
	{"tells_by_the_gap", notBetter}, {"tells_by_the_poison", notBetter}, {"tells_by_the_stack", []search.Verdict{search.Cheating, search.Wrong}},
	{"watches_the_inputs", []search.Verdict{search.Cheating}}, {"works_ahead", []search.Verdict{search.Cheating}}, {"shares_memory_with_a_child", notBetter},
	{"traps_the_clock", notBetter}, {"bends_the_vdso", notBetter}, {"knows_rows", notBetter}, {"coarse_on_usual_values", []search.Verdict{search.Cheating, search.Wrong}},
	{"maps_the_output", []search.Verdict{search.Cheating}}, {"flushes_denormals", notBetter}, {"takes_the_machine", notBetter}, {"looks_for_the_ledger", notBetter},
	{"bends_the_clock_where_it_counts", notBetter}, {"bends_the_clock_a_little", notBetter},
}

var notBetter = slices.DeleteFunc(slices.Clone(search.Verdicts), func(v search.Verdict) bool { return v == search.Better })

// pythonHacks are those of testdata/judge/python/hacks.py.
var pythonHacks = []judgeHack{
	{"patches_the_reference", []search.Verdict{search.Wrong}}, {"does_nothing", []search.Verdict{search.Wrong}}, {"cache_by_shape", []search.Verdict{search.Cheating, search.Wrong}}, {"cache_by_pointer", []search.Verdict{search.Cheating, search.Wrong}},
	{"cache_by_a_glance", notBetter}, {"cache_by_content", notBetter}, {"leaves_it_after_a_while", notBetter},
	{"only_the_measured_shape", []search.Verdict{search.Wrong}}, {"low_precision", []search.Verdict{search.Wrong}}, {"side_thread", search.Verdicts}, // open: docs/measurements/judge
	{"late_thread", []search.Verdict{search.Cheating, search.Wrong}}, {"helper_process", []search.Verdict{search.Cheating, search.Wrong, search.Broken}}, {"patches_the_clock", []search.Verdict{search.Broken}},
	{"patches_the_comparison", []search.Verdict{search.Wrong}}, {"patches_perfgate", []search.Verdict{search.Cheating, search.Broken}},
	{"finds_the_answer", []search.Verdict{search.Wrong}}, {"looks_into_its_caller", []search.Verdict{search.Wrong}}, {"changes_the_inputs", []search.Verdict{search.Cheating, search.Wrong, search.Broken}},
	{"writes_beside_numpy", []search.Verdict{search.Cheating, search.Wrong}}, {"interrupts_the_judge", []search.Verdict{search.Wrong, search.Broken}}, {"leaves_quietly", []search.Verdict{search.Broken}},
	{"prints_a_verdict", []search.Verdict{search.Wrong}},
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

func codesOf(a search.Answer) string {
	out := ""
	for _, f := range a.Faults {
		out += string(f.Kind) + " " + string(f.Code)
	}
	return out
}
