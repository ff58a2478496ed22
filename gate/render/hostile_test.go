package render

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// hosts are samples that between them fill every field that a report shows. In the first, even the words that the
// schema lists are replaced.
var hosts = []string{"errors", "errors", "parity", "head-no-build", "new", "budget", "estimate", "regression", "evidence"}

// TestHostile puts every hostile string into every field of a sixth of the kinds of run, and of the first, in which everything is
// replaced. TestHostileParsed has every string in every field that there is.
func TestHostile(t *testing.T) {
	t.Parallel()
	for i, name := range hosts {
		for j, s := range hostile {
			if i > 0 && (i+j)%6 != 0 || testing.Short() && (i+j)%len(hosts) != 0 { // short: each string in one kind of run
				continue
			}
			d := poisoned(t, name, s, i == 0)
			where := fmt.Sprintf("%s with %.40q", name, s)
			inspectTerminal(t, where, d)
			inspectMarkdown(t, where, d)
		}
	}
}

// poisoned is the document of a sample with s in all of its texts; everything includes the words of the schema.
func poisoned(t *testing.T, name, s string, everything bool) report.Document {
	t.Helper()
	r := load(t, name)
	keep := map[string]bool{"verdict": true, "status": true, "onInconclusive": true, "errorSide": true, "side": true, "order": true, "code": true, "kind": true, "effect": true}
	if everything {
		keep = nil
	}
	poison(reflect.ValueOf(r).Elem(), "", s, keep)
	r.Notes, r.Config.Changed = []string{s, "a " + s + " b"}, []result.RuleChange{{Detail: s}, {Kind: result.RuleAdapter, File: s}}
	for _, kind := range result.FindingKinds {
		r.Conclusion.Findings = append(r.Conclusion.Findings, result.Finding{Kind: kind, Effect: result.EffectUnmeasured, Kernel: s, Case: s, Machine: s, Reason: result.Message(s)})
	}
	for i := range r.Cases {
		r.Cases[i].Past = &result.Past{Points: []result.PastPoint{{Commit: s}}, BestCommit: s, Since: s, Steps: []float64{0.01}, OverBest: 0.03}
	}
	return report.New(r)
}

func poison(v reflect.Value, field, s string, keep map[string]bool) {
	switch v.Kind() {
	case reflect.String:
		if !keep[field] && v.String() != "" {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), field, s, keep)
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), field, s, keep)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			poison(v.Field(i), tag, s, keep)
		}
	}
}

var ownColors = regexp.MustCompile("\x1b\\[(1;31|32|33|2|1|0)m")

var logCommand = regexp.MustCompile(`^\s*::|##[a-z]*\[`)

func inspectTerminal(t *testing.T, where string, d report.Document) {
	t.Helper()
	for _, opt := range []TerminalOptions{{}, {Verbose: true}, {Color: true, Width: 120, Verbose: true}} {
		var out bytes.Buffer
		if err := Terminal(&out, d, opt); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if opt.Color {
			text = ownColors.ReplaceAllString(text, "")
		}
		if r, bad := acting(text); bad {
			t.Errorf("%s: the terminal gets %U", where, r)
		}
		for line := range strings.Lines(text) {
			if logCommand.MatchString(line) {
				t.Errorf("%s: a log command gets through: %q", where, line)
			}
		}
	}
}

// acting returns the first rune that is no line end and does not simply show.
func acting(text string) (rune, bool) {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return r, true
		}
		if r != '\n' && r != '\u00a0' && !unicode.IsPrint(r) {
			return r, true
		}
	}
	return 0, false
}

// inspectMarkdown looks at every line of d's Markdown outside of fences, and at what the lines make together.
func inspectMarkdown(t *testing.T, where string, d report.Document) {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, d, MarkdownOptions{}); err != nil {
		t.Fatal(err)
	}
	if r, bad := acting(strings.ReplaceAll(out.String(), "\ufe0f", "")); bad {
		t.Errorf("%s: Markdown gets %U", where, r)
	}
	seen := map[string]int{}
	fence, columns, isHTML := "", 0, false
	for line := range strings.Lines(out.String()) {
		text := strings.TrimSuffix(line, "\n")
		bare := strings.TrimLeft(text, " ")
		switch {
		case fence == "" && strings.HasPrefix(bare, "```"):
			fence = bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
			continue
		case fence != "" && strings.HasPrefix(bare, fence) && strings.Trim(bare, "`") == "":
			fence = ""
			continue
		case fence != "":
			continue
		}
		inspectLine(t, where, text)
		seen[kindOf(text)]++
		if isHTML && text != "" {
			t.Errorf("%s: a line within HTML, where code spans are none: %q", where, text)
		}
		isHTML = strings.HasPrefix(bare, "<")
		bars := strings.Count(text, "|")
		if bars > 0 && columns > 0 && bars != columns {
			t.Errorf("%s: a row of %d columns in a table of %d: %q", where, bars, columns, text)
		}
		columns = bars
	}
	if fence != "" || seen["heading"] != 1 || seen["open"] != seen["close"] {
		t.Errorf("%s: open fence %q, %d headings, %d of %d details closed", where, fence, seen["heading"], seen["close"], seen["open"])
	}
}

func kindOf(line string) string {
	switch {
	case strings.HasPrefix(line, "#"):
		return "heading"
	case strings.HasPrefix(line, "<details>"):
		return "open"
	case strings.HasPrefix(line, "</details>"):
		return "close"
	}
	return "text"
}

// ours is the mark-up that a page has by itself.
var ours = regexp.MustCompile(`^### [✅❌⚠️]+ |^- |\*\*|<br>|^<details><summary>[A-Za-z0-9 ,.+−%]+</summary>$|^</details>$`)

// risks is what must not be left of a line without its code and without our own mark-up.
var risks = regexp.MustCompile(`(?i)[@#<>&_*~$\\\[\]{}^=` + "`" + `]|://|www\.|mailto:|xmpp:|\bgh-\d|[a-z]-\d|[0-9a-f]{7,}|^\s*([-+>]|\d+[.)])(\s|$)|:[a-z0-9+_-]+:|^ {4}`)

func inspectLine(t *testing.T, where, line string) {
	t.Helper()
	isRow := strings.HasPrefix(line, "|")
	if isRow && strings.Trim(line, "|:-") == "" {
		return
	}
	if !isRow && strings.Contains(withoutCode(line), "|") {
		t.Errorf("%s: a bar outside a table: %q", where, line)
	}
	if found := risks.FindString(ours.ReplaceAllString(withoutCode(line), "")); found != "" {
		t.Errorf("%s: %q gets through in %q", where, found, line)
	}
}

// withoutCode takes the code spans out of a line as CommonMark finds them (section 6.1): a run of backticks up to the
// next run of the same length. A run without a partner stays and is found as a risk.
func withoutCode(line string) string {
	var out strings.Builder
	for line != "" {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			break
		}
		out.WriteString(line[:start])
		line = line[start:]
		run := len(line) - len(strings.TrimLeft(line, "`"))
		end := closing(line[run:], run)
		if end < 0 {
			out.WriteString(line[:run])
			line = line[run:]
			continue
		}
		out.WriteString("C")
		line = line[run+end+run:]
	}
	return out.String() + line
}

func closing(text string, run int) int {
	for at := 0; at < len(text); {
		start := strings.IndexByte(text[at:], '`')
		if start < 0 {
			return -1
		}
		at += start
		n := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if n == run {
			return at
		}
		at += n
	}
	return -1
}
