package report

// parts are what a builder finds out, before it puts it in order as blocks.
type parts struct {
	Document
	also        []Text   // everything else that speaks against a pass, and what a pass leaves open
	cases       Table    // what was measured
	competitors []Table  // one for each competitor that cases were measured alongside
	beside      []Text   // what to know of competitors: what was not measured
	remarks     []Remark // what single rows of Cases need to have said
	pasts       []Past   // where records tell something of a case before head, the worst first
	accepted    []Text   // regressions that a person took the responsibility for, a sentence each
	evidence    []Evidence
	gaps        []Text    // evidence that could not be had, with its cure
	static      []Text    // what compiled code and growth of time say
	parity      []Check   // a line per kernel
	problems    []Problem // what went wrong, with the messages
	rates       Table     // empty if no adapter counts its work
	spread      Table     // how samples and processes vary
	facts       []Fact    // machine, method, rounds, policy, sides, time
	noted       []Text    // what the run has to say about itself
	repro       string    // the command line that does it again; may be empty
	timings     Table     // where the wall time went
}
