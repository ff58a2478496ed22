package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/org/perfgate/gate"
	"github.com/org/perfgate/gate/result"
)

// kind orders what speaks against a pass: what fails a run before what keeps it from being measured, and wrong before
// slow.
type kind int

const (
	noBuild kind = iota
	wrong
	overLimit
	slowed
	broken     // head fails at run time
	tooOpen    // open, and failed by policy
	noBaseline // base cannot be built
	unchecked  // parity impossible
	cutShort   // budget
	noisy
	unmeasurable
	other
)

// finding is one thing that speaks against a pass.
type finding struct {
	kind kind
	text Text
}

// findings lists what speaks against a pass, the worst first; of the regressions only the worst, since the table has
// the others.
func findings(r *result.Result) []finding {
	var out []finding
	said := map[string]bool{} // kernels and cases of which the report speaks anyway
	for _, k := range r.Kernels {
		found := kernelFindings(k)
		said[k.Name] = len(found) > 0
		out = append(out, found...)
	}
	if i := worst(r); i >= 0 {
		out = append(out, finding{slowed, regressionText(r, r.Cases[i])})
	}
	out = append(out, errorFindings(r)...)
	out = append(out, openFindings(r)...)
	out = append(out, unsaid(r, said)...)
	slices.SortStableFunc(out, func(a, b finding) int { return int(a.kind) - int(b.kind) })
	return out
}

func worst(r *result.Result) int {
	at := -1
	for i, c := range r.Cases {
		if c.Verdict == gate.Regression && (at < 0 || ratio(c) > ratio(r.Cases[at])) {
			at = i
		}
	}
	return at
}

func kernelFindings(k result.Kernel) []finding {
	var out []finding
	if f, ok := buildFinding(k); ok {
		out = append(out, f)
	}
	for _, l := range k.Limits {
		out = append(out, finding{overLimit, Text{code(k.Name), words(" breaks a resource limit: "), words(l)}})
	}
	p := k.Parity
	switch {
	case p.Status == result.ParityFailed:
		out = append(out, finding{wrong, wrongText(k)})
	case p.Status == result.ParityError && p.ErrorSide == result.SideHead:
		out = append(out, finding{broken, Text{code(k.Name), words(": head failed in the parity check: "), words(p.Reason)}})
	case p.Status == result.ParityError:
		out = append(out, finding{unchecked, Text{code(k.Name), words(": parity could not be checked: "), words(p.Reason)}})
	}
	if len(out) == 0 && k.Reason != "" {
		out = append(out, otherwise(k)...)
	}
	return out
}

// otherwise says why a kernel failed or could not be measured for which nothing else accounts.
func otherwise(k result.Kernel) []finding {
	t := Text{code(k.Name), words(": "), words(k.Reason)}
	switch k.Status {
	case result.KernelFailed:
		return []finding{{noBuild, t}}
	case result.KernelError:
		return []finding{{unmeasurable, t}}
	}
	return nil
}

func wrongText(k result.Kernel) Text {
	t := Text{code(k.Name), {Text: " computes the wrong result", Tone: Bad}}
	if f := k.Parity.Failure; f != nil {
		if f.Code != result.CodeWrongOutput {
			t[1].Text = " fails the parity check"
		}
		return append(t, words(" at "), code(shortName(k, f.Case)), words(": "), words(f.Message))
	}
	if k.Parity.Reason != "" {
		t = append(t, words(": "), words(k.Parity.Reason))
	}
	return t
}

func buildFinding(k result.Kernel) (finding, bool) {
	base, head := failed(k.Base), failed(k.Head)
	switch {
	case base && head:
		return finding{noBaseline, buildText(k, "neither base nor head builds", k.Head)}, true
	case base:
		return finding{noBaseline, buildText(k, "base does not build, so head has nothing to be compared with", k.Base)}, true
	case head && k.Head.Cause == result.CauseAdapter:
		return finding{noBuild, buildText(k, orElse(k.Reason, "head needs an adapter change"), k.Head)}, true
	case head:
		return finding{noBuild, buildText(k, "head does not build", k.Head)}, true
	case k.Head == nil && k.Base != nil && k.Status == result.KernelFailed:
		return finding{noBuild, Text{code(k.Name), words(": head no longer has this kernel")}}, true
	}
	return finding{}, false
}

func failed(b *result.Build) bool { return b != nil && b.Failed }

func buildText(k result.Kernel, what string, b *result.Build) Text {
	t := Text{code(k.Name), words(": " + what)}
	if line := orElse(firstError(b.Output), k.Reason); line != "" {
		t = append(t, words(": "), code(line))
	}
	return t
}

// Lines of a compiler's output. A linker names what is missing without the word error, and the summary after it, by itself or
// by the compiler that called it, has that word and tells nothing. "error::" is a name in C++.
var (
	faultLine   = regexp.MustCompile(`(?i)(error|fatal) *:([^:]|$)|undefined (reference|symbol)|multiple definition of|\bcannot find -l`)
	summaryLine = regexp.MustCompile(`collect2: error: |\bld returned|linker command failed|final link failed`)
)

// firstError is the line of a compiler's output that says what is wrong: the first with a fault, else the first that sums
// none up, else the first.
func firstError(output string) string {
	first, summary := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case summaryLine.MatchString(line):
			summary = orElse(summary, line)
		case faultLine.MatchString(line):
			return line
		default:
			first = orElse(first, line)
		}
	}
	return orElse(first, summary)
}

// errorFindings are the cases that could not be measured, those with the same complaint together.
func errorFindings(r *result.Result) []finding {
	type complaint struct{ kernel, side, reason string }
	var order []complaint
	names := map[complaint][]string{}
	for _, c := range sorted(r.Cases) {
		if c.Verdict != gate.Error {
			continue
		}
		key := complaint{c.Kernel, c.ErrorSide, c.Reason}
		if names[key] == nil {
			order = append(order, key)
		}
		names[key] = append(names[key], c.Name)
	}
	out := make([]finding, len(order))
	for i, key := range order {
		kind := unmeasurable
		if key.side == result.SideHead {
			kind = broken
		}
		t := Text{code(names[key][0])}
		if n := len(names[key]) - 1; n > 0 {
			t = append(t, words(" and "+count(n, "more case")))
		}
		out[i] = finding{kind, append(t, words(": "+failure(key.side)+because(key.reason)))}
	}
	return out
}

func regressionText(r *result.Result, c result.Case) Text {
	if c.Compared == nil {
		return Text{code(c.Name), words(" is slower than the tolerance of " + limit(r.Policy.Tolerance) + " allows")}
	}
	return append(shiftText(r, c), words("; "+tied(limit(r.Policy.Tolerance))+" is tolerated"))
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// unsaid are the reasons of the conclusion about none of what the report speaks of elsewhere.
func unsaid(r *result.Result, said map[string]bool) []finding {
	for _, c := range r.Cases {
		said[c.Name] = c.Verdict == gate.Regression || c.Verdict == gate.Error || standingOf(c, r.Policy) != settled
	}
	var out []finding
	for _, reason := range r.Conclusion.Reasons {
		if !about(said, reason) {
			out = append(out, finding{other, say(reason)})
		}
	}
	return out
}

// about reports whether a sentence of the conclusion is about one of the names; all of its sentences begin with one.
func about(names map[string]bool, sentence string) bool {
	name, _, _ := strings.Cut(sentence, ": ")
	return names[name]
}
