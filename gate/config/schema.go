package config

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"
)

// config reads the whole file.
func (d *decoder) config(root ast.Node, c *Config) {
	if !d.version(root, c) {
		return
	}
	found := d.object(root, "the configuration", configFields(c))
	d.require(root, found, "the configuration", "kernels")
	d.withinCumulative(found["tolerances"], c)
	c.watchAt = patternPlaces(found["paths"], c.Watch)
	if at, ok := found["python"]; ok {
		d.interpreterOfAll(at, c.Kernels)
	}
}

// interpreterOfAll refuses an interpreter of all kernels where one has a benchmark's command, which names what it starts itself.
func (d *decoder) interpreterOfAll(at ast.Node, ks []Kernel) {
	for _, k := range ks {
		if k.Bench != nil && k.Bench.Command != "" {
			d.fail(at, "", "python does not apply to bench.command of kernel %s: name the interpreter in that command, such as .venv/bin/python -m pytest, "+
				"and give python to the kernels that it is for", quoted(k.Name))
			return
		}
	}
}

// version comes before all else: the keys of another version may be right there and wrong here.
func (d *decoder) version(root ast.Node, c *Config) bool {
	m, ok := root.(*ast.MappingNode)
	if !ok {
		d.entries(root, "the configuration")
		return false
	}
	for _, v := range m.Values {
		if key, _ := keyText(v.Key); key == "version" {
			// A null is reported with the other keys.
			return isNull(v.Value) || d.clean(func() { into(&c.Version, formatVersion)(d, v.Value, key) })
		}
	}
	d.fail(root, "", "the configuration lacks the key \"version\"; write version: %d", Version)
	return true
}

func formatVersion(s scalar) (int, string, string) {
	if s.quoted || s.text != strconv.Itoa(Version) {
		return 0, "is " + s.asWritten() + ", which this perfgate does not read", strconv.Itoa(Version)
	}
	return Version, "", ""
}

func configFields(c *Config) []field {
	return []field{
		{"version", into(&c.Version, formatVersion)},
		{"device", into(&c.Device, word(DeviceAuto, DeviceCUDA, DeviceCPU))},
		{"python", into(&c.Python, checked(checkInterpreter))},
		{"installed", list(&c.Installed, true, "an entry of installed", line)},
		{"paths", list(&c.Watch, true, "an entry of paths", checked(checkPattern))},
		{"kernels", func(d *decoder, n ast.Node, _ string) { c.Kernels = d.kernels(n) }},
		{"gate", section(gateFields(&c.Gate))},
		{"tolerances", func(d *decoder, n ast.Node, what string) { c.Tolerances = d.tolerances(n, what) }},
		{"profile", section(profileFields(&c.Profile))},
		{"baseline", section(baselineFields(&c.Baseline))},
		{"cost", section(costFields(&c.Cost))},
	}
}

// section reads a mapping of settings that all have defaults.
func section(fields []field) reader {
	return func(d *decoder, n ast.Node, what string) { d.object(n, what, fields) }
}

// Limits in per cent. A shift can be any multiple upwards; ten times is more than any threshold needs.
var (
	share  = limits{low: 0, high: 100}
	growth = limits{low: 0, high: 1000}
	// At 0 no run could say that a case is the same, and at 100 % nothing is asked for.
	tolerable = limits{low: 0, high: 100, openLow: true, openHigh: true}
)

func gateFields(g *GateSettings) []field {
	return []field{
		{"tolerance", into(&g.Tolerance, percent(tolerable))},
		{"improvement", into(&g.Improvement, percent(growth))},
		{"confidence", into(&g.Confidence, percent(limits{low: 50, high: 100, openHigh: true}))},
		{"budget", into(&g.Budget, duration("90s or 5m", time.Second, 24*time.Hour))},
		{"on-inconclusive", into(&g.OnInconclusive, word(OnInconclusiveEstimate, OnInconclusivePass, OnInconclusiveFail))},
	}
}

func profileFields(p *ProfileSettings) []field {
	return []field{
		{"regression", into(&p.Regression, percent(growth))},
		{"improvement", into(&p.Improvement, percent(growth))},
		{"cases", into(&p.Cases, whole[int](1, 100))},
	}
}

