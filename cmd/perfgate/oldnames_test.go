package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oldNames are patterns of names that flags, verbs, modes, inputs, outputs and keys of perfgate.yaml had.
var oldNames = []string{
	`--(no-skip|lock-clocks|profile-limit|until|quantum|if-wanted|run-in|plan-image|no-peers|streams|world|timings|spread|turn|against|again|gain|trusted|watch|competitors)([^-\w]|$)`,
	`perfgate (plan|watch)\b`, `perfgate parity[^\n` + "`" + `]* --(cases\b|case[ =]\w+=)`, `perfgate init[^\n` + "`" + `]* --(gpu|from|machines|plan|branch|action)([^-\w]|$)`,
	`perfgate demo[^\n` + "`" + `]* --gpu\b`, `perfgate merge[^\n` + "`" + `]* --machines\b`, `perfgate baseline [^\n` + "`" + `]* --(last|keep)([^-\w]|$)`,
	`perfgate (bisect|rerun)[^\n` + "`" + `]* --all([^-\w]|$)`, `perfgate calibrate\b`,
	`mode: (plan|watch|store)\b`, `\bperfgate-watch\b`, `\ballow-forks\b`, `\bINPUT_(BASELINE|PROFILE_LIMIT|KEY|LABEL|RECORD|RESULTS|ARTIFACT|ALLOW_FORKS|SPREAD|KEEP|MACHINES?)\b`,
	`json:"(turn|ifWanted|profileLimitSeconds)\b`,
	`^ *(watch|resources|yardstick|creep): [\[{\w]`, `^ *host: (true|false)`, `[{,] ?(resources|yardstick|creep): `,
	`inputs\.(baseline|profile-limit|key|label|record|results|artifact|allow-forks|spread|keep|machines)([^-\w]|$)`, `steps\.perfgate\.outputs\.(measure|folder|recorded|errors|report|page|page-url|result)([^-\w]|$)`,
}

// No old name stands in code, documentation, templates or stories.
func TestOldNamesAreGone(t *testing.T) {
	t.Parallel()
	mayHave := regexp.MustCompile(`--|json:|perfgate|puts\.|INPUT_|: |allow`)
	old := regexp.MustCompile(strings.Join(oldNames, "|"))
	kinds := []string{".go", ".md", ".txtar", ".yml", ".yaml", ".sh", ".py", ".json", ".txt"}
	read := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(kinds, filepath.Ext(path)) || d.Name() == "CHANGELOG.md" || d.Name() == "oldnames_test.go":
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > 1<<20 { // recordings
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for i, line := range strings.Split(string(text), "\n") {
			if !mayHave.MatchString(line) {
				continue
			}
			if found := old.FindString(line); found != "" {
				t.Errorf("%s:%d: %s", path, i+1, found)
			}
		}
		return nil
	})
	if err != nil || read < 500 {
		t.Errorf("%d files, %v", read, err)
	}
}
