// Package benchmark knows the benchmarks that teams already have: how each kind is asked for its cases, and how the file that it
// writes is read. Reading is strict: a row that is no time is an error with its line, and what a format does not say is in a note.
//
//	command line, trial -> Recognise -> Format, Spec
//	Spec, Ask -> Format.Command -> a process of it -> Output -> Read -> Set of cases with their samples
//	Set of base, Set of head -> Match -> rows that both measure, and what became of the others
package benchmark
