package request

import (
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
)

// savedOptions are what is checked, kept, read and searched.
var savedOptions = []Option{
	// Parity.
	{Name: "fuzz-cases", Value: "N", Help: "cases to draw for each kernel", Fallback: Fallback{Means: unset}, Verbs: "parity"},
	{Name: "fuzz-time", Value: "DURATION", Help: "keep fuzzing each kernel for this long, such as 10m; also the limit of one case", Verbs: "parity"},
	{Name: "corpus", Value: "FILE", Help: "file of cases to try first", Fallback: Fallback{Means: parity.CorpusFile + " next to the configuration"},
		Verbs: "parity"},
	{Name: "save-corpus", Help: "add the case that fails to the corpus", Verbs: "parity"},
	{Name: "sanitize",
		Help:  "also run each case under AddressSanitizer and UndefinedBehaviorSanitizer (which see no races, no uninitialised reads), on a GPU compute-sanitizer",
		Verbs: "parity"},

	// Records.
	{Name: "store", Value: "dir:PATH|git:BRANCH", Help: "where records are kept", Fallback: Fallback{Means: unset},
		Verbs: "bisect drift history " + BaselineVerbs, Input: true},
	{Name: "machine", Value: "KEY", Help: "machine whose records to use", Fallback: Fallback{Means: "this machine"}, Verbs: "history record list show accept waivers prune export"},
	{Name: "since", Value: "REV", Help: "only records after this revision", Verbs: "history"},
	{Name: "limit", Value: "N", Help: "maximum number of records", Other: map[string]Fallback{"list": {Value: "20"}, "export": {Means: "1"}},
		Verbs: "list export"},
	{Name: "from", Value: "FILE", Help: "store this saved result or record instead of measuring", Verbs: "record"},
	{Name: "side", Value: "WORD", Help: "with --from, the side of the result to store", Allowed: []string{string(result.SideHead), string(result.SideBase)},
		Fallback: Fallback{Value: string(result.SideHead)}, Verbs: "record"},
	{Name: "if-needed", Help: "measure only if a record adds something", Verbs: "record"},
	{Name: "reason", Value: "TEXT", Help: "with --case, why it is accepted", Verbs: "accept"},
	{Name: "by", Value: "NAME", Help: "who approves", Fallback: Fallback{Means: "the user of this machine"}, Verbs: "accept"},
	{Name: "revoke", Help: "undo acceptances of the commit: those of --case, or all", Verbs: "accept"},
	{Name: "keep-last", Value: "N", Help: "records to keep, nearest to HEAD first", Fallback: Fallback{Value: "500"}, Zero: true, Verbs: "prune"},
	{Name: "unreachable", Help: "also remove records of commits that are not ancestors of HEAD", Verbs: "prune"},
	{Name: "apply", Help: "remove the records instead of only listing them", Verbs: "prune"},
	{Name: "replace", Help: "replace records that the store has already", Verbs: "import"},

	// Saved results, sample files and profiles.
	{Name: "artifact", Value: "NAME", Help: "artifact of a run of GitHub Actions that has the result", Fallback: Fallback{Value: "perfgate"},
		Verbs: "rerun"},
	{Name: "machine-count", Value: "N", Help: "number of different machines that each measured all cases", Fallback: Fallback{Value: "1"}, Verbs: "merge"},
	{Name: "repository", Value: "URL", Help: "web address of the repository, such as https://github.com/org/repo, for links to commits",
		Verbs: "report"},
	{Name: "paired", Help: "pair processes in file order", Verbs: "compare"},
	{Name: "cpu-time", Help: "compare Google Benchmark's CPU time", Verbs: "compare"},
	{Name: "session-sd", Value: "PERCENT", Help: "standard deviation between sessions, such as 0.5%", Fallback: Fallback{Means: "none: both sides are of one session"},
		Verbs: "compare"},
	{Name: "timer-resolution", Value: "NS", Help: "timer resolution in ns, if the files do not state it", Verbs: "compare"},
	{Name: "ratio", Value: "RATIO", Help: "measured time of head over that of base", Fallback: Fallback{Means: "the ratio of profiled cycles"},
		Verbs: "explain"},
	{Name: "base-details", Value: "FILE", Help: "details page of base's profile as CSV, with the findings of Nsight's rules", Verbs: "explain"},
	{Name: "head-details", Value: "FILE", Help: "details page of head's profile as CSV, with the findings of Nsight's rules", Verbs: "explain"},

	// A search.
	{Name: "repo-dir", Value: "DIR", Help: "clone to work in", Fallback: Fallback{Means: "the current folder"}, Output: true, Verbs: "bisect"},
	{Name: "ledger", Value: "DIR", Help: "folder of the ledger; if there is none, a new search begins", Verbs: "judge"},
	{Name: "recheck", Help: "evaluate the candidate again, even if the ledger has an answer for it", Verbs: "judge"},
	{Name: "status", Help: "print the state of the search, and evaluate nothing", Verbs: "judge"},
	{Name: "resume", Help: "evaluate candidates whose evaluation was interrupted", Verbs: "judge"},
}