func baselineFields(b *BaselineSettings) []field {
	return []field{
		{"store", func(d *decoder, n ast.Node, what string) {
			b.Named = true
			into(&b.Store, checked(checkStore))(d, n, what)
		}},
		{"mode", into(&b.Mode, word(BaselineAuto, BaselineStored, BaselinePaired))},
		{"cumulative-tolerance", into(&b.CumulativeTolerance, percent(share))},
	}
}

func costFields(c *CostSettings) []field {
	return []field{{"gpu-hour", into(&c.GPUHour, number(limits{low: 0, high: 1e6}))}}
}

func kernelFields(k *Kernel, later *nodes) []field {
	return []field{
		{"name", into(&k.Name, checked(checkName))},
		{"adapter", into(&k.Adapter, file)},
		{"sources", list(&k.Sources, true, "an entry of sources", file)},
		{"flags", list(&k.Flags, false, "an entry of flags", line)},
		{"python", into(&k.Python, checked(checkInterpreter))},
		{"pin", func(d *decoder, n ast.Node, _ string) { k.Pin = d.pins(n) }},
		{"build", func(d *decoder, n ast.Node, what string) { k.Build = d.build(n, what) }},
		{"bench", func(d *decoder, n ast.Node, what string) { k.Bench = d.bench(n, what) }},
		{"files", list(&k.Files, true, "an entry of files", checked(checkPattern))},
		{"cases", list(&k.Cases, true, "an entry of cases", checked(checkCases))},
		{"params", func(d *decoder, n ast.Node, _ string) {
			later.params = n
			later.sound = d.clean(func() { k.Params = d.params(n) })
		}},
		{"measure", func(_ *decoder, n ast.Node, _ string) { later.measure = n }},
		{"cache", into(&k.Cache, word(CacheCold, CacheHot))},
		{"host-time", into(&k.Host, boolean)},
		{"parity", func(d *decoder, n ast.Node, _ string) { d.parity(n, &k.Parity, later) }},
		{"limits", section(resourceFields(&k.Resources))},
		{"tune", func(d *decoder, n ast.Node, _ string) { k.Tune = d.tune(n) }},
		{"competitors", func(d *decoder, n ast.Node, what string) { k.Competitors = d.competitors(n, what) }},
	}
}

func buildFields(b *Build) []field {
	return []field{{"command", into(&b.Command, script)}, {"output", into(&b.Output, file)}}
}

func paramFields(p *Param) []field {
	return []field{
		{"values", func(d *decoder, n ast.Node, _ string) { p.Values = d.values(n, p.Name) }},
		{"fuzz", func(d *decoder, n ast.Node, _ string) { p.Fuzz = d.fuzz(n) }},
	}
}

// maxMagnitude leaves room to step past a bound without wrapping around.
const maxMagnitude = 1 << 62

func fuzzFields(f *Fuzz) []field {
	return []field{
		{"min", into(&f.Min, whole[int64](-maxMagnitude, maxMagnitude))},
		{"max", into(&f.Max, whole[int64](-maxMagnitude, maxMagnitude))},
		{"near", into(&f.Near, whole[int64](1, maxMagnitude))},
		{"multiple-of", into(&f.MultipleOf, whole[int64](1, maxMagnitude))},
		{"log", into(&f.Log, boolean)},
	}
}

// maxParity is the most cases of a kernel that parity runs.
const maxParity = 1_000_000

// maxAbsolute leaves room for what large inputs are allowed on top.
const maxAbsolute = 1e300

