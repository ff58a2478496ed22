package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// followedPages are run by followPage, block by block.
var followedPages = []string{"tour.md", "benchmarks.md", "python.md"}

// shownCommand is a command or a block of the pages that no story and no followed page runs as it stands.
type shownCommand struct {
	page, begins string // begins: the start of the command, or of the block
	test         string // what runs it: a file from the root of the repository, then a function of it if one does
	reason       string // or why nothing runs it
}

var shownCommands = []shownCommand{
	{page: "README.md", begins: "go build -o perfgate", test: ".ci/stranger"},
	{page: "README.md", begins: "perfgate run --base=perfgate-demo/", test: "cmd/perfgate/stories/testdata/script/demo.txtar"},
	{page: "CONTRIBUTING.md", begins: "go test -short ./...", reason: "the tests would run themselves"},
	{page: "SECURITY.md", begins: "gh release download", reason: "needs a release and a network"},
	{page: "config.md", begins: "perfgate.yaml:31:3:", test: "gate/config/doc_test.go TestDocumentedErrorIsReal"},
	{page: "containers.md", begins: "perfgate run --base", reason: "needs a container engine and its image"},
	{page: "environments.md", begins: "image=", reason: "needs an image whose python3 is a virtual environment's"},
	{page: "evidence.md", begins: "ncu --import", reason: "needs Nsight Compute"},
	{page: "evidence.md", begins: "cycles =", reason: "a formula"},
	{page: "github.md", begins: "git fetch origin pull/NUMBER/head", reason: "needs a token and a run on GitHub"},
	{page: "github.md", begins: "perfgate measure", reason: "the name of a workflow"},
	{page: "history.md", begins: "perfgate bisect", test: "cmd/perfgate/bisect_test.go TestBisect"},
	{page: "judge.md", begins: "perfgate judge --resume", test: "cmd/perfgate/judge_verb_test.go TestJudge"},
	{page: "judge.md", begins: "perfgate versus", test: "gate/run/competitors_test.go TestVersusBetweenLanguages"},
	{page: "parity.md", begins: "perfgate parity [", reason: "a synopsis"},
	{page: "protocol.md", begins: "harness [", reason: "a synopsis"},
	{page: "protocol.md", begins: `{"id":`, reason: "messages of the protocol"},
	{page: "result.md", begins: "jq -r", test: "gate/result/schema_test.go TestQueriesOfThePage"},
	{page: "runner.md", begins: "gcloud compute", reason: "needs a cloud"},
	{page: "runner.md", begins: "sudo apt-get", reason: "installs a driver"},
	{page: "runner.md", begins: "git clone", reason: "installs programs as root"},
	{page: "runner.md", begins: "release=", reason: "needs a release and a network"},
	{page: "runner.md", begins: "sudo useradd", reason: "adds a user"},
	{page: "runner.md", begins: "sudo mkdir", reason: "changes the driver and reboots"},
	{page: "runner.md", begins: "config=$(gh api", reason: "needs a token with administration rights"},
	{page: "statistics.md", begins: "go run ./cmd/simulate", test: "cmd/simulate/main_test.go TestSimulations"},
	{page: "statistics.md", begins: "go run github.com/org/perfgate/cmd/simulate@v1", reason: "needs a release"},
	{page: "", begins: "perfgate doctor", test: "cmd/perfgate/doctor_test.go TestDoctorOfAMachineWithoutGPU"},
	{page: "", begins: "perfgate versus", test: "gate/run/competitors_test.go TestVersusBetweenLanguages"},
}

var (
	storyLine  = regexp.MustCompile(`(?m)^(?:!? ?exec|exits [013]|repeat [013])\s+(.*)$`) // exit code 2 is for what was refused
	testLine   = regexp.MustCompile(`(?m)"perfgate", (?:append\(\[\]string\{)?("[a-z]+".*)$`)
	inStory    = regexp.MustCompile(`perfgate ([a-z][^&|;#\n]*)`)
	flagOfLine = regexp.MustCompile(`(?:^|[\s\[])(--?[a-z][a-z-]*)`)
	literal    = regexp.MustCompile(`"([^"]*)"`)
)

