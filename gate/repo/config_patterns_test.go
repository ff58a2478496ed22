package repo

import (
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// Patterns are those that head's configuration has, whoever rules: one that a pull request fixes does not stop it, and one that it breaks does.
func TestPatternsOfWhoRules(t *testing.T) {
	yaml := func(pattern string) string {
		return "version: 1\npaths: [" + pattern + "]\nkernels:\n  - {name: k, bench: {command: ./b, format: csv}}\n"
	}
	for name, tt := range map[string]struct {
		base, head string
		stops      bool
	}{
		"as before": {yaml("b"), yaml("b"), false}, "broken": {yaml("b"), yaml("typo"), true}, "fixed": {yaml("typo"), yaml("b"), false},
		"still broken": {yaml("typo"), yaml("typo"), true}, "head's is not valid": {yaml("b"), "no", false},
	} {
		for _, trust := range []string{TrustBase, TrustWorktree} {
			if tt.head == "no" && trust == TrustWorktree {
				continue
			}
			pair := Pair{
				Base: Side{Root: tree(t, map[string]string{"b": "x", "perfgate.yaml": tt.base}), Info: result.Version{Kind: result.KindRevision, Revision: "1"}},
				Head: Side{Root: tree(t, map[string]string{"b": "x", "perfgate.yaml": tt.head}), Info: result.Version{Kind: result.KindRevision, Revision: "2"}},
			}
			_, err := LoadTrusted(pair, "perfgate.yaml", trust)
			if stops := err != nil && strings.Contains(err.Error(), "matches nothing"); stops != tt.stops || err != nil && !stops {
				t.Errorf("%s, %s: %v", name, trust, err)
			}
			pair.Head.Info = pair.Base.Info
			if _, err := LoadTrusted(pair, "perfgate.yaml", trust); err != nil {
				t.Errorf("%s, %s: one revision: %v", name, trust, err)
			}
		}
	}
}
