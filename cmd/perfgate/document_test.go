package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/org/perfgate/kernels/kernelstest"
)

// The commands of a page are run as they stand on it, one block after the other in one shell's folder. The exit
// code of a block is 0, or what a comment at its end says; a block of text that follows is what it prints.
func TestTour(t *testing.T) {
	t.Parallel()
	followPage(t, "tour.md")
}

func TestBenchmarksPage(t *testing.T) {
	t.Parallel()
	kernelstest.PythonWith(t)
	followPage(t, "benchmarks.md")
}

func TestPythonPage(t *testing.T) {
	t.Parallel()
	followPage(t, "python.md", "PATH="+filepath.Dir(kernelstest.PythonWith(t, "numpy"))+":"+os.Getenv("PATH"))
}

// smallPages goes on in the folder of the block before. What pages let init write is made small before it is used: numbers are not compared.
const smallPages = `cd "$(cat "$WHERE")"; trap 'pwd > "$WHERE"' EXIT
perfgate() {
  [ ! -f perfgate.yaml ] || sed -i 's/n: 1000000,/n: 50000,/; s/cases: 50}/cases: 5}/' perfgate.yaml
  command perfgate "$@"
}
`

func followPage(t *testing.T, name string, env ...string) {
	t.Helper()
	if !slices.Contains(followedPages, name) {
		t.Fatalf("followedPages lacks %s", name)
	}
	page := filepath.Join("../../docs", name)
	kernelstest.Live(t)
	p := newProject(t)
	p.env = append(p.env, env...)
	p.dir = t.TempDir()
	where := filepath.Join(t.TempDir(), "pwd")
	must(t, os.WriteFile(where, []byte(p.dir), 0o644))
	p.env = append(p.env, "PERFGATE_LOCK_DIR="+os.Getenv("PERFGATE_LOCK_DIR"), "WHERE="+where) // numbers count: take turns
	printed := ""
	blocks := codeBlocks(t, page)
	if len(blocks) == 0 {
		t.Fatalf("%s has no block", page)
	}
	for _, b := range blocks {
		switch b.kind {
		case "sh":
			out, code := p.run("sh", "-ec", smallPages+b.text)
			if want := wantedExit(b.text); code != want {
				t.Fatalf("%s:%d: exit code %d, want %d:\n%s", page, b.line, code, want, out)
			}
			printed = out
		case "text":
			if !sample(b.text).MatchString(printed) {
				t.Errorf("%s:%d: prints\n%s\nwant\n%s", page, b.line, printed, b.text)
			}
		case "yaml", "python": // what people write into a file
		default:
			t.Errorf("%s:%d: a block of %q is neither run nor compared", page, b.line, b.kind)
		}
	}
	p.clean()
}

// block is a block of code of a Markdown file.
type block struct {
	kind, text string // kind: the word behind the fence, or "indented"
	line       int    // of its first line of text
}

func codeBlocks(t *testing.T, path string) []block {
	t.Helper()
	var blocks []block
	var open *block
	isFenced := false
	for i, line := range strings.SplitAfter(readText(t, path), "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		indented, isIndented := strings.CutPrefix(line, "    ")
		switch {
		case isFence && !isFenced:
			open, isFenced = &block{kind: fence, line: i + 2}, true
		case isFence:
			blocks = append(blocks, *open)
			open, isFenced = nil, false
		case isFenced:
			open.text += line
		case isIndented && open == nil:
			open = &block{kind: "indented", text: indented, line: i + 1}
		case isIndented:
			open.text += indented
		case open != nil:
			blocks = append(blocks, *open)
			open = nil
		}
	}
	if isFenced {
		t.Fatalf("%s: an open block", path)
	}
	return blocks
}

var exitNote = regexp.MustCompile(`# exit ([0-9])\n$`)

// wantedExit reads the comment at the end of a block of commands.
func wantedExit(commands string) int {
	note := exitNote.FindStringSubmatch(commands)
	if note == nil {
		return 0
	}
	code, _ := strconv.Atoi(note[1])
	return code
}

// sample makes a printed sample a pattern: words as they are, whatever number and unit of time, any space between them
// (lines break where numbers are long), and a line of ... for what was left out. A percentage may be "not stated": a
// busy machine has no minimum detectable effect.
func sample(text string) *regexp.Regexp {
	var pattern []string
	words := strings.Fields(text)
	for i, word := range words {
		switch {
		case word == "...":
			pattern = append(pattern, `[\s\S]*?`)
		case timeUnit.MatchString(word):
			pattern = append(pattern, aUnit)
		case i+1 < len(words) && words[i+1] == "%" && number.FindString(word) == word:
			pattern = append(pattern, `(?:`+number.String()+`|not)`)
		case word == "%":
			pattern = append(pattern, `(?:%|stated)`)
		default:
			parts := number.Split(word, -1)
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			pattern = append(pattern, strings.Join(parts, number.String()))
		}
	}
	return regexp.MustCompile(strings.Join(pattern, `\s+`))
}

var (
	timeUnit = regexp.MustCompile(`^(?:ns|µs|ms|s)$`)
	aUnit    = strings.Trim(timeUnit.String(), "^$")
	number   = regexp.MustCompile(`[0-9][0-9.,]*`)
)

// What the README says of commands, folders and pages is so. Its sample of the output is compared by the demo's script.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme := readText(t, "../../README.md")
	ci := readText(t, "../../.ci/run")
	for _, line := range []string{"go build -o perfgate ./cmd/perfgate && ./perfgate demo", "go test ./..."} {
		if !strings.Contains(readme, "\n"+line+"\n") {
			t.Errorf("README.md has no line %q", line)
		}
	}
	for _, shown := range []string{"\nFAIL  ", " is slower because ", "\n    → ", "\nreport    perfgate-demo/report.html\n"} {
		if !strings.Contains(readme, shown) {
			t.Errorf("README.md's sample of the demo lacks %q: a regression, its cause, what helps, and where the report is", shown)
		}
	}
	if !strings.Contains(ci, "\ngo test ./...\n") {
		t.Error(".ci/run does not call the README's test command")
	}
	for _, found := range regexp.MustCompile(`(?m)^([a-z/_]+/) {2,}(.*)$`).FindAllStringSubmatch(readme, -1) {
		if _, err := os.Stat(filepath.Join("..", "..", found[1])); err != nil {
			t.Errorf("README.md: %v", err)
		}
		if verbs, ok := strings.CutPrefix(found[2], "the command line: "); ok {
			if want := verbsOf(newRootCommand(&streams{})); !slices.Equal(slices.Sorted(strings.SplitSeq(verbs, ", ")), want) {
				t.Errorf("README.md lists the verbs %s; there are %s", verbs, strings.Join(want, ", "))
			}
		}
	}
}

func verbsOf(root *cobra.Command) []string {
	var verbs []string
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			verbs = append(verbs, cmd.Name())
		}
	}
	return verbs
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}