// Every command of the pages names verbs and flags that there are, and is run by a test with all of its flags, by the rule of this program or by
// shownCommands, or is marked there with a reason. docs/measurements shows the commands that made its tables: they take hours, or a GPU.
func TestCommandsInDocs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	must(t, err)
	executed, used := executedCommands(t), map[int]bool{}
	seen := 0
	for _, page := range append(pages, "../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md") {
		name := filepath.Base(page)
		isRun := name == "cli.md" || slices.Contains(followedPages, name) // whose examples are not run as they stand, or block by block
		for _, line := range commandLines(t, page) {
			for _, found := range aCommand.FindAllStringSubmatch(line, -1) {
				seen++
				command := found[1] + found[2]
				isCovered := isRun || slices.ContainsFunc(executed, func(e string) bool { return covers(e, command) })
				if !isCovered && !isMarked(name, "perfgate "+command, used) {
					t.Errorf("%s: no test runs %q with all of its flags, and nothing says why not", name, "perfgate "+command)
				}
				if command == "measure" { // the name of a workflow
					continue
				}
				for _, wrong := range unknownWords(found[1], strings.Fields(found[2])) {
					t.Errorf("%s: %q: there is no %s", name, "perfgate "+command, wrong)
				}
			}
		}
		if isRun {
			continue
		}
		for _, b := range codeBlocks(t, page) {
			isCommands := slices.Contains([]string{"sh", "indented", ""}, b.kind)
			if isCommands && !onlyPerfgate(b.text) && !isMarked(name, b.text, used) {
				t.Errorf("%s:%d: no test runs this block, and nothing says why not:\n%s", name, b.line, b.text)
			}
		}
	}
	if seen < 100 || len(executed) < 200 {
		t.Errorf("only %d commands of pages and %d of tests were found", seen, len(executed))
	}
	for _, line := range []string{"perfgate rnu", "perfgate run --no-such", "perfgate baseline nosuch", "perfgate init --github --arhc sm_89"} {
		found := aCommand.FindStringSubmatch(line)
		if len(unknownWords(found[1], strings.Fields(found[2]))) == 0 {
			t.Errorf("%q is not seen to be wrong", line)
		}
	}
	for i, s := range shownCommands {
		checkMark(t, s)
		if !used[i] {
			t.Errorf("%s shows no command %q any more that needs a mark", s.page, s.begins)
		}
	}
	if slices.ContainsFunc(executed, func(e string) bool { return covers(e, "run --trust base --paths x --gpus all") }) {
		t.Error("a command that no test has counts as executed")
	}
}

// executedCommands are the commands of the stories, the tests of this package, the followed pages and .ci/stranger, without the program's name.
func executedCommands(t *testing.T) (out []string) {
	t.Helper()
	stories, err := filepath.Glob("stories/testdata/script/*.txtar")
	must(t, err)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	must(t, err)
	for _, story := range append(stories, scripts...) {
		for _, line := range storyLine.FindAllStringSubmatch(readText(t, story), -1) {
			for _, found := range inStory.FindAllStringSubmatch(line[1], -1) {
				out = append(out, found[1])
			}
		}
	}
	tests, err := filepath.Glob("*_test.go")
	must(t, err)
	for _, test := range tests {
		for _, line := range testLine.FindAllStringSubmatch(readText(t, test), -1) {
			var words []string
			for _, word := range literal.FindAllStringSubmatch(line[1], -1) {
				words = append(words, word[1])
			}
			out = append(out, strings.Join(words, " "))
		}
	}
	for _, page := range append(slices.Clone(followedPages), "../.ci/stranger") {
		for _, found := range inStory.FindAllStringSubmatch(readText(t, filepath.Join("../../docs", page)), -1) {
			out = append(out, found[1])
		}
	}
	return out
}

// covers is true if a command that was run has the verb and all flags of one that is shown.
func covers(run, shown string) bool {
	verb, flags := verbAndFlags(run)
	wantedVerb, wanted := verbAndFlags(shown)
	return verb == wantedVerb && !slices.ContainsFunc(wanted, func(f string) bool { return !slices.Contains(flags, f) })
}

func verbAndFlags(command string) (verb string, flags []string) {
	words := strings.Fields(command)
	verb = words[0]
	if verb == "baseline" && len(words) > 1 {
		verb += " " + words[1]
	}
	for _, found := range flagOfLine.FindAllStringSubmatch(command, -1) {
		flags = append(flags, found[1])
	}
	return verb, flags
}

// onlyPerfgate is true of a block all of whose lines are commands of perfgate, which are looked for one by one.
func onlyPerfgate(block string) bool {
	for line := range strings.Lines(block) {
		if !aCommand.MatchString(line) && !strings.HasPrefix(line, "cd ") {
			return false
		}
	}
	return true
}

func isMarked(page, text string, used map[int]bool) bool {
	i := slices.IndexFunc(shownCommands, func(s shownCommand) bool {
		return (s.page == "" || s.page == page) && strings.HasPrefix(text, s.begins)
	})
	if i >= 0 {
		used[i] = true
	}
	return i >= 0
}

func checkMark(t *testing.T, s shownCommand) {
	t.Helper()
	if (s.test == "") == (s.reason == "") {
		t.Errorf("%s, %q: either a test or a reason", s.page, s.begins)
	}
	if s.test == "" {
		return
	}
	file, function, named := strings.Cut(s.test, " ")
	text, err := os.ReadFile(filepath.Join("..", "..", file))
	if err != nil || named && !strings.Contains(string(text), "\nfunc "+function+"(") {
		t.Errorf("%s, %q: there is no test %s: %v", s.page, s.begins, s.test, err)
	}
}
