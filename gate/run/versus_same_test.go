package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/config"
)

// Two names of one adapter, flags that make no difference, or a compiler's cache that took one source for another: a reader of versus is told that there are
// not two implementations.
func TestVersusOfTheSameCode(t *testing.T) {
	for name, tt := range map[string]struct {
		b    config.Competitor
		same bool
	}{
		"itself":            {config.Competitor{Name: "again", Adapter: "k.pg.cc"}, true},
		"with an idle flag": {config.Competitor{Name: "flag", Adapter: "k.pg.cc", Flags: []string{"-DNOBODY_ASKS"}}, true},
		"another":           {config.Competitor{Name: "slow", Adapter: "slow.pg.cc"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			opt := besideCompetitors(t, "{name: old, adapter: slow.pg.cc}")
			opt.Trusted.Config.Gate.Budget = time.Millisecond
			found, fault, err := Compare(t.Context(), opt, Versus{Kernel: "k", A: config.Competitor{Name: "k", Adapter: "k.pg.cc"}, B: tt.b})
			if err != nil || found == nil {
				t.Fatalf("%+v, %v", fault, err)
			}
			if told := slices.ContainsFunc(found.Notes, func(note string) bool { return strings.Contains(note, "built to the same code") }); told != tt.same {
				t.Errorf("%q", found.Notes)
			}
		})
	}
}
