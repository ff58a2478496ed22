package render

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/org/perfgate/gate/internal/markdowntest"
	"github.com/org/perfgate/gate/report"
	"github.com/org/perfgate/gate/result"
)

// hosts are scenarios that between them fill every field that a report shows.
var hosts = []string{"errors", "parity", "head-no-build", "new", "budget", "estimate", "regression", "evidence"}

// schemaWords are the fields whose words the schema lists.
var schemaWords = strings.Fields("verdict status onInconclusive errorSide side order code kind effect")

// TestHostile puts every hostile string into every field that there is, also those that no scenario fills, into those of a regression, and into
// the texts of a scenario. What is made of it is read by a parser of GitHub's dialect, which knows nothing of how this package escapes.
func TestHostile(t *testing.T) {
	t.Parallel()
	if len(hostile) < 200 {
		t.Errorf("%d hostile strings, want 200", len(hostile))
	}
	for i, s := range hostile {
		if testing.Short() && i%8 != 0 {
			continue
		}
		documents := map[string]report.Document{"all": report.New(saturated(s))}
		if i%4 == 0 {
			documents["regression"] = report.New(kept(saturated(s)))
			host := hosts[i/4%len(hosts)]
			documents[host] = poisoned(t, host, s, schemaWords)
			documents["errors"] = poisoned(t, "errors", s, nil)
		}
		for name, d := range documents {
			where := fmt.Sprintf("%s with %.40q", name, s)
			inspectTerminal(t, where, d)
			for _, most := range []int{0, 4000} {
				inspectMarkdown(t, where, d, most)
			}
		}
	}
}

// poisoned is the document of a scenario with s in all of its texts, but for those of the fields to keep.
func poisoned(t *testing.T, name, s string, keep []string) report.Document {
	t.Helper()
	r := load(t, name)
	fill(reflect.ValueOf(r).Elem(), "", s, keep, false)
	r.Notes, r.Config.Changed = []string{s, "a " + s + " b"}, []result.RuleChange{{Detail: s}, {Kind: result.RuleAdapter, File: s}}
	for _, kind := range result.FindingKinds {
		r.Conclusion.Findings = append(r.Conclusion.Findings, result.Finding{Kind: kind, Effect: result.EffectUnmeasured, Kernel: s, Case: s, Machine: s, Reason: result.Message(s)})
	}
	for i := range r.Cases {
		r.Cases[i].Past = &result.Past{Points: []result.PastPoint{{Commit: s}}, BestCommit: s, Since: s, Steps: []float64{0.01}, OverBest: 0.03}
	}
	return report.New(r)
}

// saturated is a result with s in every text, and two of everything that there can be many of.
func saturated(s string) *result.Result {
	r := new(result.Result)
	fill(reflect.ValueOf(r).Elem(), "", s, nil, true)
	r.Started = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
	return r
}

// fill writes s into every text that is not to be kept; grown, also into those that are not there.
func fill(v reflect.Value, field, s string, keep []string, grown bool) {
	switch kind := v.Kind(); {
	case kind == reflect.String:
		if !slices.Contains(keep, field) && (grown || v.String() != "") {
			v.SetString(s)
		}
	case kind == reflect.Bool && grown:
		v.SetBool(true)
	case (kind == reflect.Int || kind == reflect.Int64) && grown:
		v.SetInt(3)
	case kind == reflect.Float64 && grown:
		v.SetFloat(1.5)
	case kind == reflect.Pointer:
		if grown {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			fill(v.Elem(), field, s, keep, grown)
		}
	case kind == reflect.Slice:
		if grown {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fill(v.Index(i), field, s, keep, grown)
		}
	case kind == reflect.Map && grown:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, field, s, keep, grown)
		fill(value, field, s, keep, grown)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case kind == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				fill(v.Field(i), tag, s, keep, grown)
			}
		}
	}
}

// kept puts words of the schema back, so that the result is one that a reader takes: a regression that was measured.
func kept(r *result.Result) *result.Result {
	r.Schema = result.Schema
	r.Conclusion.Verdict, r.Conclusion.Exit = result.RunFailed, result.ExitFailed
	r.Base.Kind, r.Head.Kind, r.Policy.OnInconclusive = result.KindRevision, result.KindRevision, result.OnInconclusiveStop
	verdicts := []result.Verdict{result.Regression, result.Error}
	for i := range r.Cases {
		c := &r.Cases[i]
		c.Verdict, c.ErrorSide = verdicts[i%2], result.SideHead
	}
	for i := range r.Kernels {
		k := &r.Kernels[i]
		k.Status, k.Parity.Status, k.Parity.ErrorSide = result.KernelFailed, []result.ParityStatus{result.ParityFailed, result.ParityPassed}[i%2], ""
		k.Skipped = false
	}
	return r
}

var ownColors = regexp.MustCompile("\x1b\\[(1;31|32|33|2|1|0)m")

var logCommand = regexp.MustCompile(`^\s*::|##[a-z]*\[`)

func inspectTerminal(t *testing.T, where string, d report.Document) {
	t.Helper()
	for _, opt := range []TerminalOptions{{}, {Verbose: true}, {Color: true, Width: 120, Verbose: true}} {
		text := terminalOf(t, d, opt)
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

// inspectMarkdown looks at the characters of d's Markdown, at the rows of its tables, and at what a parser makes of it.
func inspectMarkdown(t *testing.T, where string, d report.Document, most int) {
	t.Helper()
	var out bytes.Buffer
	if err := Markdown(&out, d, MarkdownOptions{MaxBytes: most, ReportURL: ownLink}); err != nil {
		if most == 0 || most > 1000 && !errors.Is(err, errNoRoom) {
			t.Errorf("%s: %v", where, err)
		}
		return
	}
	if r, bad := acting(strings.ReplaceAll(out.String(), "\ufe0f", "")); bad {
		t.Errorf("%s: Markdown gets %U", where, r)
	}
	fence, columns := "", 0
	for line := range strings.Lines(out.String()) {
		bare := strings.TrimSpace(line)
		ticks := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && len(ticks) >= len(fence) && bare == ticks:
			fence = ""
		case fence == "":
			bars := strings.Count(line, "|")
			if bars > 0 && columns > 0 && bars != columns {
				t.Errorf("%s: a row of %d columns in a table of %d: %q", where, bars, columns, line)
			}
			columns = bars
		}
	}
	if bad := markdowntest.Fault(out.String(), ownLink); bad != "" || fence != "" {
		t.Errorf("%s: %s gets through, or a fence is open: %q", where, bad, fence)
	}
}

const ownLink = "https://github.example/o/r/actions/runs/7"

//go:embed testdata/hostile.txt
var hostileTexts string

// hostile are strings that a change could put into a name, a value, a reason or what its compiler prints: testdata/hostile.txt, quoted as in
// Go, and long ones.
var hostile = func() []string {
	out := []string{
		strings.Repeat("`", 100) + "@octocat", strings.Repeat("A", 5000), strings.Repeat("@a ", 2000), strings.Repeat("x\n", 500), strings.Repeat("漢", 400),
	}
	for line := range strings.Lines(hostileTexts) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		s, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			panic(line)
		}
		out = append(out, s)
	}
	return out
}()
