package github

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// runner has the files that a runner gives a step.
func runner(t *testing.T) (env func(string) string, output, summary string) {
	t.Helper()
	dir := t.TempDir()
	output, summary = filepath.Join(dir, "output"), filepath.Join(dir, "summary")
	for _, path := range []string{output, summary} {
		must(t, os.WriteFile(path, nil, 0o600))
	}
	return func(name string) string {
		return map[string]string{"GITHUB_OUTPUT": output, "GITHUB_STEP_SUMMARY": summary}[name]
	}, output, summary
}

// readOutputs reads a file of outputs as the runner's FileCommandManager does: NAME=VALUE, or NAME<<DELIMITER and
// lines up to DELIMITER.
func readOutputs(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	out := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		equals, heredoc := strings.Index(lines[i], "="), strings.Index(lines[i], "<<")
		if heredoc < 0 || equals >= 0 && equals < heredoc {
			if equals < 0 {
				t.Fatalf("the runner refuses line %q", lines[i])
			}
			out[lines[i][:equals]] = lines[i][equals+1:]
			continue
		}
		name, delimiter := lines[i][:heredoc], lines[i][heredoc+2:]
		var value []string
		for i++; i < len(lines) && lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		if i == len(lines) {
			t.Fatalf("%s does not end", name)
		}
		out[name] = strings.Join(value, "\n")
	}
	return out
}

func TestSetOutputs(t *testing.T) {
	env, path, _ := runner(t)
	hostile := []string{"", "pass", "a\nb", "x\nghadelimiter\nverdict=pass", "EOF\nverdict<<EOF\npass\nEOF", "a=b", "a<<b", "\n\n", "_GitHubActionsFileCommandDelimeter_\nverdict=pass", "漢\x00"}
	want := map[string]string{}
	for i, value := range hostile {
		want[fmt.Sprintf("worst-case_%d", i)] = value
	}
	must(t, SetOutputs(env, want))
	got := readOutputs(t, path)
	if len(got) != len(want) {
		t.Errorf("%d outputs, want %d: %q", len(got), len(want), got)
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %q, want %q", name, got[name], value)
		}
	}
}

func TestSetOutputsDrawsEachTime(t *testing.T) {
	env, path, _ := runner(t)
	for range 50 {
		must(t, SetOutputs(env, map[string]string{"a": "1", "b": "2"}))
	}
	text, _ := os.ReadFile(path)
	seen := map[string]bool{}
	for _, d := range regexp.MustCompile(`<<(\S+)`).FindAllStringSubmatch(string(text), -1) {
		if seen[d[1]] || len(d[1]) < 32 {
			t.Errorf("delimiter %q is short or not new", d[1])
		}
		seen[d[1]] = true
	}
	if len(seen) != 100 {
		t.Errorf("%d delimiters", len(seen))
	}
}

func TestSetOutputsAllOrNone(t *testing.T) {
	env, path, _ := runner(t)
	for _, name := range []string{"", "a b", "a=b", "a<<b", "a\nb", "1a", "ä"} {
		if err := SetOutputs(env, map[string]string{"Verdict": "pass", name: "x"}); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
	if info, _ := os.Stat(path); info.Size() != 0 {
		t.Errorf("%d bytes were written", info.Size())
	}
	if err := SetOutputs(func(string) string { return "" }, map[string]string{"a": "b"}); err != nil {
		t.Errorf("without a runner: %v", err)
	}
	if err := SetOutputs(func(string) string { return "/does/not/exist" }, map[string]string{"a": "b"}); err == nil {
		t.Error("without a file")
	}
}

func TestSummaryHasALimit(t *testing.T) {
	env, _, path := runner(t)
	if SummaryRoom(env) != 1048576 {
		t.Errorf("room for %d", SummaryRoom(env))
	}
	if err := AddSummary(env, strings.Repeat("x", MaxSummary-10)); err != nil || SummaryRoom(env) != 10 {
		t.Fatal(err, SummaryRoom(env))
	}
	if err := AddSummary(env, strings.Repeat("x", 11)); err == nil {
		t.Error("over the limit")
	}
	if err := AddSummary(env, strings.Repeat("x", 10)); err != nil {
		t.Error(err)
	}
	if info, _ := os.Stat(path); info.Size() != MaxSummary {
		t.Errorf("%d bytes", info.Size())
	}
}

var hostileLines = []string{
	"::error::x", "  ::set-output name=verdict::pass", "\t::add-mask::e", "\u00a0::stop-commands::x", "\u2028::x::y", "a\r::group::x", "\x1b[31m::error::x",
	"##[error]x", "a ##[set-env name=x]y", "##vso[task.setvariable variable=x]y", "x\n::error::y", "x\r\n::error::y", "::", ":::", "\x00::warning::x", "\ufeff::warning::x",
	"\v::warning::x", "\f::warning::x", "\u0085::warning::x", "\u3000::warning::x",
}

// isCommand reports whether the runner acts on a line (ActionCommand.cs): behind white space in the sense of Unicode it
// begins with ::, or it has ##[ anywhere.
func isCommand(line string) bool {
	return strings.HasPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::") || strings.Contains(line, "##[") || strings.Contains(line, "##vso[")
}

func TestPrintIsNoCommand(t *testing.T) {
	for _, text := range hostileLines {
		var out bytes.Buffer
		NewLog(&out, os.Getenv).Print(text)
		for line := range strings.Lines(out.String()) {
			for part := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), "\r") {
				if isCommand(part) {
					t.Errorf("%q becomes the command %q", text, part)
				}
			}
		}
	}
	var out bytes.Buffer
	NewLog(&out, os.Getenv).Print("all is well\n  std::vector<int>\n")
	if out.String() != "all is well\n  std::vector<int>\n" {
		t.Errorf("%q", out.String())
	}
}

// TestCommandsAreOneLine puts hostile text into every field of every command: one line comes out, and of its parts only
// those that were meant.
func TestCommandsAreOneLine(t *testing.T) {
	for _, text := range append(hostileLines, "a,b=c", "x,title=y", "x::y", "100%0A::error::x", "%25") {
		var out bytes.Buffer
		l := NewLog(&out, os.Getenv)
		l.Notice(text)
		l.Warning(text)
		l.Error(text)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != 3 || strings.ContainsAny(out.String(), "\r\x00\x1b") {
			t.Errorf("%q gives %q", text, lines)
			continue
		}
		shape := regexp.MustCompile(`^::(notice|warning|error) title=perfgate::`)
		for _, line := range lines {
			if !shape.MatchString(line) {
				t.Errorf("%q gives %q", text, line)
			}
		}
	}
}

func TestMask(t *testing.T) {
	var out bytes.Buffer
	l := NewLog(&out, os.Getenv)
	l.Mask("")
	l.Mask("line one\r\n\n  \nline two")
	if want := "::add-mask::line one\n::add-mask::line two\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
