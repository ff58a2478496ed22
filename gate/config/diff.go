package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Diff says in words what b changes against a, a phrase each: first what decides. Equal configurations give none;
// a change of comments and layout alone is none.
func Diff(a, b *Config) []string {
	d := &differ{}
	d.rules(a, b)
	for _, k := range b.Kernels {
		if _, ok := a.Kernel(k.Name); !ok {
			d.found = append(d.found, "kernel "+k.Name+": added")
		}
	}
	d.add("profile", fmt.Sprint(a.Profile), fmt.Sprint(b.Profile))
	d.add("baseline.store", a.Baseline.Store, b.Baseline.Store)
	d.add("cost", fmt.Sprint(a.Cost), fmt.Sprint(b.Cost))
	return d.found
}

// DiffRules is Diff of what decides over the kernels that a has, or over those named in only if that is not empty: not what is
// profiled or paid and where records are kept, nor kernels that b adds.
func DiffRules(a, b *Config, only []string) []string {
	d := &differ{only: only}
	d.rules(a, b)
	return d.found
}

type differ struct {
	only  []string // kernels; empty: all
	found []string
}

func (d *differ) rules(a, b *Config) {
	d.add("device", a.Device, b.Device)
	d.add("python", a.Python, b.Python)
	d.add("installed", strings.Join(a.Installed, " "), strings.Join(b.Installed, " "))
	d.add("paths", strings.Join(a.Watch, " "), strings.Join(b.Watch, " "))
	d.kernels(a, b)
	d.add("gate.tolerance", percentText(a.Gate.Tolerance), percentText(b.Gate.Tolerance))
	d.add("tolerances", tolerancesText(a.Tolerances), tolerancesText(b.Tolerances))
	d.add("gate.improvement", percentText(a.Gate.Improvement), percentText(b.Gate.Improvement))
	d.add("gate.confidence", percentText(a.Gate.Confidence), percentText(b.Gate.Confidence))
	d.add("gate.budget", a.Gate.Budget.String(), b.Gate.Budget.String())
	d.add("gate.on-inconclusive", a.Gate.OnInconclusive, b.Gate.OnInconclusive)
	d.add("baseline.mode", a.Baseline.Mode, b.Baseline.Mode)
	d.add("baseline.cumulative-tolerance", percentText(a.Baseline.CumulativeTolerance), percentText(b.Baseline.CumulativeTolerance))
}

func (d *differ) add(what, a, b string) {
	if a != b {
		d.found = append(d.found, fmt.Sprintf("%s: %s → %s", what, cmp.Or(a, "nothing"), cmp.Or(b, "nothing")))
	}
}

func percentText(v float64) string { return strconv.FormatFloat(100*v, 'g', 6, 64) + "%" }

func (d *differ) kernels(a, b *Config) {
	for _, k := range a.Kernels {
		if len(d.only) > 0 && !slices.Contains(d.only, k.Name) {
			continue
		}
		other, ok := b.Kernel(k.Name)
		if !ok {
			d.found = append(d.found, "kernel "+k.Name+": removed")
			continue
		}
		d.kernel(k, other)
	}
}

func (d *differ) kernel(a, b Kernel) {
	at := "kernel " + a.Name + ": "
	d.add(at+"adapter", a.Adapter, b.Adapter)
	d.add(at+"sources", strings.Join(a.Sources, " "), strings.Join(b.Sources, " "))
	d.add(at+"flags", strings.Join(a.Flags, " "), strings.Join(b.Flags, " "))
	d.add(at+"python", a.Python, b.Python)
	d.add(at+"pin", pinsText(a.Pin), pinsText(b.Pin))
	d.add(at+"build", buildText(a.Build), buildText(b.Build))
	d.add(at+"bench", benchText(a.Bench), benchText(b.Bench))
	d.add(at+"files", strings.Join(a.Files, " "), strings.Join(b.Files, " "))
	d.add(at+"cases", strings.Join(a.Cases, " "), strings.Join(b.Cases, " "))
	d.add(at+"params", paramsText(a.Params), paramsText(b.Params))
	d.add(at+"measure", rowsText(a.Measure), rowsText(b.Measure))
	d.add(at+"cache", a.Cache, b.Cache)
	d.add(at+"host-time", strconv.FormatBool(a.Host), strconv.FormatBool(b.Host))
	d.add(at+"parity", parityText(a.Parity), parityText(b.Parity))
	d.add(at+"limits", resourcesText(a.Resources), resourcesText(b.Resources))
	d.add(at+"tune", tuneText(a.Tune), tuneText(b.Tune))
	d.add(at+"competitors", competitorsText(a.Competitors), competitorsText(b.Competitors))
}

func buildText(b *Build) string {
	if b == nil {
		return ""
	}
	return b.Command + " makes " + b.Output
}

func benchText(b *Bench) string {
	if b == nil {
		return ""
	}
	var parts []string
	say := func(before, text string) {
		if text != "" {
			parts = append(parts, before+text)
		}
	}
	say("", b.Command)
	say("script ", b.Script)
	for _, arg := range b.Args {
		say("", fmt.Sprintf("%q", arg))
	}
	say("in the format ", b.Format)
	say("built by ", b.Build)
	say("time ", b.Time)
	for _, competitor := range b.Competitors {
		say("competitor ", fmt.Sprintf("%q", competitor))
	}
	say("launches of ", b.Kernel)
	return strings.Join(parts, ", ")
}

func paramsText(params []Param) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = p.Name + "=" + valuesText(p.Values, ",")
		if p.Fuzz != nil {
			f := *p.Fuzz
			parts[i] += fmt.Sprintf("[%d..%d near %d multiple-of %d log %t]", f.Min, f.Max, f.Near, f.MultipleOf, f.Log)
		}
	}
	return strings.Join(parts, " ")
}

func valuesText(values []Value, between string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.Text
	}
	return strings.Join(texts, between)
}

func rowsText(rows [][]Value) string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = "(" + valuesText(row, ",") + ")"
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}

func parityText(p Parity) string {
	if p.Off {
		return "off"
	}
	where := ""
	if p.Where != nil {
		where = p.Where.Text
	}
	cases := strconv.Itoa(p.Cases)
	if len(p.Listed) > 0 {
		cases = rowsText(p.Listed)
	}
	return fmt.Sprintf("cases %s atol %s rtol %s accuracy-regression %s deterministic %t where %q metamorphic %v values %v min-matched %s accumulate %s", cases, textOr("default", p.ATol),
		textOr("default", p.RTol), p.Yardstick, p.Deterministic, where, p.Metamorphic, p.Values, percentText(p.Matched), cmp.Or(p.Accumulate, "default"))
}

func resourcesText(r Resources) string {
	return fmt.Sprintf("spill-bytes %s registers %s shared-bytes %s", textOr("none", r.SpillBytes), textOr("none", r.Registers), textOr("none", r.SharedBytes))
}

func textOr[T any](absent string, v *T) string {
	if v == nil {
		return absent
	}
	return fmt.Sprint(*v)
}
