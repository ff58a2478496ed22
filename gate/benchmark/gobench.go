package benchmark

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/org/perfgate/gate/text"
)

// goBench is a command that runs benchmarks of Go's testing package: go test -bench, or a test binary. What they print is read.
type goBench struct{}

func (goBench) Traits() Traits { return Traits{Name: "go", Filters: true, Shorter: shorterGo} }

// Command chooses benchmarks by their own option, by which the last of several counts. -test.run leaves out tests.
func (goBench) Command(s Spec, a Ask) Command {
	args := []string{"-test.run=^$"}
	if filter := goFilter(a.Cases); filter != "" && len(filter) <= MostArgument {
		args = append(args, "-test.bench="+filter)
	}
	return asks(s, a, "", args...)
}

var goProcs = text.Pattern(`-(\d+)$`)

// goFilter is a pattern of the functions that rows are of, or of the one row with its parts. A number at the end may be that of processors, or the name's.
func goFilter(rows []string) string {
	part := func(name string) string {
		bare := goProcs().ReplaceAllString(name, "")
		if bare == name {
			return regexp.QuoteMeta(name)
		}
		return regexp.QuoteMeta(bare) + "(" + name[len(bare):] + ")?"
	}
	var names []string
	for _, row := range rows {
		parts := strings.Split(row, "/")
		if len(rows) > 1 {
			parts = parts[:1]
		}
		for i := range parts {
			parts[i] = "^" + part(parts[i]) + "$"
		}
		if name := strings.Join(parts, "/"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

var (
	goRow = text.Pattern(`^(Benchmark\S*)\s+(\d+)\s+(\S.*)$`)
	goEnd = text.Pattern(`^\s*--- (FAIL|SKIP): (Benchmark\S*)`)
)

// Read takes the rows: -count repeats them, and each repetition is a sample.
func (goBench) Read(_ Spec, o Output) (Set, error) {
	switch {
	case strings.TrimSpace(o.Stdout) == "":
		return Set{}, ErrNothing
	case o.Cut:
		return Set{}, errors.New("it printed more than is kept: let its benchmarks print less")
	}
	b, pkg, of := newCaseBuilder(), "", map[string]string{}
	for line := range strings.SplitSeq(asShown(o.Stdout), "\n") {
		if name, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = strings.TrimSpace(name)
		} else if end := goEnd().FindStringSubmatch(line); end != nil {
			c := b.at(end[2])
			c.Failed, c.Skipped = "the benchmark ended with "+end[1], end[1] == "SKIP"
		} else if row := goRow().FindStringSubmatch(line); row != nil {
			c := b.at(row[1])
			if first, known := of[c.Name]; known && first != pkg {
				c.Failed = "two packages have a benchmark of this name: give each a separate kernel"
			}
			of[c.Name] = pkg
			if err := b.goResult(c, row[2], row[3]); err != nil {
				return Set{}, fmt.Errorf("%s: %w", Quoted(c.Name), err)
			}
		}
	}
	if len(b.cases) == 0 {
		return Set{}, errors.New("it printed no line such as BenchmarkSum-8 1000 1234 ns/op (does its command have -bench?)")
	}
	return b.set("what it printed", "go"), nil
}

// goResult adds what stands behind the iterations of a row: pairs of a number and a unit, of which ns/op is the time.
func (b *caseBuilder) goResult(c *Case, iterations, pairs string) error {
	words := strings.Fields(pairs)
	i := slices.Index(words, "ns/op")
	if i < 1 {
		c.Failed = "it has no ns/op"
		return nil
	}
	n, _ := strconv.ParseFloat(iterations, 64) // digits
	ns, err := parseNumber(words[i-1])
	if err == nil {
		err = c.take(ns, n)
	}
	if err != nil {
		return fmt.Errorf("%s ns/op: %w", Quoted(words[i-1]), err)
	}
	b.wrote(c, words[i-1], 1)
	if i := slices.Index(words, "MB/s"); i > 0 {
		if rate, err := parseNumber(words[i-1]); err == nil && rate > 0 && CheckNS(ns) == nil {
			c.Bytes = rate * 1e6 * ns / 1e9
		}
	}
	return nil
}
