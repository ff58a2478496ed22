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
		help: "also find what a right result hides. On a CPU: accesses outside of buffers and undefined behaviour (AddressSanitizer and UndefinedBehaviorSanitizer, " +
			"which see no races, no uninitialised reads and no overrun of what the adapter itself allocates). On a GPU: those accesses, uninitialised reads, races and missed barriers " +
			"within a block (compute-sanitizer)", verbs: "parity"},

	// Records.
	{name: "store", value: "dir:PATH|git:BRANCH", help: "where records are kept", fallback: fallback{means: unset},
		verbs: "bisect drift history " + records, input: true},
	{name: "machine", value: "KEY", help: "machine whose records are meant", fallback: fallback{means: "this machine"}, verbs: "history record list show accept prune export"},
	{name: "since", value: "REV", help: "only records after this revision", verbs: "history"},
	{name: "limit", value: "N", help: "at most so many records", other: map[string]fallback{"list": {value: "20"}, "export": {means: "1"}},
		verbs: "list export"},
	{name: "from", value: "FILE", help: "store this saved result or record instead of measuring", verbs: "record"},
	{name: "side", value: "WORD", help: "with --from, the side of the result to store", allowed: []string{string(result.SideHead), string(result.SideBase)},
		fallback: fallback{value: string(result.SideHead)}, verbs: "record"},
	{name: "if-needed", help: "measure only if a record adds something", verbs: "record"},
	{name: "reason", value: "TEXT", help: "why, with --case", verbs: "accept"},
	{name: "by", value: "NAME", help: "who approves", fallback: fallback{means: "the user of this machine"}, verbs: "accept"},
	{name: "revoke", help: "take acceptances of the commit back, those of --case or all", verbs: "accept"},
	{name: "keep-last", value: "N", help: "records to leave, nearest to HEAD first", fallback: fallback{value: "500"}, zero: true, verbs: "prune"},
	{name: "unreachable", help: "also remove records of commits that are not ancestors of HEAD", verbs: "prune"},
	{name: "apply", help: "remove them", verbs: "prune"},
	{name: "replace", help: "replace records that the store has already", verbs: "import"},

	// Saved results, sample files and profiles.
	{name: "artifact", value: "NAME", help: "artifact of a run of GitHub Actions that has the result", fallback: fallback{value: "perfgate"},
		verbs: "rerun"},
	{name: "machine-count", value: "N", help: "how many different machines measured the whole plan each", fallback: fallback{value: "1"}, verbs: "merge"},
	{name: "repository", value: "URL", help: "address of the repository on the web, such as https://github.com/org/repo, to link commits to",
		verbs: "report"},
	{name: "paired", help: "processes pair up in file order: each pair ran next to each other", verbs: "compare"},
	{name: "cpu-time", help: "compare Google Benchmark's CPU time", verbs: "compare"},
	{name: "session-sd", value: "PERCENT", help: "standard deviation between sessions, such as 0.5%", fallback: fallback{means: "one session"},
		verbs: "compare"},
	{name: "timer-resolution", value: "NS", help: "step of the timer in ns, where the files do not say", verbs: "compare"},
	{name: "ratio", value: "RATIO", help: "measured time of head over that of base", fallback: fallback{means: "the ratio of profiled cycles"},
		verbs: "explain"},
	{name: "base-details", value: "FILE", help: "base's details page as CSV, for Nsight's own rules", verbs: "explain"},
	{name: "head-details", value: "FILE", help: "head's details page as CSV, for Nsight's own rules", verbs: "explain"},

	// A search.
	{name: "repo-dir", value: "DIR", help: "clone to work in", fallback: fallback{means: "the current folder"}, output: true, verbs: "bisect"},
	{name: "ledger", value: "DIR", help: "folder of the ledger; a new search begins where there is none", verbs: "judge"},
	{name: "recheck", help: "evaluate a content again that the ledger has an answer for", verbs: "judge"},
	{name: "status", help: "print where the search stands, and evaluate nothing", verbs: "judge"},
	{name: "resume", help: "evaluate what was begun and has no answer", verbs: "judge"},
}
