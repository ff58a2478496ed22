package layout

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/text"
)

const module = "github.com/org/perfgate"

// standard is what packages that have to stay pure may import besides.
var standard = map[string][]string{
	// Statistics need no more than arithmetic.
	"stats": {"cmp", "errors", "fmt", "math", "math/cmplx", "slices", "sync", "sync/atomic",
		"github.com/aclements/go-moremath/stats", "gonum.org/v1/gonum/dsp/fourier", "gonum.org/v1/gonum/mathext", "gonum.org/v1/gonum/stat/distuv", "pgregory.net/changepoint"},
	// A decision that could read a file, ask a clock or roll dice could not be taken again from a saved run.
	"gate/rule": {"cmp", "errors", "fmt", "math", "reflect", "slices", "strings"},
}

// testOnly are modules that fakes and tests are made with: none of them is built into a program.
var testOnly = text.Pattern(`^github\.com/(getkin/kin-openapi|yuin/goldmark)\b`)

// flow is a line of a package's comment that is set apart, as code is.
var flow = text.Pattern(`(?m)^\t.* -> `)

func TestLayout(t *testing.T) {
	found := readSources(t)
	above := map[string]bool{}
	for _, group := range Groups {
		inGroup := map[string]bool{}
		for _, room := range group.Rooms {
			source := found[room.Path]
			if source == nil {
				t.Errorf("%s is in the table and is not a package: take its row out", room.Path)
				source = &Source{}
			}
			delete(found, room.Path)
			checkImports(t, room, source.Imports, above, inGroup)
			if group.IsProduct() && !strings.HasPrefix(room.Path, "cmd/") && !flow().MatchString(source.Comment) {
				t.Errorf("%s does not say its data flow: a line of the package's comment, what goes in -> what comes out", room.Path)
			}
			if i := slices.IndexFunc(source.Imports, testOnly().MatchString); i >= 0 && group.IsProduct() {
				t.Errorf("%s imports %s, which is for tests", room.Path, source.Imports[i])
			}
			inGroup[room.Path] = true
			if group.IsProduct() {
				above[room.Path] = true
			}
		}
	}
	for path := range found {
		t.Errorf("%s has no row in the table: say what it is for, and what it may import", path)
	}
}

func checkImports(t *testing.T, room Room, imports []string, above, inGroup map[string]bool) {
	t.Helper()
	allowed := strings.Fields(room.Imports)
	for _, path := range imports {
		ours, isOurs := strings.CutPrefix(path, module+"/")
		switch std, pure := standard[room.Path]; {
		case isOurs && !slices.Contains(allowed, ours):
			t.Errorf("%s imports %s: the table does not allow that", room.Path, ours)
		case !isOurs && pure && !slices.Contains(std, path):
			t.Errorf("%s imports %q: it has to stay pure, with no more than %q", room.Path, path, std)
		}
	}
	for _, ours := range allowed {
		if !slices.Contains(imports, module+"/"+ours) {
			t.Errorf("%s no longer imports %s: take it out of its row", room.Path, ours)
		}
		if !above[ours] && !inGroup[ours] {
			t.Errorf("%s imports %s, which is not above it in the table: arrows run one way", room.Path, ours)
		}
	}
}

// Every room says what it is for; a budget that covers several is stated by one of them.
func TestRoomsAreDescribed(t *testing.T) {
	rooms := map[string]Room{}
	for _, group := range Groups {
		for _, room := range group.Rooms {
			rooms[room.Path] = room
		}
	}
	for _, room := range rooms {
		if room.For == "" || strings.ContainsAny(room.For, "|\n") {
			t.Errorf("%s is for %q: one line, without the separator of Markdown's tables", room.Path, room.For)
		}
		if with, there := rooms[room.With]; room.With != "" && (!there || with.Budget == 0 || with.With != "" || room.Budget != 0) {
			t.Errorf("%s counts to the budget of %s: that has to be a room with a budget, and this one has none", room.Path, room.With)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for room, source := range readSources(t) {
		most := MostFileLines
		if room == "cmd/perfgate" {
			most = MostVerbLines
		}
		for file, lines := range source.Files {
			if lines > most {
				t.Errorf("%s has %d lines, and may have %d: split it by what its parts are for; of a verb, what is more than flags, one call and one document belongs to gate", file, lines, most)
			}
		}
	}
}

func readSources(t *testing.T) map[string]*Source {
	t.Helper()
	found, err := ReadSources(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	return found
}
