package github

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
)

var update = flag.Bool("update", false, "write docs/findings.md")

// docs/findings.md is what each kind of finding does to the exit code, to fail-on and to annotations. It is made of the tables that the program itself
// uses, so a kind that one of them lacks shows here, and of what docs/result.schema.json says of a kind.
func TestFindingsPage(t *testing.T) {
	var schema struct {
		Defs struct {
			FindingKind struct {
				OneOf []struct {
					Const       result.FindingKind
					Description string
				}
			}
		} `json:"$defs"`
	}
	text, err := os.ReadFile("../../docs/result.schema.json")
	must(t, err)
	must(t, json.Unmarshal(text, &schema))
	var order []string
	groups := map[string]string{}
	for _, kind := range schema.Defs.FindingKind.OneOf {
		title := titleOf(kind.Const)
		if groups[title] == "" {
			order = append(order, title)
		}
		groups[title] += fmt.Sprintf("- `%s`%s: %s\n", kind.Const, annotated(kind.Const), kind.Description)
	}
	page := findingsHead
	for _, title := range order {
		page += fmt.Sprintf("\n## %s\n\n%s", title, groups[title])
	}
	const path = "../../docs/findings.md"
	if *update {
		must(t, os.WriteFile(path, []byte(page), 0o644))
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != page || strings.Count(page, "\n- ") != len(result.FindingKinds) {
		t.Errorf("%s differs (%v); go test ./gate/github -run FindingsPage -update writes it:\n%s", path, err, page)
	}
}

const findingsHead = `# What a finding does

For readers of a verdict or of ` + "`result.json`" + ` who want to know what a kind of finding means. A run fails (exit 1) if one finding fails it; else it
could not be measured (exit 3) if one says so; else it passes. The headings say what a finding does, and which word of the action's
[fail-on](action.md#inputs) covers it. "Can be accepted": it passes once a user with write access [accepts](github.md) it. Waivers let
[named cases](config.md#waivers) be slower for a time. Findings with (failure) or (warning) are annotated on the changed lines of the kernel's sources.
"On head": the finding's "side" in result.json is head, since only head builds, runs or computes wrongly. "Else": it is base, both sides or neither.
A missed goal is on head if the goal is required; an approved meaning-changed is not.

A test generates this page from the program's tables.
`

func effect(kind result.FindingKind, side result.Side) string {
	return map[result.Effect]string{result.EffectFails: "exit 1", result.EffectUnmeasured: "exit 3", result.EffectNote: "a note"}[rule.EffectOf(kind, side)]
}

// titleOf is what a kind does.
func titleOf(kind result.FindingKind) string {
	title := effect(kind, result.SideHead)
	if other := effect(kind, result.SideBase); other != title {
		title += " on head, else " + other
	}
	if words := failOn(kind); words != "" {
		title += "; fail-on: " + words
	}
	if rule.Acceptable(result.Finding{Kind: kind, Effect: rule.EffectOf(kind, result.SideHead), Case: "k/n=1"}) {
		title += "; can be accepted"
	}
	return strings.ToUpper(title[:1]) + title[1:]
}

func failOn(kind result.FindingKind) string {
	var words []string
	for _, side := range []result.Side{result.SideHead, result.SideBase} {
		p := rule.ProblemOf(result.Finding{Kind: kind, Effect: rule.EffectOf(kind, side)})
		if p != rule.ProblemNone && !slices.Contains(words, string(p)) {
			words = append(words, string(p))
		}
	}
	return strings.Join(words, ", ")
}

// annotated is the level of the annotation that a kind makes.
func annotated(kind result.FindingKind) string {
	if level, _ := noticeOf(kind); level != "" {
		return " (" + level + ")"
	}
	return ""
}
