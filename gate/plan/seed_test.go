package plan_test

import (
	"testing"

	"github.com/org/perfgate/gate/plan"
)

// A seed in a report must stay the seed of that run with every later version: the value is part of the contract. It is
// printf 'abc\000123\0001' | sha256sum | cut -c1-16, read as little-endian.
func TestSeedOfIsFixed(t *testing.T) {
	const want = uint64(0xb63ed60c601e542d)
	if got := plan.SeedOf("abc", "123", "1"); got != want {
		t.Errorf("SeedOf = %#x, want %#x", got, want)
	}
}

func TestSeedOfTellsRunsApart(t *testing.T) {
	seen := map[uint64][3]string{}
	for _, in := range [][3]string{
		{"abc", "123", "1"}, {"abd", "123", "1"}, {"abc", "124", "1"}, {"abc", "123", "2"},
		{"abc1", "23", "1"}, {"abc", "12", "31"}, {"", "abc123", "1"}, {"abc", "123", ""},
	} {
		seed := plan.SeedOf(in[0], in[1], in[2])
		if other, ok := seen[seed]; ok {
			t.Errorf("%q and %q have one seed", in, other)
		}
		seen[seed] = in
	}
}

func TestSeedInActions(t *testing.T) {
	inside := map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_RUN_ID": "123", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": "merge"}
	got, ok := plan.SeedInActions("abc", func(name string) string { return inside[name] })
	if !ok || got != plan.SeedOf("abc", "123", "1") {
		t.Errorf("in a workflow: %d, %v", got, ok)
	}
	if _, ok := plan.SeedInActions("", func(name string) string { return inside[name] }); ok {
		t.Error("a folder without a commit has a seed of its own")
	}
	if _, ok := plan.SeedInActions("abc", func(string) string { return "" }); ok {
		t.Error("outside of a workflow there is a seed")
	}
}
