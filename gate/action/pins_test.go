package action

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var pins = []string{
	checkoutAction, setUpGoAction, uploadAction, downloadAction, attestAction, appTokenAction, googleAuthAction, goreleaserAction, syftAction,
}

// enterpriseUpload is the version that GitHub Enterprise Server still needs. The documentation alone names it.
const enterpriseUpload = "actions/upload-artifact@v3"

var use = regexp.MustCompile(`(?m)^ *(?:- )?uses: (.*)$`)

// TestPins: whatever file uses an action of others has it as pins.go does, and each pin is used.
func TestPins(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, pattern := range []string{
		"action.yml", ".github/workflows/*.yml", "testdata/consumer/.github/workflows/*.yml", "testdata/workflows/*/*.yml", "README.md", "docs/*.md",
	} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no such files (%v)", pattern, err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			must(t, err)
			for _, found := range use.FindAllStringSubmatch(readRepo(t, name), -1) {
				what := found[1]
				if what == "./" || strings.HasPrefix(what, Repository+"@") || what == enterpriseUpload && name == "docs/action.md" {
					continue
				}
				used[what] = true
				if !slices.Contains(pins, what) {
					t.Errorf("%s uses %s; gate/action/pins.go has no such pin (CONTRIBUTING.md says how to change one)", name, what)
				}
			}
		}
	}
	for _, pin := range pins {
		if !pinned.MatchString(strings.Split(pin, " # v")[0]) {
			t.Errorf("%s is no commit with its release", pin)
		}
		if !used[pin] {
			t.Errorf("nothing uses %s", pin)
		}
	}
	templates, err := filepath.Glob("templates/*.yml")
	if err != nil || len(templates) == 0 {
		t.Fatal("no templates", err)
	}
	for _, path := range templates {
		for _, found := range use.FindAllStringSubmatch(readRepo(t, filepath.Join("gate/action", path)), -1) {
			if !strings.HasPrefix(found[1], "<<.") {
				t.Errorf("%s uses %s in place of a pin", path, found[1])
			}
		}
	}
}
