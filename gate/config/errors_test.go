package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
)

// parsed is a configuration that is accepted.
func parsed(t *testing.T, src string) *Config {
	t.Helper()
	c, err := Parse("p", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return c
}

// kernelOf is a configuration with one kernel, given by its lines.
func kernelOf(lines string) string {
	return "version: 1\nkernels:\n  - name: k\n    " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n    ") + "\n"
}

func many(n int, text string) string { return strings.TrimSuffix(strings.Repeat(text, n), ",") }

// What is wrong with a kernel or with tolerances is one error that says what, and where. Parts of it are separated by |; none: it is accepted.
func TestErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	numbers := "0"
	for i := 1; i < 20; i++ {
		numbers += ", " + IntValue(int64(i)).Text
	}
	const compiled, csv = "adapter: k.pg.cc\n", "bench: {command: ./b, format: csv}\n"
	of := func(before, after string, table map[string]string) {
		for lines, want := range table {
			src := before + lines + after
			if !strings.HasPrefix(src, "version") {
				src = kernelOf(src)
			}
			_, err := Parse("p", []byte(src))
			parts := strings.Split(want, "|")
			switch {
			case want == "" && err == nil:
			case want == "" || err == nil:
				t.Errorf("%s:\n%v\nwant %q", lines, err, want)
			case len(err.(Errors)) != 1 && !strings.HasSuffix(want, "|") || !strings.HasPrefix(err.Error(), "p:") || slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(err.Error(), part) }):
				t.Errorf("%s:\n%v\nwant %q", lines, err, want)
			}
		}
	}
	of("", "", map[string]string{
		"bench: ./b":                                                                              `4:12: bench must be a mapping`,
		"bench: {command: ./b}":                                                                   `bench lacks the key "format"`,
		"bench: {format: csv}":                                                                    `bench lacks the key "command"`,
		"bench: {command: ./b, format: js}":                                                       `format is "js"`,
		"bench: {command: ./b, format: nvbench, time: hot}":                                       `time is "hot"`,
		"bench: {command: ./b, format: csv, time: cold}":                                          "csv has one time",
		"bench: {command: ./b, format: csv, filter: x}":                                           `unknown key "filter" in bench`,
		"bench: {format: triton}":                                                                 `bench lacks the key "script"`,
		"bench: {script: x.py, format: triton, command: x}":                                       "command has no effect with format triton, which takes a script",
		"bench: {command: ./b, format: csv, script: x.py}":                                        "script has no effect with format csv, which takes a command",
		"bench: {script: ../x.py, format: triton}":                                                "leaves the folder",
		"bench: {script: x.py, format: triton, time: cold}":                                       "triton has one time",
		"bench: {command: ./b, format: csv, competitors: [torch]}":                                "competitors has no effect with format csv",
		"bench: {script: x.py, format: triton, competitors: [\"a[\"]}":                            "has a bracket or a brace that is not closed",
		"bench: {command: ./b, format: nvbench, csv: {case: a, value: ms}}":                       "4:49: csv has no effect with format nvbench",
		"bench: {command: ./b, format: csv, csv: {value: ms}}":                                    `csv lacks the key "case"`,
		"bench: {command: ./b, format: csv, csv: {case: a}}":                                      `csv lacks the key "value"|GB/s`,
		"bench: {command: ./b, format: csv, csv: {case: \"{a\", value: ms}}":                      "has a brace without its other one|{kernel}/rows={rows}",
		"bench: {command: ./b, format: csv, csv: {case: a, value: [{name: ms, better: higher}]}}": `value "ms" is a time|better: lower`,
		"bench: {command: ./b, format: csv, csv: {case: a, value: [{name: ms, better: more}]}}":   `better is "more"`,
		"bench: {command: ./b, format: csv, csv: {case: a, value: [{name: ms}, {name: ms}]}}":     `a second entry of value "ms"`,
		"bench: {command: ./b, format: csv, csv: {case: a, value: [{name: t, unit: h}]}}":         `unit is "h"|ns, us, ms, s`,
		"bench: {command: ./b, format: csv, csv: {case: a, value: ms, separator: pipe}}":          `separator is "pipe"|bar`,
		"bench: {command: ./b, format: csv, csv: {case: a, value: [ms]}}":                         "an entry of value must be a mapping",
		"bench: {command: ./b, format: csv, check: {atol: 1}}":                                    `check lacks the key "command"`,
		"bench: {command: ./b, format: csv, check: {command: ./c, rtol: 1}}":                      "rtol",
		"bench: {command: ./b, format: csv, check: ./c}":                                          "check is \"./c\"",
		"adapter: k.pg.cc\nbench: {command: ./b, format: csv, check: {command: ./c}}":             "5:47: check has no effect with an adapter",
		"build: {command: make}":                                                                  `build lacks the key "output"`,
		"sources: [k.cc]":                                                                         "or a benchmark (bench)",
		"adapter: k.pg.py\ntune: {pack.k.B: [64]}":                                                "",
	})
	of(csv, "", map[string]string{
		"python: python3":            "5:13: python does not apply to bench.command",
		"measure: [{n: 1}]":          "measure has no effect with bench|",
		"cache: hot":                 "cache has no effect with bench",
		"host-time: true":            "host-time has no effect with bench",
		"params: {n: {values: [1]}}": "params needs an adapter",
		"parity: {cases: 5}":         "parity needs an adapter",
		"sources: [k.cc]":            "sources needs an adapter",
		"cases: [\"a[\"]":            "has a bracket or a brace that is not closed",
		"files: [../x]":              "leaves the folder",
		"tune: {B: [64]}":            "tune has no effect with bench",
		"competitors: [{name: a, adapter: a.pg.cc}]": "competitors has no effect with bench",
		"pin: {f: A=1}": "pin has no effect",
	})
	of(compiled, "", map[string]string{
		"files: [x]":                 "files has no effect without bench",
		"cases: [x]":                 "cases has no effect without bench",
		"tune: {A-B: [1]}":           `a name in tune is "A-B"`,
		"tune: {B: 64}":              "values of B must be a list",
		"tune: {B: []}":              "values of B is an empty list",
		"tune: {B: [64, 64]}":        `values of B lists "64" twice`,
		"tune: {B: ['1 -o /tmp/x']}": `is "1 -o /tmp/x"`,
		"tune: {B: [{x: 1}]}":        "values of B",
		"tune: {k.B: [64]}":          "k.B is a constant of Python, and the adapter is none",
		"tune: {A: [" + numbers + "], B: [" + numbers + "]}":    "tune makes more than 256 configurations",
		"build: {command: make, output: k.so}\ntune: {B: [64]}": "",
	})
	of(compiled+"competitors: ", "", map[string]string{
		"[{name: lib, adapter: torch:conv}]":                 "torch:sdpa",
		"[{name: lib, adapter: torch:sdpa, flags: [-O3]}]":   "flags has no effect with an adapter in Python",
		"[{name: lib, adapter: a.pg.cc, min-speedup: 1.2}]":  `min-speedup is "1.2"`,
		"[{name: lib, adapter: a.pg.cc, min-speedup: 120%}]": "how many times as fast, like 1.2x",
		"[{name: lib, adapter: a.pg.cc, min-speedup: 0x}]":   `min-speedup is "0x"`,
		"[{name: lib}]": `a competitor lacks the key "adapter"`,
		"[{name: lib, adapter: a.pg.cc, wen: always}]":                                                 `unknown key "wen" in a competitor`,
		"[{name: lib, adapter: a.pg.cc, when: never}]":                                                 "changed, always, record, manual",
		"[{name: lib, adapter: a.pg.py, flags: [-O3]}]":                                                "flags has no effect with an adapter in Python",
		"[{name: lib, adapter: a.pg.cc, python: python3}]":                                             "python has no effect",
		"[{name: a, adapter: a.pg.cc}, {name: a, adapter: b.pg.cc}]":                                   `a second competitor "a" (first at line 5)`,
		"[{name: a, adapter: ../a.pg.cc}]":                                                             "adapter",
		"[a.pg.cc]":                                                                                    "a competitor must be a mapping",
		"[{name: lib, adapter: a.pg.cc, min-speedup: 1.2x, when: record}]":                             "min-speedup has no effect with when: record",
		"[{name: a, adapter: a}, {name: b, adapter: b}, {name: c, adapter: c}, {name: d, adapter: d}]": "4 entries, at most 3",
	})
	of("version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1]}}}\n", "\n", map[string]string{
		"tolerances: {k: 3%}":                                                           "4:13: tolerances must be a list",
		"tolerances: []":                                                                "tolerances is an empty list",
		"tolerances: [{cases: k}]":                                                      `4:14: an entry of tolerances lacks the key "tolerance"`,
		"tolerances: [{tolerance: 3%}]":                                                 `an entry of tolerances lacks the key "cases"`,
		"tolerances: [{cases: k, tolerance: 3%, case: k}]":                              `unknown key "case" in an entry of tolerances|did you mean "cases"?`,
		"tolerances: [{cases: k, tolerance: 3}]":                                        `4:36: tolerance is "3", which is not a percentage`,
		"tolerances: [{cases: k, tolerance: 0%}]":                                       "a percentage above 0% to under 100%",
		"tolerances: [{cases: \"k[\", tolerance: 3%}]":                                  `4:22: cases "k[" has a bracket`,
		"tolerances: [{cases: " + strings.Repeat("k", 257) + ", tolerance: 3%}]":        "cases is too long",
		"tolerances: [{cases: k, tolerance: 3%}, {cases: k, tolerance: 4%}]":            `4:49: a second entry of tolerances "k" (first at line 4)`,
		"tolerances: [{cases: k, tolerance: 3%, floor: 2s}]":                            `4:47: floor is "2s"|0.5us`,
		"tolerances: [{cases: k, tolerance: 3%, floor: 0.5}]":                           `4:47: floor is "0.5"|0.5us`,
		"tolerances: [{cases: k, tolerance: 6%}]":                                       `4:36: the tolerance 6% of "k" is larger than baseline.cumulative-tolerance (5%)|baseline: {cumulative-tolerance: 6%}`,
		"baseline: {cumulative-tolerance: 2%}\ntolerances: [{cases: k, tolerance: 3%}]": `5:36: the tolerance 3% of "k" is larger`,
		"tolerances: [" + many(257, "{cases: k, tolerance: 3%},") + "]":                 "tolerances has 257 entries, at most 256",
		"tolerances: [{cases: k, tolerance: 8%}]\nbaseline: {cumulative-tolerance: 8%}": "",
		"gate: {tolerance: 8%}":                                                         "",
		"gate: {tolerance: 8%}\ntolerances: [{cases: k, tolerance: 7%}]":                "",
		"gate: {tolerance: 8%}\ntolerances: [{cases: k, tolerance: 9%}]":                `5:36: the tolerance 9% of "k" is larger than baseline.cumulative-tolerance (8%)`,
		"gate: {tolerance: 8%}\nbaseline: {cumulative-tolerance: 7%}":                   "5:34: cumulative-tolerance is 7%, less than the tolerance of cases (8%)|at least 8%",
		"baseline: {cumulative-tolerance: 1%}":                                          "4:34: cumulative-tolerance is 1%, less than the tolerance of cases (1.5%)",
		"baseline: {cumulative-tolerance: 1.5%}":                                        "",
	})
	latest := result.LatestDay(result.Day(time.Now()))
	of("version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1]}}, competitors: [{name: lib, adapter: a.pg.cc}, {name: old, adapter: a.pg.cc, when: record}]}\ngoals: [{", "}]", map[string]string{
		"speedup: 1.1x, cases: 1":                           `a goal lacks the key "over"`,
		"over: lib, cases: 1":                               `a goal lacks the key "speedup"`,
		"speedup: 1.1x, over: lib":                          `a goal lacks the key "cases"`,
		"speedup: 1.1x, over: cub, cases: 1":                `no kernel has a competitor "cub"`,
		"speedup: 1.1x, over: old, cases: 1":                "no run measures",
		"speedup: 1.1x, over: lib, cases: 0":                "from 1 to 100000",
		"speedup: fast, over: lib, cases: 1":                "how many times as fast",
		"speedup: 1.1x, over: lib, cases: 1, required: yes": "true",
	})
	of("version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1]}}}\nwaivers: [{", "}]", map[string]string{
		"cases: k, reason: r, owner: o, until: 2026-01-31":                                                     "", // has lapsed, which a run says
		"cases: k, reason: r, owner: o, until: \"2026-01-31\", tolerance: 40%":                                 "",
		"cases: k, reason: r, owner: o, until: " + latest:                                                      "",
		"cases: k, reason: r, owner: o, until: 9999-01-31":                                                     `4:50: the waiver of "k" ends on 9999-01-31, more than 180 days from|a day until ` + latest,
		"cases: k, owner: o, until: 2026-01-31":                                                                `an entry of waivers lacks the key "reason"`,
		"cases: k, reason: r, until: 2026-01-31":                                                               `an entry of waivers lacks the key "owner"`,
		"cases: k, reason: r, owner: o":                                                                        `an entry of waivers lacks the key "until"`,
		"reason: r, owner: o, until: 2026-01-31":                                                               `an entry of waivers lacks the key "cases"`,
		"cases: k, reason: \"  \", owner: o, until: 2026-01-31":                                                "reason is empty",
		"cases: k, reason: \"a\\nb\", owner: o, until: 2026-01-31":                                             "reason has a line break",
		"cases: k, reason: " + strings.Repeat("r", 301) + ", owner: o, until: 2026-01-31":                      "reason is too long|300 bytes",
		"cases: k, reason: r, owner: o, until: 31.1.2026":                                                      `until is "31.1.2026"|2027-01-31`,
		"cases: k, reason: r, owner: o, until: 2026-02-30":                                                     `until is "2026-02-30"`,
		"cases: k, reason: r, owner: o, until: 2026-01-31, tolerance: 0%":                                      "a percentage above 0% to under 100%",
		"cases: k, reason: r, owner: o, until: 2026-01-31}, {cases: k, reason: r, owner: o, until: 2026-01-31": `a second entry of waivers "k"`,
	})
	// An interpreter for all kernels does not reach what a command starts.
	of("version: 1\npython: python3\nkernels:\n  - name: a\n    adapter: a.pg.py\n    params: {n: {values: [1]}}\n  - name: b\n    ", "\n", map[string]string{
		"bench: {command: python3 x.py, format: csv}": `2:9: python does not apply to bench.command of kernel "b"`,
		"bench: {script: x.py, format: triton}":       "",
	})
}

