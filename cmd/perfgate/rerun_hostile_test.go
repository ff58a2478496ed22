package main

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/org/perfgate/gate/repo"
	"github.com/org/perfgate/gate/request"
	"github.com/org/perfgate/gate/result"
)

// What a run was asked to measure is asked for again where nothing else was asked for now; how it decides is not taken from its line.
func TestRerunRepeatsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	asked := runFlags{Run: request.Run{Base: "a", Head: "b", Trust: repo.TrustBase, Kernels: []string{"k", "it's"}, Cases: []string{"k/**", "it's/n=1,m=2"},
		TimeIdentical: true, ManualCompetitors: true, Tolerance: "90%", Budget: time.Hour, HeadFlags: "-fplugin=x", GPU: "1", Sandbox: result.SandboxOff, Paths: []string{"none/**"}}, Profile: result.ProfileNever}
	f := runFlags{Run: request.Run{Base: "a", Head: "b", Seed: "7", Trust: repo.TrustBase}}
	other, err := f.repeat(asked.line("run", 7))
	want := runFlags{Run: request.Run{Base: "a", Head: "b", Seed: "7", Trust: repo.TrustBase, Kernels: asked.Kernels, Cases: asked.Cases, TimeIdentical: true, ManualCompetitors: true}}
	if err != nil || !reflect.DeepEqual(f, want) {
		t.Errorf("%v\n%+v\n%+v", err, f, want)
	}
	if !slices.Contains(other, "--tolerance") || slices.Contains(other, "--kernel") || slices.Contains(other, "--base") {
		t.Errorf("not taken: %q", other)
	}
	f = runFlags{Run: request.Run{Kernels: []string{"mine"}}}
	if _, err := f.repeat(asked.line("run", 7)); err != nil || !slices.Equal(f.Kernels, []string{"mine"}) {
		t.Errorf("%q, %v", f.Kernels, err)
	}
	for line, taken := range map[string]bool{
		"": true, "touch x": true, "perfgate run; touch x": true, "perfgate baseline record HEAD": true, // another command, of which nothing is taken
		"perfgate run --nonsense": false, "perfgate run --help": false, "perfgate run --kernel=": false, "perfgate run --kernel=a,,b": false, "perfgate run --time-identical=7": false,
	} {
		var f runFlags
		_, err := f.repeat(line)
		if (err == nil) != taken || err == nil && !reflect.DeepEqual(f, runFlags{}) || err != nil && result.ExitCodeOf(err) != result.ExitUsage {
			t.Errorf("%q: %v, %+v", line, err, f)
		}
	}
}
