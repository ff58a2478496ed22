package config

import (
	"fmt"
	"path"
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
	there := d.object(root, "the configuration", configFields(c))
	d.require(root, there, "the configuration", "kernels")
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
			return isNull(v.Value) || d.clean(func() { formatVersion(&c.Version)(d, v.Value) })
		}
	}
	d.fail(root, "", "the configuration lacks the key \"version\"; write version: %d", Version)
	return true
}

func formatVersion(to *int) reader {
	return single("version", func(s scalar) (string, string) {
		if s.quoted || s.text != strconv.Itoa(Version) {
			return "is " + s.asWritten() + ", which this perfgate does not read", strconv.Itoa(Version)
		}
		*to = Version
		return "", ""
	})
}

func configFields(c *Config) []field {
	return []field{
		{"version", formatVersion(&c.Version)},
		{"device", word("device", &c.Device, DeviceAuto, DeviceCUDA, DeviceCPU)},
		{"watch", list("watch", &c.Watch, true, pattern)},
		{"kernels", func(d *decoder, n ast.Node) { c.Kernels = d.kernels(n) }},
		{"gate", section("gate", gateFields(&c.Gate))},
		{"profile", section("profile", profileFields(&c.Profile))},
		{"baseline", section("baseline", baselineFields(&c.Baseline))},
		{"cost", section("cost", costFields(&c.Cost))},
	}
}

// section reads a mapping of settings that all have defaults.
func section(what string, fields []field) reader {
	return func(d *decoder, n ast.Node) { d.object(n, what, fields) }
}

// A shift can be any multiple upwards; ten times is more than any threshold needs.
var (
	share  = limits{low: 0, high: 1}
	growth = limits{low: 0, high: 10}
	// At 0 no run could say that a case is the same, and at 100 % nobody asks.
	tolerable = limits{low: 0, high: 1, openLow: true, openHigh: true}
)

func gateFields(g *GateSettings) []field {
	return []field{
		{"tolerance", percent("tolerance", &g.Tolerance, tolerable)},
		{"improvement", percent("improvement", &g.Improvement, growth)},
		{"confidence", percent("confidence", &g.Confidence, limits{low: 0.5, high: 1, openHigh: true})},
		{"budget", duration("budget", &g.Budget, time.Second, 24*time.Hour)},
		{"on-inconclusive", word("on-inconclusive", &g.OnInconclusive,
			OnInconclusiveEstimate, OnInconclusivePass, OnInconclusiveFail)},
	}
}

func profileFields(p *ProfileSettings) []field {
	return []field{
		{"regression", percent("regression", &p.Regression, growth)},
		{"improvement", percent("improvement", &p.Improvement, growth)},
		{"cases", count("cases", &p.Cases, 1, 100)},
	}
}

func baselineFields(b *BaselineSettings) []field {
	return []field{
		{"store", func(d *decoder, n ast.Node) {
			b.Named = true
			checked("store", &b.Store, checkStore)(d, n)
		}},
		{"mode", word("mode", &b.Mode, BaselineAuto, BaselineStored, BaselinePaired)},
		{"creep", percent("creep", &b.Creep, share)},
	}
}

func costFields(c *CostSettings) []field {
	return []field{
		{"gpu-hour", number("gpu-hour", &c.GPUHour, limits{low: 0, high: 1e6})},
	}
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

// pattern reads one pattern of watch.
func pattern(what string, to *string) reader { return checked(what, to, checkPattern) }

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

// maxAbsolute leaves room for what large inputs are allowed on top.
const maxAbsolute = 1e300

func parityFields(p *Parity, where *ast.Node) []field {
	return []field{
		{"cases", count("cases", &p.Cases, 1, 1_000_000)},
		{"atol", optionalNumber("atol", &p.ATol, limits{low: 0, high: maxAbsolute})},
		// At 1 an output of zeros passes.
		{"rtol", optionalNumber("rtol", &p.RTol, limits{low: 0, high: 1, openHigh: true})},
		{"yardstick", word("yardstick", &p.Yardstick, YardstickWarn, YardstickFail)},
		{"deterministic", boolean("deterministic", &p.Deterministic)},
		{"where", func(d *decoder, n ast.Node) { *where = n }},
		{"metamorphic", relations(&p.Metamorphic)},
		{"matched", percent("matched", &p.Matched, limits{low: 0.5, high: 1})},
	}
}

func resourceFields(r *Resources) []field {
	return []field{
		{"spill-bytes", limit("spill-bytes", &r.SpillBytes)},
		{"registers", limit("registers", &r.Registers)},
		{"shared-bytes", limit("shared-bytes", &r.SharedBytes)},
	}
}
