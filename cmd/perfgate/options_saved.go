package main

import (
	"github.com/org/perfgate/gate/parity"
	"github.com/org/perfgate/gate/result"
)

// savedOptions are what is checked, kept, read and searched.
var savedOptions = []option{
	// Parity.
	{name: "fuzz-cases", value: "N", help: "cases to draw for each kernel", fallback: fallback{means: unset}, verbs: "parity"},
	{name: "fuzz-time", value: "DURATION", help: "keep fuzzing each kernel for this long, such as 10m; also the limit of one case", verbs: "parity"},
	{name: "corpus", value: "FILE", help: "file of cases to try first", fallback: fallback{means: parity.CorpusFile + " next to the configuration"},
		verbs: "parity"},
	{name: "save-corpus", help: "add the case that fails to the corpus", verbs: "parity"},
	{name: "sanitize",
		help:  "also run each case under AddressSanitizer and UndefinedBehaviorSanitizer (which see no races, no uninitialised reads), on a GPU compute-sanitizer",
		verbs: "parity"},

	// Records.
	{name: "store", value: "dir:PATH|git:BRANCH", help: "where records are kept", fallback: fallback{means: unset},
		verbs: "bisect drift history " + records, input: true},
	{name: "machine", value: "KEY", help: "machine whose records to use", fallback: fallback{means: "this machine"}, verbs: "history record list show accept waivers prune export"},
	{name: "since", value: "REV", help: "only records after this revision", verbs: "history"},
	{name: "limit", value: "N", help: "most records", other: map[string]fallback{"list": {value: "20"}, "export": {means: "1"}},
		verbs: "list export"},
	{name: "from", value: "FILE", help: "store this saved result or record instead of measuring", verbs: "record"},
	{name: "side", value: "WORD", help: "with --from, the side of the result to store", allowed: []string{string(result.SideHead), string(result.SideBase)},
		fallback: fallback{value: string(result.SideHead)}, verbs: "record"},
	{name: "if-needed", help: "measure only if a record adds something", verbs: "record"},
	{name: "reason", value: "TEXT", help: "with --case, why it is accepted", verbs: "accept"},
	{name: "by", value: "NAME", help: "who approves", fallback: fallback{means: "the user of this machine"}, verbs: "accept"},
	{name: "revoke", help: "take back acceptances of the commit: those of --case, or all", verbs: "accept"},
	{name: "keep-last", value: "N", help: "records to leave, nearest to HEAD first", fallback: fallback{value: "500"}, zero: true, verbs: "prune"},
	{name: "unreachable", help: "also remove records of commits that are not ancestors of HEAD", verbs: "prune"},
	{name: "apply", help: "remove the records, and do not only list them", verbs: "prune"},
	{name: "replace", help: "replace records that the store has already", verbs: "import"},

	// Saved results, sample files and profiles.
	{name: "artifact", value: "NAME", help: "artifact of a run of GitHub Actions that has the result", fallback: fallback{value: "perfgate"},
		verbs: "rerun"},
	{name: "machine-count", value: "N", help: "number of different machines that each measured all cases", fallback: fallback{value: "1"}, verbs: "merge"},
	{name: "repository", value: "URL", help: "web address of the repository, such as https://github.com/org/repo, for links to commits",
		verbs: "report"},
	{name: "paired", help: "processes pair up in file order", verbs: "compare"},
	{name: "cpu-time", help: "compare Google Benchmark's CPU time", verbs: "compare"},
	{name: "session-sd", value: "PERCENT", help: "standard deviation between sessions, such as 0.5%", fallback: fallback{means: "none: both sides are of one session"},
		verbs: "compare"},
	{name: "timer-resolution", value: "NS", help: "step of the timer in ns, where the files do not say", verbs: "compare"},
	{name: "ratio", value: "RATIO", help: "measured time of head over that of base", fallback: fallback{means: "the ratio of profiled cycles"},
		verbs: "explain"},
	{name: "base-details", value: "FILE", help: "details page of base's profile as CSV, with the findings of Nsight's rules", verbs: "explain"},
	{name: "head-details", value: "FILE", help: "details page of head's profile as CSV, with the findings of Nsight's rules", verbs: "explain"},

	// A search.
	{name: "repo-dir", value: "DIR", help: "clone to work in", fallback: fallback{means: "the current folder"}, output: true, verbs: "bisect"},
	{name: "ledger", value: "DIR", help: "folder of the ledger; a new search begins where there is none", verbs: "judge"},
	{name: "recheck", help: "evaluate the candidate again, even if the ledger has an answer for it", verbs: "judge"},
	{name: "status", help: "print where the search stands, and evaluate nothing", verbs: "judge"},
	{name: "resume", help: "evaluate candidates whose evaluation was interrupted", verbs: "judge"},
}
