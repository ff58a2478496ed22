package measure

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/org/perfgate/gate/result"
	"github.com/org/perfgate/gate/rule"
	"github.com/org/perfgate/kernels"
)

// scenarios are what TestRecordedRounds plays, by the names of their tapes.
var scenarios = map[string]scenario{
	"gate":               gateOf(3, shifted, nil),
	"gate-libraries":     func(p *tape, t *testing.T, _ string) { p.gate(t.Context(), p.libraries(2, false, false), nil) },
	"gate-ahead":         gateAhead(0, 1, true, false, nil),
	"gate-ahead-3":       gateAhead(3, 1, true, false, func(p *tape) { p.shift["k0/n=1"] = 1.012 }),
	"gate-ahead-apart":   gateAhead(2, 2, true, false, nil),
	"gate-ahead-shared":  gateAhead(1, 3, true, true, nil),
	"gate-ahead-fails":   gateAhead(1, 1, true, false, func(p *tape) { p.fault = failing("open", "head0", 2, 1, crash) }),
	"gate-ahead-no-load": gateAhead(1, 3, true, true, func(p *tape) { p.fault = failing("load", "", 3, 1, crash) }),
	"gate-ahead-no-memory": gateAhead(1, 2, true, false, func(p *tape) {
		p.fault = failing("time", "head1", 2, 1, &kernels.RunnerError{Code: result.CodeOutOfMemory, Message: "no memory"})
	}),
	"gate-ahead-some": func(p *tape, t *testing.T, _ string) {
		all := waiting(2)
		all[0].Variants, p.levelNS["python"] = sidesOf("python", "python"), 1e6
		p.gate(t.Context(), all, p.ahead(1))
	},
	"gate-void":       gateOf(2, func(p *tape) { p.unwell = unwellAt(1, 4, 5, 12, 17) }, nil),
	"gate-void-ahead": gateAhead(3, 1, true, false, func(p *tape) { p.unwell = unwellAt(4) }),
	"gate-void-forgets": gateOf(2, func(p *tape) {
		p.unwell, p.fault = unwellAt(3), failing("time", "head", 1, 1, &kernels.RunnerError{Code: result.CodeOutOfMemory, Message: "no memory"})
	}, nil),
	"gate-never-well": gateOf(1, func(p *tape) { p.unwell = func(int) string { return "hot" } }, nil),
	"gate-head-fails": gateOf(2, func(p *tape) { p.fault = failing("time", "head", 3, 100, crash) }, nil),
	"gate-base-fails": gateOf(2, func(p *tape) { p.fault = failing("time", "base", 3, 100, crash) }, nil),
	"gate-both-fail": gateOf(2, func(p *tape) {
		p.fault = func(op, _, _ string, _ int) error {
			if op == "time" {
				return crash
			}
			return nil
		}
	}, nil),
	"gate-probe-fails":       gateOf(2, func(p *tape) { p.fault = failing("probe", "head", 1, 1, crash) }, nil),
	"gate-start-fails":       gateOf(2, func(p *tape) { p.fault = failing("start", "base", 2, 1, crash) }, nil),
	"gate-our-error":         gateOf(2, func(p *tape) { p.fault = failing("time", "head", 3, 1, os.ErrPermission) }, nil),
	"gate-outside-work":      gateOf(2, func(p *tape) { p.fault = failing("time", "head", 3, 2, outsideWork) }, nil),
	"gate-outside-work-once": gateOf(2, func(p *tape) { p.fault = failing("time", "base", 3, 1, outsideWork) }, nil),
	"gate-budget":            gateOf(2, slower, within(7*time.Second)),
	"gate-budget-at-once":    gateOf(2, func(p *tape) { p.timing = 2 * time.Second }, within(7*time.Second)),
	// Nothing is timed where the first look does not fit.
	"gate-budget-refused": gateOf(4, nil, within(7*time.Second)),
	"gate-cancelled": func(p *tape, t *testing.T, _ string) {
		ctx, cancel := context.WithCancel(t.Context())
		p.fault = func(op, _, _ string, nth int) error {
			if op != "time" || nth != 4 {
				return nil
			}
			cancel()
			return context.Cause(ctx)
		}
		p.gate(ctx, p.libraries(1, true, false), p.ahead(1))
	},
	"gate-gpu":             gateOf(2, func(p *tape) { p.event, p.sampleSD = true, 0.002 }, nil),
	"gate-gpu-few-samples": gateOf(1, func(p *tape) { p.event = true }, func(o *Options) { o.MaxSamples = 7 }),
	"gate-few-samples":     gateOf(1, nil, func(o *Options) { o.MaxSamples = 7 }),
	"gate-competitors":     gateBeside(nil, nil),
	"gate-competitors-ahead": func(p *tape, t *testing.T, _ string) {
		all := p.libraries(1, true, false)
		competitors(p, all)
		p.gate(t.Context(), all, func(o *Options) {
			p.ahead(2)(o)
			o.Policy.MinSpeedups, o.Policy.Competitors = 2, 2
		})
	},
	"gate-competitors-fail":    gateBeside(func(p *tape) { p.fault = failing("time", "lib", 3, 1, crash) }, nil),
	"gate-competitors-tensors": gateBeside(func(p *tape) { p.tensors["old"] = "f16" }, nil),
	"gate-competitors-void": gateBeside(func(p *tape) {
		p.unwell, p.fault = unwellAt(6), failing("time", "lib", 1, 1, crash)
	}, nil),
	"gate-competitors-budget": gateBeside(slower, within(13*time.Second)),
	"gate-benchmark": func(p *tape, t *testing.T, _ string) {
		p.gate(t.Context(), benchmarks(p), func(o *Options) {
			p.ahead(1)(o)
			o.Policy.Competitors = 1
		})
	},
	"gate-benchmark-row-lost": func(p *tape, t *testing.T, _ string) {
		all := benchmarks(p)
		all[0].Benchmark.(*tapedProgram).lost = func(side result.Side, process int, name string) bool {
			return name == "cub/n=1" && side == result.SideBase && process == 3 || name == "k/n=0" && side == result.SideHead && process == 4
		}
		p.gate(t.Context(), all, func(o *Options) { o.Policy.Competitors = 1 })
	},
	"gate-judge": func(p *tape, t *testing.T, dir string) {
		all := subjects(2)
		p.gate(t.Context(), all, func(o *Options) { judged(all, o, dir) })
	},
	"gate-checked": gateOf(1, bent(1.01), nil),
	"gate-hidden":  gateOf(1, bent(2), nil),
	"search": func(p *tape, t *testing.T, _ string) {
		course := rule.Screening(0.95, 0.015)
		p.checked = true
		shifted(p)
		p.gate(t.Context(), subjects(3), func(o *Options) {
			o.Stop, o.Search, o.Design = rule.Together{Course: course, Policy: o.Policy}, true, Even
		})
	},
	"search-fails": func(p *tape, t *testing.T, _ string) {
		course := rule.Screening(0.95, 0.015)
		p.checked = true
		p.fault = failing("time", "head", 6, 1, crash)
		p.gate(t.Context(), subjects(2), func(o *Options) {
			o.Stop, o.Search, o.Design = rule.Together{Course: course, Policy: o.Policy}, true, Even
		})
	},
	"search-fails-early": func(p *tape, t *testing.T, _ string) {
		course := rule.Confirmation(0.01, 0.95, 0.001)
		p.checked = true
		p.fault = failing("time", "head", 2, 1, crash)
		p.gate(t.Context(), subjects(2), func(o *Options) {
			o.Stop, o.Search, o.Design = rule.Together{Course: course, Policy: o.Policy}, true, Even
		})
	},
	"search-budget": func(p *tape, t *testing.T, _ string) {
		course := rule.Confirmation(0.01, 0.95, 0.015)
		p.checked = true
		slower(p)
		p.gate(t.Context(), subjects(2), func(o *Options) {
			o.Stop, o.Search, o.Design, o.Budget = rule.Together{Course: course, Policy: o.Policy}, true, Even, 8*time.Second
		})
	},
	"alone":            aloneOf(3, &recorded, 6, nil, nil),
	"alone-calibrates": aloneOf(2, nil, 5, nil, nil),
	"alone-libraries": func(p *tape, t *testing.T, _ string) {
		p.alone(t.Context(), p.libraries(2, false, false), &recorded, 5, nil)
	},
	"alone-ahead": func(p *tape, t *testing.T, _ string) {
		p.alone(t.Context(), p.libraries(1, true, false), nil, 5, p.ahead(2))
	},
	"alone-ahead-apart": func(p *tape, t *testing.T, _ string) {
		p.alone(t.Context(), p.libraries(3, true, false), nil, 3, p.ahead(2))
	},
	"alone-ahead-shared": func(p *tape, t *testing.T, _ string) {
		p.alone(t.Context(), p.libraries(3, true, true), &recorded, 3, p.ahead(2))
	},
	"alone-budget":    aloneOf(2, &recorded, 10, slowly, within(700*time.Millisecond)),
	"alone-disturbed": aloneOf(2, &recorded, 6, func(p *tape) { p.unwell = unwellAt(4) }, nil),
	"alone-disturbed-one": func(p *tape, t *testing.T, _ string) {
		p.unwell = unwellAt(4)
		p.alone(t.Context(), p.libraries(2, false, false), &recorded, 4, nil)
	},
	"alone-fails": func(p *tape, t *testing.T, _ string) {
		p.fault = failing("time", "head0", 3, 1, crash)
		p.alone(t.Context(), p.libraries(2, true, false), &recorded, 4, p.ahead(1))
	},
	"alone-probe-fails": aloneOf(2, nil, 4, func(p *tape) { p.fault = failing("probe", "head", 1, 1, crash) }, nil),
	"alone-competitors": func(p *tape, t *testing.T, _ string) {
		all := subjects(2)
		competitors(p, all)
		p.fault = failing("time", "old", 3, 1, crash)
		p.alone(t.Context(), all, nil, 5, nil)
	},
	"alone-competitors-known": func(p *tape, t *testing.T, _ string) {
		all := p.libraries(1, true, false)
		competitors(p, all)
		p.alone(t.Context(), all, &recorded, 4, p.ahead(2))
	},
	"gate-benchmark-waits": func(p *tape, t *testing.T, _ string) {
		all := benchmarks(p)
		edit(all[:2], func(v *Variant) { v.Waits = true })
		p.gate(t.Context(), all, p.ahead(2))
	},
	"alone-benchmark": func(p *tape, t *testing.T, _ string) { p.alone(t.Context(), benchmarks(p), nil, 4, p.ahead(1)) },
	"alone-benchmark-apart": func(p *tape, t *testing.T, _ string) {
		p.alone(t.Context(), append(benchmarks(p)[:2], p.libraries(2, true, false)...), nil, 4, p.ahead(2))
	},
	"alone-judge": func(p *tape, t *testing.T, dir string) {
		all := subjects(2)
		p.alone(t.Context(), all, &recorded, 4, func(o *Options) { judged(all, o, dir) })
	},
	"alone-judge-budget": func(p *tape, t *testing.T, dir string) {
		all := p.libraries(2, false, false)
		slowly(p)
		p.alone(t.Context(), all, &recorded, 1, func(o *Options) {
			judged(all, o, dir)
			o.Budget = 130 * time.Millisecond
		})
	},
	"alone-checked":    aloneOf(1, &recorded, 4, bent(1.01), nil),
	"alone-hidden":     aloneOf(1, &recorded, 4, bent(3), nil),
	"tune":             raceOf(2, 4, map[int]int{1: 2, 4: 3}, nil, nil),
	"tune-all-dropped": raceOf(1, 9, map[int]int{0: 2, 1: 2, 3: 1, 4: 3}, nil, nil),
	"tune-ahead":       raceAhead(1, false),
	"tune-ahead-2":     raceAhead(2, false),
	// A next round that no look precedes is known where one process measures everything.
	"tune-shared-unseen": func(p *tape, t *testing.T, _ string) {
		all := waiting(1)
		edit(all, func(v *Variant) { v.Shares = true })
		for _, library := range tried {
			p.levelNS[library] = 1e6
		}
		p.race(t.Context(), all, tried, 3, nil, func(o *Options) {
			p.ahead(1)(o)
			o.Stop = rule.Count(3)
		})
	},
	"tune-shared": raceAhead(2, true),
	"tune-void": raceOf(1, 3, nil, func(p *tape) {
		p.unwell, p.fault = unwellAt(4, 15), failing("time", "head-64", 1, 1, crash)
	}, nil),
	"tune-fails": raceOf(2, 3, nil, func(p *tape) { p.fault = failing("time", "head-64", 3, 1, crash) }, nil),
	"tune-fails-ahead": func(p *tape, t *testing.T, _ string) {
		for _, library := range tried {
			p.levelNS[library] = 1e6
		}
		p.fault = failing("time", "head-64", 2, 1, crash)
		p.race(t.Context(), waiting(1), tried, 3, nil, p.ahead(2))
	},
	"tune-probe-fails":    raceOf(2, 2, nil, func(p *tape) { p.fault = failing("probe", "head", 1, 1, crash) }, nil),
	"tune-budget":         raceOf(1, 9, nil, slowly, within(time.Second)),
	"tune-budget-at-once": raceOf(2, 9, nil, slowly, within(time.Second/2)),
	"tune-never-well":     raceOf(1, 9, nil, func(p *tape) { p.unwell = func(int) string { return "hot" } }, nil),
}