// What stands in the file is in the configuration.
func TestKernelsAreRead(t *testing.T) {
	t.Parallel()
	for lines, holds := range map[string]func(k Kernel) bool{
		"build: {command: make bench}\nbench: {command: ./b, format: nvbench}\nfiles: [bench/**]\ncases: [\"sum/*\"]": func(k Kernel) bool {
			return !k.HasAdapter() && k.Build == nil && k.Bench.Build == "make bench" && k.Bench.Time == "cold" && k.Bench.Command == "./b" && len(k.Files) == 1
		},
		"adapter: k.pg.cc\nsources: [k.cc]\nparams: {n: {fuzz: {min: 1, max: 9}}}\nbench: {command: ./b, format: csv}\nbuild: {command: make all, output: k.so}": func(k Kernel) bool {
			return k.HasAdapter() && k.Build != nil && k.Bench.Build == ""
		},
		"bench: {script: bench/softmax.py, args: [--quick, --quick], format: triton, competitors: [torch]}\npython: .venv/bin/python": func(k Kernel) bool {
			return k.NeedsPython() && k.Bench.Script == "bench/softmax.py" && len(k.Bench.Args) == 2 && k.Bench.Competitors[0] == "torch" && k.Python == ".venv/bin/python"
		},
		"adapter: k.pg.cc\ntune: {BLOCK: [64, 128], MODE: [fast, exact, -1.5]}": func(k Kernel) bool {
			var got []string
			for _, s := range k.Configurations() {
				got = append(got, k.ConfigurationText(s))
			}
			return strings.Join(got, " ") == "BLOCK=64,MODE=fast BLOCK=64,MODE=exact BLOCK=64,MODE=-1.5 BLOCK=128,MODE=fast BLOCK=128,MODE=exact BLOCK=128,MODE=-1.5"
		},
		"adapter: k.pg.cc": func(k Kernel) bool { return len(k.Configurations()) == 0 },
		"adapter: k.pg.cc\ncompetitors:\n  - {name: lib, adapter: lib.pg.py, python: .venv/bin/python, min-speedup: 1.2x}\n" +
			"  - {name: old, adapter: old.pg.cc, sources: [old.cc], flags: [-O2], min-speedup: 0.99x, when: always}\n  - {name: sdpa, adapter: \"torch:sdpa\"}": func(k Kernel) bool {
			c := k.Competitors
			return len(c) == 3 && c[2].Adapter == "torch:sdpa" && c[0].MinSpeedup == 1.2 && c[0].When == WhenChanged && c[1].MinSpeedup == 0.99 && c[1].When == WhenAlways &&
				strings.Join(k.Adapters(), " ") == "k.pg.cc lib.pg.py old.pg.cc"
		},
	} {
		if k := parsed(t, kernelOf(lines)).Kernels[0]; !holds(k) {
			t.Errorf("%s:\n%+v, %+v", lines, k, k.Bench)
		}
	}
	c := parsed(t, "version: 1\nkernels:\n  - {name: k, adapter: k.pg.cc, params: {n: {values: [1]}}}\ntolerances: [{cases: \"k/**\", tolerance: 3%, floor: 0.5us}, {cases: k, tolerance: 5%}]")
	if len(c.Tolerances) != 2 || c.Tolerances[0].Floor != 500*time.Nanosecond || c.Tolerances[1].Floor != 0 || c.Tolerances[0].Cases != "k/**" || c.Tolerances[0].Tolerance != 0.03 {
		t.Errorf("%+v", c.Tolerances)
	}
}
