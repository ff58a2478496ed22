package result

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Most that a result may have of these. No run comes near; without them a small file could keep a reader busy for hours.
const (
	maxCases  = 10_000
	maxParams = 256
	maxRounds = 10_000
)

// Check returns an *ReadError for the first number that is not finite, the first word that the schema does not have and the
// first list that is too long. What passes can be written, read back and rendered.
func Check(r *Result) error {
	if field, v, bad := nonFinite(reflect.ValueOf(r).Elem(), ""); bad {
		return &ReadError{Field: field, Err: fmt.Errorf("%v is not a finite number", v)}
	}
	var w words
	w.is("schema", r.Schema, Schema, schemaWithoutFindings)
	w.conclusion(r.Conclusion)
	w.atMost("kernels", len(r.Kernels), maxCases)
	w.atMost("cases", len(r.Cases), maxCases)
	w.atMost("rounds", len(r.Rounds), maxRounds)
	w.atMost("conclusion.findings", len(r.Conclusion.Findings), maxCases)
	for i, c := range r.Config.Changed {
		w.is(fmt.Sprintf("config.changed[%d].kind", i), string(c.Kind), Words(RuleKinds)...)
	}
	w.is("base.kind", r.Base.Kind, SideKinds...)
	w.is("head.kind", r.Head.Kind, SideKinds...)
	for i, k := range r.Kernels {
		at := fmt.Sprintf("kernels[%d].", i)
		w.is(at+"status", k.Status, KernelStatuses...)
		w.is(at+"adapter", string(k.Adapter), Words(AdapterFaults)...)
		w.is(at+"parity.status", k.Parity.Status, ParityStatuses...)
		w.is(at+"parity.errorSide", string(k.Parity.ErrorSide), sideWords()...)
	}
	for i, c := range r.Cases {
		w.checkCase(fmt.Sprintf("cases[%d].", i), c)
	}
	if r.Evidence != nil {
		w.is("evidence.policy", r.Evidence.Policy, ProfilePolicies...)
	}
	for i, round := range r.Rounds {
		w.is(fmt.Sprintf("rounds[%d].order", i), round.Order, "ABBA", "BAAB")
	}
	return w.err()
}

// words looks for words that the schema does not have and keeps the first.
type words struct{ first *ReadError }

// conclusion holds the word and the exit code of a run to each other: a reader may go by either.
func (w *words) conclusion(c Conclusion) {
	exits := map[string]ExitCode{
		RunPassed: ExitPassed, RunFailed: ExitFailed, RunError: ExitNotMeasurable,
	}
	w.is("conclusion.verdict", c.Verdict, RunPassed, RunFailed, RunError)
	for i, f := range c.Findings {
		w.finding(fmt.Sprintf("conclusion.findings[%d].", i), f)
	}
	if want := exits[c.Verdict]; w.first == nil && c.Exit != want {
		w.first = &ReadError{Field: "conclusion.exit", Err: fmt.Errorf("%d does not go with %q, which has %d", c.Exit, c.Verdict, want)}
	}
}

func (w *words) finding(at string, f Finding) {
	w.is(at+"kind", string(f.Kind), Words(FindingKinds)...)
	w.is(at+"effect", string(f.Effect), Words(Effects)...)
	w.is(at+"side", string(f.Side), sideWords()...)
}

// Words are the words that kinds are written as.
func Words[T ~string](kinds []T) []string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = string(kind)
	}
	return out
}

func (w *words) checkCase(at string, c Case) {
	w.is(at+"verdict", string(c.Verdict), verdictWords()...)
	w.atMost(at+"params", len(c.Params), maxParams)
	w.is(at+"errorSide", string(c.ErrorSide), sideWords()...)
	for i, p := range c.Processes {
		w.is(fmt.Sprintf("%sprocesses[%d].side", at, i), string(p.Side), string(SideBase), string(SideHead))
	}
	if c.Stored != nil && c.Stored.Verdict != "" {
		w.is(at+"stored.verdict", string(c.Stored.Verdict), verdictWords()...)
	}
	if c.Stored != nil && c.Stored.BestVerdict != "" {
		w.is(at+"stored.bestVerdict", string(c.Stored.BestVerdict), verdictWords()...)
	}
	for i, l := range c.Looks {
		w.is(fmt.Sprintf("%slooks[%d].verdict", at, i), string(l.Verdict), verdictWords()...)
	}
}

func (w *words) atMost(field string, got, most int) {
	if w.first == nil && got > most {
		w.first = &ReadError{Field: field, Err: fmt.Errorf("%d entries, at most %d are read", got, most)}
	}
}

func (w *words) is(field, got string, allowed ...string) {
	if w.first != nil || slices.Contains(allowed, got) {
		return
	}
	err := fmt.Errorf("%q is none of %s", clip(got), strings.Join(allowed, ", "))
	w.first = &ReadError{Field: field, Err: err}
}

// err keeps a nil *ReadError from becoming an error that is not nil.
func (w *words) err() error {
	if w.first == nil {
		return nil
	}
	return w.first
}

func sideWords() []string {
	return []string{string(SideNone), string(SideBase), string(SideHead), string(SideBoth)}
}

func verdictWords() []string { return Words(Verdicts) }

// nonFinite returns the first NaN or infinity under v and its field, written as in the JSON.
func nonFinite(v reflect.Value, at string) (field string, value float64, found bool) {
	switch v.Kind() {
	case reflect.Float64:
		f := v.Float()
		return at, f, math.IsNaN(f) || math.IsInf(f, 0)
	case reflect.Pointer:
		if !v.IsNil() {
			return nonFinite(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if field, value, found = nonFinite(v.Index(i), fmt.Sprintf("%s[%d]", at, i)); found {
				return field, value, true
			}
		}
	case reflect.Struct:
		return nonFiniteField(v, at)
	}
	return "", 0, false
}

func nonFiniteField(v reflect.Value, at string) (field string, value float64, found bool) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "" || name == "-" {
			continue // time.Time and the like hold no numbers of ours
		}
		if at != "" {
			name = at + "." + name
		}
		if field, value, found = nonFinite(v.Field(i), name); found {
			return field, value, true
		}
	}
	return "", 0, false
}
