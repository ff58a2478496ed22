// Package docs_test keeps the pages true to each other: links lead somewhere, and pages for users stay short.
package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// longest is how many words a page for users may have, mostWords all of docs together.
const (
	longest   = 2000
	mostWords = 28000
)

func TestPagesForUsersAreShort(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) < 15 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	all := 0
	for _, page := range append(pages, "../README.md") {
		words := len(strings.Fields(read(t, page)))
		if words >= longest {
			t.Errorf("%s has %d words; a page for users has fewer than %d", page, words, longest)
		}
		if page != "../README.md" {
			all += words
		}
	}
	if all > mostWords {
		t.Errorf("the pages have %d words; what a user is asked to read has at most %d, comments of fields and kinds included that pages are made of: shorten another sentence", all, mostWords)
	}
}

// TestEveryPageIsListed: a page that the index lacks is found by nobody.
func TestEveryPageIsListed(t *testing.T) {
	t.Parallel()
	index := read(t, "README.md")
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if page != "README.md" && !strings.Contains(index, "]("+page+")") {
			t.Errorf("docs/README.md does not have %s", page)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
)

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, page := range pagesBelow(t, "..") {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, page), ""), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			checked++
			if err := leads(t, page, m[1]); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links were found", checked)
	}
}

// leads looks whether the file of a link is there, and its heading.
func leads(t *testing.T, page, to string) error {
	path, anchor, anchored := strings.Cut(to, "#")
	target := page
	if path != "" {
		target = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(target); err != nil {
		return fmt.Errorf("%s is not there", to)
	}
	if anchored && !slices.Contains(anchors(read(t, target)), anchor) {
		return fmt.Errorf("%s has no such heading", to)
	}
	return nil
}

// anchors are the names that GitHub gives to the headings of a page.
func anchors(text string) []string {
	var found []string
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			case r == ' ':
				return '-'
			}
			return -1
		}, link.ReplaceAllString(m[1], ""))
		if seen := slices.Contains(found, name); seen {
			name += "-1"
		}
		found = append(found, name)
	}
	return found
}

func pagesBelow(t *testing.T, root string) []string {
	var pages []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAdapterOfThePageIsTheStarter: what the page shows is what perfgate init writes, which other tests compile.
func TestAdapterOfThePageIsTheStarter(t *testing.T) {
	t.Parallel()
	_, rest, _ := strings.Cut(read(t, "cpp.md"), "```cpp\n")
	shown, _, found := strings.Cut(rest, "```")
	adapters, err := filepath.Glob("../kernels/starters/cc/bench/*.pg.cc")
	if err != nil || len(adapters) != 1 || !found {
		t.Fatal(adapters, err, found)
	}
	if !strings.Contains(read(t, adapters[0]), shown) {
		t.Errorf("the adapter of cpp.md is not in %s", adapters[0])
	}
}

// TestWorkflowsOfThePageAreLinted: what the page shows to copy is what CI checks with actionlint.
func TestWorkflowsOfThePageAreLinted(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/workflows/containers/*.yml")
	page := read(t, "containers.md")
	if shown := strings.Count(page, "```yaml\n"); err != nil || len(files) != shown || shown == 0 {
		t.Fatal(files, err, shown)
	}
	for _, file := range files {
		if !strings.Contains(page, "```yaml\n"+read(t, file)+"```\n") {
			t.Errorf("containers.md does not show %s as it is", file)
		}
	}
}
