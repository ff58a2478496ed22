package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/org/perfgate/kernels/kernelstest"
)

// searchFound are the verdicts that kernels/examples/search/search.py got of perfgate judge, live, as docs/measurements/judge shows them.
var searchFound = map[string]string{
	"a-comment": "same", "sums-every-other-term": "wrong", "remembers-by-size": "wrong", "no-semicolon": "broken", "along-rows-of-b": "better", "works-in-a-thread": "worse",
	"works-in-a-late-thread": "wrong", "along-columns": "worse", "half-of-the-one-shape": "wrong", "half-after-20-launches": "cheating", "remembers-by-a-glance": "same",
	"a-clock-of-its-own": "same", "four-without-the-rest": "wrong", "four-terms-at-a-time": "better",
}

// The search goes on from what was called better and from nothing else, to where it ended live. Here its referee is a script that knows the answers, and
// refuses a candidate that is not what it should be an edit of; .ci/run has it search for real.
func TestExampleOfASearch(t *testing.T) {
	t.Parallel()
	kernelstest.Tool(t, "python3")
	dir := t.TempDir()
	search, err := filepath.Abs("../../kernels/examples/search/search.py")
	must(t, err)
	judge := "#!/bin/sh\ncase $(basename \"$2\") in\n"
	for edit, verdict := range searchFound {
		judge += edit + ") verdict=" + verdict + ";;\n"
	}
	// What comes after the first find has its loop.
	judge += "*) exit 3;;\nesac\n" + `if [ -e "$6" ]; then grep -q 'c\[i \* n + j\] = 0' "$2/product.cc" || [ "$verdict" = broken ] || exit 3; fi
[ $verdict = better ] && mkdir "$6" 2>/dev/null
echo "{\"verdict\": \"$verdict\", \"rounds\": 2, \"seconds\": 1}"
`
	must(t, kernelstest.WriteProgram(filepath.Join(dir, "judge"), []byte(judge)))
	p := &project{t: t, dir: dir, env: append(os.Environ(), "TMPDIR="+dir)}
	text := p.mustRun("python3", search, filepath.Join(dir, "judge"), filepath.Join(dir, "found"))
	if !strings.HasSuffix(text, "\nkept: along rows of b, four terms at a time\n") || strings.Count(text, "\n") != len(searchFound)+1 {
		t.Errorf("the search ends elsewhere:\n%s", text)
	}
}
