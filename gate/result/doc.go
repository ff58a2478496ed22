// Package result is a run as data, schema perfgate/result/v3: rich enough to render any report and to decide again from it. docs/result.schema.json
// is made from it: the comments of types, fields and constants are read by users.
//
//	Result      one run, of one machine or merged of several. Its Kind is what was asked: the gate, versus or tune
//	├ Policy      what was asked of it: tolerance, confidence, what an inconclusive case means, the version of the rule
//	├ Base, Head  the two sides; Config, Machine, Toolchain, Sandbox: what they were built and run with
//	├ Kernels     what becomes of each: builds of both sides, parity, limits, its competitors, its configurations
//	├ Rounds      the order in which fresh processes ran
//	├ Cases       a kernel and one assignment of its parameters each, whose name is a CaseID
//	│ ├ Method      how it is timed, the same for all
//	│ ├ Processes   a Variant each, by purpose, round and position (Of, Sides, For)
//	│ ├ Comparisons of one Variant to another: what was asked, the numbers, the verdict (Comparison, To)
//	│ │               head to base            the gate's; Looks are its interim looks
//	│ │               head to record          screening of head only
//	│ │               head to best-known      what many changes lost together
//	│ │               head to a competitor    whether head reaches its minimum speedup
//	│ │               base to a competitor    nothing is decided by it
//	│ │               a configuration to the fastest of them: those of tune
//	│ ├ Verdict     that of one comparison (Compared), with its Reason where it was not timed or could not be
//	│ ├ Stored, Competitors  what else records, and competitors, have to do with it
//	│ └ Evidence    what explains a shift
//	└ Conclusion  findings (kind, effect, where, numbers) and the exit code that follows from them
//
//	samples -> Process -> Comparison -> Verdict -> Finding -> Conclusion -> exit code
//
// A fact is data: a Finding has a kind, a Reason has a kind or a tool's message, and package report has the one sentence of each. Decisions read kinds
// and numbers, never text. The samples are what counts: package rule replays them to the same verdicts, findings and exit code.
//
// Units, unless a field says otherwise: times of launches in nanoseconds, durations of the run in seconds, sizes in bytes, ratios and shares as
// fractions (0.015 is 1.5 %).
package result
