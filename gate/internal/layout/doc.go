// Package layout is the architecture as a table: which packages there are, what each is for and imports, and how many lines it may have.
//
//	Groups (rooms.go) -> tests: imports, files that are read, decisions from text
//	                  -> maps in CONTRIBUTING.md, README.md and gate/doc.go
//	                  -> count: lines beside budgets, printed at the end of .ci/run
package layout
