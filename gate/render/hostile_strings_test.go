package render

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed testdata/hostile.txt
var hostileTexts string

// hostile are strings that a change could put into a name, a value, a reason or what its compiler prints: testdata/hostile.txt, quoted as in
// Go, and long ones.
var hostile = func() []string {
	out := []string{
		strings.Repeat("`", 100) + "@octocat", strings.Repeat("A", 5000), strings.Repeat("@a ", 2000), strings.Repeat("x\n", 500), strings.Repeat("漢", 400),
	}
	for line := range strings.Lines(hostileTexts) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		s, err := strconv.Unquote(strings.TrimSuffix(line, "\n"))
		if err != nil {
			panic(line)
		}
		out = append(out, s)
	}
	return out
}()
