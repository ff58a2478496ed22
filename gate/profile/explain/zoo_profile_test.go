package explain_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/org/perfgate/gate/profile"
	"github.com/org/perfgate/gate/profile/explain"
	"github.com/org/perfgate/kernels"
	"github.com/org/perfgate/kernels/child"
)

// profileAll profiles every side once, and bases twice (A/A), some sides in each process under ncu. What is recorded is packed after each.
func (r *recorder) profileAll() {
	const most = 20 // what is lost where a process under ncu does not end
	again, number := r.again(), 0
	for g, group := range r.groups() {
		for part := range slices.Chunk(group, most) {
			var taken []*side
			for _, s := range part {
				times := 1
				if s.base && again > 0 {
					again--
					times = 2
				}
				for range times {
					s.profiles = append(s.profiles, fmt.Sprintf("%s%03d", r.prefix, number))
					taken = append(taken, s)
					number++
				}
			}
			r.profileOrLess(fmt.Sprintf("group%d-%d", g, number), taken)
			r.pair()
			r.pack()
		}
	}
}

// unknown is what ncu says of a metric that it does not know.
var unknown = regexp.MustCompile(`Failed to find metric (\S+)`)

// profileOrLess profiles sides, without the metrics that this ncu does not know.
func (r *recorder) profileOrLess(name string, sides []*side) {
	metrics := r.metrics()
	for {
		err := r.profile(name, sides, profile.Want{Metrics: metrics}, true)
		if err == nil {
			return
		}
		r.t.Error(err)
		said := unknown.FindStringSubmatch(err.Error())
		if said == nil {
			return
		}
		before := len(metrics)
		if metrics = slices.DeleteFunc(metrics, func(m string) bool { return m == said[1] }); len(metrics) == before {
			return
		}
	}
}

// again is how many bases are profiled twice: PERFGATE_ZOO_AGAIN, or all.
func (r *recorder) again() int {
	if n, err := strconv.Atoi(os.Getenv("PERFGATE_ZOO_AGAIN")); err == nil {
		return n
	}
	return len(r.sides)
}

// metrics are those that explanations ask for, and those that a file of PERFGATE_ZOO_METRICS lists, with commas.
func (r *recorder) metrics() []string {
	out := explain.Asked(profile.Version{})
	if path := os.Getenv("PERFGATE_ZOO_METRICS"); path != "" {
		text, err := os.ReadFile(path)
		explain.Must(r.t, err)
		out = append(out, strings.FieldsFunc(string(text), func(c rune) bool { return c == ',' || c == '\n' || c == ' ' })...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// profile profiles sides in one process, and keeps the exports of each if asked to.
func (r *recorder) profile(name string, sides []*side, want profile.Want, keep bool) error {
	dir := r.t.TempDir()
	want.Children = kernels.IsHosted(sides[0].lib) // an interpreter is a process of its own
	want.Cold, want.Report, want.Log = true, filepath.Join(dir, "report.ncu-rep"), filepath.Join(dir, "ncu.log")
	start := time.Now()
	runner, err := r.start(sides, r.tool.Command(want)...)
	if err != nil {
		log, _ := os.ReadFile(want.Log)
		return fmt.Errorf("%s: %w\n%s", name, err, log)
	}
	defer runner.Close()
	for _, s := range sides {
		if err := load(r.ctx, runner, s); err != nil {
			return err
		}
		if err := runner.Call(r.ctx, "profile", s.id, kernels.ProfileCommand{Case: s.of, Seed: "7", Cache: "cold", Warm: 3, Times: 1}, nil, 2*time.Minute); err != nil {
			r.t.Errorf("%s: %v", s.id, err) // what was profiled until here is of use
			break
		}
	}
	if _, err := runner.End(r.ctx, time.Minute); err != nil {
		r.t.Errorf("%s: %v", name, err)
	}
	fmt.Printf("%s: %d profiles in %.1f s\n", name, len(sides), time.Since(start).Seconds())
	if !keep {
		return nil
	}
	pages, err := r.tool.Export(r.ctx, want.Report, child.Spec{Env: child.With(child.Scrub(os.Environ()), "LC_ALL=C", "TMPDIR="+dir)})
	if err != nil {
		log, _ := os.ReadFile(want.Log)
		return fmt.Errorf("%s: %w\n%s", name, err, log)
	}
	return r.split(name, sides, pages)
}

// split gives each side its rows of the exports: as many kernels as a launch of it has, in the order of the profiles.
func (r *recorder) split(name string, sides []*side, pages profile.Exported) error {
	raw, err := readRows(pages.Raw)
	if err != nil {
		return err
	}
	details, err := readRows(pages.Details)
	if err != nil {
		return err
	}
	wanted := 0
	for _, s := range sides {
		wanted += s.kernels
	}
	if len(raw)-2 != wanted {
		r.t.Errorf("%s: %d kernels were profiled, and %d expected", name, len(raw)-2, wanted)
		r.keep(name+".raw.csv", raw)
		r.keep(name+".details.csv", details)
	}
	next, seen := 2, map[*side]int{}
	for _, s := range sides {
		rows := raw[min(next, len(raw)):min(next+s.kernels, len(raw))]
		next += s.kernels
		stem := s.profiles[seen[s]]
		seen[s]++
		r.keep(stem+".raw.csv", slices.Concat(raw[:2], rows))
		r.keep(stem+".details.csv", slices.Concat(details[:1], rowsOf(rows, details)))
	}
	return nil
}

// rowsOf are the rows of a details page that are of the kernels of some rows of the raw page.
func rowsOf(raw, details [][]string) [][]string {
	var out [][]string
	for _, row := range details[1:] {
		if slices.ContainsFunc(raw, func(k []string) bool { return k[0] == row[0] }) {
			out = append(out, row)
		}
	}
	return out
}

func readRows(page string) ([][]string, error) {
	if at := strings.Index(page, "\"ID\""); at > 0 {
		page = page[at:]
	}
	c := csv.NewReader(strings.NewReader(page))
	c.FieldsPerRecord, c.LazyQuotes = -1, true
	rows, err := c.ReadAll()
	if err == nil && len(rows) < 3 {
		err = fmt.Errorf("a page of %d rows", len(rows))
	}
	return rows, err
}

func (r *recorder) keep(name string, rows [][]string) {
	path := filepath.Join(r.out, name)
	f, err := os.Create(path)
	explain.Must(r.t, err)
	defer f.Close()
	explain.Must(r.t, csv.NewWriter(f).WriteAll(rows))
	r.files = append(r.files, path)
}
