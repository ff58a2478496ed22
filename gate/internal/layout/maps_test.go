package layout

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the maps of CONTRIBUTING.md, README.md and gate/doc.go anew")

// What newcomers read of the packages is made from the table that the imports are checked with.
func TestMaps(t *testing.T) {
	const start, end = "<!-- from gate/internal/layout/rooms.go -->\n", "<!-- end -->\n"
	checkMap(t, "../../../CONTRIBUTING.md", start, end, "\n"+everyPackage()+"\n")
	checkMap(t, "../../../README.md", start, end, "\n```text\n"+mainRooms()+"```\n\n")
	checkMap(t, "../../doc.go", "// # Packages\n", "package gate\n", picture())
}

// CONTRIBUTING.md sends a newcomer to files and tests, so they exist.
func TestContributing(t *testing.T) {
	page, err := os.ReadFile("../../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = fs.WalkDir(os.DirFS("../../.."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			var src []byte
			src, err = os.ReadFile("../../../" + path)
			tests.Write(src)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, quoted := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(string(page), -1) {
		name := quoted[1]
		switch {
		case regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`).MatchString(name):
			if !strings.Contains(tests.String(), "\nfunc "+name+"(") {
				t.Errorf("there is no test %s", name)
			}
		case regexp.MustCompile(`^(gate|cmd|kernels|docs)/[\w/]+\.\w+$`).MatchString(name) && !strings.Contains(name, "VERB"):
			if _, err := os.Stat("../../../" + name); err != nil {
				t.Error(err)
			}
		}
	}
}

// checkMap compares what stands between two markers of a file with what should.
func checkMap(t *testing.T, file, start, end, want string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(src), start)
	got, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no lines %q and %q", file, start, end)
	}
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s differs from the table of gate/internal/layout/rooms.go: go test ./gate/internal/layout -update", file)
	} else if err := os.WriteFile(file, []byte(head+start+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

func everyPackage() string {
	var b strings.Builder
	b.WriteString("| package | what it is for |\n|:--|:--|\n")
	for _, group := range Groups {
		fmt.Fprintf(&b, "| **%s** | **%s** |\n", group.Name, group.For)
		for _, room := range group.Rooms {
			fmt.Fprintf(&b, "| `%s` | %s |\n", room.Path, room.For)
		}
	}
	return b.String()
}

// mainRooms are those with a budget: README is short, and CONTRIBUTING.md has all.
func mainRooms() string {
	var b strings.Builder
	for _, group := range Groups {
		for _, room := range group.Rooms {
			if room.Budget > 0 {
				fmt.Fprintf(&b, "%-21s %s\n", room.Path+"/", room.For)
			}
		}
	}
	return b.String()
}

func picture() string {
	var b strings.Builder
	b.WriteString("//\n// A package imports only what stands above it.\n")
	for _, group := range Groups {
		fmt.Fprintf(&b, "//\n//\t%s: %s\n", group.Name, group.For)
		for _, room := range group.Rooms {
			fmt.Fprintf(&b, "//\t  %-27s %s\n", room.Path, room.For)
		}
	}
	return b.String()
}
