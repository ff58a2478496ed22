package report

import (
	"fmt"
	"strings"

	"github.com/org/perfgate/gate/result"
)

// baseline says what stored records had to do with the run, and what each of the two comparisons took.
func baseline(r *result.Result) Text {
	b := r.Baseline
	if b == nil {
		return nil
	}
	var parts []Text
	add := func(t Text) { parts = append(parts, t) }
	if b.Note != "" {
		add(say(b.Note))
	}
	if b.Commit != "" {
		add(Text{words("nearest record "), code(shortRevision(b.Commit)), words(fmt.Sprintf(", %s from base, of %s in ", count(b.Distance, "commit"), count(b.Records, "record"))), code(b.Store)})
	}
	if b.Screened > 0 {
		add(say(fmt.Sprintf("%s screened on head alone in %s, %d settled", count(b.Screened, "case"), elapsed(b.ScreenS), b.Settled)))
	}
	if b.RoundsS > 0 && b.Commit != "" {
		add(say("rounds side by side took " + elapsed(b.RoundsS)))
	}
	if b.Identical > 0 && len(r.Cases) > 0 && b.Commit != "" {
		add(say(fmt.Sprintf("%d of %s built to the same code and not timed", b.Identical, count(len(r.Cases), "case"))))
	}
	for _, reason := range unsettled(r) {
		add(say(reason))
	}
	for _, warning := range b.Warnings {
		add(Text{{Text: warning, Tone: Warn}})
	}
	for _, bad := range b.PassedOver {
		key, fault, _ := strings.Cut(bad, ": ")
		add(Text{{Text: "passed over ", Tone: Warn}, code(key), words(" (" + fault + ")")})
	}
	return joined(parts)
}

// unsettled says why cases went to rounds, each reason once.
func unsettled(r *result.Result) []string {
	n := map[string]int{}
	var order []string
	for _, c := range r.Cases {
		if c.Stored == nil || c.Stored.Reason == "" {
			continue
		}
		if n[c.Stored.Reason] == 0 {
			order = append(order, c.Stored.Reason)
		}
		n[c.Stored.Reason]++
	}
	const most = 3
	var out []string
	for _, reason := range order[:min(most, len(order))] {
		out = append(out, fmt.Sprintf("%s side by side: %s", count(n[reason], "case"), reason))
	}
	return out
}

func joined(parts []Text) Text {
	var t Text
	for i, p := range parts {
		if i > 0 {
			t = append(t, words("; "))
		}
		t = append(t, p...)
	}
	return t
}
