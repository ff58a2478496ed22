package action

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/org/perfgate/gate/internal/markdowntest"
	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels/kernelstest"
)

const hostile = `](javascript:alert(1)) <img src=x onerror=1> @everyone <!-- perfgate comment perfgate --> | a | b | ` + "```" + ` ::add-mask::pass ::set-output name=verdict::pass %0A::error:: ${{ github.token }} ` + "\u202e"

// Every text of a result is hostile in its turn. Either the result is refused, or the text is shown as text: no image, link,
// mention, marker or command comes of it, and no pass.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	kernelstest.Live(t)
	tried := map[string]bool{}
	t.Run("slower", func(t *testing.T) {
		hostileTexts(newForkRun(t), func(r *rig) *result.Result { return r.measured(0.1) }, tried)
	})
	t.Run("wrong", func(t *testing.T) { hostileTexts(newForkRun(t), (*rig).wrong, tried) })
}

// wrong is the result of a kernel that computes something else.
func (r *rig) wrong() *result.Result {
	res := r.measured(0)
	k := &res.Kernels[0]
	k.Status, k.Reason = result.KernelFailed, result.Message("k/n=1: wrong")
	k.Parity.Status = result.ParityFailed
	k.Parity.Failure = &result.ParityFailure{Case: "k/n=1", Values: "ones", Seed: "1", Code: result.CodeWrongOutput, Message: "y[0] is 1, not 2", Repro: "perfgate parity"}
	for i, c := range res.Cases {
		res.Cases[i] = result.Case{Name: c.Name, Kernel: c.Kernel, Params: c.Params, Verdict: result.Skipped, Reason: k.Reason}
	}
	res.Conclusion = rule.Conclude(res.Cases, []result.Kernel{*k}, res.Policy)
	return res
}

// hostileTexts tries every text of a result, and a third of the texts that were tried in another result before.
func hostileTexts(r *rig, measured func(*rig) *result.Result, before map[string]bool) {
	tried := 0
	texts(reflect.ValueOf(measured(r)).Elem(), "", func(string, reflect.Value) { tried++ })
	if tried < 60 {
		r.Fatalf("the result has only %d texts", tried)
	}
	marked := 0
	for i := range tried {
		res := measured(r)
		at, field := 0, ""
		texts(reflect.ValueOf(res).Elem(), "", func(name string, v reflect.Value) {
			if at == i {
				field = name
				v.SetString(hostile)
			}
			at++
		})
		if strings.Contains(field, "cases[0].processes[") && !strings.Contains(field, "processes[0]") || strings.Contains(field, "cases[1]") || strings.Contains(field, "cases[2]") {
			continue // the same fields again
		}
		if before[field] && i%3 != 0 {
			continue
		}
		before[field] = true
		r.log.Reset()
		r.keep("perfgate", res)
		r.report()
		if got := r.status(r.head); strings.Contains(got, "success") || !strings.Contains(got, "perfgate/verdict ") {
			r.Errorf("%s: status %q", field, got)
		}
		marked += r.harmless(field)
	}
	if marked == 0 {
		r.Error("there was no annotation to look at")
	}
}

// texts goes through the strings below v.
func texts(v reflect.Value, at string, visit func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		visit(at, v)
	case reflect.Pointer:
		if !v.IsNil() {
			texts(v.Elem(), at, visit)
		}
	case reflect.Slice:
		if v.Len() == 0 && v.Type().Elem().Kind() == reflect.String {
			one := reflect.MakeSlice(v.Type(), 1, 1)
			if visit(at+"[0]", one.Index(0)); one.Index(0).String() != "" { // an entry too many would be what is refused, everywhere
				v.Set(one)
			}
			return
		}
		for i := range v.Len() {
			texts(v.Index(i), fmt.Sprintf("%s[%d]", at, i), visit)
		}
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			texts(v.Field(i), strings.TrimPrefix(at+"."+strings.ToLower(v.Type().Field(i).Name), "."), visit)
		}
	}
}

// harmless looks at everything that was written for what acts, and returns how many annotations were among it.
func (r *rig) harmless(field string) int {
	r.Helper()
	const marker = "<!-- perfgate comment perfgate -->\n"
	run := r.env["GITHUB_SERVER_URL"] + "/o/r/actions/runs/5"
	summary := r.summary()
	r.must(os.WriteFile(r.env["GITHUB_STEP_SUMMARY"], nil, 0o644))
	body := r.comment()
	checks := r.github.Checks(r.head)
	last := checks[len(checks)-1]
	for where, text := range map[string]string{"comment": body, "summary": summary, "summary of the check run": last.Summary, "text of the check run": last.Text} {
		if bad := markdowntest.Fault(strings.TrimSuffix(text, marker), run, run+"#artifacts"); bad != "" || strings.Contains(text, "\u202e") {
			r.Errorf("%s: the %s has %s:\n%s", field, where, bad, text)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "::") {
				r.Errorf("%s: the %s has a command: %s", field, where, line)
			}
		}
	}
	plain := map[string]string{"title of the check run": last.Title, "status": r.status(r.head)}
	for i, a := range last.Annotations {
		plain[fmt.Sprintf("title of annotation %d", i)], plain[fmt.Sprintf("path of annotation %d", i)] = a.Title, a.Path
		plain[fmt.Sprintf("annotation %d", i)] = strings.ReplaceAll(a.Message, "\n", "")
	}
	for where, text := range plain { // GitHub shows these as they are: what turns a line around, or is no character, must not be in them
		if strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) && c != '\u200b' }) {
			r.Errorf("%s: the %s has what cannot be seen: %q", field, where, text)
		}
	}
	if !strings.HasSuffix(body, marker) {
		r.Errorf("%s: no marker at the end:\n%s", field, body)
	}
	for line := range strings.Lines(r.log.String()) {
		if strings.HasPrefix(line, "::") && !strings.HasPrefix(line, "::add-mask::ghs_x") && !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::notice ") {
			r.Errorf("%s: a command in the log: %s", field, line)
		}
	}
	outputs := r.outputs()
	r.must(os.WriteFile(r.env["GITHUB_OUTPUT"], nil, 0o644))
	if strings.Contains(outputs, "\npass\n") {
		r.Errorf("%s: outputs say pass:\n%s", field, outputs)
	}
	return len(last.Annotations)
}