func parityFields(p *Parity, later *nodes) []field {
	return []field{
		{"cases", func(d *decoder, n ast.Node, what string) {
			if _, ok := n.(*ast.SequenceNode); ok {
				later.listed = n
				return
			}
			into(&p.Cases, whole[int](1, maxParity))(d, n, what)
		}},
		{"atol", optional(&p.ATol, number(limits{low: 0, high: maxAbsolute}))},
		{"rtol", optional(&p.RTol, number(limits{low: 0, high: 1, openHigh: true}))}, // at 1 an output of zeros passes
		{"accuracy-regression", into(&p.Yardstick, word(YardstickWarn, YardstickFail))},
		{"deterministic", into(&p.Deterministic, boolean)},
		{"where", func(_ *decoder, n ast.Node, _ string) { later.where = n }},
		{"metamorphic", list(&p.Metamorphic, false, "a relation", parseRelation)},
		{"values", list(&p.Values, true, "an entry of values", word(InputKinds...))},
		{"accumulate", into(&p.Accumulate, word("f32", "f16", "bf16", "tf32"))},
		{"min-matched", into(&p.Matched, percent(limits{low: 50, high: 100}))},
	}
}

func resourceFields(r *Resources) []field {
	limit := whole[int64](0, math.MaxInt64)
	return []field{{"spill-bytes", optional(&r.SpillBytes, limit)}, {"registers", optional(&r.Registers, limit)}, {"shared-bytes", optional(&r.SharedBytes, limit)}}
}

// checkStore looks at the form alone. A folder of records may be absolute, unlike every other path: a runner's
// workspace is wiped between jobs, so records that stay on the machine must live outside of it.
func checkStore(s string) (problem, allowed string) {
	const forms = "dir:PATH, git:BRANCH"
	kind, rest, ok := strings.Cut(s, ":")
	if !ok || kind != "dir" && kind != "git" {
		return "is " + quoted(s), forms
	}
	if rest == "" {
		return fmt.Sprintf("%s has nothing behind its colon", quoted(s)), forms
	}
	if kind == "git" && !isBranch(rest) {
		return fmt.Sprintf("%s does not name a branch", quoted(s)), forms
	}
	if clean := path.Clean(rest); kind == "dir" && (clean == ".." || strings.HasPrefix(clean, "../")) {
		return fmt.Sprintf("%s leaves the folder of this file", quoted(s)), "a path inside the folder, or an absolute one"
	}
	return "", ""
}

// isBranch follows git check-ref-format, and is a little stricter.
func isBranch(s string) bool {
	for _, part := range strings.Split(s, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return s != "@" && s != "HEAD" && !strings.ContainsAny(s, " ~^:?*[\\") && !strings.Contains(s, "..") && !strings.Contains(s, "@{")
}

// checkInterpreter is about the text alone. An interpreter may lie anywhere on the machine.
func checkInterpreter(p string) (problem, allowed string) {
	if p != strings.TrimSpace(p) || strings.HasPrefix(p, "-") || strings.HasPrefix(p, "~") && !strings.HasPrefix(p, "~/") {
		return "is " + quoted(p), "a program on the PATH, or a path that is absolute, begins with ~/ or is relative to the folder of this file, without arguments"
	}
	return "", ""
}

func checkPattern(p string) (problem, allowed string) {
	const forms = "a pattern relative to the folder of this file, like csrc/** or *.cu"
	for _, part := range strings.Split(p, "/") {
		if part == ".." {
			return fmt.Sprintf("%s leaves the folder of this file", quoted(p)), forms
		}
	}
	if !doublestar.ValidatePattern(p) {
		return fmt.Sprintf("%s has a bracket or a brace that is not closed", quoted(p)), forms
	}
	if path.IsAbs(p) || strings.HasPrefix(p, "!") || strings.Contains(p, `\`) {
		return fmt.Sprintf("%s is absolute, negated or has a backslash", quoted(p)), forms
	}
	return "", ""
}

// CheckWatch says what is wrong with a pattern that stands for one of watch.
func CheckWatch(p string) error {
	if problem, allowed := checkPattern(p); problem != "" {
		return fmt.Errorf("%s; allowed: %s", problem, allowed)
	}
	return nil
}

// MatchesAny says whether a file, by its path with slashes, is one that patterns name. A folder that a pattern names is all that is in it.
func MatchesAny(patterns []string, file string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		for at := file; at != "."; at = path.Dir(at) {
			if ok, err := doublestar.Match(pattern, at); ok && err == nil { // the reader has checked the patterns
				return true
			}
			if at == "/" {
				return false
			}
		}
		return false
	})
}
