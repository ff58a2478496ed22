package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/org/perfgate/gate/search"
	"github.com/org/perfgate/kernels/kernelstest"
)

// staysOpen are the ways in which a candidate can leave something for the next that no layer closes: docs/judge.md says so.
var staysOpen = map[string]bool{"modes of files": true, "processors": true}

// Nothing of one candidate is left for the next: one leaves a mark in every way that it knows, and another one looks for all of them. That the ways are
// ways is seen by two processes without a sandbox. Both candidates compute something wrong, so that neither costs a round.
func TestNothingIsLeftForTheNextCandidate(t *testing.T) {
	kernelstest.Live(t)
	t.Parallel()
	p := newProject(t)
	for _, dir := range []string{"zoo", "try"} {
		must(t, os.CopyFS(filepath.Join(p.dir, dir), os.DirFS(filepath.Join("..", "..", "testdata", "judge", "cpu"))))
	}
	p.write("own", "what the search knows")
	p.write("defines", p.leftDefines())
	p.write("leave.cc", readText(t, "../../testdata/judge/leave/leave.cc"))
	ways := p.waysAlone()
	p.write("own", "what the search knows")
	text := p.mustRun("sh", "-c", `for part in LEAVES LOOKS; do
		{ echo "#define $part"; echo "#define LOOP $$"; cat defines leave.cc; } > try/normalize.cc
		perfgate judge try --base zoo --ledger search && exit 9
	done; exit 0`)
	answers := strings.Split(text, "{\n \"schema\"")
	if len(answers) != 3 || strings.Count(text, `"verdict": "`+string(search.Wrong)+`"`) < 2 {
		t.Fatalf("two candidates, both wrong:\n%s", text)
	}
	number := regexp.MustCompile(`got (1\d{5})`).FindStringSubmatch(answers[2])
	if number == nil {
		t.Fatalf("nobody has looked:\n%s", answers[2])
	}
	seen, err := strconv.Atoi(number[1])
	must(t, err)
	for i, way := range ways {
		switch left := (seen-100000)>>i&1 == 1; {
		case left && staysOpen[way]:
			t.Logf("left for the next candidate, as docs/judge.md says: %s", way)
		case left:
			t.Errorf("left for the next candidate: %s", way)
		}
	}
	if own := p.read("own"); own != "what the search knows" {
		t.Errorf("a file of the search's has %q", own)
	}
	p.clean()
}

// leftDefines says where marks are left. The key and the name are this test's.
func (p *project) leftDefines() string {
	places := ""
	for _, dir := range []string{p.dir, p.lock, filepath.Join(p.dir, "search"), filepath.Join(p.dir, "zoo"), filepath.Join(p.dir, "try"), os.Getenv("PERFGATE_CACHE"), "/tmp", "/var/tmp", "/dev/shm"} {
		places += strconv.Quote(dir) + ", "
	}
	return fmt.Sprintf("#define MARK \"perfgate-left-%d\"\n#define KEY %d\n#define PLACES %s\n#define OWN_FILE %q\n", os.Getpid(), 0x70670000+os.Getpid()&0xffff, places, filepath.Join(p.dir, "own"))
}

// waysAlone are the names of all ways, each of which two processes without a sandbox see, where this machine has it.
func (p *project) waysAlone() (names []string) {
	p.t.Helper()
	p.mustRun("sh", "-c", `{ echo "#define ALONE"; echo "#define LOOP getppid()"; cat defines leave.cc; } > alone.cc && c++ -std=c++17 -w alone.cc -o alone -lrt`)
	mayLack := map[string]bool{"environments": true, "keyrings": true, "POSIX queues": true, "processors": true}
	for line := range strings.Lines(p.mustRun("./alone")) {
		seen, way, _ := strings.Cut(strings.TrimSpace(line), ": ")
		names = append(names, way)
		if seen != "seen" && !mayLack[way] {
			p.t.Errorf("without a sandbox %s show nothing: the test tests nothing", way)
		}
	}
	return names
}
