package action

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/result"
)

// With artifact: false, which Enterprise Server needs, a measuring job names the folder for a step that uploads it.
func TestArtifactsOfAnotherStep(t *testing.T) {
	t.Parallel()
	for artifact, want := range map[string]string{"true": "perfgate-on-l4-shard-2", "false": ""} {
		r := newReporting(t)
		r.env["INPUT_MODE"], r.env["INPUT_SHARD"], r.env["INPUT_MACHINE_LABEL"], r.env["INPUT_UPLOAD_ARTIFACT"] = ModeMeasure, "2/3", "l4", artifact
		r.leave(Outcome{}, r.measured(0))
		r.ends(Report, result.ExitPassed)
		outputs := r.outputs()
		if asked := r.github.Log(); len(asked) > 0 {
			t.Errorf("a job that has no token to count on has asked GitHub: %v", asked)
		}
		if named := strings.Contains(outputs, "perfgate-on-l4-shard-2"); named != (want != "") || !strings.Contains(outputs, filepath.Join(r.work, outFolder)) {
			t.Errorf("artifact: %s: %s", artifact, outputs)
		}
	}
}

// A record that has no place to go is not called recorded, and is a warning with the cure.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	r := newReporting(t)
	r.env["INPUT_MODE"] = ModeRecord
	r.leave(Outcome{Warnings: []string{"no store of records is named"}}, nil)
	r.ends(Report, result.ExitPassed)
	if text := r.summary(); !strings.Contains(text, "NOT RECORDED") || !strings.Contains(text, "no store of records is named") {
		t.Errorf("summary:\n%s", text)
	}
}

// The job that stores a session's records fetches them by one name, whatever part of the cases the session measured.
func TestRecordsOfAPartHaveTheNameOfAll(t *testing.T) {
	t.Parallel()
	r := newReporting(t)
	r.env["INPUT_MODE"], r.env["INPUT_SHARD"], r.env["INPUT_UPLOAD_ARTIFACT"] = ModeDrift, "2/7", "true"
	r.leave(Outcome{}, r.measured(0))
	r.report()
	if outputs := r.outputs(); !strings.Contains(outputs, "perfgate-record\n") || strings.Contains(outputs, "shard") {
		t.Errorf("%s\n%s", outputs, r.log.String())
	}
}
